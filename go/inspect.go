package bloomery

// This file looks at a filter without its keys: what its cells tell, its
// false-positive rate over random hashes, the same ones in every language, and how the
// fill varies along it.

import "math"

// Inspection is what a filter tells of itself, as the command inspect prints it.
type Inspection struct {
	Used  uint64 // cells in use: bits that are set, slots that are taken
	Cells string // what they are called: bits, counters, slots or cells
	Fill  float64

	EstimatedCount uint64 // about how many distinct keys
	EstimateKnown  bool   // false when the filter is saturated, or forgets

	PredictedFPR float64 // from the cells

	// The false-positive rate over Samples random hashes, with its 95 % interval.
	SampledFPR, SampledLow, SampledHigh float64
	Samples                             uint64

	Along []Column // the fill along the payload

	Retries      uint64 // attempts of the build that failed
	CountRetries bool   // whether building this kind can fail
}

// Column is a part of a payload.
type Column struct{ Set, Bits uint64 }

const (
	samples = 1000000
	columns = 64
)

// Inspect reads the whole filter, and asks it for a million random hashes.
func (f *File) Inspect() Inspection {
	c := f.core
	if c == nil {
		return Inspection{}
	}
	i := Inspection{Used: c.used(), PredictedFPR: c.rate(), Fill: c.fill(), Samples: samples, Along: c.along(columns)}
	_, i.Cells = c.of.cells()
	i.EstimatedCount, i.EstimateKnown = c.estimated()
	hits := c.sample(samples)
	i.SampledFPR = float64(hits) / samples
	i.SampledLow, i.SampledHigh = wilson(hits, samples)
	if retried, ok := c.of.(interface{ retries([]byte) uint64 }); ok {
		i.Retries, i.CountRetries = retried.retries(c.bytes), true
	}
	return i
}

// sample counts how many of the hashes splitMix64(0) .. splitMix64(samples-1) the
// filter contains. Nobody added those, so it measures the false-positive rate.
func (c *core) sample(samples uint64) (hits uint64) {
	var hashes [group]Hash
	var answers [group]bool
	for x := uint64(0); x < samples; x += group {
		n := min(group, samples-x)
		for i := range hashes[:n] {
			hashes[i] = Hash(splitMix64(x + uint64(i)))
		}
		c.containsGroup(hashes[:n], answers[:n])
		for _, maybe := range answers[:n] {
			if maybe {
				hits++
			}
		}
	}
	return hits
}

// wilson returns the 95 % confidence interval of a rate that was sampled with that many
// hits.
func wilson(hits, samples uint64) (low, high float64) {
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

// along cuts the payload into at most that many parts of about equal length, in
// whole bytes, and counts the bits of each.
func (c *core) along(most uint64) []Column {
	size := uint64(len(c.bytes))
	number := min(most, size)
	columns := make([]Column, number)
	// i * size / number, in a way that cannot overflow.
	edge := func(i uint64) uint64 { return i*(size/number) + i*(size%number)/number }
	for i := range columns {
		first, last := edge(uint64(i)), edge(uint64(i)+1)
		columns[i] = Column{Set: countBits(c.bytes[first:last]), Bits: min(8*last, c.of.bitLen()) - 8*first}
	}
	return columns
}
