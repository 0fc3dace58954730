package bloomery

// This file has the kind fuse: made of all its keys at once and never changed. A
// key has three or four slots, whose xor is its fingerprint (spec/fuse.md). Sizes
// are whole numbers throughout: no rounding decides a byte.

import (
	"math/bits"
)

const (
	maxFuseSlots  = 1 << 48
	maxFuseParts  = 1 << 32
	maxFuseWindow = 1 << 16
	// defaultArity is how many slots a key of a fuse filter has unless told
	// otherwise: the faster choice.
	defaultArity = 3
)

// fuseGeometry fixes the layout of a fuse filter.
type fuseGeometry struct {
	Arity           uint32 // slots per key, 3 or 4
	FingerprintBits uint32 // of a slot, 8 or 16
	Parts           uint64 // built one by one
	Window          uint64 // how far apart the slots of a key can be, a power of two
	Slots           uint64 // of a part
	Keys            uint64 // distinct keys
}

// fuseForCapacity returns the geometry planned for n random keys at a
// false-positive rate; the filter that is built has what its own keys need.
func fuseForCapacity(n uint64, fpr float64, arity uint32) (fuseGeometry, error) {
	if err := checkTarget(n, fpr); err != nil {
		return fuseGeometry{}, err
	}
	switch {
	case fpr >= 1.0/256:
		return planFuse(n, arity, 8)
	case fpr >= 1.0/65536:
		return planFuse(n, arity, 16)
	}
	instead := insteadAt(n, fpr)
	if n <= maxRibbonKeys && fpr >= 1.0/(1<<32) && fpr >= float64(n)/(1<<64) { // as far as ribbon goes
		instead += ", or use ribbon of the C++ command"
	}
	return fuseGeometry{}, wrong("fpr is %.4g, a fuse filter reaches 2^-16: %s", fpr, instead)
}

// fuseForBits returns the geometry for n keys that takes at most so many bits each.
func fuseForBits(n uint64, bitsPerKey float64, arity uint32) (fuseGeometry, error) {
	if err := checkBitsPerKey(n, bitsPerKey); err != nil {
		return fuseGeometry{}, err
	}
	for _, width := range []uint32{16, 8} {
		g, err := planFuse(n, arity, width)
		if err != nil || float64(g.bitLen()) <= float64(n)*bitsPerKey {
			return g, err
		}
	}
	return fuseGeometry{}, wrong("%.4g bits per key are too few for a fuse filter of %d keys: give more, or use the kind 'block'", bitsPerKey, n)
}

func planFuse(n uint64, arity, width uint32) (fuseGeometry, error) {
	g := fuseGeometry{Arity: arity, FingerprintBits: width, Parts: fuseParts(n), Keys: n}
	if err := checkArity(arity); err != nil {
		return g, err
	}
	if n > maxFuseSlots { // far above what fits, before products could overflow
		return g, wrong("%d keys take more than 2^48 slots: use fewer", n)
	}
	largest := n / g.Parts
	if n%g.Parts != 0 {
		largest++
	}
	g.Window, g.Slots = fuseWindowAndSlots(largest, arity)
	return g, g.check()
}

// kind returns Fuse.
func (g fuseGeometry) kind() Kind { return Fuse }

// fields returns the six numbers.
func (g fuseGeometry) fields() []Field {
	return []Field{{"arity", uint64(g.Arity)}, {"fingerprint_bits", uint64(g.FingerprintBits)}, {"parts", g.Parts},
		{"window", g.Window}, {"slots", g.Slots}, {"keys", g.Keys}}
}

// check says what is wrong with a geometry, if anything.
func (g fuseGeometry) check() error {
	if err := checkArity(g.Arity); err != nil {
		return err
	}
	switch {
	case g.FingerprintBits != 8 && g.FingerprintBits != 16:
		return wrong("fingerprint_bits is %d, must be 8 or 16", g.FingerprintBits)
	case g.Parts < 1 || g.Parts > maxFuseParts:
		return wrong("parts is %d, must be 1 to %d", g.Parts, uint64(maxFuseParts))
	case g.Window > maxFuseWindow || bits.OnesCount64(g.Window) != 1:
		return wrong("window is %d, must be a power of two up to %d", g.Window, maxFuseWindow)
	case g.Slots <= uint64(g.Arity-1)*g.Window || g.Slots > maxFuseSlots/g.Parts:
		return wrong("slots is %d, must be above %d and, times %d parts, at most 2^48: use fewer keys", g.Slots, uint64(g.Arity-1)*g.Window, g.Parts)
	case g.Keys > g.Parts*g.Slots:
		return wrong("keys is %d, more than there are slots, %d", g.Keys, g.Parts*g.Slots)
	}
	return nil
}

