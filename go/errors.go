package bloomery

// This file has the errors that callers may want to tell apart; all others are
// plain text.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// FormatError says that bytes are no valid filter file.
type FormatError struct {
	Field string // the field of the specification that is wrong
	Why   string // a sentence that names the field, what is wrong and what to do
}

func (e *FormatError) Error() string { return e.Why }

func invalid(field, format string, args ...any) error {
	return &FormatError{Field: field, Why: fmt.Sprintf(format, args...)}
}

// ErrSecretNeeded is returned for the keys of a keyed file without a secret.
var ErrSecretNeeded = errors.New("its hash is keyed: give the secret it was built with")

// ErrWrongSecret is returned when a secret's id is not the one in the file.
var ErrWrongSecret = errors.New("the secret is not the one this filter was built with")

// FileError is an error about a file; it prints as "path: why".
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// atPath names the file an error is about, once: what the os package says about
// paths (which may be that of a temporary file) gives way to it.
func atPath(path string, err error) error {
	if err == nil {
		return nil
	}
	var pathError *fs.PathError
	var linkError *os.LinkError
	switch {
	case errors.As(err, &pathError):
		err = pathError.Err
	case errors.As(err, &linkError):
		err = linkError.Err
	}
	return &FileError{Path: path, Err: err}
}
