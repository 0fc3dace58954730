package bloomery

// This file reads the kind partitioned: k slices of s bits, and a bit of each slice a
// key (spec/partitioned.md).

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// partitionedGeometry fixes the layout of a partitioned filter.
type partitionedGeometry struct {
	SliceBits uint64 // 1 to 2^58
	K         uint32 // slices, 1 to maxK
}

func (g partitionedGeometry) kind() Kind { return Partitioned }

func (g partitionedGeometry) fields() []Field {
	return []Field{{"slice_bits", g.SliceBits}, {"k", uint64(g.K)}}
}

func (g partitionedGeometry) check() error {
	if g.K < 1 || g.K > maxK {
		return wrong("k is %d, must be 1 to %d", g.K, maxK)
	}
	if g.SliceBits < 1 || g.SliceBits > 1<<58 {
		return wrong("slice_bits is %d, must be 1 to 2^58", g.SliceBits)
	}
	return nil
}

func (g partitionedGeometry) byteLen() uint64 { return (g.bitLen() + 7) / 8 }

func (g partitionedGeometry) bitLen() uint64 { return g.SliceBits * uint64(g.K) }

func (g partitionedGeometry) cells() (uint64, string) { return g.bitLen(), "bits" }

func (g partitionedGeometry) checkPayload(payload []byte) error {
	if used := g.bitLen() % 8; used != 0 && payload[len(payload)-1]>>used != 0 {
		return invalid("bits", "a bit at or above slice_bits times k, %d, is set: the file is damaged, build it again", g.bitLen())
	}
	return nil
}

func (g partitionedGeometry) used(payload []byte) uint64 { return countBits(payload) }

func (g partitionedGeometry) estimated(_ []byte, used uint64) (uint64, bool) {
	if used >= g.bitLen() {
		return 0, false
	}
	if used == 0 || g.SliceBits == 1 {
		return 0, true
	}
	n := minusLogOfRest(share(used, g.bitLen())) / minusLogOfRest(1/float64(g.SliceBits))
	return uint64(math.Round(n)), true
}

// rateOf is the product of the fills of the slices.
func (g partitionedGeometry) rateOf(payload []byte, _ uint64) float64 {
	rate := 1.0
	for i := uint64(0); i < uint64(g.K); i++ {
		rate *= share(countRange(payload, i*g.SliceBits, (i+1)*g.SliceBits), g.SliceBits)
	}
	return rate
}

// countRange counts the bits that are set from one bit up to another.
func countRange(payload []byte, from, to uint64) (count uint64) {
	for ; from < to && from%8 != 0; from++ {
		count += uint64(payload[from/8] >> (from % 8) & 1)
	}
	for ; from < to && to%8 != 0; to-- {
		count += uint64(payload[(to-1)/8] >> ((to - 1) % 8) & 1)
	}
	if from < to {
		count += countBits(payload[from/8 : to/8])
	}
	return count
}

// partitionedSalts are what the hash is multiplied by for each slice.
var partitionedSalts = func() (salts [maxK]uint64) {
	for i := range salts {
		salts[i] = splitMix64(uint64(i)) | 1
	}
	return salts
}()

type partitionedProbe struct {
	bytes []byte
	slice uint64
	k     uint32
}

func newPartitionedProbe(g partitionedGeometry, payload []byte) *partitionedProbe {
	return &partitionedProbe{payload, g.SliceBits, g.K}
}

// place returns the bit of a hash in a slice.
func (p *partitionedProbe) place(h Hash, slice uint64) uint64 {
	within, _ := bits.Mul64(uint64(h)*partitionedSalts[slice], p.slice)
	return slice*p.slice + within
}

func (p *partitionedProbe) contains(h Hash) bool {
	for i := uint64(0); i < uint64(p.k); i++ {
		if at := p.place(h, i); p.bytes[at/8]>>(at%8)&1 == 0 {
			return false
		}
	}
	return true
}

func (p *partitionedProbe) touch(h Hash) byte { return p.bytes[p.place(h, 0)/8] }

// word reads 8 bytes of a payload, little-endian.
func word(payload []byte, at uint64) uint64 { return binary.LittleEndian.Uint64(payload[at:]) }
