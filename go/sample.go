package bloomery

// This file measures a filter: its false-positive rate over random hashes, the
// same ones in every language, and how the fill varies along it.

import "math"

// Sample counts how many of the hashes SplitMix64(0) .. SplitMix64(samples-1) the
// filter contains. Nobody added those, so it measures the false-positive rate.
func (b *Bits) Sample(samples uint64) (hits uint64) {
	var hashes [group]Hash
	var answers [group]bool
	for x := uint64(0); x < samples; x += group {
		n := samples - x
		if n > group {
			n = group
		}
		for i := range hashes[:n] {
			hashes[i] = Hash(SplitMix64(x + uint64(i)))
		}
		b.containsGroup(hashes[:n], answers[:n])
		for _, maybe := range answers[:n] {
			if maybe {
				hits++
			}
		}
	}
	return hits
}

// Wilson returns the 95 % confidence interval of a rate of which that many
// samples were hits.
func Wilson(hits, samples uint64) (low, high float64) {
	if samples == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	n := float64(samples)
	p := float64(hits) / n
	zz := float64(z * z)
	scale := 1 + zz/n
	centre := (p + zz/(2*n)) / scale
	half := z * math.Sqrt(float64(p*(1-p))/n+zz/float64(4*n*n)) / scale
	low, high = centre-half, centre+half
	if hits == 0 {
		low = 0
	}
	if hits == samples {
		high = 1
	}
	return low, high
}

// Column is a part of a filter.
type Column struct{ Set, Bits uint64 }

// Columns cuts the filter into at most that many parts of about equal length, in
// whole bytes, and counts the bits of each.
func (b *Bits) Columns(most int) []Column {
	size, number := uint64(len(b.bytes)), uint64(most)
	if most < 0 {
		number = 0
	}
	if number > size {
		number = size
	}
	columns := make([]Column, number)
	// c * size / number, in a way that cannot overflow.
	edge := func(c uint64) uint64 { return c*(size/number) + c*(size%number)/number }
	for i := range columns {
		first, last := edge(uint64(i)), edge(uint64(i)+1)
		end := 8 * last
		if last == size {
			end = b.geometry.BitLen()
		}
		columns[i] = Column{Set: countBits(b.bytes[first:last]), Bits: end - 8*first}
	}
	return columns
}
