// Package publish puts files in their place: the new file appears whole under its name,
// or the old one stays as it was. The package and its command use it.
package publish

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Check says early whether File would refuse a path for what is there now.
func Check(path string) error {
	_, err := resolve(path)
	return err
}

// CheckRegular refuses what is no regular file.
func CheckRegular(info os.FileInfo) error {
	if info.IsDir() {
		return errors.New("is a directory, not a file")
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	return nil
}

// resolve returns the place behind symbolic links, and refuses what is there and no
// regular file.
func resolve(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = CheckRegular(info)
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

// File writes the parts to path: into a temporary file of the same directory, which is
// synced and renamed, so that nobody ever sees half a file, not even after a power
// failure. On an error, what was there before is intact, unless only the sync of the
// directory failed: then the new file is there, whole, and a power failure may bring the
// old one back. The directory is opened before the rename, so it has to be readable, too.
func File(path string, parts ...[]byte) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	directory, err := os.Open(filepath.Dir(target))
	if err != nil {
		return about("cannot open its directory to sync it", err)
	}
	defer directory.Close()
	old, _ := os.Stat(target) // nil where there is no such file
	temporary, err := createBeside(target, old != nil)
	if err != nil {
		return err
	}
	if err := fillAndRename(temporary, old, target, parts); err != nil {
		temporary.Close()
		os.Remove(temporary.Name())
		return err
	}
	return syncDirectory(directory)
}

// about puts words before an error, and leaves out the path that the os package names.
func about(words string, err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return fmt.Errorf("%s: %w", words, err)
}

// createBeside makes a temporary file. One that replaces a file is open to its owner alone
// until it gets the permissions of the old one: who opens it before that could read what is
// written later. Another gets the permissions that any new file gets, which os.CreateTemp
// does not give.
func createBeside(path string, replaces bool) (*os.File, error) {
	directory, mode := filepath.Dir(path), os.FileMode(0o666)
	if replaces {
		mode = 0o600
	}
	for try := 0; ; try++ {
		name := fmt.Sprintf(".bloomery-%d-%d.tmp", os.Getpid(), try)
		file, err := os.OpenFile(filepath.Join(directory, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err == nil || !errors.Is(err, os.ErrExist) || try == 10000 {
			return file, err
		}
	}
}

// fillAndRename gives the file the owner, the permissions and the place of the old one, if any.
func fillAndRename(file *os.File, old os.FileInfo, path string, parts [][]byte) error {
	if old != nil {
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
func syncDirectory(directory *os.File) error {
	err := directory.Sync()
	if err == nil || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return about("cannot sync its directory", err)
}
