package main

import (
	"os"
	"syscall"
)

// wasClosed reports whether the program was started with this standard stream closed.
// The Go runtime then opens /dev/null in its place, to read and write, which tells it
// from one that a shell has opened.
func wasClosed(file *os.File) bool {
	info, err := file.Stat()
	null, err2 := os.Stat(os.DevNull)
	if err != nil || err2 != nil || !os.SameFile(info, null) {
		return false
	}
	flags, _, number := syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), syscall.F_GETFL, 0)
	return number == 0 && flags&syscall.O_ACCMODE == syscall.O_RDWR
}
