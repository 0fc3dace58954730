//go:build !(linux || darwin || freebsd)

package bloomery

// This file allocates filters where nobody can be asked whether they fit.

import "fmt"

const mostBytes = 1 << 46 // the runtime can address no more on 64-bit machines

func allocate(size uint64) ([]byte, error) {
	if size > mostBytes || uint64(int(size)) != size {
		return nil, fmt.Errorf("a filter of %d bytes does not fit into memory: use fewer bits", size)
	}
	return make([]byte, size), nil
}
