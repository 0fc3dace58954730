package bloomery

// This file has what the geometries of all kinds have in common.

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// Geometry is the numbers that fix a filter's layout. They are stored in files and
// never recomputed by a reader. Geometries are comparable; the zero one is of no kind
// and makes no filter.
type Geometry struct{ of layout }

// Field is a number of a geometry.
type Field struct {
	Name  string
	Value uint64
}

// layout is what a kind says of its numbers. Its types are comparable.
type layout interface {
	kind() Kind
	// fields returns the numbers by name, in the order of the file.
	fields() []Field
	// check says what is wrong with them, if anything.
	check() error
	// byteLen returns the length of the payload.
	byteLen() uint64
	// bitLen returns the number of bits, less what is left over in the last byte.
	bitLen() uint64
	// checkPayload has what a kind asks of its payload in constant time.
	checkPayload(payload []byte) error
	// cells returns the number of cells, and the word for them.
	cells() (number uint64, word string)
	// used returns the number of cells in use: of bits that are set.
	used(payload []byte) uint64
	// estimated returns about how many keys there are; false when nobody can tell.
	estimated(payload []byte, used uint64) (uint64, bool)
	// rateOf returns the false-positive rate that the payload has.
	rateOf(payload []byte, used uint64) float64
}

// planned is a layout of a kind that this package makes.
type planned interface {
	layout
	// fprAfter returns the predicted false-positive rate after n keys.
	fprAfter(n uint64) float64
}

// Kind returns whose numbers these are; 0 of the zero Geometry.
func (g Geometry) Kind() Kind {
	if g.of == nil {
		return 0
	}
	return g.of.kind()
}

// Fields returns the numbers by name, in the order of the file.
func (g Geometry) Fields() []Field {
	if g.of == nil {
		return nil
	}
	return g.of.fields()
}

// ByteLen returns the number of bytes of the filter.
func (g Geometry) ByteLen() uint64 {
	if g.of == nil {
		return 0
	}
	return g.of.byteLen()
}

// BitLen returns the number of bits, less what is left over in the last byte.
func (g Geometry) BitLen() uint64 {
	if g.of == nil {
		return 0
	}
	return g.of.bitLen()
}

// FPRAfter returns the predicted false-positive rate after n keys. Of kinds that this
// package only reads, and of the zero Geometry, it is 1.
func (g Geometry) FPRAfter(n uint64) float64 {
	if plan, ok := g.of.(planned); ok {
		return plan.fprAfter(n)
	}
	return 1
}

// String returns the kind and the numbers: "block (blocks 100, k 6)".
func (g Geometry) String() string {
	if g.of == nil {
		return "no geometry"
	}
	return fmt.Sprintf("%v (%s)", g.Kind(), describe(g.of))
}

// describe is "blocks 100, k 6".
func describe(g layout) string {
	var parts []string
	for _, field := range g.fields() {
		parts = append(parts, fmt.Sprint(field.Name, " ", field.Value))
	}
	return strings.Join(parts, ", ")
}

// GeometryOf makes a kind's geometry of its numbers by name: all that the kind has, and
// no others. The names are those of Fields and of the specification.
func GeometryOf(kind Kind, numbers map[string]uint64) (Geometry, error) {
	if !kind.known() {
		return Geometry{}, wrong("%v is unknown: use %s", kind, kindList(Kinds()))
	}
	var words [8]uint64
	var names []string
	found := 0
	for i, field := range layoutOf(kind, words).fields() {
		names = append(names, field.Name)
		if value, given := numbers[field.Name]; given {
			words[i] = value
			found++
		}
	}
	if found != len(numbers) {
		return Geometry{}, wrong("%v filters have no %s: their geometry is %s", kind, strange(numbers, names), listed(names))
	}
	if found != len(names) {
		return Geometry{}, wrong("%s need each other: an exact geometry of a %v filter has all of them", listed(names), kind)
	}
	of, err := checkedLayout(kind, words)
	if err != nil {
		return Geometry{}, err
	}
	return Geometry{of}, nil
}

