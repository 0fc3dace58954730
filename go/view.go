package bloomery

// This file has the read-only side of a filter: a View over bytes that somebody
// else owns (a mapped file, a block of a table), and lookups in groups.

import "math/bits"

// View is a read-only filter over bytes that somebody else owns and does not
// change. It is small, to be copied, and safe to use from any goroutine.
type View struct {
	Bits
	hasher Hasher
}

// NewView returns a view over the bits of a filter, which it does not copy.
func NewView(g Geometry, hasher Hasher, bytes []byte) (View, error) {
	if err := checkBits(g, bytes); err != nil {
		return View{}, err
	}
	return View{Bits: newBits(g, bytes), hasher: hasher}, nil
}

// Hasher returns the hash function of the keys.
func (v *View) Hasher() Hasher { return v.hasher }

// Contains reports whether a key may have been added; false is certain.
func (v *View) Contains(key []byte) bool { return v.ContainsHash(v.hasher.sum(key)) }

// group is how many keys are in flight at once: enough to overlap the cache
// misses of a large filter, few enough to stay in the first-level cache.
const group = 32

// ContainsMany answers for many keys at once, faster than one by one when the
// filter is larger than the processor's caches. answers[i] becomes the answer for
// keys[i]; it must be at least as long as keys, else the shorter length counts.
func (v *View) ContainsMany(keys [][]byte, answers []bool) {
	var hashes [group]Hash
	if len(answers) < len(keys) {
		keys = keys[:len(answers)]
	}
	for len(keys) > 0 {
		n := len(keys)
		if n > group {
			n = group
		}
		v.hasher.hashMany(keys[:n], hashes[:])
		v.containsGroup(hashes[:n], answers[:n])
		keys, answers = keys[n:], answers[n:]
	}
}

// ContainsHashes is ContainsMany for keys that are hashed already.
func (b *Bits) ContainsHashes(hashes []Hash, answers []bool) {
	if len(answers) < len(hashes) {
		hashes = hashes[:len(answers)]
	}
	for len(hashes) > 0 {
		n := len(hashes)
		if n > group {
			n = group
		}
		b.containsGroup(hashes[:n], answers[:n])
		hashes, answers = hashes[n:], answers[n:]
	}
}

// probe is a key on its way through its indexes.
type probe struct {
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
func (b *Bits) containsGroup(hashes []Hash, answers []bool) {
	if len(b.bytes) == 0 { // the zero View: in doubt, maybe
		for i := range answers {
			answers[i] = true
		}
		return
	}
	var probes [group]probe // indexed modulo group, which spares the bounds checks
	alive := b.firstStep(hashes, answers, &probes)
	bytes, m, left := b.bytes, b.geometry.M, b.geometry.K-1
	for step := 1; step < listSteps && left > 0; step++ {
		still := uint(0)
		for i := uint(0); i < alive; i++ {
			p := probes[i%group]
			bit := bytes[p.index>>3] >> (p.index & 7) & 1
			p.index = next(p.index, p.stride, m)
			probes[still%group] = p
			still += uint(bit)
		}
		alive = still
		left--
	}
	for i := uint(0); i < alive; i++ {
		p := &probes[i%group]
		answers[p.key] = b.allSetFrom(p.index, p.stride, left)
	}
}

// firstStep fills the list with the keys whose first bit is set.
func (b *Bits) firstStep(hashes []Hash, answers []bool, probes *[group]probe) (alive uint) {
	bytes, m, magic, modulus := b.bytes, b.geometry.M, b.magic, b.modulus
	answers = answers[:len(hashes)]
	for i, h := range hashes {
		answers[i] = false
		index, _ := bits.Mul64(magic*uint64(uint32(h)), modulus)
		stride, _ := bits.Mul64(magic*uint64(h>>32), modulus)
		bit := bytes[index>>3] >> (index & 7) & 1
		probes[alive%group] = probe{next(index, stride, m), stride, uint8(i)}
		alive += uint(bit)
	}
	return alive
}
