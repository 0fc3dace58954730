//go:build !unix

package main

// This file has nothing to do where the signals of signals_unix.go do not exist.

func prepareSignals() {}

func holdSignals() (release func()) { return func() {} }
