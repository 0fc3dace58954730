//go:build unix

package main

// This file keeps signals from leaving half of something behind. Two of them become
// errors of the write that caused them: a file-size limit, so that the unfinished
// file is removed and a message printed, and a reader of the output that went away.
// Those that ask the command to end wait while a file is written.

import (
	"os"
	"os/signal"
	"syscall"
)

func prepareSignals() { signal.Ignore(syscall.SIGXFSZ, syscall.SIGPIPE) }

// holdSignals makes requests to end wait until the function it returns is called.
func holdSignals() (release func()) {
	held := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup wants it
			signal.Notify(held, s)
		}
	}
	return func() {
		signal.Stop(held)
		select {
		case s := <-held:
			syscall.Kill(os.Getpid(), s.(syscall.Signal))
		default:
		}
	}
}
