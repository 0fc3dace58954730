package bloomery

// This file has the kind fuse: made of all its keys at once and never changed. A
// key has three or four slots, whose xor is its fingerprint (spec/fuse.md). Sizes
// are whole numbers throughout: no rounding decides a byte.

import (
	"errors"
	"fmt"
	"math/bits"
)

const (
	maxFuseSlots  = 1 << 48
	maxFuseParts  = 1 << 32
	maxFuseWindow = 1 << 16
	// DefaultArity is how many slots a key of a fuse filter has unless told
	// otherwise: the faster choice.
	DefaultArity = 3
)

// FuseGeometry fixes the layout of a fuse filter.
type FuseGeometry struct {
	Arity           uint32 // slots per key, 3 or 4
	FingerprintBits uint32 // of a slot, 8 or 16
	Parts           uint64 // built one by one
	Window          uint64 // how far apart the slots of a key can be, a power of two
	Slots           uint64 // of a part
	Keys            uint64 // distinct keys
}

// FuseForCapacity returns the geometry planned for n random keys at a
// false-positive rate; the filter that is built has what its own keys need.
func FuseForCapacity(n uint64, fpr float64, arity uint32) (FuseGeometry, error) {
	if err := checkTarget(n, fpr); err != nil {
		return FuseGeometry{}, err
	}
	switch {
	case fpr >= 1.0/256:
		return planFuse(n, arity, 8)
	case fpr >= 1.0/65536:
		return planFuse(n, arity, 16)
	}
	return FuseGeometry{}, fmt.Errorf("fpr is %.4g, a fuse filter reaches 2^-16: use kind block, or ribbon of the C++ command", fpr)
}

// FuseForBits returns the geometry for n keys that takes at most so many bits each.
func FuseForBits(n uint64, bitsPerKey float64, arity uint32) (FuseGeometry, error) {
	if err := checkBitsPerKey(n, bitsPerKey); err != nil {
		return FuseGeometry{}, err
	}
	for _, width := range []uint32{16, 8} {
		g, err := planFuse(n, arity, width)
		if err != nil || float64(g.BitLen()) <= float64(n)*bitsPerKey {
			return g, err
		}
	}
	return FuseGeometry{}, fmt.Errorf("%.4g bits per key are too few for a fuse filter of %d keys: give more, or use kind block", bitsPerKey, n)
}

func planFuse(n uint64, arity, width uint32) (FuseGeometry, error) {
	g := FuseGeometry{Arity: arity, FingerprintBits: width, Parts: fuseParts(n), Keys: n}
	if err := checkArity(arity); err != nil {
		return g, err
	}
	if n > maxFuseSlots { // far above what fits, before products could overflow
		return g, fmt.Errorf("%d keys take more than 2^48 slots: use fewer", n)
	}
	largest := n / g.Parts
	if n%g.Parts != 0 {
		largest++
	}
	g.Window, g.Slots = fuseWindowAndSlots(largest, arity)
	return g, g.Check()
}

// Kind returns Fuse.
func (g FuseGeometry) Kind() Kind { return Fuse }

// Fields returns the six numbers.
func (g FuseGeometry) Fields() []Field {
	return []Field{{"arity", uint64(g.Arity)}, {"fingerprint_bits", uint64(g.FingerprintBits)}, {"parts", g.Parts},
		{"window", g.Window}, {"slots", g.Slots}, {"keys", g.Keys}}
}

// Check says what is wrong with a geometry, if anything.
func (g FuseGeometry) Check() error {
	if err := checkArity(g.Arity); err != nil {
		return err
	}
	switch {
	case g.FingerprintBits != 8 && g.FingerprintBits != 16:
		return fmt.Errorf("fingerprint_bits is %d, must be 8 or 16", g.FingerprintBits)
	case g.Parts < 1 || g.Parts > maxFuseParts:
		return fmt.Errorf("parts is %d, must be 1 to %d", g.Parts, uint64(maxFuseParts))
	case g.Window > maxFuseWindow || bits.OnesCount64(g.Window) != 1:
		return fmt.Errorf("window is %d, must be a power of two up to %d", g.Window, maxFuseWindow)
	case g.Slots <= uint64(g.Arity-1)*g.Window || g.Slots > maxFuseSlots/g.Parts:
		return fmt.Errorf("slots is %d, must be above %d and, times %d parts, at most 2^48: use fewer keys", g.Slots, uint64(g.Arity-1)*g.Window, g.Parts)
	case g.Keys > g.Parts*g.Slots:
		return fmt.Errorf("keys is %d, more than there are slots, %d", g.Keys, g.Parts*g.Slots)
	}
	return nil
}

