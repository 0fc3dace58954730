package bloomery

// This file publishes filter files: the new file appears whole under its name, or
// the old one stays as it was.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Save writes the file to disk: into a temporary file of the same directory,
// which is synced and renamed, so that nobody ever sees half a filter, not even
// after a power failure. On an error, what was there before is intact. A target
// that exists and is not a regular file is refused. A symbolic link stays one: the
// file it leads to is replaced, or made.
func (f *File) Save(path string) error { return publish(path, f.header(), f.bytes) }

// Save writes the filter to disk in a format; see [File.Save].
func (f *Filter) Save(path string, format Format) error {
	file, err := f.File(format)
	if err != nil {
		return err
	}
	return file.Save(path)
}

// CheckTarget says early whether Save would refuse a path for what is there now.
func CheckTarget(path string) error {
	_, err := resolve(path)
	return atPath(path, err)
}

// resolve returns the place behind symbolic links, and refuses what is there and no
// regular file.
func resolve(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = checkRegular(info)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	place := path
	for links := 0; links < 40; links++ { // as many as the system follows
		to, err := os.Readlink(place)
		if err != nil { // no link
			break
		}
		if filepath.IsAbs(to) {
			place = to
		} else {
			place = filepath.Dir(place) + string(filepath.Separator) + to
		}
	}
	if info == nil {
		// The name is free; the place it is in has to exist.
		_, err = os.Stat(filepath.Dir(place))
	}
	return place, err
}

func publish(path string, parts ...[]byte) error {
	target, err := resolve(path)
	if err != nil {
		return atPath(path, err)
	}
	temporary, err := createBeside(target)
	if err != nil {
		return atPath(path, err)
	}
	if err := fillAndRename(temporary, target, parts); err != nil {
		temporary.Close()
		os.Remove(temporary.Name())
		return atPath(path, err)
	}
	return atPath(path, syncDirectory(filepath.Dir(target)))
}

// createBeside makes a temporary file. os.CreateTemp would make one that only its
// owner can read; a filter gets the permissions that any new file gets.
func createBeside(path string) (*os.File, error) {
	directory := filepath.Dir(path)
	for try := 0; ; try++ {
		name := fmt.Sprintf(".bloomery-%d-%d.tmp", os.Getpid(), try)
		file, err := os.OpenFile(filepath.Join(directory, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, os.ErrExist) || try == 10000 {
			return file, err
		}
	}
}

func fillAndRename(file *os.File, path string, parts [][]byte) error {
	if old, err := os.Stat(path); err == nil {
		keepOwner(file, old)
		if err := file.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	for _, part := range parts {
		if _, err := file.Write(part); err != nil {
			return err
		}
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// syncDirectory makes the rename last. Some file systems cannot sync directories
// and say so; that is no failure of the save.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	defer directory.Close()
	err = directory.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
