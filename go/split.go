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
	// maxSplitBlocks is the most blocks of a split filter: with more, some would be
	// chosen visibly more often by 32 bits of the hash.
	maxSplitBlocks = 1 << 28

	lowestSplitFPR = 1e-5 // below it eight bits a key take more space than other kinds do
)

// splitGeometry fixes the layout of a split filter.
type splitGeometry struct {
	Blocks uint64 // of 32 bytes, 1 to maxSplitBlocks
}

// splitForCapacity returns the geometry for n keys at a false-positive rate.
func splitForCapacity(n uint64, fpr float64) (splitGeometry, error) {
	if err := checkBlockTarget(n, fpr, lowestSplitFPR); err != nil {
		return splitGeometry{}, err
	}
	good := func(blocks uint64) bool { return splitRate(float64(n), float64(blocks)) <= fpr }
	if !good(maxSplitBlocks) {
		return splitGeometry{}, tooManyBlocks(n, maxSplitBlocks, insteadAt(n, fpr))
	}
	return splitGeometry{smallest(1, maxSplitBlocks, good)}, nil
}

// splitForBits returns the geometry for n keys with a number of bits each.
func splitForBits(n uint64, bitsPerKey float64) (splitGeometry, error) {
	if err := checkBitsPerKey(n, bitsPerKey); err != nil {
		return splitGeometry{}, err
	}
	blocks := blocksForBits(n, bitsPerKey, 8*splitBlockLen)
	if blocks > maxSplitBlocks {
		instead := "use the kind 'block'"
		if blocksForBits(n, bitsPerKey, 8*blockBlockLen) > maxBlocks {
			instead = fewerBits
		}
		return splitGeometry{}, tooManyBlocks(n, maxSplitBlocks, instead)
	}
	return splitGeometry{uint64(blocks)}, nil
}

// kind returns Split.
func (g splitGeometry) kind() Kind { return Split }

// fields returns blocks.
func (g splitGeometry) fields() []Field { return []Field{{"blocks", g.Blocks}} }

// check says what is wrong with a geometry, if anything.
func (g splitGeometry) check() error {
	instead := "use the kind 'block'"
	if g.Blocks > maxBlocks {
		instead = "ask for fewer"
	}
	return checkBlocks(g.Blocks, maxSplitBlocks, instead)
}

// byteLen returns the number of bytes of the filter.
func (g splitGeometry) byteLen() uint64 { return splitBlockLen * g.Blocks }

// bitLen returns the number of bits.
func (g splitGeometry) bitLen() uint64 { return 8 * g.byteLen() }

func (g splitGeometry) cells() (uint64, string) { return g.bitLen(), "bits" }

func (g splitGeometry) checkPayload([]byte) error { return nil }

func (g splitGeometry) used(payload []byte) uint64 { return countBits(payload) }

func (g splitGeometry) estimated(_ []byte, used uint64) (uint64, bool) { return g.estimatedCount(used) }

// fprAfter returns the predicted false-positive rate after n keys.
func (g splitGeometry) fprAfter(n uint64) float64 { return splitRate(float64(n), float64(g.Blocks)) }

func (g splitGeometry) keysAt(set uint64) (float64, bool) {
	return keysAt(float64(set)/float64(g.bitLen()), float64(g.Blocks), 31.0/32)
}

// rateOf returns the false-positive rate of the filter with these bytes: the mean
// over its blocks of the product of the shares that are set in each word.
func (g splitGeometry) rateOf(bytes []byte, _ uint64) float64 {
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

// estimatedCount returns about how many keys set that many bits; false when all are.
func (g splitGeometry) estimatedCount(set uint64) (uint64, bool) {
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

// touchGroup loads a byte of every block, so that the cache misses of a group overlap.
func (p *splitProbe) touchGroup(bytes []byte, hashes []Hash) {
	touched := byte(0)
	for _, h := range hashes {
		touched |= bytes[p.offset(h)]
	}
	keepAlive(touched)
}

func (p *splitProbe) containsGroup(bytes []byte, hashes []Hash, answers []bool) {
	answers = answers[:len(hashes)]
	p.touchGroup(bytes, hashes)
	for i, h := range hashes {
		answers[i] = p.contains(bytes, h)
	}
}

func (p *splitProbe) addGroup(bytes []byte, hashes []Hash) {
	p.touchGroup(bytes, hashes)
	for _, h := range hashes {
		p.add(bytes, h)
	}
}

func (p *splitProbe) add(bytes []byte, h Hash) bool {
	at := p.offset(h)
	block := (*[splitBlockLen]byte)(bytes[at : at+splitBlockLen])
	low, missing := uint32(h), uint32(0)
	for i := 0; i < 8; i++ {
		before := binary.LittleEndian.Uint32(block[4*i:])
		after := before | 1<<(low*salts[i]>>27)
		missing |= before ^ after
		binary.LittleEndian.PutUint32(block[4*i:], after)
	}
	return missing != 0
}
