package bloomery

// This file builds fuse filters: their parts and the seeds of these. The slots are
// equations, one a key, and peeling finds an order in which each has a slot of its
// own left. The bytes are fixed by the set of hashes, so every step here is that of
// spec/fuse.md.

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

const fuseSeeds = 64 // tried before the filter grows

// fuseRow says, for 2^r keys, the binary logarithm of the window, and the slots
// beyond the number of keys. The numbers come from peeling random keys.
type fuseRow struct{ log, more uint64 }

var fuseTable = map[uint32][22]fuseRow{
	3: {{0, 2}, {2, 9}, {3, 16}, {4, 25}, {4, 27}, {5, 40}, {6, 68}, {6, 76}, {7, 116}, {8, 190}, {8, 338}, {9, 640}, {9, 1030},
		{10, 1900}, {10, 3330}, {11, 6100}, {11, 11500}, {12, 21000}, {13, 37500}, {13, 66450}, {14, 131600}, {14, 252000}},
	4: {{0, 3}, {2, 11}, {2, 12}, {3, 18}, {3, 22}, {4, 32}, {5, 41}, {6, 70}, {6, 115}, {7, 205}, {7, 330}, {8, 570}, {9, 1000},
		{9, 1600}, {10, 2760}, {10, 4600}, {11, 8300}, {12, 14000}, {12, 23500}, {13, 39900}, {13, 76500}, {13, 147000}},
}

// fuseWindowAndSlots returns those of a part of so many keys, at most 2^48.
func fuseWindowAndSlots(keys uint64, arity uint32) (window, slots uint64) {
	n := atLeastOne(keys)
	r, table := bits.Len64(n)-1, fuseTable[arity]
	last := len(table) - 1
	if r < last {
		row, next := table[r], table[r+1]
		return 1 << row.log, n + row.more + (n-(1<<r))*(next.more-row.more)>>r
	}
	log := table[last].log
	if r >= 24 {
		log = 16
	} else if r > last {
		log = 15
	}
	high, low := bits.Mul64(n, table[last].more)
	return 1 << log, n + (high<<(64-last) | low>>last)
}

// fuseParts returns the parts of so many keys.
func fuseParts(keys uint64) uint64 {
	if keys < 1000000 {
		return 1
	}
	if parts := keys >> 20; parts > 2 {
		return parts
	}
	return 2
}

// sortHashes sorts by 11 bits at a time, from the lowest on, which is faster than
// comparisons. Six passes leave the result where it began.
func sortHashes(hashes []Hash) {
	const digits = 1 << 11
	from, to := hashes, make([]Hash, len(hashes))
	for shift := 0; shift < 64; shift += 11 {
		var next [digits]int
		for _, h := range from {
			next[h>>shift%digits]++
		}
		at := 0
		for digit, count := range next {
			next[digit] = at
			at += count
		}
		for _, h := range from {
			digit := h >> shift % digits
			to[next[digit]] = h
			next[digit]++
		}
		from, to = to, from
	}
}

func sortedDistinct(hashes []Hash) []Hash {
	if len(hashes) < 5000 {
		sort.Slice(hashes, func(i, j int) bool { return hashes[i] < hashes[j] })
	} else {
		sortHashes(hashes)
	}
	distinct := hashes[:0]
	for i, h := range hashes {
		if i == 0 || h != hashes[i-1] {
			distinct = append(distinct, h)
		}
	}
	return distinct
}

// splitParts cuts sorted hashes: those of part 0 come first, then those of part 1.
func splitParts(hashes []Hash, parts uint64) (cut [][]Hash, largest uint64) {
	cut = make([][]Hash, parts)
	for part := range cut {
		n := sort.Search(len(hashes), func(i int) bool {
			of, _ := bits.Mul64(uint64(hashes[i]), parts)
			return of > uint64(part)
		})
		cut[part], hashes = hashes[:n], hashes[n:]
		if uint64(n) > largest {
			largest = uint64(n)
		}
	}
	return cut, largest
}

// evenFuseParts returns the parts that random hashes get; 1 when these are not
// random.
func evenFuseParts(hashes []Hash) uint64 {
	n := uint64(len(hashes))
	parts := fuseParts(n)
	mean := n / parts
	if _, largest := splitParts(hashes, parts); largest > mean+mean/64 {
		return 1
	}
	return parts
}

// buildFuse builds sorted, distinct hashes in so many parts.
func buildFuse(hashes []Hash, target fuseGeometry, parts uint64) (fuseGeometry, []byte, error) {
	cut, largest := splitParts(hashes, parts)
	g := fuseGeometry{Arity: target.Arity, FingerprintBits: target.FingerprintBits, Parts: parts, Keys: uint64(len(hashes))}
	g.Window, g.Slots = fuseWindowAndSlots(largest, g.Arity)
	for {
		if err := g.check(); err != nil {
			return g, nil, err
		}
		bytes, err := allocate(g.byteLen())
		if err != nil {
			return g, nil, err
		}
		solved, err := solveFuse(cut, g, bytes)
		if solved || err != nil {
			return g, bytes, err
		}
		g.Slots += g.Slots/8 + 1
	}
}

// solveFuse fills the bytes, unless some part has no good seed.
func solveFuse(cut [][]Hash, g fuseGeometry, bytes []byte) (bool, error) {
	if g.Slots < 1<<24 {
		return solveFuseBy[uint32](cut, g, bytes) // half the memory
	}
	return solveFuseBy[uint64](cut, g, bytes)
}

// solveFuseBy is solveFuse by words of a width.
func solveFuseBy[W fuseWord](cut [][]Hash, g fuseGeometry, bytes []byte) (bool, error) {
	if g.Keys == 0 {
		return true, nil // all bytes are 0
	}
	p, err := newFusePeeler[W](g)
	if err != nil {
		return false, err
	}
	length := g.factorsAt() / g.Parts
	for part, hashes := range cut {
		values := bytes[uint64(part)*length : uint64(part+1)*length]
		seed := byte(0)
		for ; seed < fuseSeeds && !p.solve(hashes, fuseFactor(g.Parts, seed), values); seed++ {
		}
		if seed == fuseSeeds {
			return false, nil
		}
		binary.LittleEndian.PutUint64(bytes[g.factorsAt()+8*uint64(part):], fuseFactor(g.Parts, seed))
	}
	return true, nil
}
