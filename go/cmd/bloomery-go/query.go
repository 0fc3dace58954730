package main

// This file has the commands that answer a line per key: hash and query.

import (
	"bufio"
	"io"

	bloomery "github.com/bloomery/bloomery/go"
)

func runHash(args []string, s *streams) (int, error) {
	a, err := parseArguments(args, options{"--hash": true, "--seed": true, "--secret": true, "-0": false})
	if err != nil {
		return 0, err
	}
	if err := a.files(0, 1, "at most one: KEYS"); err != nil {
		return 0, err
	}
	hasher, err := parseHasher(a, bloomery.FNVSplitMix)
	if err != nil {
		return 0, err
	}
	line := make([]byte, 17)
	line[16] = '\t'
	return exitDone, eachBlock(a, 0, s, func(keys [][]byte, separator byte) {
		for _, key := range keys {
			hash := hasher.Hash(key)
			for i := 15; i >= 0; i-- {
				line[i] = "0123456789abcdef"[hash&15]
				hash >>= 4
			}
			s.out.Write(line)
			s.out.Write(key)
			s.out.WriteByte(separator)
		}
	})
}

func runQuery(args []string, s *streams) (int, error) {
	a, err := parseArguments(args, options{"--secret": true, "--no-verify": false, "-0": false})
	if err != nil {
		return 0, err
	}
	if err := a.files(1, 2, "FILE and at most one more: KEYS"); err != nil {
		return 0, err
	}
	view, err := openView(a)
	if err != nil {
		return 0, err
	}
	status, absent := exitDone, "no\t"
	if view.Kind().Forgets() {
		absent = "unseen\t"
	}
	var answers []bool
	err = eachBlock(a, 1, s, func(keys [][]byte, separator byte) {
		if len(answers) < len(keys) {
			answers = make([]bool, 2*len(keys))
		}
		view.ContainsMany(keys, answers[:len(keys)])
		for i, key := range keys {
			if answers[i] {
				s.out.WriteString("maybe\t")
			} else {
				s.out.WriteString(absent)
				status = exitAbsent
			}
			s.out.Write(key)
			s.out.WriteByte(separator)
		}
	})
	return status, err
}

func openView(a *arguments) (bloomery.View, error) {
	path := a.positional[0]
	var options []bloomery.OpenOption
	if a.has("--secret") {
		secret, err := bloomery.ReadSecret(a.values["--secret"])
		if err != nil {
			return bloomery.View{}, err
		}
		options = append(options, bloomery.WithSecret(secret))
	}
	if a.has("--no-verify") {
		options = append(options, bloomery.Unverified())
	}
	file, err := bloomery.Open(path, options...)
	if err != nil {
		return bloomery.View{}, err
	}
	view, err := file.View()
	return view, at(path, err)
}

// eachBlock calls f with the keys of every block read from the argument at
// position i, and flushes after each, so that a slow writer of keys sees answers
// as it goes. Errors of the output stay in the buffer until the flush.
func eachBlock(a *arguments, i int, s *streams, f func(keys [][]byte, separator byte)) error {
	from, err := openKeys(a.keys(i), s.in)
	if err != nil {
		return err
	}
	defer from.close()
	return readBlocks(from, a.separator(), s.out, f)
}

func readBlocks(from io.Reader, separator byte, out *bufio.Writer, f func(keys [][]byte, separator byte)) error {
	reader := newKeyReader(from, separator)
	for {
		keys, err := reader.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f(keys, separator)
		if err := out.Flush(); err != nil {
			return err
		}
	}
}
