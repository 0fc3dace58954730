//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package main

// lockFile does nothing where lock_flock.go cannot be.
func lockFile(string) (unlock func(), err error) { return func() {}, nil }
