//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

// This file has the lock under which a file is replaced, the same as that of the C++
// and Rust commands. It goes with the process, however that ends.

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile waits until no other process is about to replace the file, and returns
// what lets the next one. Of a file that does not exist there is nothing to lock.
func lockFile(path string) (unlock func(), err error) {
	for {
		file, err := openLocked(path)
		if errors.Is(err, os.ErrNotExist) {
			return func() {}, nil
		}
		if err != nil {
			return nil, err
		}
		// Whoever held the lock before may have put another file there: that one has to
		// be locked.
		held, err := file.Stat()
		there, err2 := os.Stat(path)
		if err == nil && err2 == nil && os.SameFile(held, there) {
			return func() { file.Close() }, nil
		}
		file.Close()
	}
}

// openLocked opens a file and locks it. Network file systems may want it open for
// writing.
func openLocked(path string) (*os.File, error) {
	for flags := os.O_RDONLY; ; flags = os.O_RDWR {
		file, err := os.OpenFile(path, flags, 0)
		if err != nil {
			return nil, at(path, err)
		}
		for err = syscall.EINTR; err == syscall.EINTR; {
			err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		}
		if err == nil {
			return file, nil
		}
		file.Close()
		if flags == os.O_RDWR || err != syscall.EBADF {
			return nil, at(path, fmt.Errorf("cannot lock: %w: its file system may have no locks (flock)", err))
		}
	}
}
