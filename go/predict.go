package bloomery

// This file predicts false-positive rates, fills and key counts of classic
// filters below 2^30 bits, and forwards larger ones (spec/sizing.md). Double
// hashing is worse than k free indexes: a stride that shares a factor with m
// repeats indexes, and a key may share the stride of a present one.

import "math"

// rate returns the predicted false-positive rate with set of the M bits set.
func (g classicGeometry) rate(set uint64) float64 {
	if set >= g.M {
		return 1
	}
	if set == 0 {
		return 0
	}
	if g.M >= crowdedFrom {
		c := newCrowding(g)
		return c.rate(c.keys(float64(set) / float64(g.M)))
	}
	m, k := float64(g.M), float64(g.K)
	fill := float64(set) / m
	rate, repeating := 0.0, 0.0
	g.eachRepeat(func(d uint64, probability float64) {
		rate += float64(probability * g.allSet(d, set))
		repeating += probability
	})
	distinct := uint64(g.K)
	if distinct > g.M {
		distinct = g.M
	}
	rate += float64((1 - repeating) * g.allSet(distinct, set))

	n := -(m / k) * math.Log1p(-fill)
	shared := 0.0
	whole := math.Pow(fill, k)
	for j := -(int(g.K) - 1); j < int(g.K); j++ {
		shared += math.Pow(fill, math.Abs(float64(j))) - whole
	}
	rate += float64((1 - repeating) * (2 * n / (m * m)) * shared)
	return math.Min(rate, 1)
}

// fprAfter returns the predicted false-positive rate after n keys.
func (g classicGeometry) fprAfter(n uint64) float64 {
	if g.M >= crowdedFrom {
		if n == 0 {
			return 0
		}
		c := newCrowding(g)
		return c.rate(float64(n))
	}
	return g.rate(uint64(math.Round(float64(g.M) * g.fillAfter(n))))
}

// fillAfter returns the expected share of set bits after n keys.
func (g classicGeometry) fillAfter(n uint64) float64 {
	if n == 0 {
		return 0
	}
	if g.M >= crowdedFrom {
		c := newCrowding(g)
		return c.meanFill(float64(n))
	}
	perKey, repeating := 0.0, 0.0
	g.eachRepeat(func(d uint64, probability float64) {
		perKey += float64(probability * float64(d))
		repeating += probability
	})
	perKey += float64((1 - repeating) * float64(g.K))
	m := float64(g.M)
	if perKey >= m {
		return 1
	}
	return 1 - math.Exp(float64(n)*math.Log1p(-perKey/m))
}

// estimatedCount returns about how many keys set that many bits; false when the
// filter is saturated and nobody can tell.
func (g classicGeometry) estimatedCount(set uint64) (uint64, bool) {
	if set >= g.M {
		return 0, false
	}
	fill := float64(set) / float64(g.M)
	n := -(float64(g.M) / float64(g.K)) * math.Log1p(-fill)
	if g.M >= crowdedFrom {
		c := newCrowding(g)
		n = c.keys(fill)
	}
	return uint64(math.Min(math.Round(n), 1<<63)), true
}

// eachRepeat calls f for every number of distinct indexes d < K that a key can
// have, with its probability: d is M / gcd(stride, M), so a divisor of M.
func (g classicGeometry) eachRepeat(f func(d uint64, probability float64)) {
	for d := uint64(1); d < uint64(g.K) && d <= g.M; d++ {
		if g.M%d == 0 {
			f(d, float64(phi(d))/float64(g.M))
		}
	}
}

// allSet is the probability that d distinct bits are all among the set ones.
func (g classicGeometry) allSet(d, set uint64) float64 {
	product := 1.0
	for i := uint64(0); i < d; i++ {
		if set <= i {
			return 0
		}
		product *= float64(set-i) / float64(g.M-i)
	}
	return product
}

// phi is Euler's: how many of 1 .. d are coprime to d. d is below 30.
func phi(d uint64) (count uint64) {
	for i := uint64(1); i <= d; i++ {
		if gcd(i, d) == 1 {
			count++
		}
	}
	return count
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