func checkArity(arity uint32) error {
	if arity != 3 && arity != 4 {
		return wrong("arity is %d, must be 3 or 4", arity)
	}
	return nil
}

// factorsAt is where the factors begin.
func (g fuseGeometry) factorsAt() uint64 { return g.Parts * g.Slots * uint64(g.FingerprintBits/8) }

// byteLen returns the number of bytes of the filter.
func (g fuseGeometry) byteLen() uint64 { return g.factorsAt() + 8*g.Parts }

// bitLen returns the number of bits.
func (g fuseGeometry) bitLen() uint64 { return 8 * g.byteLen() }

func (g fuseGeometry) cells() (uint64, string) { return g.Parts * g.Slots, "slots" }

func (g fuseGeometry) checkPayload([]byte) error { return nil }

// used returns the slots that a key has for itself, one each.
func (g fuseGeometry) used([]byte) uint64 { return g.Keys }

func (g fuseGeometry) estimated([]byte, uint64) (uint64, bool) { return g.Keys, true }

func (g fuseGeometry) rateOf([]byte, uint64) float64 { return g.fprAfter(g.Keys) }

// fprAfter returns the predicted false-positive rate with so many keys.
func (g fuseGeometry) fprAfter(keys uint64) float64 {
	if keys == 0 {
		return 0
	}
	return 1 / float64(uint64(1)<<g.FingerprintBits)
}

// FuseFilter is a fuse filter in memory of its own. It never changes, so any goroutine
// may read it at any time.
type FuseFilter struct {
	View
	keys uint64  // distinct ones, or UnknownKeys
	from *origin // as of a Filter
}

// BuildFuse returns the filter of keys at a false-positive rate of at least 2^-16.
// Equal keys count once; any set of keys can be built. Options: WithHasher (xxh3 unless
// given) and WithArity.
func BuildFuse(keys [][]byte, fpr float64, options ...Option) (*FuseFilter, error) {
	s := settingsOf(Fuse, options)
	g, err := GeometryForCapacity(atLeastOne(uint64(len(keys))), fpr, withArity(s.arity))
	if err != nil {
		return nil, err
	}
	hasher := s.hasherOrDefault()
	hashes := make([]Hash, len(keys))
	hasher.hashMany(keys, hashes)
	return BuildFuseHashes(hashes, g, options...)
}

// withArity chooses fuse, and an arity unless it is 0.
func withArity(arity uint32) Option {
	return func(s *settings) { s.kind, s.arity = Fuse, arity }
}

// BuildFuseHashes is BuildFuse for keys that are hashed already, by the hasher of the
// options. It sorts the hashes in place. The geometry says how many slots a key has, and
// how wide they are; its other numbers follow from the hashes.
func BuildFuseHashes(hashes []Hash, g Geometry, options ...Option) (*FuseFilter, error) {
	s := settingsOf(Fuse, options)
	if s.kind != Fuse {
		return nil, wrong("BuildFuse makes a fuse filter, WithKind says %v: leave it out", s.kind)
	}
	target, ok := g.of.(fuseGeometry)
	if !ok {
		return nil, wrong("a fuse filter is not made of %v: use GeometryForCapacity with WithKind(Fuse)", g)
	}
	hashes = sortedDistinct(hashes)
	geometry, bytes, err := buildFuse(hashes, target, evenFuseParts(hashes))
	if err != nil {
		return nil, err
	}
	return &FuseFilter{View: View{newCore(geometry, bytes, s.hasherOrDefault())}, keys: uint64(len(hashes))}, nil
}

// KeyCount returns the number of distinct keys, or UnknownKeys.
func (f *FuseFilter) KeyCount() uint64 { return f.keys }

// String returns kind, geometry, hash, size and key count, in one line.
func (f *FuseFilter) String() string { return f.core.String() + keysText(f.keys) }

func atLeastOne(n uint64) uint64 {
	if n == 0 {
		return 1
	}
	return n
}
