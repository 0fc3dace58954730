package bloomery

// This file reads filter files from disk.

import (
	"errors"
	"io"
	"os"

	"github.com/bloomery/bloomery/go/internal/publish"
)

// Open reads a filter file and makes all checks; its errors begin with the path.
// The header is held against the file's real length before memory is taken for
// the rest.
func Open(path string, options ...OpenOption) (*File, error) {
	file, err := read(path, openingOf(options))
	if err != nil {
		return nil, atPath(path, err)
	}
	return file, nil
}

func read(path string, o opening) (*File, error) {
	// Asked before opening: to open a named pipe would wait for its writer.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if err := publish.CheckRegular(info); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	prefix, err := readPrefix(file, uint64(info.Size()))
	if err != nil {
		return nil, err
	}
	parsed, err := parseHeader(prefix, uint64(info.Size()))
	if err != nil {
		return nil, err
	}
	payload, err := allocate(parsed.core.of.byteLen())
	if err != nil {
		return nil, err
	}
	copied := copy(payload, prefix[parsed.headerLen():])
	if _, err := io.ReadFull(file, payload[copied:]); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, errors.New("it became shorter while it was read")
	} else if err != nil {
		return nil, err
	}
	return parsed.attach(payload, o)
}

// readPrefix reads the first 128 bytes, and the records behind them, or all of a shorter
// file.
func readPrefix(file io.Reader, length uint64) ([]byte, error) {
	prefix, whole, err := readUpTo(file, nil, envelopeHeaderLen)
	if !whole || prefix[0] != magic[0] {
		return prefix, err
	}
	offset, err := envelopeStart(prefix, length)
	if err != nil {
		return nil, err
	}
	prefix, _, err = readUpTo(file, prefix, int(offset))
	return prefix, err
}
