package main

// This file reads lines of keys: in blocks, so that memory stays bounded by the longest
// line, and twice where a build has to count them first. keyfiles.go has several files.

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	bloomery "github.com/bloomery/bloomery/go"
)

const blockLen = 1 << 18

// at names the place an error happened at, in place of what os says about it.
func at(place string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &bloomery.FileError{Path: place, Err: err}
}

// source is an open KEYS argument.
type source struct {
	io.Reader
	name  string
	file  *os.File // nil when the input is no file, as in tests
	start int64    // where a regular file stood when it was marked
}

// openSource opens a file, or the standard input for "-".
func openSource(path string, in io.Reader) (*source, error) {
	if path == "-" {
		file, _ := in.(*os.File)
		if file != nil && wasClosed(file) {
			return nil, at("standard input", errors.New("is closed, or /dev/null opened to read and write: give a file of keys, or </dev/null for none"))
		}
		return &source{Reader: in, name: "standard input", file: file}, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, at(path, err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, at(path, errors.New("is a directory, not a file of keys"))
	}
	return &source{Reader: file, name: path, file: file}, nil
}

func (s *source) Read(block []byte) (int, error) {
	n, err := s.Reader.Read(block)
	return n, at(s.name, err)
}

func (s *source) close() {
	if s.file != nil {
		s.file.Close()
	}
}

func (s *source) regular() bool {
	if s.file == nil {
		return false
	}
	info, err := s.file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// mark keeps where a regular file stands, for rewind.
func (s *source) mark() {
	if s.regular() {
		s.start, _ = s.file.Seek(0, io.SeekCurrent)
	}
}

// rewind goes back to the mark.
func (s *source) rewind() error {
	if !s.regular() {
		return nil
	}
	_, err := s.file.Seek(s.start, io.SeekStart)
	return at(s.name, err)
}

// counted counts the keys and returns a source that gives them again after a rewind. A
// regular file is read twice; anything else is copied to a temporary file that
// has no name, so that nothing is left of it whatever happens.
func (s *source) counted(separator byte) (uint64, *source, error) {
	if s.regular() {
		n, err := countKeys(s, io.Discard, separator, make([]byte, blockLen))
		return n, s, err
	}
	spool, err := os.CreateTemp("", "bloomery-keys-")
	if err != nil {
		return 0, nil, at("temporary file", err)
	}
	os.Remove(spool.Name())
	n, err := countKeys(s, spool, separator, make([]byte, blockLen))
	if err != nil {
		spool.Close()
		return 0, nil, err
	}
	return n, &source{Reader: spool, name: s.name, file: spool}, nil
}

// countKeys copies by way of a block and counts the keys.
func countKeys(from io.Reader, to io.Writer, separator byte, block []byte) (count uint64, err error) {
	open := false // whether the last key still waits for its end
	for {
		n, err := from.Read(block)
		if n > 0 {
			count += uint64(bytes.Count(block[:n], []byte{separator}))
			open = block[n-1] != separator
			if _, err := to.Write(block[:n]); err != nil {
				return 0, at("temporary file", err)
			}
		}
		if err == io.EOF {
			if open {
				count++
			}
			return count, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// keyReader cuts what it reads into lines, without a copy of any.
type keyReader struct {
	from    io.Reader
	format  lineFormat
	buffer  []byte
	have    int // bytes of an unfinished line at the start of the buffer
	used    int // bytes before it that the last block's lines are in
	lines   [][]byte
	done    bool
	counted lineCounts
}

func newKeyReader(from io.Reader, format lineFormat) *keyReader {
	return &keyReader{from: from, format: format, buffer: make([]byte, blockLen)}
}

// next returns the lines that one block read completes, at least one; io.EOF after the
// last. They are valid until the next call.
func (r *keyReader) next() ([][]byte, error) {
	copy(r.buffer, r.buffer[r.used:r.used+r.have])
	r.used, r.lines = 0, r.lines[:0]
	for idle := 0; !r.done && len(r.lines) == 0; idle++ {
		if r.have == len(r.buffer) {
			r.buffer = append(r.buffer, make([]byte, len(r.buffer))...)
		}
		n, err := r.from.Read(r.buffer[r.have:])
		r.cut(n)
		switch {
		case err == io.EOF:
			r.done = true
			if r.have > 0 {
				r.take(r.buffer[r.used : r.used+r.have])
			}
		case err != nil:
			return nil, err
		case n > 0:
			idle = 0
		case idle == 100:
			return nil, io.ErrNoProgress
		}
	}
	if len(r.lines) == 0 {
		return nil, io.EOF
	}
	return r.lines, nil
}

// cut takes n new bytes in and moves complete lines to r.lines. Only new bytes can hold
// a separator, so long lines are not searched again.
func (r *keyReader) cut(n int) {
	search, end := r.have, r.have+n
	for {
		at := bytes.IndexByte(r.buffer[search:end], r.format.separator)
		if at < 0 {
			break
		}
		r.take(r.buffer[r.used : search+at])
		search += at + 1
		r.used = search
	}
	r.have = end - r.used
}

func (r *keyReader) take(line []byte) {
	r.counted.lines++
	if end := len(line) - 1; end >= 0 && line[end] == '\r' {
		r.counted.withCR++
		if r.format.stripCR {
			line = line[:end]
		}
	}
	if len(line) == 0 {
		r.counted.empty++
	}
	r.lines = append(r.lines, line)
}
