package bloomery

// This file sizes split and block filters. A key touches one block only, so the
// number of keys in its block is random, and the rate is the mean over that spread;
// spec/split.md and spec/block.md derive the formulas.

import (
	"math"
)

// salts are odd numbers whose products have well-mixed high bits: the first eight
// are those of the Parquet format.
var salts = [16]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
	0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09}

// smallest returns the smallest number from low to high that is good: all from
// there on are, and high is.
func smallest(low, high uint64, good func(uint64) bool) uint64 {
	for low < high {
		middle := low + (high-low)/2
		if good(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high
}

func binomial(n, k int) float64 {
	result := 1.0
	for i := 0; i < k; i++ {
		result = result * float64(n-i) / float64(i+1)
	}
	return result
}

// untouched is the chance that none of n keys, each in a random block, hits a set
// of bits in a given block, when a key in that block misses them with chance miss.
func untouched(n, blocks, miss float64) float64 {
	return expOfMinus(n * minusLogOfRest((1-miss)/blocks))
}

// allSet is the chance that d bits are all set, by inclusion and exclusion: none[s]
// is the chance that s given ones are all unset.
func allSet(d int, none []float64) float64 {
	sum, sign := 0.0, 1.0
	for s := 0; s <= d; s++ {
		sum += float64(sign * binomial(d, s) * none[s])
		sign = -sign
	}
	return sum
}

// withEqualLowBits adds the chance of the low 32 hash bits of a present key in the
// same block, which look present whatever the bits.
func withEqualLowBits(rate, n, blocks float64) float64 {
	return math.Min(1, math.Max(0, rate+n/blocks/(1<<32)))
}

func splitRate(n, blocks float64) float64 {
	var none [9]float64
	for s := range none {
		none[s] = untouched(n, blocks, power(31.0/32, uint32(s)))
	}
	return withEqualLowBits(allSet(8, none[:]), n, blocks)
}

func blockRate(n, blocks float64, k uint32) float64 {
	var none, chance [maxBlockK + 2]float64
	for s := 0; s <= int(k); s++ {
		none[s] = untouched(n, blocks, power(1-float64(s)/512, k))
	}
	chance[0] = 1 // that so many throws into 512 bits hit d distinct ones
	for thrown := 0; thrown < int(k); thrown++ {
		for d := thrown; d >= 0; d-- {
			chance[d+1] += float64(chance[d] * (1 - float64(d)/512))
			chance[d] *= float64(d) / 512
		}
	}
	rate := 0.0
	for d := 0; d <= int(k); d++ {
		rate += float64(chance[d] * allSet(d, none[:]))
	}
	return withEqualLowBits(rate, n, blocks)
}

// keysAt returns the number of keys from the share of bits that are set; false when
// all are. A key leaves a bit of its block unset with chance miss.
func keysAt(fill, blocks, miss float64) (float64, bool) {
	if fill >= 1 {
		return 0, false
	}
	return minusLogOfRest(fill) / minusLogOfRest((1-miss)/blocks), true
}

func blocksForBits(n uint64, bitsPerKey, bitsPerBlock float64) float64 {
	return math.Max(1, math.Ceil(float64(n)*bitsPerKey/bitsPerBlock))
}

func checkBlocks(blocks, most uint64, instead string) error {
	if blocks < 1 || blocks > most {
		return wrong("blocks is %d, must be 1 to %d: %s", blocks, most, instead)
	}
	return nil
}

// insteadAt says what a kind that cannot have a rate for n keys advises: the kind block
// where that can.
func insteadAt(n uint64, fpr float64) string {
	if fpr < lowestBlockFPR {
		return "ask for a higher rate"
	}
	for k := uint32(1); k <= maxBlockK; k++ {
		if blockRate(float64(n), maxBlocks, k) <= fpr {
			return "use the kind 'block'"
		}
	}
	return smaller
}

// checkBlockTarget refuses what a kind in blocks is not sized for.
func checkBlockTarget(n uint64, fpr, lowest float64) error {
	if err := checkTarget(n, fpr); err != nil {
		return err
	}
	if fpr < lowest {
		return wrong("fpr is %.4g, must be at least %.4g: %s", fpr, lowest, insteadAt(n, fpr))
	}
	return nil
}

func tooManyBlocks(n, most uint64, instead string) error {
	return wrong("%d keys would need more than %d blocks: %s", n, most, instead)
}
