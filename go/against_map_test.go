package bloomery

// Properties of every kind against a map: whatever is added and removed in whatever
// order, a filter never denies what the map has, and says maybe to what the map has not
// as often as it predicts.

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"testing/quick"
)

// step adds a key, or removes it where the kind can.
type step struct {
	Which  uint8
	Remove bool
}

// script is what a filter goes through.
type script struct {
	Keys  [][]byte
	Steps []step
	Hash  uint8
}

// present is the map: how often each hash was added less removed.
type present map[Hash]int

// distinct returns the hashes of a map in order.
func (p present) distinct() (hashes []Hash) {
	for h, count := range p {
		if count > 0 {
			hashes = append(hashes, h)
		}
	}
	slices.Sort(hashes)
	return hashes
}

// writer makes a filter of one kind.
type writer interface {
	add(h Hash)
	remove(h Hash) // only called of hashes that are in the map
	done(in present) (layout, []byte)
}

// once is the writer of kinds that nothing is removed from: add, and the rest.
type once struct {
	hashes []Hash
	make   func(hashes []Hash, in present) (layout, []byte)
}

func (o *once) add(h Hash)                       { o.hashes = append(o.hashes, h) }
func (o *once) remove(Hash)                      {}
func (o *once) done(in present) (layout, []byte) { return o.make(o.hashes, in) }

type countingWriter struct {
	g       countingGeometry
	payload []byte
}

func (c *countingWriter) add(h Hash)    { changeCounters(c.g, c.payload, []Hash{h}, true) }
func (c *countingWriter) remove(h Hash) { changeCounters(c.g, c.payload, []Hash{h}, false) }
func (c *countingWriter) done(present) (layout, []byte) {
	return c.g, c.payload
}

type cuckooScript struct {
	g cuckooGeometry
	cuckooWriter
	full bool
}

func (c *cuckooScript) add(h Hash)    { c.full = !c.cuckooWriter.add(h) || c.full }
func (c *cuckooScript) remove(h Hash) { c.cuckooWriter.remove(h) }
func (c *cuckooScript) done(present) (layout, []byte) {
	if c.full {
		return nil, nil
	}
	return c.g, c.bytes
}

// removes reports whether keys can be removed from filters of a kind.
func removes(kind Kind) bool { return kind == Counting || kind == Cuckoo || kind == Quotient }

// writerOf returns a writer of a kind for about 25 keys.
func writerOf(t *testing.T, kind Kind) writer {
	all := func(make func(hashes []Hash, in present) (layout, []byte)) writer { return &once{make: make} }
	switch kind {
	case Counting:
		g := countingGeometry{250, 5, 4}
		return &countingWriter{g, make([]byte, g.byteLen())}
	case Cuckoo:
		g := cuckooGeometry{32, 8}
		return &cuckooScript{g: g, cuckooWriter: cuckooWriter{newCuckooProbe(g, make([]byte, g.byteLen()))}}
	case Quotient:
		return all(func(_ []Hash, in present) (layout, []byte) {
			var each []Hash
			for _, h := range in.distinct() {
				each = append(each, slices.Repeat([]Hash{h}, in[h])...)
			}
			g := quotientGeometry{7, 4}
			return g, writeQuotient(g, each)
		})
	case Partitioned:
		return all(func(hashes []Hash, _ present) (layout, []byte) {
			g := partitionedGeometry{40, 5}
			return g, writePartitioned(g, hashes)
		})
	case Stable: // a line remembers 128 steps, more than there are
		return all(func(hashes []Hash, _ present) (layout, []byte) {
			g := stableGeometry{1, 3, 4}
			return g, writeStable(g, hashes)
		})
	case Scalable:
		return all(func(hashes []Hash, _ present) (layout, []byte) {
			c := newChain(4, 2, 3e10)
			for _, h := range hashes {
				c.add(h)
			}
			return c.g, c.payload()
		})
	case Ribbon:
		return all(func(_ []Hash, in present) (layout, []byte) { return writeRibbon(in.distinct(), 7, 1<<15, 1) })
	case Fuse:
		return all(func(hashes []Hash, _ present) (layout, []byte) {
			f := must[*FuseFilter](t)(BuildFuseHashes(slices.Clone(hashes), Geometry{fuseGeometry{Arity: 3, FingerprintBits: 8}}))
			return f.Geometry().of, f.Bytes()
		})
	}
	return all(func(hashes []Hash, _ present) (layout, []byte) {
		f := must[*Filter](t)(New(25, 0.02, WithKind(kind)))
		f.AddHashes(hashes)
		return f.Geometry().of, f.Bytes()
	})
}

