package bloomery

// This file has the kind split: a key has one block of 32 bytes, and one bit in
// each of its eight words (spec/split.md).

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const (
	splitBlockLen = 32
	// MaxSplitBlocks is the most blocks of a split filter: with more, some would be
	// chosen visibly more often by 32 bits of the hash.
	MaxSplitBlocks = 1 << 28

	lowestSplitFPR = 1e-5 // below it eight bits a key take more space than other kinds do
	insteadOfSplit = "use kind block"
)

// SplitGeometry fixes the layout of a split filter.
type SplitGeometry struct {
	Blocks uint64 // of 32 bytes, 1 to MaxSplitBlocks
}

// SplitForCapacity returns the geometry for n keys at a false-positive rate.
func SplitForCapacity(n uint64, fpr float64) (SplitGeometry, error) {
	if err := checkBlockTarget(n, fpr, lowestSplitFPR, insteadOfSplit); err != nil {
		return SplitGeometry{}, err
	}
	good := func(blocks uint64) bool { return splitRate(float64(n), float64(blocks)) <= fpr }
	if !good(MaxSplitBlocks) {
		return SplitGeometry{}, tooManyBlocks(n, MaxSplitBlocks, insteadOfSplit)
	}
	return SplitGeometry{smallest(1, MaxSplitBlocks, good)}, nil
}

// SplitForBits returns the geometry for n keys with a number of bits each.
func SplitForBits(n uint64, bitsPerKey float64) (SplitGeometry, error) {
	if err := checkBitsPerKey(n, bitsPerKey); err != nil {
		return SplitGeometry{}, err
	}
	blocks := blocksForBits(n, bitsPerKey, 8*splitBlockLen)
	if blocks > MaxSplitBlocks {
		return SplitGeometry{}, tooManyBlocks(n, MaxSplitBlocks, insteadOfSplit)
	}
	return SplitGeometry{uint64(blocks)}, nil
}

// Kind returns Split.
func (g SplitGeometry) Kind() Kind { return Split }

// Fields returns blocks.
func (g SplitGeometry) Fields() []Field { return []Field{{"blocks", g.Blocks}} }

// Check says what is wrong with a geometry, if anything.
func (g SplitGeometry) Check() error { return checkBlocks(g.Blocks, MaxSplitBlocks, insteadOfSplit) }

// ByteLen returns the number of bytes of the filter.
func (g SplitGeometry) ByteLen() uint64 { return splitBlockLen * g.Blocks }

// BitLen returns the number of bits.
func (g SplitGeometry) BitLen() uint64 { return 8 * g.ByteLen() }

// FPRAfter returns the predicted false-positive rate after n keys.
func (g SplitGeometry) FPRAfter(n uint64) float64 { return splitRate(float64(n), float64(g.Blocks)) }

func (g SplitGeometry) keysAt(set uint64) (float64, bool) {
	return keysAt(float64(set)/float64(g.BitLen()), float64(g.Blocks), 31.0/32)
}

// Rate returns the predicted false-positive rate with so many bits set.
func (g SplitGeometry) Rate(set uint64) float64 {
	n, known := g.keysAt(set)
	if !known {
		return 1
	}
	return splitRate(n, float64(g.Blocks))
}

// rateOf returns the false-positive rate of the filter with these bytes: the mean
// over its blocks of the product of the shares that are set in each word.
func (g SplitGeometry) rateOf(bytes []byte) float64 {
	products, set := 0.0, 0
	for ; len(bytes) > 0; bytes = bytes[splitBlockLen:] {
		product := uint64(1)
		for i := 0; i < 8; i++ {
			count := bits.OnesCount32(binary.LittleEndian.Uint32(bytes[4*i:]))
			product *= uint64(count)
			set += count
		}
		products += float64(product)
	}
	n, known := g.keysAt(uint64(set))
	if !known {
		return 1
	}
	blocks := float64(g.Blocks)
	return withEqualLowBits(products/(1<<40)/blocks, n, blocks)
}

// EstimatedCount returns about how many keys set that many bits; false when all are.
func (g SplitGeometry) EstimatedCount(set uint64) (uint64, bool) {
	n, known := g.keysAt(set)
	return uint64(math.Round(n)), known
}

// splitProbe finds the bits of hashes.
type splitProbe struct{ blocks uint64 }

func (p *splitProbe) offset(h Hash) uint64 {
	return (uint64(h>>32) * p.blocks >> 32) * splitBlockLen
}

// contains looks at all bits, since a branch on each would be a coin toss that
// costs more.
func (p *splitProbe) contains(bytes []byte, h Hash) bool {
	at := p.offset(h)
	block := (*[splitBlockLen]byte)(bytes[at : at+splitBlockLen])
	low, all := uint32(h), ^uint32(0)
	for i := 0; i < 8; i++ {
		all &= binary.LittleEndian.Uint32(block[4*i:]) >> (low * salts[i] >> 27)
	}
	return all&1 != 0
}

func (p *splitProbe) containsGroup(bytes []byte, hashes []Hash, answers []bool) {
	answers = answers[:len(hashes)]
	for i, h := range hashes {
		answers[i] = p.contains(bytes, h)
	}
}

func (p *splitProbe) add(bytes []byte, h Hash) bool {
	at := p.offset(h)
	block := (*[splitBlockLen]byte)(bytes[at : at+splitBlockLen])
	low, missing := uint32(h), uint32(0)
	for i := 0; i < 8; i++ {
		word := binary.LittleEndian.Uint32(block[4*i:])
		mask := uint32(1) << (low * salts[i] >> 27)
		missing |= mask &^ word
		binary.LittleEndian.PutUint32(block[4*i:], word|mask)
	}
	return missing != 0
}
