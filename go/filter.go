package bloomery

// This file has the filter that owns its bits and can change.

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Filter is a Bloom filter of any kind in memory of its own. After an add returned,
// the key is always found. It has one writer: while it changes, nobody else may
// use it; while it does not, anybody may read it.
type Filter struct {
	View
	keys uint64 // adds so far, or UnknownKeys
}

// UnknownKeys is the key count of a filter that does not know how many adds made
// it: one that was read from a raw file, or intersected.
const UnknownKeys = ^uint64(0)

// WithCapacity returns an empty classic filter for n keys at a false-positive rate,
// with fnv_splitmix or the hasher given. To be warned when the rate cannot be met,
// use [NewPlan] and [New].
func WithCapacity(n uint64, fpr float64, hasher ...Hasher) (*Filter, error) {
	plan, err := NewPlan(n, fpr)
	if err != nil {
		return nil, err
	}
	return New(plan.ClassicGeometry, hasher...)
}

// WithGeometry returns an empty classic filter of m bits with k indexes per key,
// with fnv_splitmix or the hasher given.
func WithGeometry(m uint64, k uint32, hasher ...Hasher) (*Filter, error) {
	return New(ClassicGeometry{M: m, K: k}, hasher...)
}

// New returns an empty filter of a geometry, with the kind's own hasher or the one
// given.
func New(g Geometry, hasher ...Hasher) (*Filter, error) {
	if g == nil {
		return nil, errors.New("there is no geometry: size one, as with BlockForCapacity")
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	if g.Kind().Static() {
		return nil, errors.New("a fuse filter is built of all its keys at once: use BuildFuse")
	}
	if len(hasher) > 1 {
		return nil, errors.New("a filter has one hasher")
	}
	memory, err := allocate(g.ByteLen())
	if err != nil {
		return nil, err
	}
	f := &Filter{View: View{Bits: newBits(g, memory), hasher: g.Kind().DefaultHasher()}}
	if len(hasher) == 1 {
		f.hasher = hasher[0]
	}
	return f, nil
}

// Add adds a key and reports whether a bit changed: true means that the key had
// certainly not been added before.
func (f *Filter) Add(key []byte) bool { return f.AddHash(f.hasher.sum(key)) }

// AddHash is Add for a key that is hashed already, by a hasher equal to f's.
func (f *Filter) AddHash(h Hash) bool {
	f.count(1)
	return f.addHash(h)
}

// TestAndAdd adds a key and reports whether it may have been there before.
func (f *Filter) TestAndAdd(key []byte) bool { return !f.Add(key) }

// AddMany adds keys, faster than one by one when the filter is larger than the
// processor's caches.
func (f *Filter) AddMany(keys [][]byte) {
	var hashes [group]Hash
	for len(keys) > 0 {
		n := len(keys)
		if n > group {
			n = group
		}
		f.hasher.hashMany(keys[:n], hashes[:])
		f.addGroup(hashes[:n])
		f.count(uint64(n))
		keys = keys[n:]
	}
}

// count saturates at unknown.
func (f *Filter) count(n uint64) {
	if f.keys > UnknownKeys-n {
		f.keys = UnknownKeys
		return
	}
	f.keys += n
}

// KeyCount returns the number of adds, or UnknownKeys.
func (f *Filter) KeyCount() uint64 { return f.keys }

// Merge makes f the filter of the keys of both. Its key count becomes the sum.
func (f *Filter) Merge(other *Filter) error {
	if err := f.combine(other, func(a, b uint64) uint64 { return a | b }); err != nil {
		return err
	}
	f.count(other.keys)
	return nil
}

// Intersect keeps the bits that both have. Keys of both sets stay found, and so
// do somewhat more others than in a filter of the common keys alone. The key
// count becomes unknown.
func (f *Filter) Intersect(other *Filter) error {
	if err := f.combine(other, func(a, b uint64) uint64 { return a & b }); err != nil {
		return err
	}
	f.keys = UnknownKeys
	return nil
}

func (f *Filter) combine(other *Filter, op func(a, b uint64) uint64) error {
	if f.geometry != other.geometry {
		return errors.New("filters of different kind or geometry cannot be combined: build them with the same one")
	}
	if f.hasher != other.hasher {
		return errors.New("filters of different hash, seed or secret cannot be combined: build them with the same one")
	}
	to, from := f.bytes, other.bytes
	for ; len(to) >= 8; to, from = to[8:], from[8:] {
		word := op(binary.LittleEndian.Uint64(to), binary.LittleEndian.Uint64(from))
		binary.LittleEndian.PutUint64(to, word)
	}
	for i := range to {
		to[i] = byte(op(uint64(to[i]), uint64(from[i])))
	}
	return nil
}

// Clear removes all keys.
func (f *Filter) Clear() {
	for i := range f.bytes {
		f.bytes[i] = 0
	}
	f.keys = 0
}

// Clone returns a copy with memory of its own.
func (f *Filter) Clone() (*Filter, error) {
	clone, err := New(f.geometry, f.hasher)
	if err != nil {
		return nil, err
	}
	copy(clone.bytes, f.bytes)
	clone.keys = f.keys
	return clone, nil
}

// Equal reports whether both filters have the same kind, geometry, hash and bits.
func (f *Filter) Equal(other *Filter) bool {
	return f.geometry == other.geometry && f.hasher == other.hasher && bytes.Equal(f.bytes, other.bytes)
}

// allocate returns zeros, or an error where the runtime would end the program.
func allocate(size uint64) ([]byte, error) {
	if err := checkMemory(size); err != nil {
		return nil, err
	}
	return make([]byte, size), nil
}
