package main

// This file has how a line spells a key: --keys text|int|hex|base64 (spec/keys.md).

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"

	bloomery "github.com/bloomery/bloomery/go"
)

// spelling is a way to write a key on a line.
type spelling struct {
	name, record, example string
	// decode appends the bytes of the key; false when the line spells none. nil of text,
	// which is its own key.
	decode func(to, line []byte) ([]byte, bool)
}

var spellings = []spelling{
	{"text", "text", "any bytes", nil},
	{"int", "int", "a whole number such as -42", decodeInt},
	{"hex", "bytes", "an even number of hexadecimal digits such as 00ff", decodeHex},
	{"base64", "bytes", "padded base64 such as AP8=", decodeBase64},
}

var plainText = &spellings[0]

func decodeInt(to, line []byte) ([]byte, bool) {
	if len(line) > 0 && line[0] == '-' {
		number, err := strconv.ParseInt(string(line), 10, 64)
		return binary.LittleEndian.AppendUint64(to, uint64(number)), err == nil
	}
	number, err := strconv.ParseUint(string(line), 10, 64)
	return binary.LittleEndian.AppendUint64(to, number), err == nil
}

func decodeHex(to, line []byte) ([]byte, bool) {
	to, err := hex.AppendDecode(to, line)
	return to, err == nil
}

func decodeBase64(to, line []byte) ([]byte, bool) {
	to, err := base64.StdEncoding.Strict().AppendDecode(to, line)
	return to, err == nil && !bytes.ContainsAny(line, "\r\n") // which the package skips
}

// givenSpelling is that of --keys; nil when it was not given.
func givenSpelling(a *arguments) (*spelling, error) {
	if !a.has("--keys") {
		return nil, nil
	}
	for i := range spellings {
		if spellings[i].name == a.value("--keys") {
			return &spellings[i], nil
		}
	}
	return nil, fmt.Errorf("there is no spelling of keys '%s': use text, int, hex or base64", a.value("--keys"))
}

// spellingOf is how lines spell the keys of a file: as --keys says, else as the file
// does, else text. Another type than the file's is refused without --force.
func spellingOf(a *arguments, file *bloomery.File) (*spelling, error) {
	given, err := givenSpelling(a)
	if err != nil {
		return nil, err
	}
	record, force := file.KeyType(), a.has("--force")
	if given != nil {
		if record != "" && record != given.record && !force {
			return nil, fmt.Errorf("the keys are of the type '%s', not '%s': leave out --keys, or ask anyway with --force", record, given.record)
		}
		return given, nil
	}
	for i := range spellings {
		if spellings[i].record == record {
			return &spellings[i], nil // of bytes, hex
		}
	}
	if record == "" || force {
		return plainText, nil
	}
	why := "no line can spell: ask the program that made it"
	switch record {
	case "parquet-bytes", "parquet-int32", "parquet-int64", "parquet-double":
		why = "this command does not spell: ask by `bloomery query`"
	}
	return nil, fmt.Errorf("the keys are of the type '%s', which %s, or with --force", record, why)
}

// decoder turns lines into keys.
type decoder struct {
	*spelling
	lines  uint64 // of this file, before
	buffer []byte
	keys   [][]byte
}

// decode returns the keys of lines of a file, good until the next call.
func (d *decoder) decode(lines [][]byte, file string) ([][]byte, error) {
	if d.spelling.decode == nil {
		return lines, nil
	}
	d.buffer, d.keys = d.buffer[:0], d.keys[:0]
	for i, line := range lines {
		before, good := len(d.buffer), false
		if d.buffer, good = d.spelling.decode(d.buffer, line); !good {
			return nil, at(file, fmt.Errorf("line %d is '%s', and --keys %s takes %s", d.lines+uint64(i)+1, line[:min(60, len(line))], d.name, d.example))
		}
		d.keys = append(d.keys, d.buffer[before:len(d.buffer):len(d.buffer)])
	}
	d.lines += uint64(len(lines))
	return d.keys, nil
}
