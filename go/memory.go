package bloomery

// This file takes memory for filters. The Go runtime ends the program when memory runs
// out, so what cannot fit is refused first.

import "unsafe"

const mostBytes = 1 << 46 // the runtime can address no more on 64-bit machines

// checkMemory refuses more memory than the machine has.
func checkMemory(size uint64) error {
	if size > mostBytes || uint64(int(size)) != size || size > machineMemory() {
		return &failure{ErrOutOfMemory, "out of memory: a filter of " + decimal(size) + " bytes does not fit, use fewer bits"}
	}
	return nil
}

// allocate returns zeros, aligned to 8 bytes and with memory up to a multiple of 8, so
// that they can be used as words.
func allocate(size uint64) ([]byte, error) {
	if err := checkMemory(size); err != nil {
		return nil, err
	}
	words := make([]uint64, max(1, (size+7)/8))
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size), nil
}

// wordsOf returns what allocate returned as words.
func wordsOf(bytes []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(bytes))), max(1, (len(bytes)+7)/8))
}
