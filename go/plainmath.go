package bloomery

// This file has powers, logarithms and exponentials by additions, products and
// divisions alone, in the order that spec/sizing.md gives. Those of systems and
// languages differ in the last digit, which would now and then decide how many
// blocks a filter gets. Products that are part of a sum are converted to float64,
// which keeps the compiler from fusing the two.

import "math"

const (
	ln2High = 3048493539143.0 / 4398046511104 // the first 42 bits of ln 2
	ln2Low  = 5.497923018708371e-14           // ln 2 less those
)

var inverseFactorials = [...]float64{1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
	1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800}

func power(base float64, exponent uint32) float64 {
	result := 1.0
	for ; exponent != 0; exponent /= 2 {
		if exponent%2 != 0 {
			result *= base
		}
		base *= base
	}
	return result
}

// minusLogOfRest is -ln(1 - y) for 0 <= y < 1: twice the inverse hyperbolic tangent
// of a z of at most 0.177, by its series.
func minusLogOfRest(y float64) float64 {
	z, halvings := y/(2-y), 0.0
	if y >= 0.25 {
		rest := 1 - y
		for ; rest < 0.7; rest *= 2 {
			halvings++
		}
		z = (1 - rest) / (1 + rest)
	}
	square := z * z
	sum := 1.0 / 25
	for odd := 23.0; odd >= 3; odd -= 2 {
		sum = float64(sum*square) + 1/odd
	}
	return float64(halvings*ln2) + float64(2*z*(1+float64(sum*square)))
}

// expOfMinus is e^-x for x >= 0; 0 where that is below the smallest normal number.
func expOfMinus(x float64) float64 {
	halvings := math.Floor(x/ln2 + 0.5)
	if !(halvings <= 1021) {
		return 0
	}
	rest := (x - float64(halvings*ln2High)) - float64(halvings*ln2Low)
	sum := 0.0
	for i := len(inverseFactorials) - 1; i >= 0; i-- {
		sum = inverseFactorials[i] - float64(rest*sum)
	}
	return math.Ldexp(1-float64(rest*sum), -int(halvings))
}

// oneMinusPower is 1 - (1 - p)^n, for 0 <= p < 1.
func oneMinusPower(p float64, n uint64) float64 {
	return -math.Expm1(float64(n) * math.Log1p(-p))
}
