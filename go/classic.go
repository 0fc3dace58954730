package bloomery

// This file makes geometries of classic filters: the numbers of bits and indexes,
// given or sized for a number of keys and a false-positive rate (spec/sizing.md).

import (
	"math"
)

// maxK is the largest number of indexes per key of a classic filter.
const maxK = 30

// classicGeometry fixes the layout of a classic filter: m bits, and k of them a
// key by double hashing.
type classicGeometry struct {
	M uint64 // bits, at least 1
	K uint32 // indexes per key, 1 to maxK
}

// kind returns Classic.
func (g classicGeometry) kind() Kind { return Classic }

// fields returns m and k.
func (g classicGeometry) fields() []Field { return []Field{{"m", g.M}, {"k", uint64(g.K)}} }

// check says what is wrong with a geometry, if anything.
func (g classicGeometry) check() error {
	if g.K < 1 || g.K > maxK {
		return wrong("k is %d, must be 1 to %d", g.K, maxK)
	}
	if g.M == 0 {
		return wrong("m is 0, must be at least 1")
	}
	return nil
}

// byteLen returns the number of bytes that hold the bits.
func (g classicGeometry) byteLen() uint64 {
	bytes := g.M / 8
	if g.M%8 != 0 {
		bytes++
	}
	return bytes
}

// bitLen returns m.
func (g classicGeometry) bitLen() uint64 { return g.M }

func (g classicGeometry) cells() (uint64, string) { return g.M, "bits" }

func (g classicGeometry) used(payload []byte) uint64 { return countBits(payload) }

func (g classicGeometry) estimated(_ []byte, used uint64) (uint64, bool) {
	return g.estimatedCount(used)
}

// rateOf is exact for up to exactUpTo bits, else the prediction.
func (g classicGeometry) rateOf(payload []byte, used uint64) float64 {
	if g.M <= exactUpTo {
		probe := newClassicProbe(g)
		return probe.exactFPR(payload)
	}
	return g.rate(used)
}

// ln2 is a variable, and products are converted to float64, because the Go
// compiler computes constants exactly and may fuse a product with a sum; the
// specification wants every step rounded to a double.
var ln2 = 0.6931471805599453

// classicPlan is a classic geometry sized for a number of keys and a false-positive rate.
type classicPlan struct {
	classicGeometry
	N         uint64
	FPR       float64 // the target
	Predicted float64 // what the geometry will have with N keys
}

// newPlan sizes a classic filter for n keys at a false-positive rate. It refuses
// what cannot be reached: see spec/sizing.md.
func newPlan(n uint64, fpr float64) (classicPlan, error) {
	if err := checkTarget(n, fpr); err != nil {
		return classicPlan{}, err
	}
	if fpr < float64(n)/(1<<64) {
		return classicPlan{}, wrong("fpr %.4g is out of reach of a 64-bit hash with %d keys: use a higher fpr", fpr, n)
	}
	m := math.Ceil(float64(-float64(n)*lnAccurate(fpr)) / float64(ln2*ln2))
	if m > 1<<63 {
		return classicPlan{}, wrong("%d keys at fpr %.4g need more than 2^63 bits: use fewer keys or a higher fpr", n, fpr)
	}
	g := classicGeometry{M: uint64(m), K: bestK(m, n)}
	plan := classicPlan{classicGeometry: g, N: n, FPR: fpr, Predicted: g.fprAfter(n)}
	if plan.misses() && g.M > 1<<32 {
		return classicPlan{}, wrong("classic with m %d predicts fpr %.4g, above the target %.4g: its hashes have 32 bits: %s", g.M, plan.Predicted, fpr, insteadAt(n, fpr))
	}
	return plan, nil
}

// misses reports whether the prediction exceeds 1.1 times the target, which is
// worth a warning: small sets, and very low targets on them, do that.
func (p classicPlan) misses() bool { return p.Predicted > 1.1*p.FPR }

// classicForBits returns the geometry for n keys with a number of bits each.
func classicForBits(n uint64, bitsPerKey float64) (classicGeometry, error) {
	if err := checkBitsPerKey(n, bitsPerKey); err != nil {
		return classicGeometry{}, err
	}
	m := math.Max(1, math.Ceil(float64(n)*bitsPerKey))
	if m > 1<<63 {
		return classicGeometry{}, wrong("%d keys of %.4g bits need more than 2^63 bits: use fewer", n, bitsPerKey)
	}
	return classicGeometry{M: uint64(m), K: bestK(m, n)}, nil
}

func bestK(m float64, n uint64) uint32 {
	k := math.Round(float64(m/float64(n)) * ln2)
	return uint32(math.Min(math.Max(k, 1), maxK))
}
