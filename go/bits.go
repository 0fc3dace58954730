package bloomery

// This file has a filter's bytes and the numbers that need no key: what every kind
// does, by the probe of its kind.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// Bits is a geometry over the bytes that hold a filter: all of it but the hash of
// its keys. Copies share the bytes.
type Bits struct {
	bytes    []byte
	geometry Geometry
	// The probe of the kind; a switch over kinds keeps lookups free of allocation,
	// which calls through an interface are not.
	kind    Kind
	classic classicProbe
	split   splitProbe
	block   blockProbe
	fuse    fuseProbe
}

// newBits needs a checked geometry and len(bytes) == ByteLen.
func newBits(geometry Geometry, bytes []byte) Bits {
	b := Bits{bytes: bytes, geometry: geometry, kind: geometry.Kind()}
	switch g := geometry.(type) {
	case ClassicGeometry:
		b.classic = newClassicProbe(g)
	case SplitGeometry:
		b.split = splitProbe{g.Blocks}
	case BlockGeometry:
		b.block = blockProbe{g.Blocks, g.K}
	case FuseGeometry:
		b.fuse = newFuseProbe(g)
	}
	return b
}

// Kind returns the kind of the filter.
func (b *Bits) Kind() Kind { return b.kind }

// Geometry returns the layout; nil of a zero value.
func (b *Bits) Geometry() Geometry { return b.geometry }

// Bytes returns the bytes of the filter. They are its own: do not change them.
func (b *Bits) Bytes() []byte { return b.bytes }

// ContainsHash reports whether a hash may have been added; false is certain.
func (b *Bits) ContainsHash(h Hash) bool {
	switch b.kind {
	case Classic:
		return b.classic.contains(b.bytes, h)
	case Split:
		return b.split.contains(b.bytes, h)
	case Block:
		return b.block.contains(b.bytes, h)
	case Fuse:
		return b.fuse.contains(b.bytes, h)
	}
	return true // the zero View: in doubt, maybe
}

func (b *Bits) containsGroup(hashes []Hash, answers []bool) {
	switch b.kind {
	case Classic:
		b.classic.containsGroup(b.bytes, hashes, answers)
	case Split:
		b.split.containsGroup(b.bytes, hashes, answers)
	case Block:
		b.block.containsGroup(b.bytes, hashes, answers)
	case Fuse:
		b.fuse.containsGroup(b.bytes, hashes, answers)
	default:
		for i := range answers {
			answers[i] = true
		}
	}
}

// addHash sets the bits of a hash and reports whether one changed.
func (b *Bits) addHash(h Hash) bool {
	switch b.kind {
	case Classic:
		return b.classic.add(b.bytes, h)
	case Split:
		return b.split.add(b.bytes, h)
	case Block:
		return b.block.add(b.bytes, h)
	}
	return false // the zero Filter, which answers maybe to everything
}

func (b *Bits) addGroup(hashes []Hash) {
	if b.kind == Classic {
		b.classic.addGroup(b.bytes, hashes)
		return
	}
	for _, h := range hashes {
		b.addHash(h)
	}
}

// Set returns the number of bits that are set, or, of fuse, of slots that a key has
// for itself, one each.
func (b *Bits) Set() uint64 {
	if g, ok := b.geometry.(FuseGeometry); ok {
		return g.Keys
	}
	return countBits(b.bytes)
}

// Cells returns the word for what Set counts: bits, or slots.
func (b *Bits) Cells() string {
	if b.kind == Fuse {
		return "slots"
	}
	return "bits"
}

// Retries returns how many attempts of the build failed; false of kinds whose
// building cannot.
func (b *Bits) Retries() (uint64, bool) {
	if b.kind != Fuse {
		return 0, false
	}
	return b.fuse.retries(b.bytes), true
}

func countBits(bytes []byte) (count uint64) {
	for ; len(bytes) >= 8; bytes = bytes[8:] {
		count += uint64(bits.OnesCount64(binary.LittleEndian.Uint64(bytes)))
	}
	for _, c := range bytes {
		count += uint64(bits.OnesCount8(c))
	}
	return count
}

// Fill returns the share of bits that are set, or of slots in use.
func (b *Bits) Fill() float64 {
	if b.geometry == nil {
		return 0
	}
	cells := b.geometry.BitLen()
	if g, ok := b.geometry.(FuseGeometry); ok {
		cells = g.Parts * g.Slots
	}
	return float64(b.Set()) / float64(cells)
}

// EstimatedCount returns about how many distinct keys were added; false when all
// bits are set and nobody can tell.
func (b *Bits) EstimatedCount() (uint64, bool) {
	if b.geometry == nil {
		return 0, false
	}
	return b.geometry.EstimatedCount(b.Set())
}

// PredictedFPR returns the false-positive rate that the bits give: the exact one
// of a classic filter of up to 1024 bits, that of the blocks of split and block,
// else the prediction of the geometry.
func (b *Bits) PredictedFPR() float64 {
	switch g := b.geometry.(type) {
	case nil:
		return 1
	case ClassicGeometry:
		if g.M <= exactUpTo {
			return b.classic.exactFPR(b.bytes)
		}
	case SplitGeometry:
		return g.rateOf(b.bytes)
	case BlockGeometry:
		return g.rateOf(b.bytes)
	}
	return b.geometry.Rate(b.Set())
}

// checkBits holds bytes against a geometry.
func checkBits(g Geometry, bytes []byte) error {
	if g == nil {
		return errors.New("there is no geometry: make one with New or WithCapacity")
	}
	if err := g.Check(); err != nil {
		return err
	}
	if uint64(len(bytes)) != g.ByteLen() {
		return fmt.Errorf("a %v filter with %s needs %d bytes, there are %d", g.Kind(), describe(g), g.ByteLen(), len(bytes))
	}
	return checkPayload(g, bytes)
}

// checkPayload has what a kind asks of its bytes in constant time.
func checkPayload(g Geometry, bytes []byte) error {
	if classic, ok := g.(ClassicGeometry); ok {
		return checkPadding(classic, bytes)
	}
	return nil
}