func checkArity(arity uint32) error {
	if arity != 3 && arity != 4 {
		return fmt.Errorf("arity is %d, must be 3 or 4", arity)
	}
	return nil
}

// factorsAt is where the factors begin.
func (g FuseGeometry) factorsAt() uint64 { return g.Parts * g.Slots * uint64(g.FingerprintBits/8) }

// ByteLen returns the number of bytes of the filter.
func (g FuseGeometry) ByteLen() uint64 { return g.factorsAt() + 8*g.Parts }

// BitLen returns the number of bits.
func (g FuseGeometry) BitLen() uint64 { return 8 * g.ByteLen() }

// Rate returns the predicted false-positive rate with so many keys.
func (g FuseGeometry) Rate(keys uint64) float64 {
	if keys == 0 {
		return 0
	}
	return 1 / float64(uint64(1)<<g.FingerprintBits)
}

// FPRAfter returns the predicted false-positive rate with n keys.
func (g FuseGeometry) FPRAfter(n uint64) float64 { return g.Rate(n) }

// EstimatedCount returns the number of keys, which is known.
func (g FuseGeometry) EstimatedCount(keys uint64) (uint64, bool) { return keys, true }

// FuseFilter is a fuse filter in memory of its own. It never changes, so anybody may
// read it at any time.
type FuseFilter struct {
	View
	keys uint64 // distinct ones, or UnknownKeys
}

// BuildFuse returns the filter of keys at a false-positive rate. Equal keys count
// once; any set of keys can be built. The hasher is xxh3 or the one given.
func BuildFuse(keys [][]byte, fpr float64, hasher ...Hasher) (*FuseFilter, error) {
	wish, err := FuseForCapacity(atLeastOne(uint64(len(keys))), fpr, DefaultArity)
	if err != nil {
		return nil, err
	}
	used := Fuse.DefaultHasher()
	if len(hasher) > 1 {
		return nil, errors.New("a filter has one hasher")
	} else if len(hasher) == 1 {
		used = hasher[0]
	}
	hashes := make([]Hash, len(keys))
	used.hashMany(keys, hashes)
	return BuildFuseHashes(hashes, wish, used)
}

// BuildFuseHashes is BuildFuse for keys that are hashed already, by that hasher. It
// sorts the hashes in place. The geometry follows from them; of the one given only
// Arity and FingerprintBits count.
func BuildFuseHashes(hashes []Hash, wish FuseGeometry, hasher Hasher) (*FuseFilter, error) {
	hashes = sortedDistinct(hashes)
	geometry, bytes, err := buildFuse(hashes, wish, evenFuseParts(hashes))
	if err != nil {
		return nil, err
	}
	return &FuseFilter{View: View{Bits: newBits(geometry, bytes), hasher: hasher}, keys: uint64(len(hashes))}, nil
}

// KeyCount returns the number of distinct keys, or UnknownKeys.
func (f *FuseFilter) KeyCount() uint64 { return f.keys }

// File returns the file that the filter makes: an envelope, which shares its bytes.
func (f *FuseFilter) File() (*File, error) { return f.View.file(Envelope, f.keys) }

// Save writes the filter to disk as an envelope; see [File.Save].
func (f *FuseFilter) Save(path string) error {
	file, err := f.File()
	if err != nil {
		return err
	}
	return file.Save(path)
}

func atLeastOne(n uint64) uint64 {
	if n == 0 {
		return 1
	}
	return n
}
