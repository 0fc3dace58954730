package bloomery

// This file has the one logarithm that decides bytes: m is the ceiling of a
// product with it, so a last digit that differs from the other languages' libm
// could give a filter of another size. math.Log may be off by one unit in the
// last place, and differs between processors; this one is correctly rounded.

import (
	"math"
	"math/big"
)

const lnPrecision = 200 // bits; the result needs 53

var bigLn2, _ = new(big.Float).SetPrec(lnPrecision).SetString(
	"0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863327")

// lnAccurate returns ln x, correctly rounded, for finite x > 0: with x = f * 2^e
// it is e ln 2 + 2 artanh((f-1)/(f+1)), by the series s + s^3/3 + s^5/5 + ...
func lnAccurate(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(lnPrecision).SetFloat64(v) }
	s := number(f)
	s.Quo(number(0).Sub(s, number(1)), number(0).Add(s, number(1)))
	square := number(0).Mul(s, s)
	sum, power := number(0), s
	// |s| < 0.172, so each term adds 5 bits: 40 of them are enough.
	for i := 1; i < 80; i += 2 {
		sum.Add(sum, number(0).Quo(power, number(float64(i))))
		power = number(0).Mul(power, square)
	}
	sum.Mul(sum, number(2))
	sum.Add(sum, number(0).Mul(bigLn2, number(float64(e))))
	result, _ := sum.Float64()
	return result
}
