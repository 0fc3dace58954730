package bloomery

// This file has a filter's bytes with the probe of its kind: what views, filters and
// files share.

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// core is a checked geometry over its bytes, and the hasher of its keys.
type core struct {
	bytes []byte
	kind  Kind
	// The probe of the kind. A switch over the kinds that this package makes keeps
	// their lookups free of indirect calls, and batches free of allocations.
	block   blockProbe
	split   splitProbe
	classic classicProbe
	fuse    fuseProbe
	other   probe // of a kind that is only read
	hasher  Hasher
	of      layout
}

// probe answers for a kind that is only read.
type probe interface {
	contains(h Hash) bool
	// touch loads a byte that contains(h) will need, so that the misses of a batch
	// overlap.
	touch(h Hash) byte
}

// newCore needs a checked layout and payload.
func newCore(of layout, bytes []byte, hasher Hasher) *core {
	c := &core{bytes: bytes, hasher: hasher, of: of, kind: of.kind()}
	switch g := of.(type) {
	case classicGeometry:
		c.classic = newClassicProbe(g)
	case splitGeometry:
		c.split = splitProbe{g.Blocks}
	case blockGeometry:
		c.block = blockProbe{g.Blocks, g.K}
	case fuseGeometry:
		c.fuse = newFuseProbe(g)
	case countingGeometry:
		c.other = newCountingProbe(g, bytes)
	case partitionedGeometry:
		c.other = newPartitionedProbe(g, bytes)
	case scalableGeometry:
		c.other = newScalableProbe(g, bytes)
	case stableGeometry:
		c.other = newStableProbe(g, bytes)
	case cuckooGeometry:
		c.other = newCuckooProbe(g, bytes)
	case quotientGeometry:
		c.other = newQuotientProbe(g, bytes)
	case ribbonGeometry:
		c.other = newRibbonProbe(g, bytes)
	}
	return c
}

func (c *core) contains(h Hash) bool {
	if c != nil && c.kind == Block { // the default comes first, without another call
		return c.block.contains(c.bytes, h)
	}
	return c.containsOther(h)
}

func (c *core) containsOther(h Hash) bool {
	if c == nil {
		return true // the zero View: in doubt, maybe
	}
	switch c.kind {
	case Split:
		return c.split.contains(c.bytes, h)
	case Classic:
		return c.classic.contains(c.bytes, h)
	case Fuse:
		return c.fuse.contains(c.bytes, h)
	}
	return c.other.contains(h)
}

// containsGroup answers for up to group hashes.
func (c *core) containsGroup(hashes []Hash, answers []bool) {
	switch c.kind {
	case Block:
		c.block.containsGroup(c.bytes, hashes, answers)
	case Split:
		c.split.containsGroup(c.bytes, hashes, answers)
	case Classic:
		c.classic.containsGroup(c.bytes, hashes, answers)
	case Fuse:
		c.fuse.containsGroup(c.bytes, hashes, answers)
	default:
		touched := byte(0)
		for _, h := range hashes {
			touched |= c.other.touch(h)
		}
		keepAlive(touched)
		for i, h := range hashes {
			answers[i] = c.other.contains(h)
		}
	}
}

// add sets the bits of a hash and reports whether one changed.
func (c *core) add(h Hash) bool {
	if c == nil {
		return false // the zero Filter, which answers maybe to everything
	}
	switch c.kind {
	case Block:
		return c.block.add(c.bytes, h)
	case Split:
		return c.split.add(c.bytes, h)
	case Classic:
		return c.classic.add(c.bytes, h)
	}
	return false
}

// addGroup adds up to group hashes.
func (c *core) addGroup(hashes []Hash) {
	switch c.kind {
	case Block:
		c.block.addGroup(c.bytes, hashes)
	case Split:
		c.split.addGroup(c.bytes, hashes)
	case Classic:
		c.classic.addGroup(c.bytes, hashes)
	}
}

// geometry returns the zero Geometry of no core.
func (c *core) geometry() Geometry {
	if c == nil {
		return Geometry{}
	}
	return Geometry{c.of}
}

func (c *core) used() uint64 { return c.of.used(c.bytes) }

func (c *core) fill() float64 {
	if c == nil {
		return 0
	}
	cells, _ := c.of.cells()
	return share(c.used(), cells)
}

// share is part of whole; 0 of nothing.
func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (c *core) estimated() (uint64, bool) {
	if c == nil {
		return 0, false
	}
	return c.of.estimated(c.bytes, c.used())
}

func (c *core) rate() float64 {
	if c == nil {
		return 1
	}
	return c.of.rateOf(c.bytes, c.used())
}

// String is one line, however large the filter.
func (c *core) String() string {
	if c == nil {
		return "no filter"
	}
	return fmt.Sprintf("%v, %v, %d bytes", Geometry{c.of}, c.hasher, len(c.bytes))
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

// checkBits holds bytes against a geometry.
func checkBits(g Geometry, bytes []byte) error {
	if g.of == nil {
		return wrong("there is no geometry: make one with GeometryForCapacity or GeometryOf")
	}
	if uint64(len(bytes)) != g.of.byteLen() {
		return wrong("a %v filter with %s needs %d bytes, there are %d", g.Kind(), describe(g.of), g.of.byteLen(), len(bytes))
	}
	return g.of.checkPayload(bytes)
}
