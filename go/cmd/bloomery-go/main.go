// Command bloomery-go builds, asks and inspects filter files. It is the Go
// sibling of bloomery and prints the same bytes: see spec/cli.md.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	bloomery "github.com/bloomery/bloomery/go"
)

const (
	name    = "bloomery-go"
	version = "0.1.0"
)

// Exit statuses.
const (
	exitDone  = 0
	exitNo    = 1
	exitError = 2
)

// streams are what a command reads and writes.
type streams struct {
	in   io.Reader
	out  *bufio.Writer
	errs io.Writer
}

func (s *streams) warn(format string, args ...any) {
	fmt.Fprintf(s.errs, "%s: warning: %s\n", name, oneLine(fmt.Sprintf(format, args...)))
}

// complain prints an error. Of a reader of the output that has seen enough there is
// nothing to complain about.
func (s *streams) complain(err error) {
	if !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintf(s.errs, "%s: %s\n", name, oneLine(err.Error()))
	}
}

var (
	commands = []*command{&buildCommand, &queryCommand, &inspectCommand, &verifyCommand, &hashCommand}
	program  = command{options: []option{{names: []string{"--version"}, help: "Show the version"}}}
)

// errHelp is returned by the parser of a command's arguments for --help.
var errHelp = errors.New("help")

func main() {
	prepareSignals()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, in io.Reader, out, errs io.Writer) int {
	s := &streams{in: in, out: bufio.NewWriterSize(outputNamed{out}, 1<<16), errs: errs}
	status, err := dispatch(args, s)
	if err == nil {
		err = s.out.Flush()
	}
	if err != nil {
		s.complain(err)
		return exitError
	}
	return status
}

// oneLine shows control characters, which file names may hold, instead of printing them.
func oneLine(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == 0x7f {
			fmt.Fprintf(&b, "\\x%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func dispatch(args []string, s *streams) (int, error) {
	if len(args) > 0 && args[0] == "help" {
		if len(args) == 1 {
			return s.show(programHelp())
		}
		args = []string{args[1], "--help"}
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		a, err := program.parse(args)
		if err == nil && a.has("--version") {
			return s.show(name + " " + version + "\n")
		}
		if err != nil && err != errHelp {
			return 0, err
		}
		return s.show(programHelp())
	}
	names := []string{"help"}
	for _, one := range commands {
		if one.name == args[0] {
			return s.runCommand(one, args[1:])
		}
		names = append(names, one.name)
	}
	return 0, program.wrong("there is no command '%s'%s", args[0], suggestion(args[0], names))
}

func (s *streams) runCommand(c *command, words []string) (int, error) {
	a, err := c.parse(words)
	if err == errHelp {
		return s.show(c.help())
	}
	if err != nil {
		return 0, err
	}
	status, err := c.run(a, s)
	var file *bloomery.FileError
	if err == nil || errors.As(err, &file) || errors.Is(err, bloomery.ErrOutOfMemory) {
		return status, err
	}
	return status, c.wrong("%w", err) // no file is to blame, so a word is
}

func (s *streams) show(text string) (int, error) {
	_, err := s.out.WriteString(text)
	return exitDone, err
}

// outputNamed gives errors of the standard output the name of their place.
type outputNamed struct{ to io.Writer }

func (o outputNamed) Write(data []byte) (int, error) {
	n, err := o.to.Write(data)
	return n, at("standard output", err)
}
