package bloomery

// This file has the read-only side of a filter: a View over bytes that somebody
// else owns (a mapped file, a block of a table), and lookups in groups.

// View is a read-only filter over bytes that somebody else owns and does not change.
// It may be used from any goroutine, and copied: it is one pointer. The zero View
// answers maybe to everything.
type View struct{ core *core }

// NewView returns a view over the payload of a filter, which it does not copy.
func NewView(g Geometry, hasher Hasher, payload []byte) (View, error) {
	if err := checkBits(g, payload); err != nil {
		return View{}, err
	}
	return View{newCore(g.of, payload, hasher)}, nil
}

// Kind returns the kind of the filter.
func (v View) Kind() Kind { return v.Geometry().Kind() }

// Geometry returns the layout.
func (v View) Geometry() Geometry { return v.core.geometry() }

// Hasher returns the hash function of the keys.
func (v View) Hasher() Hasher {
	if v.core == nil {
		return Hasher{}
	}
	return v.core.hasher
}

// Bytes returns the payload. It is the filter's own: do not change it.
func (v View) Bytes() []byte {
	if v.core == nil {
		return nil
	}
	return v.core.bytes
}

// Contains reports whether a key may have been added; false is certain.
func (v View) Contains(key []byte) bool {
	return v.core == nil || v.core.contains(v.core.hasher.sum(key))
}

// ContainsString is Contains for text, whose key is its UTF-8 bytes.
func (v View) ContainsString(key string) bool {
	return v.core == nil || v.core.contains(v.core.hasher.sum(bytesOf(key)))
}

// ContainsUint64 is Contains for an integer, whose key is its 8 bytes, little-endian.
// Signed and narrower integers are sign-extended: ContainsUint64(uint64(int64(x))).
func (v View) ContainsUint64(key uint64) bool {
	return v.core == nil || v.core.contains(v.core.hasher.sumUint64(key))
}

// ContainsHash is Contains for a key that is hashed already, by a hasher equal to v's.
func (v View) ContainsHash(h Hash) bool { return v.core.contains(h) }

// group is how many keys are in flight at once: enough to overlap the cache
// misses of a large filter, few enough to stay in the first-level cache.
const group = 32

// ContainsMany answers for many keys at once, faster than one by one when the
// filter is larger than the processor's caches. answers[i] becomes the answer for
// keys[i]; where answers is shorter than keys, its length counts.
func (v View) ContainsMany(keys [][]byte, answers []bool) {
	var hashes [group]Hash
	keys, answers = shorter(keys, answers)
	for done := v.allMaybe(answers); !done && len(keys) > 0; {
		n := min(group, len(keys))
		v.core.hasher.hashMany(keys[:n], hashes[:])
		v.core.containsGroup(hashes[:n], answers[:n])
		keys, answers = keys[n:], answers[n:]
	}
}

// ContainsUint64s is ContainsMany for integers.
func (v View) ContainsUint64s(keys []uint64, answers []bool) {
	var hashes [group]Hash
	keys, answers = shorter(keys, answers)
	for done := v.allMaybe(answers); !done && len(keys) > 0; {
		n := min(group, len(keys))
		v.core.hasher.hashUint64s(keys[:n], hashes[:])
		v.core.containsGroup(hashes[:n], answers[:n])
		keys, answers = keys[n:], answers[n:]
	}
}

// ContainsHashes is ContainsMany for keys that are hashed already.
func (v View) ContainsHashes(hashes []Hash, answers []bool) {
	hashes, answers = shorter(hashes, answers)
	for done := v.allMaybe(answers); !done && len(hashes) > 0; {
		n := min(group, len(hashes))
		v.core.containsGroup(hashes[:n], answers[:n])
		hashes, answers = hashes[n:], answers[n:]
	}
}

// shorter cuts both to the shorter length.
func shorter[Key any](keys []Key, answers []bool) ([]Key, []bool) {
	n := min(len(keys), len(answers))
	return keys[:n], answers[:n]
}

// allMaybe answers for the zero View, and reports whether it was one.
func (v View) allMaybe(answers []bool) bool {
	if v.core != nil {
		return false
	}
	for i := range answers {
		answers[i] = true
	}
	return true
}

// Fill returns the share of bits that are set, or of slots, counters or cells in use.
func (v View) Fill() float64 { return v.core.fill() }

// EstimatedCount returns about how many distinct keys the filter has; false when it is
// saturated or forgets, and nobody can tell.
func (v View) EstimatedCount() (uint64, bool) { return v.core.estimated() }

// PredictedFPR returns the false-positive rate that the filter has as it is: from its
// bits, not from a plan.
func (v View) PredictedFPR() float64 { return v.core.rate() }

// String returns kind, geometry, hash and size, in one line.
func (v View) String() string { return v.core.String() }
