package bloomery

// This file has the errors that callers may want to tell apart: a class each, for
// errors.Is, and two types for errors.As that say which field or file it was.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// The classes of errors. Every error of this package is one of them by errors.Is, but
// for the io.EOF at the end of a stream; its text says more. An error of the operating
// system also is what it was there, so errors.Is(err, fs.ErrNotExist) works.
var (
	// ErrInvalidArgument: the caller asked for something that cannot be, as a rate of 2.
	ErrInvalidArgument = errors.New("invalid argument")
	// ErrOutOfMemory: a filter of that size cannot be had on this machine.
	ErrOutOfMemory = errors.New("out of memory")
	// ErrIO: the operating system, or a reader or writer that was given, refused.
	ErrIO = errors.New("input or output failed")
	// ErrCorrupt: the bytes are no filter, or a damaged one.
	ErrCorrupt = errors.New("not a valid filter")
	// ErrUnsupported: a valid request that this kind or this version cannot serve.
	ErrUnsupported = errors.New("not supported")
	// ErrMismatch: two filters whose geometry or hash differ.
	ErrMismatch = errors.New("filters do not match")
	// ErrWrongSecret: the filter's hash is keyed, and the secret is another, or missing.
	ErrWrongSecret = errors.New("wrong secret")
	// ErrSecretNeeded: the filter's hash is keyed, and no secret was given. It also is
	// ErrWrongSecret.
	ErrSecretNeeded error = &failure{ErrWrongSecret, "its hash is keyed: give the secret it was built with"}
)

// failure is a sentence of a class.
type failure struct {
	class error
	text  string
}

func (f *failure) Error() string { return f.text }

// Unwrap returns the class.
func (f *failure) Unwrap() error { return f.class }

func wrong(format string, args ...any) error {
	return &failure{ErrInvalidArgument, fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &failure{ErrUnsupported, fmt.Sprintf(format, args...)}
}

// FormatError says that bytes are no filter file that can be read here. It is
// ErrCorrupt, or ErrUnsupported where a newer version may read it.
type FormatError struct {
	Field string // the field of the specification that is wrong
	Why   string // a sentence that names the field, what is wrong and what to do
	class error
}

func (e *FormatError) Error() string { return e.Why }

// Unwrap returns the class.
func (e *FormatError) Unwrap() error { return e.class }

func invalid(field, format string, args ...any) error {
	return &FormatError{field, fmt.Sprintf(format, args...), ErrCorrupt}
}

func unknown(field, format string, args ...any) error {
	return &FormatError{field, fmt.Sprintf(format, args...), ErrUnsupported}
}

// FileError is an error about a file; it prints as "path: why".
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// Is makes ErrIO of every reason that has no class of this package.
func (e *FileError) Is(target error) bool { return target == ErrIO && !classified(e.Err) }

// ioError gives an error of a reader or writer the class ErrIO, and stays that error.
type ioError struct{ error }

func (e ioError) Unwrap() error { return e.error }

func (e ioError) Is(target error) bool { return target == ErrIO }

func asIO(err error) error {
	if err == nil || classified(err) {
		return err
	}
	return ioError{err}
}

func classified(err error) bool {
	for _, class := range []error{ErrInvalidArgument, ErrOutOfMemory, ErrIO, ErrCorrupt, ErrUnsupported, ErrMismatch, ErrWrongSecret} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

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