// listed is "a, b and c".
func listed(names []string) string {
	last := len(names) - 1
	if last <= 0 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// strange returns the first of the names that is not known.
func strange(numbers map[string]uint64, known []string) string {
	var others []string
	for name := range numbers {
		if !strings.Contains(","+strings.Join(known, ",")+",", ","+name+",") {
			others = append(others, name)
		}
	}
	sort.Strings(others)
	return strings.Join(others, ", ")
}

// layoutOf makes a layout of the words of an envelope, unchecked; those that the kind
// does not use are not looked at.
func layoutOf(kind Kind, words [8]uint64) layout {
	k := uint32(words[1])
	switch kind {
	case Classic:
		return classicGeometry{M: words[0], K: k}
	case Split:
		return splitGeometry{Blocks: words[0]}
	case Fuse:
		return fuseGeometry{Arity: uint32(words[0]), FingerprintBits: k, Parts: words[2], Window: words[3], Slots: words[4], Keys: words[5]}
	case Counting:
		return countingGeometry{M: words[0], K: k, CounterBits: uint32(words[2])}
	case Partitioned:
		return partitionedGeometry{SliceBits: words[0], K: k}
	case Scalable:
		return scalableGeometry{words[0], words[1], words[2], words[3], words[4], words[5]}
	case Stable:
		return stableGeometry{Lines: words[0], K: k, Decrement: uint32(words[2])}
	case Cuckoo:
		return cuckooGeometry{Buckets: words[0], FingerprintBits: k}
	case Quotient:
		return quotientGeometry{QuotientBits: uint32(words[0]), RemainderBits: k}
	case Ribbon:
		return ribbonGeometry{words[0], words[1], words[2], words[3], [3]uint64(words[4:7]), words[7]}
	}
	return blockGeometry{Blocks: words[0], K: k}
}

// checkedLayout is layoutOf, with every rule of the kind.
func checkedLayout(kind Kind, words [8]uint64) (layout, error) {
	g := layoutOf(kind, words)
	for i, field := range g.fields() {
		if field.Value != words[i] { // cut to 32 bits
			return nil, wrong("%s is %d, must be far below", field.Name, words[i])
		}
	}
	return g, g.check()
}

// GeometryForCapacity sizes a filter for n keys at a false-positive rate. The kind is
// Block, or that of WithKind; WithArity is for Fuse.
func GeometryForCapacity(n uint64, fpr float64, options ...Option) (Geometry, error) {
	s, err := sizing(options)
	if err != nil {
		return Geometry{}, err
	}
	switch s.kind {
	case Classic:
		plan, err := newPlan(n, fpr)
		return geometryOr(plan.classicGeometry, err)
	case Split:
		return geometryOr(splitForCapacity(n, fpr))
	case Fuse:
		return geometryOr(fuseForCapacity(n, fpr, s.fuseArity()))
	}
	return geometryOr(blockForCapacity(n, fpr))
}

// GeometryForBits sizes a filter for n keys with a number of bits each; options as for
// GeometryForCapacity.
func GeometryForBits(n uint64, bitsPerKey float64, options ...Option) (Geometry, error) {
	s, err := sizing(options)
	if err != nil {
		return Geometry{}, err
	}
	switch s.kind {
	case Classic:
		return geometryOr(classicForBits(n, bitsPerKey))
	case Split:
		return geometryOr(splitForBits(n, bitsPerKey))
	case Fuse:
		return geometryOr(fuseForBits(n, bitsPerKey, s.fuseArity()))
	}
	return geometryOr(blockForBits(n, bitsPerKey))
}

func sizing(options []Option) (settings, error) {
	s := settingsOf(Block, options)
	if s.hasher != nil {
		return s, wrong("WithHasher is no option of a size: give it where the filter is made")
	}
	return s, s.check()
}

func geometryOr(g layout, err error) (Geometry, error) {
	if err != nil {
		return Geometry{}, err
	}
	return Geometry{g}, nil
}

// checkTarget refuses what no kind is sized for.
func checkTarget(n uint64, fpr float64) error {
	if !(fpr > 0 && fpr < 1) {
		return wrong("fpr is %.4g, must be above 0 and below 1", fpr)
	}
	if n == 0 {
		return wrong("n is 0, must be at least 1")
	}
	return nil
}

func checkBitsPerKey(n uint64, bitsPerKey float64) error {
	if n == 0 {
		return wrong("n is 0, must be at least 1")
	}
	if !(bitsPerKey > 0) || math.IsInf(bitsPerKey, 0) {
		return wrong("bits per key is %.4g, must be above 0", bitsPerKey)
	}
	return nil
}
