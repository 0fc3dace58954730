package bloomery

// This file finds the slots of hashes in a fuse filter: integers modulo 2^64, as
// spec/fuse.md gives them. The hot path of lookups is here.

import (
	"encoding/binary"
	"math/bits"
)

const fuseSpreadBy = 0xbf58476d1ce4e5b9

// fuseProbe finds the slots of hashes.
type fuseProbe struct {
	parts, slots uint64
	starts       uint64 // the slots in which a key can begin
	mask         uint64 // window less one
	factorsAt    uint64
	arity, width uint32
	empty        bool
}

func newFuseProbe(g fuseGeometry) fuseProbe {
	gap := 3 * g.Window / 4
	if g.Arity == 4 {
		gap = 5 * g.Window / 4
	}
	return fuseProbe{parts: g.Parts, slots: g.Slots, starts: g.Slots - gap, mask: g.Window - 1, factorsAt: g.factorsAt(),
		arity: g.Arity, width: g.FingerprintBits, empty: g.Keys == 0}
}

func (p *fuseProbe) part(h Hash) uint64 {
	part, _ := bits.Mul64(uint64(h), p.parts)
	return part
}

// fuseFactor is what the hashes of a part are multiplied by. Seed 0 leaves their
// order; of others the second byte is the seed.
func fuseFactor(parts uint64, seed byte) uint64 {
	if seed == 0 {
		return parts
	}
	return splitMix64(uint64(seed))&^0xffff | uint64(seed)<<8 | 1
}

// fuseSpread is what the steps from slot to slot and the fingerprint come from.
func fuseSpread(h Hash) uint64 { return uint64(h^h>>32) * fuseSpreadBy }

// places returns the slots of a hash within its part, which differ; the fourth one
// only counts with arity 4. The factor is that of the part.
func (p *fuseProbe) places(h Hash, factor uint64) (slots [4]uint64) {
	spread := fuseSpread(h)
	place, _ := bits.Mul64(uint64(h)*factor, p.starts)
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

func (p *fuseProbe) fingerprint(h Hash) uint16 { return uint16(fuseSpread(h) >> (64 - p.width)) }

// factor returns that of a part.
func (p *fuseProbe) factor(bytes []byte, part uint64) uint64 {
	return binary.LittleEndian.Uint64(bytes[p.factorsAt+8*part:])
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
	slots, first := p.places(h, p.factor(bytes, part)), part*p.slots
	rest := p.fingerprint(h) ^ p.value(bytes, first+slots[0]) ^ p.value(bytes, first+slots[1]) ^ p.value(bytes, first+slots[2])
	if p.arity == 4 {
		rest ^= p.value(bytes, first+slots[3])
	}
	return rest == 0 && !p.empty
}

func (p *fuseProbe) containsGroup(bytes []byte, hashes []Hash, answers []bool) {
	answers = answers[:len(hashes)]
	touched := uint16(0)
	for _, h := range hashes { // loads ahead, so that the cache misses of a group overlap
		part := p.part(h)
		slots, first := p.places(h, p.factor(bytes, part)), part*p.slots
		touched |= p.value(bytes, first+slots[0]) | p.value(bytes, first+slots[1]) | p.value(bytes, first+slots[2])
	}
	keepAlive(byte(touched))
	for i, h := range hashes {
		answers[i] = p.contains(bytes, h)
	}
}

// retries is the number of failed attempts of the build: the sum of the seeds.
func (g fuseGeometry) retries(bytes []byte) (sum uint64) {
	p := newFuseProbe(g)
	for part := uint64(0); part < p.parts; part++ {
		if factor := p.factor(bytes, part); factor != p.parts {
			sum += factor >> 8 & 255
		}
	}
	return sum
}
