package bloomery

// This file makes geometries of classic filters: the numbers of bits and indexes,
// given or sized for a number of keys and a false-positive rate (spec/sizing.md).

import (
	"errors"
	"fmt"
	"math"
)

// MaxK is the largest number of indexes per key of a classic filter.
const MaxK = 30

// ClassicGeometry fixes the layout of a classic filter: m bits, and k of them a
// key by double hashing.
type ClassicGeometry struct {
	M uint64 // bits, at least 1
	K uint32 // indexes per key, 1 to MaxK
}

// Kind returns Classic.
func (g ClassicGeometry) Kind() Kind { return Classic }

// Fields returns m and k.
func (g ClassicGeometry) Fields() []Field { return []Field{{"m", g.M}, {"k", uint64(g.K)}} }

// Check says what is wrong with a geometry, if anything.
func (g ClassicGeometry) Check() error {
	if g.K < 1 || g.K > MaxK {
		return fmt.Errorf("k is %d, must be 1 to %d", g.K, MaxK)
	}
	if g.M == 0 {
		return errors.New("m is 0, must be at least 1")
	}
	return nil
}

// ByteLen returns the number of bytes that hold the bits.
func (g ClassicGeometry) ByteLen() uint64 {
	bytes := g.M / 8
	if g.M%8 != 0 {
		bytes++
	}
	return bytes
}

// BitLen returns m.
func (g ClassicGeometry) BitLen() uint64 { return g.M }

// ln2 is a variable, and products are converted to float64, because the Go
// compiler computes constants exactly and may fuse a product with a sum; the
// specification wants every step rounded to a double.
var ln2 = 0.6931471805599453

// Plan is a classic geometry sized for a number of keys and a false-positive rate.
type Plan struct {
	ClassicGeometry
	N         uint64
	FPR       float64 // the target
	Predicted float64 // what the geometry will have with N keys
}

// NewPlan sizes a classic filter for n keys at a false-positive rate. It refuses
// what cannot be reached: see spec/sizing.md.
func NewPlan(n uint64, fpr float64) (Plan, error) {
	if err := checkTarget(n, fpr); err != nil {
		return Plan{}, err
	}
	if fpr < float64(n)/(1<<64) {
		return Plan{}, fmt.Errorf("fpr %.4g is out of reach of a 64-bit hash with %d keys: use a higher fpr", fpr, n)
	}
	m := math.Ceil(float64(-float64(n)*lnAccurate(fpr)) / float64(ln2*ln2))
	if m > 1<<63 {
		return Plan{}, fmt.Errorf("%d keys at fpr %.4g need more than 2^63 bits: use fewer keys or a higher fpr", n, fpr)
	}
	g := ClassicGeometry{M: uint64(m), K: bestK(m, n)}
	plan := Plan{ClassicGeometry: g, N: n, FPR: fpr, Predicted: g.FPRAfter(n)}
	if plan.Misses() && g.M > 1<<32 {
		return Plan{}, fmt.Errorf("classic with m %d predicts fpr %.4g, above the target %.4g: its hashes have 32 bits; use kind block", g.M, plan.Predicted, fpr)
	}
	return plan, nil
}

// Misses reports whether the prediction exceeds 1.1 times the target, which is
// worth a warning: small sets, and very low targets on them, do that.
func (p Plan) Misses() bool { return p.Predicted > 1.1*p.FPR }

// ClassicForBits returns the geometry for n keys with a number of bits each.
func ClassicForBits(n uint64, bitsPerKey float64) (ClassicGeometry, error) {
	if err := checkBitsPerKey(n, bitsPerKey); err != nil {
		return ClassicGeometry{}, err
	}
	m := math.Max(1, math.Ceil(float64(n)*bitsPerKey))
	if m > 1<<63 {
		return ClassicGeometry{}, fmt.Errorf("%d keys of %.4g bits need more than 2^63 bits: use fewer", n, bitsPerKey)
	}
	return ClassicGeometry{M: uint64(m), K: bestK(m, n)}, nil
}

func bestK(m float64, n uint64) uint32 {
	k := math.Round(float64(m/float64(n)) * ln2)
	return uint32(math.Min(math.Max(k, 1), MaxK))
}
