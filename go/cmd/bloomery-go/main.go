// Command bloomery-go builds, asks and inspects Bloom filter files. It is the Go
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
)

const (
	name    = "bloomery-go"
	version = "0.1.0"
)

const usage = `usage: bloomery-go COMMAND [OPTIONS] ...

  hash    [--hash H] [--seed S] [--secret FILE] [-0] [KEYS]
  build   [--kind K] [--fpr P] [-n N] [--bits-per-key B] [-m M] [-k K] [--blocks B] [--geometry NAME=N,..]
          [--envelope] [--hash H] [--seed S] [--secret FILE] [-q] [-0] -o FILE [KEYS]
  query   [--secret FILE] [--no-verify] [-0] FILE [KEYS]
  inspect [--json] FILE

Kinds: block (the default), split, fuse, classic.
KEYS is a file with one key a line; - or none is standard input. -0: keys end in NUL.
Hashes: fnv_splitmix, xxh3, xxh64 (--seed), siphash13, siphash24 (--secret).
N, M: 1000, 10k, 2.5M, 1e9. P: above 0 and below 1, 0.01 when not given.
Exit status: 0 yes or done, 1 some key is absent, 2 error.
`

// Exit statuses.
const (
	exitDone   = 0
	exitAbsent = 1
	exitError  = 2
)

// streams are what a command reads and writes.
type streams struct {
	in   io.Reader
	out  *bufio.Writer
	errs io.Writer
}

func (s *streams) warn(format string, args ...any) {
	fmt.Fprintf(s.errs, name+": warning: "+format+"\n", args...)
}

var commands = map[string]func(args []string, s *streams) (int, error){
	"hash": runHash, "build": runBuild, "query": runQuery, "inspect": runInspect,
}

// errHelp is returned by the parser of a command's arguments for --help.
var errHelp = errors.New("help")

func main() {
	prepareSignals()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, in io.Reader, out, errs io.Writer) int {
	s := &streams{in: in, out: bufio.NewWriterSize(outputNamed{out}, 1<<16), errs: errs}
	status, err := dispatch(args, s)
	if err == errHelp {
		status, err = exitDone, nil
		s.out.WriteString(usage)
	}
	if err == nil {
		err = s.out.Flush()
	}
	if err == nil {
		return status
	}
	// Whoever reads the output has seen enough: nothing to complain about.
	if !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintf(errs, "%s: %s\n", name, oneLine(err.Error()))
	}
	return exitError
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
	if len(args) == 0 {
		return 0, errHelp
	}
	switch args[0] {
	case "--help", "-h", "help":
		return 0, errHelp
	case "--version":
		_, err := fmt.Fprintf(s.out, "%s %s\n", name, version)
		return exitDone, err
	}
	command, known := commands[args[0]]
	if !known {
		return 0, fmt.Errorf("%q is no command: use hash, build, query or inspect, or --help", args[0])
	}
	return command(args[1:], s)
}

// outputNamed gives errors of the standard output the name of their place.
type outputNamed struct{ to io.Writer }

func (o outputNamed) Write(data []byte) (int, error) {
	n, err := o.to.Write(data)
	return n, at("standard output", err)
}
