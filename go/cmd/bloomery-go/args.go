package main

// This file has what a command says of itself, and the grammar of its words
// (spec/cli.md): --opt VALUE, --opt=VALUE, -n N, -nN and flags, before or after the
// arguments; "--" ends the options. help.go prints what parsing follows.

import (
	"fmt"
	"strings"
)

// option is "-q, --quiet", "--fpr P", or an argument: "FILE". It is known by its first
// name.
type option struct {
	names    []string
	value    string // what help calls the value; "" of a flag and of an argument
	help     string
	required bool
	repeated bool // may be given again
	mayEmpty bool // an empty value means something
}

func (o *option) isArgument() bool { return o.names[0][0] != '-' }
func (o *option) isFlag() bool     { return o.value == "" && !o.isArgument() }

// title is "-o, --output FILE" or "KEYS...".
func (o *option) title() string {
	title := strings.Join(o.names, ", ")
	if o.isArgument() && o.repeated {
		return title + "..."
	}
	if o.value != "" {
		return title + " " + o.value
	}
	return title
}

// command describes itself.
type command struct {
	name, summary, details string
	options                []option // arguments too, in the order of the command line
	run                    func(a *arguments, s *streams) (int, error)
}

func (c *command) path() string { return strings.TrimSpace(name + " " + c.name) }

// wrong is an error of the command line, which names the help of its command.
func (c *command) wrong(format string, args ...any) error {
	return fmt.Errorf("%w: see '%s --help'", fmt.Errorf(format, args...), c.path())
}

func (c *command) find(name string) *option {
	for i := range c.options {
		for _, one := range c.options[i].names {
			if one == name && !c.options[i].isArgument() {
				return &c.options[i]
			}
		}
	}
	return nil
}

func (c *command) noSuchOption(name string) error {
	known := []string{"--help"}
	for _, one := range c.options {
		if !one.isArgument() {
			known = append(known, one.names...)
		}
	}
	return c.wrong("there is no option '%s'%s", name, suggestion(name, known))
}

// arguments are the parsed words.
type arguments struct {
	of     *command
	values map[string][]string // by the first name of an option or argument
}

func (a *arguments) has(option string) bool { return a.values[option] != nil }

// value returns what was given, or "".
func (a *arguments) value(option string) string {
	if all := a.values[option]; len(all) > 0 {
		return all[0]
	}
	return ""
}

func isHelp(word string) bool { return word == "--help" || word == "-h" }

// parse returns errHelp as soon as help is asked for.
func (c *command) parse(words []string) (*arguments, error) {
	a := &arguments{c, map[string][]string{}}
	for i, options := 0, true; i < len(words); i++ {
		word := words[i]
		used, err := 0, error(nil)
		switch {
		case options && isHelp(word):
			return a, errHelp
		case options && word == "--":
			options = false
		case options && strings.HasPrefix(word, "--"):
			used, err = a.long(word, words[i+1:])
		case options && len(word) > 1 && word[0] == '-':
			used, err = a.short(word, words[i+1:])
		default:
			err = a.argument(word)
		}
		if err != nil {
			return nil, err
		}
		i += used
	}
	for i := range c.options {
		if one := &c.options[i]; one.required && !a.has(one.names[0]) {
			title := one.title()
			if one.isArgument() {
				title = one.names[0]
			}
			return nil, c.wrong("%s is missing", title)
		}
	}
	return a, nil
}

// long returns how many of the words behind it an option used up.
func (a *arguments) long(word string, rest []string) (int, error) {
	name, value, given := strings.Cut(word, "=")
	one := a.of.find(name)
	switch {
	case one == nil:
		return 0, a.of.noSuchOption(name)
	case given && one.isFlag():
		return 0, a.of.wrong("%s takes no value", name)
	case given:
		return 0, a.take(one, name, value)
	}
	return a.next(one, name, rest)
}

// short takes flags one by one, up to an option that takes the rest as its value.
func (a *arguments) short(word string, rest []string) (int, error) {
	for at := 1; at < len(word); at++ {
		name := "-" + word[at:at+1]
		one := a.of.find(name)
		switch {
		case one == nil && at == 1:
			return 0, a.of.noSuchOption(word)
		case one == nil:
			return 0, a.of.noSuchOption(name)
		case !one.isFlag() && at+1 < len(word):
			return 0, a.take(one, name, word[at+1:])
		}
		if used, err := a.next(one, name, rest); err != nil || !one.isFlag() {
			return used, err
		}
	}
	return 0, nil
}

// next takes the next word as the value, unless it is an option itself.
func (a *arguments) next(one *option, name string, rest []string) (int, error) {
	if one.isFlag() {
		return 0, a.take(one, name, "")
	}
	if len(rest) == 0 || a.of.find(rest[0]) != nil || isHelp(rest[0]) {
		return 0, a.of.wrong("%s needs a value: %s %s", name, name, one.value)
	}
	return 1, a.take(one, name, rest[0])
}

// take refuses a second value, of which one would have to be ignored, and an empty one.
func (a *arguments) take(one *option, name, value string) error {
	first := one.names[0]
	if a.has(first) && !one.repeated && !one.isFlag() {
		return a.of.wrong("%s is given twice: give it once", name)
	}
	if value == "" && !one.isFlag() && !one.mayEmpty {
		return a.of.wrong("%s is empty: give a value, or leave it out", name)
	}
	a.values[first] = append(a.values[first], value)
	return nil
}

func (a *arguments) argument(word string) error {
	for i := range a.of.options {
		if one := &a.of.options[i]; one.isArgument() && (one.repeated || !a.has(one.names[0])) {
			return a.take(one, one.names[0], word)
		}
	}
	return a.of.wrong("there is one argument too many, '%s'", word)
}
