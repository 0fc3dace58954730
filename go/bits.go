package bloomery

// This file has the hot path: indexes, probes and adds over the bytes of a
// classic filter (spec/classic.md), and the numbers that need only the bits.

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Bits is a geometry over the bytes that hold its bits: all of a classic filter
// but the hash of its keys. Copies share the bytes.
type Bits struct {
	bytes    []byte
	geometry Geometry
	modulus  uint64 // with magic: an exact remainder of a 32-bit number
	magic    uint64
}

// newBits needs a checked geometry and len(bytes) == ByteLen.
func newBits(g Geometry, bytes []byte) Bits {
	// h mod m is high64((ceil(2^64/m) * h mod 2^64) * m) for m <= 2^32. Above, it
	// is h itself, which the same formula gives with 2^32 in m's place.
	modulus := g.M
	if modulus > 1<<32 {
		modulus = 1 << 32
	}
	return Bits{bytes: bytes, geometry: g, modulus: modulus, magic: ^uint64(0)/modulus + 1}
}

// Geometry returns the layout.
func (b *Bits) Geometry() Geometry { return b.geometry }

// Bytes returns the bytes that hold the bits. They are the filter's own: do not
// change them.
func (b *Bits) Bytes() []byte { return b.bytes }

// start returns the first index of a hash and the distance to the next one.
// Reducing both halves first leaves one addition and one subtraction an index.
func (b *Bits) start(h Hash) (index, stride uint64) {
	index, _ = bits.Mul64(b.magic*uint64(uint32(h)), b.modulus)
	stride, _ = bits.Mul64(b.magic*uint64(h>>32), b.modulus)
	return index, stride
}

// next returns the index a stride further, modulo m. It adds m back by a mask: a
// branch would be mispredicted half of the time.
func next(index, stride, m uint64) uint64 {
	wrapped, borrow := bits.Sub64(index+stride, m, 0)
	return wrapped + m&-borrow
}

// ContainsHash reports whether a hash may have been added; false is certain.
func (b *Bits) ContainsHash(h Hash) bool {
	index, stride := b.start(h)
	return b.allSetFrom(index, stride, b.geometry.K)
}

// allSetFrom reports whether the bits of so many indexes are set.
func (b *Bits) allSetFrom(index, stride uint64, indexes uint32) bool {
	bytes, m := b.bytes, b.geometry.M
	for ; indexes > 0; indexes-- {
		if uint64(bytes[index>>3])&(1<<(index&7)) == 0 { // one bit-test instruction
			return false
		}
		index = next(index, stride, m)
	}
	return true
}

func (b *Bits) addHash(h Hash) bool {
	index, stride := b.start(h)
	return b.set(index, stride)
}

// set sets the bits of a key and reports whether one of them changed.
func (b *Bits) set(index, stride uint64) bool {
	bytes, m := b.bytes, b.geometry.M
	missing := byte(0)
	for i := b.geometry.K; i > 0; i-- {
		at := &bytes[index>>3]
		mask := byte(1) << (index & 7)
		missing |= mask &^ *at
		*at |= mask
		index = next(index, stride, m)
	}
	return missing != 0
}

// Set returns the number of bits that are set.
func (b *Bits) Set() uint64 { return countBits(b.bytes) }

func countBits(bytes []byte) (count uint64) {
	for ; len(bytes) >= 8; bytes = bytes[8:] {
		count += uint64(bits.OnesCount64(binary.LittleEndian.Uint64(bytes)))
	}
	for _, c := range bytes {
		count += uint64(bits.OnesCount8(c))
	}
	return count
}

// Fill returns the share of bits that are set.
func (b *Bits) Fill() float64 { return float64(b.Set()) / float64(b.geometry.M) }

// EstimatedCount returns about how many distinct keys were added; false when all
// bits are set and nobody can tell.
func (b *Bits) EstimatedCount() (uint64, bool) { return b.geometry.EstimatedCount(b.Set()) }

// exactUpTo is the largest m for which all (start, stride) pairs are tried.
const exactUpTo = 1024

// PredictedFPR returns the false-positive rate that the bits give: the exact one
// for up to 1024 bits, else the prediction of the geometry.
func (b *Bits) PredictedFPR() float64 {
	m := b.geometry.M
	if m > exactUpTo {
		return b.geometry.Rate(b.Set())
	}
	hits := 0
	for start := uint64(0); start < m; start++ {
		for stride := uint64(0); stride < m; stride++ {
			if b.allSetFrom(start, stride, b.geometry.K) {
				hits++
			}
		}
	}
	return float64(hits) / float64(m*m)
}

// checkBits holds bytes against a geometry.
func checkBits(g Geometry, bytes []byte) error {
	if err := g.Check(); err != nil {
		return err
	}
	if uint64(len(bytes)) != g.ByteLen() {
		return fmt.Errorf("m %d needs %d bytes, there are %d", g.M, g.ByteLen(), len(bytes))
	}
	return checkPadding(g, bytes)
}

func checkPadding(g Geometry, bytes []byte) error {
	if used := g.M % 8; used != 0 && bytes[len(bytes)-1]>>used != 0 {
		return invalid("bits", "a bit at or above m %d is set: this is no classic filter, or it is damaged", g.M)
	}
	return nil
}
