package main

// This file reads and prints numbers by the one grammar of spec/cli.md: no sign, no
// white space, no hexadecimal but in seeds.

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	decimalDigits = "0123456789"
	// largestInexact is the most that a count with a point, a suffix or an exponent may be.
	largestInexact = 1 << 53
)

// takeDigits cuts off the digits that a text begins with.
func takeDigits(text string) (digits, rest string) {
	rest = strings.TrimLeft(text, decimalDigits)
	return text[:len(text)-len(rest)], rest
}

// takeAny cuts off the first byte if it is one of some.
func takeAny(text, any string) (string, bool) {
	if text != "" && strings.IndexByte(any, text[0]) >= 0 {
		return text[1:], true
	}
	return text, false
}

// takeDecimal cuts off digits, or digits with a point among or before them.
func takeDecimal(text string) (before, behind, rest string, good bool) {
	before, rest = takeDigits(text)
	rest, point := takeAny(rest, ".")
	if !point {
		return before, "", rest, before != ""
	}
	behind, rest = takeDigits(rest)
	return before, behind, rest, behind != ""
}

// takePower reads a suffix or an exponent to the end of the text, as a power of ten.
func takePower(text string) (power int, good bool) {
	if text == "" {
		return 0, true
	}
	if at := strings.Index("kMG", text); at >= 0 && len(text) == 1 {
		return 3 * (at + 1), true
	}
	rest, found := takeAny(text, "eE")
	if !found {
		return 0, false
	}
	rest, _ = takeAny(rest, "+")
	digits, rest := takeDigits(rest)
	power, err := strconv.Atoi(digits)
	return power, err == nil && rest == "" && power <= 1000
}

// countOf is exact: 1.001k is 1001, which it is not in floating point.
func countOf(text string) (uint64, bool) {
	if _, rest := takeDigits(text); rest == "" {
		value, err := strconv.ParseUint(text, 10, 64)
		return value, err == nil
	}
	before, behind, rest, good := takeDecimal(text)
	power, known := takePower(rest)
	if !good || !known {
		return 0, false
	}
	digits := before + behind
	drop := len(behind) - power
	if drop > 0 {
		drop = min(drop, len(digits))
		if strings.Trim(digits[len(digits)-drop:], "0") != "" {
			return 0, false // not whole
		}
		digits = digits[:len(digits)-drop]
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, true
	}
	value, err := strconv.ParseUint(digits+strings.Repeat("0", max(0, -drop)), 10, 64)
	return value, err == nil && value <= largestInexact
}

// parseCount reads a whole number: 1000, 10k, 2.5M, 1e9.
func parseCount(option, text string) (uint64, error) {
	if value, good := countOf(text); good {
		return value, nil
	}
	return 0, fmt.Errorf("%s is '%s': give a whole number such as 1000, 10M or 1e9", option, text)
}

// parseReal reads a decimal number; infinities and NaN are none.
func parseReal(option, text string) (float64, error) {
	_, _, rest, good := takeDecimal(text)
	if exponent, found := takeAny(rest, "eE"); found {
		var digits string
		exponent, _ = takeAny(exponent, "+-")
		digits, rest = takeDigits(exponent)
		good = good && digits != ""
	}
	value, err := strconv.ParseFloat(text, 64)
	if !good || rest != "" || err != nil {
		return 0, fmt.Errorf("%s is '%s': give a number such as 0.01", option, text)
	}
	return value, nil
}

// parseSeed reads a decimal or 0x hexadecimal number of 64 bits.
func parseSeed(text string) (uint64, error) {
	digits, base := text, 10
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		digits, base = text[2:], 16
	}
	seed, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return 0, fmt.Errorf("--seed is '%s': give a number from 0 to 2^64 - 1, decimal or 0x hexadecimal", text)
	}
	return seed, nil
}

// parseAlign reads a power of two: 64, 4k, 2M. Its k and M are 2^10 and 2^20.
func parseAlign(text string) (uint64, error) {
	digits, rest := takeDigits(text)
	value, err := strconv.ParseUint(digits, 10, 32)
	shift := map[string]uint{"": 0, "k": 10, "M": 20}
	power, known := shift[rest]
	if value <<= power; err != nil || !known || value < 64 || value > 4<<20 || value&(value-1) != 0 {
		return 0, fmt.Errorf("--align is '%s': give a power of two from 64 to 4M, such as 4096 or 2M", text)
	}
	return value, nil
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

// sizeForPeople is "5.0 GB".
func sizeForPeople(bytes uint64) string {
	if bytes < 1000 {
		return fmt.Sprint(bytes, " B")
	}
	value, unit := float64(bytes), 0
	for ; value >= 999.95; unit++ { // which would be printed as 1000.0
		value /= 1000
	}
	return fmt.Sprintf("%.1f %cB", value, " kMGTPE"[unit])
}
