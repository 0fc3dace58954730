//go:build !(linux || darwin || freebsd)

package bloomery

// This file allocates filters where nobody can be asked whether they fit.

import "fmt"

const mostBytes = 1 << 46 // the runtime can address no more on 64-bit machines

// checkMemory says whether so much memory can be had.
func checkMemory(size uint64) error {
	if size > mostBytes || uint64(int(size)) != size {
		return fmt.Errorf("a filter of %d bytes does not fit into memory: use fewer bits", size)
	}
	return nil
}
