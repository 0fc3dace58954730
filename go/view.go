package bloomery

// This file has the read-only side of a filter: a View over bytes that somebody
// else owns (a mapped file, a block of a table), and lookups in groups.

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
