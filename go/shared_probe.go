package bloomery

// This file has the hot path of filters that goroutines share: the bits of block, split
// and classic filters by atomic loads and atomic ors of 64-bit words. Neither loops nor
// waits. Bits are only ever set, so whatever mixture of old and new words a lookup sees,
// it is one that a lookup at some moment may see.

import "sync/atomic"

// atomicBits is the memory of a filter as words.
type atomicBits struct {
	*core
	words []uint64
}

// bit reads a bit, which is the lowest of the result; those above it are others.
func (a *atomicBits) bit(i uint64) uint64 {
	return atomic.LoadUint64(&a.words[i>>6]) >> (i&63 ^ wordFlip)
}

// set sets a bit and reports whether it was clear. What is set already is not written,
// so that the cache line can stay with other readers.
func (a *atomicBits) set(i uint64) bool {
	at, mask := &a.words[i>>6], uint64(1)<<(i&63^wordFlip)
	if atomic.LoadUint64(at)&mask != 0 {
		return false
	}
	atomic.OrUint64(at, mask)
	return true
}

func (a *atomicBits) contains(h Hash) bool {
	switch a.kind {
	case Block:
		first, all := 8*a.block.offset(h), uint64(1)
		for _, salt := range salts[:a.block.k] {
			all &= a.bit(first + uint64(uint32(h)*salt>>23))
		}
		return all != 0
	case Split:
		first, all := 8*a.split.offset(h), uint64(1)
		for i, salt := range salts[:8] {
			all &= a.bit(first + uint64(32*i) + uint64(uint32(h)*salt>>27))
		}
		return all != 0
	}
	index, stride := a.classic.start(h)
	for i := a.classic.k; i > 0; i-- {
		if a.bit(index)&1 == 0 {
			return false
		}
		index = next(index, stride, a.classic.m)
	}
	return true
}

func (a *atomicBits) add(h Hash) (changed bool) {
	switch a.kind {
	case Block:
		first := 8 * a.block.offset(h)
		for _, salt := range salts[:a.block.k] {
			changed = a.set(first+uint64(uint32(h)*salt>>23)) || changed
		}
		return changed
	case Split:
		first := 8 * a.split.offset(h)
		for i, salt := range salts[:8] {
			changed = a.set(first+uint64(32*i)+uint64(uint32(h)*salt>>27)) || changed
		}
		return changed
	}
	index, stride := a.classic.start(h)
	for i := a.classic.k; i > 0; i-- {
		changed = a.set(index) || changed
		index = next(index, stride, a.classic.m)
	}
	return changed
}

// or sets all bits of a word that is read as files are.
func (a *atomicBits) or(i int, word uint64) {
	if atomic.LoadUint64(&a.words[i])|word != atomic.LoadUint64(&a.words[i]) {
		atomic.OrUint64(&a.words[i], word)
	}
}
