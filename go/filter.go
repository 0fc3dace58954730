package bloomery

// This file has the filter that owns its bits and can change.

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Filter is a block, split or classic filter in memory of its own. After an add
// returned, the key is always found. It has one writer: while it changes, nobody else
// may use it; while it does not, any goroutine may read it. [Shared] is the filter for
// several writers.
type Filter struct {
	View
	keys uint64  // adds so far, or UnknownKeys
	from *origin // what the file it was read from says of itself; nil for nothing
}

// UnknownKeys is the key count of a filter that does not know how many adds made
// it: one that was read from a raw file, or intersected.
const UnknownKeys = ^uint64(0)

// New returns an empty filter for n keys at a false-positive rate: a block filter,
// unless WithKind says otherwise, with the kind's own hash, unless WithHasher does.
func New(n uint64, fpr float64, options ...Option) (*Filter, error) {
	s := settingsOf(Block, options)
	if err := s.check(); err != nil {
		return nil, err
	}
	g, err := GeometryForCapacity(n, fpr, WithKind(s.kind))
	if err != nil {
		return nil, err
	}
	return newFilter(g, &s)
}

// NewWithGeometry returns an empty filter of a geometry, with the kind's own hash,
// unless WithHasher says otherwise.
func NewWithGeometry(g Geometry, options ...Option) (*Filter, error) {
	if g.of == nil {
		return nil, wrong("there is no geometry: make one with GeometryForCapacity or GeometryOf")
	}
	s := settingsOf(g.Kind(), options)
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.kind != g.Kind() {
		return nil, wrong("the geometry is that of a %v filter, WithKind says %v: leave one out", g.Kind(), s.kind)
	}
	return newFilter(g, &s)
}

func newFilter(g Geometry, s *settings) (*Filter, error) {
	if g.Kind().Static() {
		return nil, wrong("a %v filter is built of all its keys at once: use BuildFuse", g.Kind())
	}
	memory, err := allocate(g.ByteLen())
	if err != nil {
		return nil, err
	}
	return &Filter{View: View{newCore(g.of, memory, s.hasherOrDefault())}}, nil
}

// Add adds a key and reports whether a bit changed: true means that the key had
// certainly not been added before.
func (f *Filter) Add(key []byte) bool { return f.core != nil && f.AddHash(f.core.hasher.sum(key)) }

// AddString is Add for text, whose key is its UTF-8 bytes.
func (f *Filter) AddString(key string) bool {
	return f.core != nil && f.AddHash(f.core.hasher.sum(bytesOf(key)))
}

// AddUint64 is Add for an integer, whose key is its 8 bytes, little-endian. Signed and
// narrower integers are sign-extended: AddUint64(uint64(int64(x))).
func (f *Filter) AddUint64(key uint64) bool {
	return f.core != nil && f.AddHash(f.core.hasher.sumUint64(key))
}

// AddHash is Add for a key that is hashed already, by a hasher equal to f's.
func (f *Filter) AddHash(h Hash) bool {
	if f.keys != UnknownKeys {
		f.keys++
	}
	if c := f.core; c != nil && c.kind == Block { // the default comes first, without another call
		return c.block.add(c.bytes, h)
	}
	return f.core.add(h)
}

// AddMany adds keys, faster than one by one when the filter is larger than the
// processor's caches.
func (f *Filter) AddMany(keys [][]byte) {
	var hashes [group]Hash
	for f.core != nil && len(keys) > 0 {
		n := min(group, len(keys))
		f.core.hasher.hashMany(keys[:n], hashes[:])
		f.addGroup(hashes[:n])
		keys = keys[n:]
	}
}

// AddUint64s is AddMany for integers.
func (f *Filter) AddUint64s(keys []uint64) {
	var hashes [group]Hash
	for f.core != nil && len(keys) > 0 {
		n := min(group, len(keys))
		f.core.hasher.hashUint64s(keys[:n], hashes[:])
		f.addGroup(hashes[:n])
		keys = keys[n:]
	}
}

// AddHashes is AddMany for keys that are hashed already.
func (f *Filter) AddHashes(hashes []Hash) {
	for f.core != nil && len(hashes) > 0 {
		n := min(group, len(hashes))
		f.addGroup(hashes[:n])
		hashes = hashes[n:]
	}
}

func (f *Filter) addGroup(hashes []Hash) {
	f.core.addGroup(hashes)
	f.count(uint64(len(hashes)))
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

// Merge makes f the filter of the keys of both. Its key count becomes the sum. Filters
// of another geometry or hash are ErrMismatch.
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
	if err := checkAlike(f.View, other.View); err != nil {
		return err
	}
	from, err := f.from.mergedWith(other.from)
	if err != nil {
		return err
	}
	f.from = from
	to, more := f.Bytes(), other.Bytes()
	for ; len(to) >= 8; to, more = to[8:], more[8:] {
		word := op(binary.LittleEndian.Uint64(to), binary.LittleEndian.Uint64(more))
		binary.LittleEndian.PutUint64(to, word)
	}
	for i := range to {
		to[i] = byte(op(uint64(to[i]), uint64(more[i])))
	}
	return nil
}

// checkAlike refuses filters whose bits mean different things.
func checkAlike(a, b View) error {
	if a.Geometry() != b.Geometry() {
		return &failure{ErrMismatch, fmt.Sprintf("%v and %v cannot be combined: build both with the same geometry", a.Geometry(), b.Geometry())}
	}
	if a.Hasher() != b.Hasher() {
		return &failure{ErrMismatch, fmt.Sprintf("filters of %v and %v cannot be combined: build both with the same hash, seed and secret", a.Hasher(), b.Hasher())}
	}
	return nil
}

// Clear removes all keys.
func (f *Filter) Clear() {
	clear(f.Bytes())
	f.keys = 0
}

// Clone returns a copy with memory of its own.
func (f *Filter) Clone() (*Filter, error) {
	clone, err := NewWithGeometry(f.Geometry(), WithHasher(f.Hasher()))
	if err != nil {
		return nil, err
	}
	copy(clone.Bytes(), f.Bytes())
	clone.keys, clone.from = f.keys, f.from
	return clone, nil
}

// Equal reports whether both filters have the same kind, geometry, hash and bits.
func (f *Filter) Equal(other *Filter) bool {
	return f.Geometry() == other.Geometry() && f.Hasher() == other.Hasher() && bytes.Equal(f.Bytes(), other.Bytes())
}

// String returns kind, geometry, hash, size and key count, in one line.
func (f *Filter) String() string { return f.core.String() + keysText(f.keys) }

func keysText(keys uint64) string {
	if keys == UnknownKeys {
		return ", unknown number of keys"
	}
	return ", " + decimal(keys) + " keys"
}
