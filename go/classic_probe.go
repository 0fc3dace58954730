package bloomery

// This file has the hot path of classic filters: indexes, probes and adds over
// their bytes (spec/classic.md).

import "math/bits"

// classicProbe finds the bits of hashes.
type classicProbe struct {
	m       uint64
	modulus uint64 // with magic: an exact remainder of a 32-bit number
	magic   uint64
	k       uint32
}

func newClassicProbe(g classicGeometry) classicProbe {
	// h mod m is high64((ceil(2^64/m) * h mod 2^64) * m) for m <= 2^32. Above, it
	// is h itself, which the same formula gives with 2^32 in m's place.
	modulus := g.M
	if modulus > 1<<32 {
		modulus = 1 << 32
	}
	return classicProbe{m: g.M, modulus: modulus, magic: ^uint64(0)/modulus + 1, k: g.K}
}

// start returns the first index of a hash and the distance to the next one.
// Reducing both halves first leaves one addition and one subtraction an index.
func (p *classicProbe) start(h Hash) (index, stride uint64) {
	index, _ = bits.Mul64(p.magic*uint64(uint32(h)), p.modulus)
	stride, _ = bits.Mul64(p.magic*uint64(h>>32), p.modulus)
	return index, stride
}

// next returns the index a stride further, modulo m. It adds m back by a mask: a
// branch would be mispredicted for every second key.
func next(index, stride, m uint64) uint64 {
	wrapped, borrow := bits.Sub64(index+stride, m, 0)
	return wrapped + m&-borrow
}

func (p *classicProbe) contains(bytes []byte, h Hash) bool {
	index, stride := p.start(h)
	return p.allSetFrom(bytes, index, stride, p.k)
}

// allSetFrom reports whether the bits of so many indexes are set.
func (p *classicProbe) allSetFrom(bytes []byte, index, stride uint64, indexes uint32) bool {
	m := p.m
	for ; indexes > 0; indexes-- {
		if uint64(bytes[index>>3])&(1<<(index&7)) == 0 { // one bit-test instruction
			return false
		}
		index = next(index, stride, m)
	}
	return true
}

func (p *classicProbe) add(bytes []byte, h Hash) bool {
	index, stride := p.start(h)
	return p.set(bytes, index, stride)
}

// set sets the bits of a key and reports whether one of them changed.
func (p *classicProbe) set(bytes []byte, index, stride uint64) bool {
	m := p.m
	missing := byte(0)
	for i := p.k; i > 0; i-- {
		at := &bytes[index>>3]
		mask := byte(1) << (index & 7)
		missing |= mask &^ *at
		*at |= mask
		index = next(index, stride, m)
	}
	return missing != 0
}

func (p *classicProbe) addGroup(bytes []byte, hashes []Hash) {
	var index, stride [group]uint64
	touched := byte(0)
	for i, h := range hashes {
		index[i%group], stride[i%group] = p.start(h)
		touched |= bytes[index[i%group]>>3] // fetches the first cache line of each key ahead
	}
	for i := range hashes {
		p.set(bytes, index[i%group], stride[i%group])
	}
	keepAlive(touched)
}

// keepAlive keeps the compiler from dropping loads whose values are not needed.
//
//go:noinline
func keepAlive(byte) {}

// walk is a key on its way through its indexes.
type walk struct {
	index, stride uint64
	key           uint8 // its number in the group
}

// listSteps is how many indexes the keys of a group take together. After that
// nearly all absent keys of a filter at its planned fill are gone, and the rest
// are mostly present, whose loops end where the processor expects it.
const listSteps = 3

// containsGroup takes all keys one index further at a time. The loads of one step
// do not depend on each other, so their cache misses overlap, and keys whose bit
// is clear leave the list without a branch that could be mispredicted.
func (p *classicProbe) containsGroup(bytes []byte, hashes []Hash, answers []bool) {
	var walks [group]walk // indexed modulo group, which spares the bounds checks
	alive := p.firstStep(bytes, hashes, answers, &walks)
	m, left := p.m, p.k-1
	for step := 1; step < listSteps && left > 0; step++ {
		still := uint(0)
		for i := uint(0); i < alive; i++ {
			w := walks[i%group]
			bit := bytes[w.index>>3] >> (w.index & 7) & 1
			w.index = next(w.index, w.stride, m)
			walks[still%group] = w
			still += uint(bit)
		}
		alive = still
		left--
	}
	for i := uint(0); i < alive; i++ {
		w := &walks[i%group]
		answers[w.key] = p.allSetFrom(bytes, w.index, w.stride, left)
	}
}

// firstStep fills the list with the keys whose first bit is set.
func (p *classicProbe) firstStep(bytes []byte, hashes []Hash, answers []bool, walks *[group]walk) (alive uint) {
	m, magic, modulus := p.m, p.magic, p.modulus
	answers = answers[:len(hashes)]
	for i, h := range hashes {
		answers[i] = false
		index, _ := bits.Mul64(magic*uint64(uint32(h)), modulus)
		stride, _ := bits.Mul64(magic*uint64(h>>32), modulus)
		bit := bytes[index>>3] >> (index & 7) & 1
		walks[alive%group] = walk{next(index, stride, m), stride, uint8(i)}
		alive += uint(bit)
	}
	return alive
}

// exactUpTo is the largest m for which all (start, stride) pairs are tried.
const exactUpTo = 1024

// exactFPR is the share of (start, stride) pairs whose bits are all set.
func (p *classicProbe) exactFPR(bytes []byte) float64 {
	hits := 0
	for start := uint64(0); start < p.m; start++ {
		for stride := uint64(0); stride < p.m; stride++ {
			if p.allSetFrom(bytes, start, stride, p.k) {
				hits++
			}
		}
	}
	return float64(hits) / float64(p.m*p.m)
}

func (g classicGeometry) checkPayload(bytes []byte) error {
	if used := g.M % 8; used != 0 && bytes[len(bytes)-1]>>used != 0 {
		return invalid("bits", "a bit at or above m %d is set: this is no classic filter, or it is damaged", g.M)
	}
	return nil
}