// play makes the filter of a script, and the map of what is in it.
func (s *script) play(t *testing.T, kind Kind) (View, present, bool) {
	hashers := allHashers(t)
	hasher := hashers[int(s.Hash)%len(hashers)]
	in, to := present{}, writerOf(t, kind)
	for _, step := range s.Steps {
		if len(s.Keys) == 0 {
			break
		}
		h := hasher.Hash(s.Keys[int(step.Which)%len(s.Keys)])
		switch {
		case !(step.Remove && removes(kind)) && in[h] < 7: // equal fingerprints fill the two buckets of a cuckoo filter
			in[h]++
			to.add(h)
		case step.Remove && removes(kind) && in[h] > 0:
			in[h]--
			to.remove(h)
		}
	}
	g, payload := to.done(in)
	if g == nil {
		return View{}, in, false
	}
	if err := g.check(); err != nil {
		t.Fatalf("%v: %v", Geometry{g}, err)
	}
	return must[View](t)(NewView(Geometry{g}, hasher, payload)), in, true
}

func TestEveryKindAgainstAMap(t *testing.T) {
	for _, kind := range Kinds() {
		predicted, maybes, asked, made := 0.0, 0.0, 0.0, 0
		property := func(s script) bool {
			view, in, good := s.play(t, kind)
			if !good {
				return true
			}
			made++
			for _, key := range s.Keys {
				h := view.Hasher().Hash(key)
				if in[h] > 0 && !(view.Contains(key) && view.ContainsHash(h)) {
					return false
				}
			}
			rate := view.PredictedFPR()
			for _, h := range stream(uint64(made)<<20, 200) {
				if asked, predicted = asked+1, predicted+rate; view.ContainsHash(h) {
					maybes++
				}
			}
			return true
		}
		if err := quick.Check(property, &quick.Config{MaxCount: rounds(200)}); err != nil {
			t.Errorf("%v: %v", kind, err)
		}
		if made < rounds(200)*9/10 {
			t.Errorf("%v: only %d filters were made", kind, made)
		}
		// The chance of maybes in so many random lookups is spread about the predicted one. Copies of a key take slots
		// of their own in a cuckoo filter, by which it predicts, and answer as one.
		spread, copies := 6*math.Sqrt(predicted)+0.15*predicted+10, 0.0
		if kind == Cuckoo {
			copies = 0.25 * predicted
		}
		if maybes > predicted+spread || maybes < predicted-spread-copies {
			t.Errorf("%v: %g maybes of %g, predicted %.1f", kind, maybes, asked, predicted)
		}
	}
}

// TestAFilterGoesThroughAnythingAsAMapDoes changes a filter by every door.
func TestAFilterGoesThroughAnythingAsAMapDoes(t *testing.T) {
	type change struct{ Door, Key uint8 }
	property := func(kind, hash uint8, changes []change) bool {
		d := drawn{Kind: kind, Hash: hash, N: 300, Rate: 3}
		f, in := d.filter(t), map[uint64]bool{}
		for _, c := range changes {
			x, other := uint64(c.Key), d.filter(t)
			switch c.Door % 9 {
			case 0:
				f.AddUint64(x)
			case 1:
				f.Add([]byte{c.Key, 0, 0, 0, 0, 0, 0, 0})
			case 2:
				f.AddString(string([]byte{c.Key, 0, 0, 0, 0, 0, 0, 0}))
			case 3:
				f.AddUint64s([]uint64{x, x})
			case 4:
				f.AddHash(f.Hasher().HashUint64(x))
			case 5:
				other.AddUint64(x)
				if f.Merge(other) != nil {
					return false
				}
			case 6:
				shared := must[*Shared](t)(Share(f))
				shared.AddUint64(x)
				f = must[*Filter](t)(shared.Copy())
			case 7:
				var wire bytes.Buffer
				f.AddUint64(x)
				must[int64](t)(f.WriteTo(&wire))
				must[int64](t)(f.ReadFrom(&wire))
			case 8:
				if x > 32 {
					continue
				}
				f.Clear()
				clear(in)
				continue
			}
			in[x] = true
		}
		wrong := 0
		for x := uint64(0); x < 256; x++ {
			if in[x] && !f.ContainsUint64(x) {
				return false
			}
			if !in[x] && f.ContainsUint64(x) {
				wrong++
			}
		}
		return wrong < 20 // of at most 256, at 1 %
	}
	if err := quick.Check(property, &quick.Config{MaxCount: rounds(300)}); err != nil {
		t.Error(err)
	}
}
