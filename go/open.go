package bloomery

// This file reads filter files from disk.

import (
	"errors"
	"io"
	"os"
)

// Open reads a filter file and makes all checks; its errors begin with the path.
// The header is held against the file's real length before memory is taken for
// the rest.
func Open(path string) (*File, error) { return open(path, true) }

// OpenUnverified is Open without the checksum of the payload, which [File.Verify]
// can make up for. Damage it does not notice can make present keys absent.
func OpenUnverified(path string) (*File, error) { return open(path, false) }

func open(path string, verify bool) (*File, error) {
	file, err := read(path, verify)
	return file, atPath(path, err)
}

func read(path string, verify bool) (*File, error) {
	// Asked before opening: to open a named pipe would wait for its writer.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if err := checkRegular(info); err != nil {
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
	prefix := make([]byte, envelopeHeaderLen)
	n, err := io.ReadFull(file, prefix)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	parsed, err := parseHeader(prefix[:n], uint64(info.Size()))
	if err != nil {
		return nil, err
	}
	payload, err := allocate(parsed.geometry.ByteLen())
	if err != nil {
		return nil, err
	}
	copied := copy(payload, prefix[parsed.headerLen():n])
	if _, err := io.ReadFull(file, payload[copied:]); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, errors.New("it became shorter while it was read")
	} else if err != nil {
		return nil, err
	}
	return parsed.attach(payload, verify)
}

func checkRegular(info os.FileInfo) error {
	if info.IsDir() {
		return errors.New("is a directory, not a file")
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	return nil
}
