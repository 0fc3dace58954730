package bloomery

// This file has XXH3 of exactly 8 bytes (spec/hash.md), the length of integer keys:
// without a call, so that the hashes of a batch are computed side by side.

import "math/bits"

const (
	// The words 1 and 2 of the secret that XXH3 defines, combined.
	xxh3Words8  = 0x1cad21f72c81017c ^ 0xdb979083e96dd4de
	xxh3Mixer   = 0x9fb21c651e98df25
	xxh3KeySize = 8
)

// xxh3Flip is what a key is combined with, for a seed.
func xxh3Flip(seed uint64) uint64 {
	return xxh3Words8 - (seed ^ uint64(bits.ReverseBytes32(uint32(seed)))<<32)
}

// xxh3Uint64 is XXH3 of the 8 bytes of x, little-endian.
func xxh3Uint64(x, flip uint64) Hash {
	x = bits.RotateLeft64(x, 32) ^ flip
	x ^= bits.RotateLeft64(x, 49) ^ bits.RotateLeft64(x, 24)
	x *= xxh3Mixer
	x ^= x>>35 + xxh3KeySize
	x *= xxh3Mixer
	return Hash(x ^ x>>28)
}
