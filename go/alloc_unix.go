//go:build linux || darwin || freebsd

package bloomery

// This file allocates filters. The Go runtime ends the program when memory runs
// out, so the operating system is asked first, in a way that can answer no.

import (
	"fmt"
	"syscall"
)

const mostBytes = 1 << 46 // the runtime can address no more on 64-bit machines

// checkMemory says whether so much memory can be had.
func checkMemory(size uint64) error {
	if size > mostBytes || uint64(int(size)) != size {
		return fmt.Errorf("a filter of %d bytes does not fit into memory: use fewer bits", size)
	}
	if size >= 1<<20 {
		trial, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return fmt.Errorf("a filter of %d bytes does not fit into memory: use fewer bits", size)
		}
		if err := syscall.Munmap(trial); err != nil {
			return err
		}
	}
	return nil
}
