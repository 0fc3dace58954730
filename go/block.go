package bloomery

// This file has the kind block: a key has one block of 64 bytes, a cache line, and
// k bits anywhere in it (spec/block.md).

import (
	"math"
	"math/bits"
)

const (
	blockBlockLen = 64
	// maxBlocks is the most blocks of a block filter.
	maxBlocks = 1 << 56
	// maxBlockK is the largest number of bits per key of a block filter.
	maxBlockK = 16

	lowestBlockFPR = 5e-8 // below it keys of equal low 32 hash bits are in the way
	smaller        = "ask for fewer keys or a higher rate"
	fewerBits      = "ask for fewer bits per key"
)

// blockGeometry fixes the layout of a block filter.
type blockGeometry struct {
	Blocks uint64 // of 64 bytes, 1 to maxBlocks
	K      uint32 // bits per key, 1 to maxBlockK
}

// blockForCapacity returns the geometry for n keys at a false-positive rate, with
// the k that needs the fewest blocks.
func blockForCapacity(n uint64, fpr float64) (blockGeometry, error) {
	if err := checkBlockTarget(n, fpr, lowestBlockFPR); err != nil {
		return blockGeometry{}, err
	}
	best, limit := blockGeometry{}, uint64(maxBlocks)
	for k := uint32(1); k <= maxBlockK; k++ {
		good := func(blocks uint64) bool { return blockRate(float64(n), float64(blocks), k) <= fpr }
		// Only a k that can do with fewer blocks than the best so far is worth a search.
		if limit >= 1 && good(limit) {
			best = blockGeometry{smallest(1, limit, good), k}
			limit = best.Blocks - 1
		}
	}
	if best.K == 0 {
		return best, tooManyBlocks(n, maxBlocks, smaller)
	}
	return best, nil
}

// blockForBits returns the geometry for n keys with a number of bits each, with the
// k of the lowest rate.
func blockForBits(n uint64, bitsPerKey float64) (blockGeometry, error) {
	if err := checkBitsPerKey(n, bitsPerKey); err != nil {
		return blockGeometry{}, err
	}
	blocks := blocksForBits(n, bitsPerKey, 8*blockBlockLen)
	if blocks > maxBlocks {
		return blockGeometry{}, tooManyBlocks(n, maxBlocks, fewerBits)
	}
	best, lowest := uint32(1), math.Inf(1)
	for k := uint32(1); k <= maxBlockK; k++ {
		if rate := blockRate(float64(n), blocks, k); rate < lowest {
			best, lowest = k, rate
		}
	}
	return blockGeometry{uint64(blocks), best}, nil
}

// kind returns Block.
func (g blockGeometry) kind() Kind { return Block }

// fields returns blocks and k.
func (g blockGeometry) fields() []Field { return []Field{{"blocks", g.Blocks}, {"k", uint64(g.K)}} }

// check says what is wrong with a geometry, if anything.
func (g blockGeometry) check() error {
	if g.K < 1 || g.K > maxBlockK {
		return wrong("k is %d, must be 1 to %d", g.K, maxBlockK)
	}
	return checkBlocks(g.Blocks, maxBlocks, smaller)
}

// byteLen returns the number of bytes of the filter.
func (g blockGeometry) byteLen() uint64 { return blockBlockLen * g.Blocks }

// bitLen returns the number of bits. No memory holds filters where it overflows.
func (g blockGeometry) bitLen() uint64 { return 8 * g.byteLen() }

func (g blockGeometry) cells() (uint64, string) { return g.bitLen(), "bits" }

func (g blockGeometry) checkPayload([]byte) error { return nil }

func (g blockGeometry) used(payload []byte) uint64 { return countBits(payload) }

func (g blockGeometry) estimated(_ []byte, used uint64) (uint64, bool) { return g.estimatedCount(used) }

// fprAfter returns the predicted false-positive rate after n keys.
func (g blockGeometry) fprAfter(n uint64) float64 {
	return blockRate(float64(n), float64(g.Blocks), g.K)
}

func (g blockGeometry) keysAt(set uint64) (float64, bool) {
	return keysAt(float64(set)/float64(g.bitLen()), float64(g.Blocks), power(1-1.0/512, g.K))
}

// rateOf returns the false-positive rate of the filter with these bytes: the mean
// over its blocks of the share that is set, to the power of k.
func (g blockGeometry) rateOf(bytes []byte, _ uint64) float64 {
	var blocksWith [8*blockBlockLen + 1]uint64
	set := uint64(0)
	for ; len(bytes) > 0; bytes = bytes[blockBlockLen:] {
		count := countBits(bytes[:blockBlockLen])
		blocksWith[count]++
		set += count
	}
	n, known := g.keysAt(set)
	if !known {
		return 1
	}
	sum := 0.0
	for count, blocks := range blocksWith {
		sum += float64(float64(blocks) * power(float64(count)/512, g.K))
	}
	blocks := float64(g.Blocks)
	return withEqualLowBits(sum/blocks, n, blocks)
}

// estimatedCount returns about how many keys set that many bits; false when all are.
func (g blockGeometry) estimatedCount(set uint64) (uint64, bool) {
	n, known := g.keysAt(set)
	return uint64(math.Round(n)), known
}

// blockProbe finds the bits of hashes.
type blockProbe struct {
	blocks uint64
	k      uint32
}

func (p *blockProbe) offset(h Hash) uint64 {
	block, _ := bits.Mul64(uint64(h), p.blocks)
	return block * blockBlockLen
}

// contains looks at all bits, since a branch on each would be a coin toss that costs
// more. A bit that setting would change is missing: the compiler makes one instruction of
// that, where a shift by a variable takes three. It and add are just short enough for the
// compiler to inline them.
func (p *blockProbe) contains(bytes []byte, h Hash) bool {
	number, _ := bits.Mul64(uint64(h), p.blocks)
	block := (*[blockBlockLen]byte)(bytes[number*blockBlockLen:])
	missing := byte(0)
	for _, salt := range salts[:p.k] {
		place := uint32(h) * salt >> 23
		there := block[place>>3]
		missing |= there ^ (there | 1<<(place&7))
	}
	return missing == 0
}

// touchGroup loads a byte of every block, so that the cache misses of a group overlap.
// For a filter that is larger than the caches it halves the time of a batch.
func (p *blockProbe) touchGroup(bytes []byte, hashes []Hash) {
	touched := byte(0)
	for _, h := range hashes {
		touched |= bytes[p.offset(h)]
	}
	keepAlive(touched)
}

func (p *blockProbe) containsGroup(bytes []byte, hashes []Hash, answers []bool) {
	answers = answers[:len(hashes)]
	p.touchGroup(bytes, hashes)
	probe := *p // a copy, which no answer can change
	for i, h := range hashes {
		answers[i] = probe.contains(bytes, h)
	}
}

func (p *blockProbe) addGroup(bytes []byte, hashes []Hash) {
	p.touchGroup(bytes, hashes)
	probe := *p
	for _, h := range hashes {
		probe.add(bytes, h)
	}
}

func (p *blockProbe) add(bytes []byte, h Hash) bool {
	number, _ := bits.Mul64(uint64(h), p.blocks)
	block := (*[blockBlockLen]byte)(bytes[number*blockBlockLen:])
	missing := byte(0)
	for _, salt := range salts[:p.k] {
		place := uint32(h) * salt >> 23
		at := &block[place>>3]
		before := *at
		*at |= 1 << (place & 7)
		missing |= before ^ *at
	}
	return missing != 0
}
