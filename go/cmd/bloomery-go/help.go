package main

// This file has what the command says for people: help of 80 columns, made of the
// descriptions that parsing follows, and the right word for one that is nearly right.

import (
	"fmt"
	"strings"
)

const (
	helpColumns = 80
	helpIndent  = 24 // where the second column begins
)

// wrapped breaks text at blanks. Lines after the first begin with an indent.
func wrapped(text string, indent int) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Split(text, " ") {
		if i > 0 && width+1+len(word) > helpColumns {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			width = indent
		} else if i > 0 {
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}

// row is a line of a list: "  --fpr P               What it does".
func row(title, text string) string {
	line := fmt.Sprintf("  %-*s", helpIndent-2, title)
	if len(title) > helpIndent-4 {
		line = fmt.Sprintf("  %s\n%s", title, strings.Repeat(" ", helpIndent))
	}
	first, rest, more := strings.Cut(wrapped(strings.Repeat("_", helpIndent)+text, helpIndent), "\n")
	line += strings.TrimLeft(first, "_")
	if more {
		line += "\n" + rest
	}
	return line + "\n"
}

// usage is "bloomery-go build [OPTIONS] -o FILE [KEYS...]".
func (c *command) usage() string {
	text := c.path() + " [OPTIONS]"
	for i := range c.options {
		switch one := &c.options[i]; {
		case one.isArgument() && one.required:
			text += " " + one.title()
		case one.isArgument():
			text += " [" + one.title() + "]"
		case one.required:
			text += " " + one.names[0] + " " + one.value
		}
	}
	return text
}

func (c *command) help() string {
	text := wrapped(c.summary+".", 0) + "\n\nUsage: " + c.usage() + "\n"
	for _, paragraph := range strings.Split(c.details, "\n\n") {
		if paragraph != "" {
			text += "\n" + wrapped(paragraph, 0) + "\n"
		}
	}
	for _, list := range []struct {
		title     string
		arguments bool
	}{{"Arguments", true}, {"Options", false}} {
		rows := ""
		for i := range c.options {
			if one := &c.options[i]; one.isArgument() == list.arguments {
				rows += row(one.title(), one.help)
			}
		}
		if !list.arguments {
			rows += row("-h, --help", "Show this text")
		}
		if rows != "" {
			text += "\n" + list.title + ":\n" + rows
		}
	}
	return text
}

func programHelp() string {
	text := "Filters that answer \"is this key definitely absent?\".\n\nUsage: " + name + " COMMAND ...\n\n" +
		wrapped("Exit status: 0 yes or done, 1 no, 2 error. '"+name+" COMMAND --help' tells more. "+
			"The C++ command bloomery has more commands and makes more kinds; their files are the same.", 0) + "\n\nCommands:\n"
	for _, c := range commands {
		text += row(c.name, c.summary)
	}
	return text + row("help", "Show this text, or the help of a command") +
		"\nOptions:\n" + row("--version", "Show the version") + row("-h, --help", "Show this text")
}

// suggestion is " (did you mean 'query'?)", or nothing when no word is near.
func suggestion(word string, among []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, one := range among {
		steps := distance(word, one)
		if len(word) >= 3 && strings.HasPrefix(one, word) {
			steps = 1
		}
		if steps < least {
			best, least = one, steps
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean '" + best + "'?)"
}

// distance is the least number of letters to insert, drop, replace or swap with their
// neighbour that makes one word of the other.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
