package main

// This file reads and prints numbers as spec/cli.md says.

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// parseCount reads a whole number: 1000, 10k, 2.5M, 1e9. It is exact: 2.5k is
// 2500, 2.5 is refused.
func parseCount(option, text string) (uint64, error) {
	digits, exponent := text, int64(0)
	if end := len(text) - 1; end > 0 {
		if at := strings.IndexByte("kMG", text[end]); at >= 0 {
			digits, exponent = text[:end], int64(3*(at+1))
		} else if before, power, found := strings.Cut(strings.ToLower(text), "e"); found {
			e, err := strconv.ParseInt(power, 10, 16)
			if err != nil || e < -99 || e > 99 {
				return 0, badCount(option, text)
			}
			digits, exponent = before, e
		}
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" || len(digits) > 100 {
		return 0, badCount(option, text)
	}
	value, _ := new(big.Int).SetString(whole+fraction, 10)
	shift := exponent - int64(len(fraction))
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(abs(shift)), nil)
	if shift >= 0 {
		value.Mul(value, power)
	} else if _, rest := value.QuoRem(value, power, new(big.Int)); rest.Sign() != 0 {
		return 0, badCount(option, text)
	}
	if !value.IsUint64() {
		return 0, fmt.Errorf("%s %s is too large: must be below 2^64", option, text)
	}
	return value.Uint64(), nil
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

func badCount(option, text string) error {
	return fmt.Errorf("%s %q is no whole number: use one like 1000, 10k, 2.5M or 1e9", option, text)
}

// parseReal reads a decimal number; infinities and NaN are none.
func parseReal(option, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, fmt.Errorf("%s %q is no number: use one like 0.01", option, text)
	}
	return x, nil
}

// parseSeed reads a decimal or 0x hexadecimal number of 64 bits.
func parseSeed(text string) (uint64, error) {
	digits, base := text, 10
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		digits, base = text[2:], 16
	}
	seed, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return 0, fmt.Errorf("--seed %q is no number below 2^64: use one like 42 or 0x2a", text)
	}
	return seed, nil
}

// real prints a number as C's %.4g does.
func real(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// jsonReal is real, marked as no integer.
func jsonReal(x float64) string {
	text := real(x)
	if strings.ContainsAny(text, ".e") {
		return text
	}
	return text + ".0"
}
