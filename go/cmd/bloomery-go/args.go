package main

// This file parses arguments: --opt value, --opt=value, -n N, -nN and flags,
// before or after the positional ones; "--" ends the options.

import (
	"fmt"
	"strings"
)

// options lists what a command takes: names with their dashes, and whether a
// value follows.
type options map[string]bool

// arguments are the parsed ones.
type arguments struct {
	values     map[string]string
	positional []string
}

func (a *arguments) has(option string) bool {
	_, given := a.values[option]
	return given
}

func parseArguments(args []string, known options) (*arguments, error) {
	parsed := &arguments{values: map[string]string{}}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		var used int
		var err error
		switch {
		case arg == "--":
			parsed.positional = append(parsed.positional, args[i+1:]...)
			return parsed, nil
		case arg == "--help" || arg == "-h":
			return nil, errHelp
		case strings.HasPrefix(arg, "--"):
			used, err = parsed.long(arg, args[i+1:], known)
		case strings.HasPrefix(arg, "-") && arg != "-":
			used, err = parsed.short(arg, args[i+1:], known)
		default:
			parsed.positional = append(parsed.positional, arg)
		}
		if err != nil {
			return nil, err
		}
		i += used
	}
	return parsed, nil
}

// long returns how many of the arguments after it an option used up.
func (a *arguments) long(arg string, rest []string, known options) (int, error) {
	option, value, given := strings.Cut(arg, "=")
	takesValue, ok := known[option]
	switch {
	case !ok:
		return 0, fmt.Errorf("option %s is unknown here: see --help", option)
	case !takesValue && given:
		return 0, fmt.Errorf("option %s takes no value", option)
	case takesValue && !given:
		if len(rest) == 0 {
			return 0, fmt.Errorf("option %s needs a value", option)
		}
		return 1, a.set(option, rest[0])
	case !takesValue:
		a.values[option] = ""
		return 0, nil
	}
	return 0, a.set(option, value)
}

// set refuses a second value: one of the two would have to be ignored.
func (a *arguments) set(option, value string) error {
	if a.has(option) {
		return fmt.Errorf("option %s is given twice", option)
	}
	a.values[option] = value
	return nil
}

// short takes flags one by one, up to an option that takes the rest as its value.
func (a *arguments) short(arg string, rest []string, known options) (int, error) {
	for at := 1; at < len(arg); at++ {
		option := "-" + arg[at:at+1]
		takesValue, ok := known[option]
		switch {
		case !ok:
			return 0, fmt.Errorf("option %s is unknown here: see --help", option)
		case !takesValue:
			a.values[option] = ""
		case at+1 < len(arg):
			return 0, a.set(option, arg[at+1:])
		case len(rest) == 0:
			return 0, fmt.Errorf("option %s needs a value", option)
		default:
			return 1, a.set(option, rest[0])
		}
	}
	return 0, nil
}

// files returns the positional arguments, which are named for the error message.
func (a *arguments) files(least, most int, names string) error {
	if len(a.positional) < least || len(a.positional) > most {
		return fmt.Errorf("%d file names are given, the command takes %s", len(a.positional), names)
	}
	return nil
}

// keys returns the i-th positional argument, or "-" for standard input.
func (a *arguments) keys(i int) string {
	if i < len(a.positional) {
		return a.positional[i]
	}
	return "-"
}

func (a *arguments) separator() byte {
	if a.has("-0") {
		return 0
	}
	return '\n'
}
