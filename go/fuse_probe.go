package bloomery

// This file finds the slots of hashes in a fuse filter: integers modulo 2^64, as
// spec/fuse.md gives them. The hot path of lookups is here.

import (
	"encoding/binary"
	"math/bits"
)

const (
	fuseSeedStep = 0x9e3779b97f4a7c14
	fuseSpread   = 0xbf58476d1ce4e5b9
)

// fuseProbe finds the slots of hashes.
type fuseProbe struct {
	parts, slots uint64
	starts       uint64 // the slots in which a key can begin
	mask         uint64 // window less one
	seedsAt      uint64
	arity, width uint32
	empty        bool
}

func newFuseProbe(g FuseGeometry) fuseProbe {
	gap := 3 * g.Window / 4
	if g.Arity == 4 {
		gap = 5 * g.Window / 4
	}
	return fuseProbe{parts: g.Parts, slots: g.Slots, starts: g.Slots - gap, mask: g.Window - 1, seedsAt: g.seedsAt(),
		arity: g.Arity, width: g.FingerprintBits, empty: g.Keys == 0}
}

func (p *fuseProbe) part(h Hash) uint64 {
	part, _ := bits.Mul64(uint64(h), p.parts)
	return part
}

// mixed is a hash with the seed of its part, one to one within the part: what the
// slots come from.
func (p *fuseProbe) mixed(h Hash, seed byte) uint64 {
	y := uint64(h) * p.parts * (1 + uint64(seed)*fuseSeedStep)
	return y ^ y>>32
}

// places returns the slots of a mixed hash within its part, which differ; the fourth
// one only counts with arity 4.
func (p *fuseProbe) places(mixed uint64) (slots [4]uint64) {
	spread := mixed * fuseSpread
	place, _ := bits.Mul64(mixed, p.starts)
	slots[0] = place
	place += 1 + (spread>>32)&p.mask
	slots[1] = p.wrapped(place)
	place += 1 + (spread>>16)&p.mask
	slots[2] = p.wrapped(place)
	place += 1 + spread&p.mask
	slots[3] = p.wrapped(place)
	return slots
}

// wrapped takes the number of slots from what is not below it, without a branch.
func (p *fuseProbe) wrapped(place uint64) uint64 {
	less, borrow := bits.Sub64(place, p.slots, 0)
	return less + p.slots&-borrow
}

func (p *fuseProbe) fingerprint(mixed uint64) uint16 {
	return uint16(mixed * fuseSpread >> (64 - p.width))
}

// value returns what is in a slot.
func (p *fuseProbe) value(bytes []byte, slot uint64) uint16 {
	if p.width == 8 {
		return uint16(bytes[slot])
	}
	return binary.LittleEndian.Uint16(bytes[2*slot:])
}

func (p *fuseProbe) contains(bytes []byte, h Hash) bool {
	part := p.part(h)
	mixed := p.mixed(h, bytes[p.seedsAt+part])
	slots, first := p.places(mixed), part*p.slots
	rest := p.fingerprint(mixed) ^ p.value(bytes, first+slots[0]) ^ p.value(bytes, first+slots[1]) ^ p.value(bytes, first+slots[2])
	if p.arity == 4 {
		rest ^= p.value(bytes, first+slots[3])
	}
	return rest == 0 && !p.empty
}

func (p *fuseProbe) containsGroup(bytes []byte, hashes []Hash, answers []bool) {
	answers = answers[:len(hashes)]
	for i, h := range hashes {
		answers[i] = p.contains(bytes, h)
	}
}

// retries is the number of failed attempts of the build: the sum of the seeds.
func (p *fuseProbe) retries(bytes []byte) (sum uint64) {
	for _, seed := range bytes[p.seedsAt:] {
		sum += uint64(seed)
	}
	return sum
}
