package bloomery

// This file has what the geometries of all kinds have in common.

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Geometry is the numbers that fix a filter's layout. They are stored in files and
// never recomputed by a reader. It is a ClassicGeometry, a SplitGeometry, a
// BlockGeometry or a FuseGeometry, all of which are comparable.
type Geometry interface {
	// Kind returns whose numbers these are.
	Kind() Kind
	// Fields returns the numbers by name, in the order of the file.
	Fields() []Field
	// Check says what is wrong with them, if anything.
	Check() error
	// ByteLen returns the number of bytes of the filter.
	ByteLen() uint64
	// BitLen returns the number of bits, less what is left over in the last byte.
	BitLen() uint64
	// Rate returns the predicted false-positive rate with so many bits set, or, of
	// fuse, keys.
	Rate(set uint64) float64
	// FPRAfter returns the predicted false-positive rate after n keys.
	FPRAfter(n uint64) float64
	// EstimatedCount returns about how many keys set that many bits; false when the
	// filter is saturated and nobody can tell.
	EstimatedCount(set uint64) (uint64, bool)
}

// Field is a number of a geometry.
type Field struct {
	Name  string
	Value uint64
}

// describe is "blocks 100, k 6".
func describe(g Geometry) string {
	var parts []string
	for _, field := range g.Fields() {
		parts = append(parts, fmt.Sprint(field.Name, " ", field.Value))
	}
	return strings.Join(parts, ", ")
}

// FieldNames returns the names of the numbers that a kind's geometry has, in the
// order of the file.
func FieldNames(kind Kind) []string {
	var names []string
	g, _ := geometryOf(kind, [8]uint64{})
	for _, field := range g.Fields() {
		names = append(names, field.Name)
	}
	return names
}

// GeometryOf makes a kind's geometry of its numbers, in the order of the file.
func GeometryOf(kind Kind, values ...uint64) (Geometry, error) {
	if !kind.known() || len(values) != len(FieldNames(kind)) {
		return nil, fmt.Errorf("%d numbers are no geometry of the kind %v", len(values), kind)
	}
	var words [8]uint64
	copy(words[:], values)
	return geometryOf(kind, words)
}

// geometryOf makes a geometry of the words of an envelope; those that the kind does
// not use are not looked at. The geometry is there with an error too, for its names.
func geometryOf(kind Kind, words [8]uint64) (Geometry, error) {
	k := uint32(words[1])
	var g Geometry
	switch kind {
	case Classic:
		g = ClassicGeometry{M: words[0], K: k}
	case Split:
		g = SplitGeometry{Blocks: words[0]}
	case Fuse:
		g = FuseGeometry{Arity: uint32(words[0]), FingerprintBits: k, Parts: words[2], Window: words[3], Slots: words[4], Keys: words[5]}
	default:
		g = BlockGeometry{Blocks: words[0], K: k}
	}
	for i, field := range g.Fields() {
		if field.Value != words[i] { // cut to 32 bits
			return g, fmt.Errorf("%s is %d, must be far below", field.Name, words[i])
		}
	}
	return g, g.Check()
}

// GeometryForCapacity sizes a filter of any kind for n keys at a false-positive rate.
func GeometryForCapacity(kind Kind, n uint64, fpr float64) (Geometry, error) {
	switch kind {
	case Classic:
		plan, err := NewPlan(n, fpr)
		return plan.ClassicGeometry, err
	case Split:
		return SplitForCapacity(n, fpr)
	case Block:
		return BlockForCapacity(n, fpr)
	case Fuse:
		return FuseForCapacity(n, fpr, DefaultArity)
	}
	return nil, fmt.Errorf("the kind %v cannot be made here", kind)
}

// GeometryForBits sizes a filter of any kind for n keys with a number of bits each.
func GeometryForBits(kind Kind, n uint64, bitsPerKey float64) (Geometry, error) {
	switch kind {
	case Classic:
		return ClassicForBits(n, bitsPerKey)
	case Split:
		return SplitForBits(n, bitsPerKey)
	case Block:
		return BlockForBits(n, bitsPerKey)
	case Fuse:
		return FuseForBits(n, bitsPerKey, DefaultArity)
	}
	return nil, fmt.Errorf("the kind %v cannot be made here", kind)
}

// checkTarget refuses what no kind is sized for.
func checkTarget(n uint64, fpr float64) error {
	if !(fpr > 0 && fpr < 1) {
		return fmt.Errorf("fpr is %.4g, must be above 0 and below 1", fpr)
	}
	if n == 0 {
		return errors.New("n is 0, must be at least 1")
	}
	return nil
}

func checkBitsPerKey(n uint64, bitsPerKey float64) error {
	if n == 0 {
		return errors.New("n is 0, must be at least 1")
	}
	if !(bitsPerKey > 0) || math.IsInf(bitsPerKey, 0) {
		return fmt.Errorf("bits per key is %.4g, must be above 0", bitsPerKey)
	}
	return nil
}
