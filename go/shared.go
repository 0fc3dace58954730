package bloomery

// This file has the filter that goroutines share.

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// Shared is a block, split or classic filter that any number of goroutines add to and
// ask at the same time, over the same bytes as [Filter].
//
// The promise: when an add has returned, and the asking goroutine knows that (by a
// channel, a lock, a wait group), Contains is true. A lookup that overlaps the add may
// say either. Adds and lookups are wait-free: no lock, no loop that others can prolong,
// no memory. It is made by [NewShared] or [Share]; the zero Shared is of no use.
type Shared struct {
	bits    atomicBits
	from    atomic.Pointer[origin]
	stripes [64]stripe
}

// stripe is a lock with a cache line of its own.
type stripe struct {
	sync.Mutex
	_ [56]byte
}

// NewShared returns an empty filter for n keys at a false-positive rate; options as for
// [New].
func NewShared(n uint64, fpr float64, options ...Option) (*Shared, error) {
	f, err := New(n, fpr, options...)
	if err != nil {
		return nil, err
	}
	return Share(f)
}

// Share takes over a filter with all that is in it. f is empty afterwards, as the zero
// Filter is.
func Share(f *Filter) (*Shared, error) {
	if f.core == nil {
		return nil, errNoFilter
	}
	s := &Shared{bits: atomicBits{f.core, wordsOf(f.core.bytes)}}
	s.from.Store(f.from)
	*f = Filter{}
	return s, nil
}

// Add adds a key and reports whether it changed a bit. Of several goroutines that add a
// new key at once at least one is told so, perhaps more.
func (s *Shared) Add(key []byte) bool { return s.bits.add(s.bits.hasher.sum(key)) }

// AddString is Add for text, whose key is its UTF-8 bytes.
func (s *Shared) AddString(key string) bool { return s.bits.add(s.bits.hasher.sum(bytesOf(key))) }

// AddUint64 is Add for an integer, whose key is its 8 bytes, little-endian.
func (s *Shared) AddUint64(key uint64) bool { return s.bits.add(s.bits.hasher.sumUint64(key)) }

// AddHash is Add for a key that is hashed already, by a hasher equal to s's.
func (s *Shared) AddHash(h Hash) bool { return s.bits.add(h) }

// AddHashOnce is AddHash, but exactly one of several goroutines that call it with an
// equal new hash is told so; it takes one of 64 locks. A false positive is told to
// nobody.
func (s *Shared) AddHashOnce(h Hash) bool {
	lock := &s.stripes[h%Hash(len(s.stripes))]
	lock.Lock()
	defer lock.Unlock()
	return s.bits.add(h)
}

// AddOnce is AddHashOnce for a key.
func (s *Shared) AddOnce(key []byte) bool { return s.AddHashOnce(s.bits.hasher.sum(key)) }

// AddMany adds keys.
func (s *Shared) AddMany(keys [][]byte) {
	for _, key := range keys {
		s.Add(key)
	}
}

// AddUint64s is AddMany for integers.
func (s *Shared) AddUint64s(keys []uint64) {
	for _, key := range keys {
		s.AddUint64(key)
	}
}

// Contains reports whether a key may have been added; false is certain.
func (s *Shared) Contains(key []byte) bool { return s.bits.contains(s.bits.hasher.sum(key)) }

// ContainsString is Contains for text.
func (s *Shared) ContainsString(key string) bool {
	return s.bits.contains(s.bits.hasher.sum(bytesOf(key)))
}

// ContainsUint64 is Contains for an integer.
func (s *Shared) ContainsUint64(key uint64) bool {
	return s.bits.contains(s.bits.hasher.sumUint64(key))
}

// ContainsHash is Contains for a key that is hashed already.
func (s *Shared) ContainsHash(h Hash) bool { return s.bits.contains(h) }

// ContainsMany is [View.ContainsMany]; each answer is that of a Contains at some moment
// of the call.
func (s *Shared) ContainsMany(keys [][]byte, answers []bool) {
	var hashes [group]Hash
	for keys, answers = shorter(keys, answers); len(keys) > 0; {
		n := min(group, len(keys))
		s.bits.hasher.hashMany(keys[:n], hashes[:])
		s.ContainsHashes(hashes[:n], answers)
		keys, answers = keys[n:], answers[n:]
	}
}

// ContainsUint64s is ContainsMany for integers.
func (s *Shared) ContainsUint64s(keys []uint64, answers []bool) {
	var hashes [group]Hash
	for keys, answers = shorter(keys, answers); len(keys) > 0; {
		n := min(group, len(keys))
		s.bits.hasher.hashUint64s(keys[:n], hashes[:])
		s.ContainsHashes(hashes[:n], answers)
		keys, answers = keys[n:], answers[n:]
	}
}

// ContainsHashes is ContainsMany for keys that are hashed already.
func (s *Shared) ContainsHashes(hashes []Hash, answers []bool) {
	hashes, answers = shorter(hashes, answers)
	for i, h := range hashes {
		answers[i] = s.bits.contains(h)
	}
}

// Merge adds all that other holds, which nobody may be changing. Another geometry or
// hash is ErrMismatch.
func (s *Shared) Merge(other View) error {
	if err := checkAlike(View{s.bits.core}, other); err != nil {
		return err
	}
	if err := s.mergeOrigin(nil); err != nil {
		return err
	}
	from := other.Bytes()
	for i := range s.bits.words {
		var last [8]byte
		copy(last[:], from[8*i:min(8*i+8, len(from))])
		s.bits.or(i, binary.NativeEndian.Uint64(last[:]))
	}
	return nil
}

// MergeShared is Merge of a filter that others may be adding to meanwhile: it takes over
// every add to it that returned before, and perhaps parts of those that overlap.
func (s *Shared) MergeShared(other *Shared) error {
	if err := checkAlike(View{s.bits.core}, View{other.bits.core}); err != nil {
		return err
	}
	if err := s.mergeOrigin(other.from.Load()); err != nil {
		return err
	}
	for i := range s.bits.words {
		s.bits.or(i, atomic.LoadUint64(&other.bits.words[i]))
	}
	return nil
}

// mergeOrigin starts again when another merge came between.
func (s *Shared) mergeOrigin(other *origin) error {
	for {
		before := s.from.Load()
		merged, err := before.mergedWith(other)
		if err != nil || s.from.CompareAndSwap(before, merged) {
			return err
		}
	}
}

// Clear empties the filter, word by word. An add that overlaps may be lost, in part or
// whole: a key is surely there again only when it is added after Clear has returned.
func (s *Shared) Clear() {
	for i := range s.bits.words {
		atomic.StoreUint64(&s.bits.words[i], 0)
	}
}

// Copy returns a plain filter of what is in it: every add that returned before, and
// perhaps parts of those that overlap. That is how a Shared is saved, measured and
// inspected. Its key count is unknown.
func (s *Shared) Copy() (*Filter, error) {
	f, err := NewWithGeometry(s.Geometry(), WithHasher(s.Hasher()))
	if err != nil {
		return nil, err
	}
	to := wordsOf(f.Bytes())
	for i := range s.bits.words {
		to[i] = atomic.LoadUint64(&s.bits.words[i])
	}
	f.keys, f.from = UnknownKeys, s.from.Load()
	return f, nil
}

// Geometry returns the layout.
func (s *Shared) Geometry() Geometry { return s.bits.geometry() }

// Hasher returns the hash function of the keys.
func (s *Shared) Hasher() Hasher { return s.bits.hasher }

// String returns kind, geometry, hash and size, in one line.
func (s *Shared) String() string { return "shared " + s.bits.core.String() }
