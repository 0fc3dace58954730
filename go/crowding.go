package bloomery

// This file predicts for classic filters of 2^30 bits and more. The halves of a
// hash have 32 bits, so there the indexes are no longer spread evenly: low bits
// are crowded, and the fill varies along the filter (spec/sizing.md).

import "math"

const (
	crowdedFrom = 1 << 30
	fillBins    = 4096
	midpoints   = 256
)

type crowding struct {
	m, ratio float64 // ratio: 2^32 / m
	span     float64 // the share of the filter that any index reaches; the bins divide that
	k        int
	density  [fillBins]float64
}

func newCrowding(g classicGeometry) *crowding {
	c := &crowding{m: float64(g.M), ratio: (1 << 32) / float64(g.M), k: int(g.K)}
	c.span = math.Min(1, float64(c.k)*c.ratio)
	for j := range c.density {
		x := c.span * (float64(j) + 0.5) / fillBins
		sum := 0.0
		for i := 0; i < c.k; i++ {
			for wrap := 0; ; wrap++ {
				t := (x + float64(wrap)) / c.ratio
				if t >= float64(i+1) {
					break
				}
				sum += indexDensity(i, t) / c.ratio
			}
		}
		c.density[j] = sum
	}
	return c
}

// indexDensity is the density of U + i*V at t, for U, V uniform in [0, 1).
func indexDensity(i int, t float64) float64 {
	n := float64(i)
	switch {
	case t < 0 || t >= n+1:
		return 0
	case i == 0:
		return 1
	case t < 1:
		return t / n
	case t < n:
		return 1 / n
	}
	return (n + 1 - t) / n
}

func (c *crowding) fillAt(bin int, n float64) float64 {
	return -math.Expm1(-(n / c.m) * c.density[bin])
}

func (c *crowding) meanFill(n float64) float64 {
	sum := 0.0
	for j := range c.density {
		sum += c.fillAt(j, n)
	}
	return c.span * sum / fillBins
}

// keys finds the number of keys that gives a mean fill.
func (c *crowding) keys(fill float64) float64 {
	low, high := 0.0, 64*c.m
	if fill > c.meanFill(high) {
		return high
	}
	for i := 0; i < 100; i++ {
		middle := (low + high) / 2
		if c.meanFill(middle) < fill {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// rate averages, over starts and strides, the chance that all indexes are set.
func (c *crowding) rate(n float64) float64 {
	var fills [fillBins]float64
	for j := range fills {
		fills[j] = c.fillAt(j, n)
	}
	sum := 0.0
	for a := 0; a < midpoints; a++ {
		u := (float64(a) + 0.5) / midpoints
		for b := 0; b < midpoints; b++ {
			v := (float64(b) + 0.5) / midpoints
			product := 1.0
			for i := 0; i < c.k; i++ {
				at := float64(u+float64(float64(i)*v)) * c.ratio
				at -= math.Floor(at)
				bin := int(at * fillBins / c.span)
				if bin >= fillBins {
					bin = fillBins - 1
				}
				product *= fills[bin]
			}
			sum += product
		}
	}
	return sum / (midpoints * midpoints)
}
