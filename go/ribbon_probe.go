package bloomery

// This file finds the window of a hash in a ribbon filter and solves its equation: the
// hot path of lookups (spec/ribbon.md).

import "math/bits"

const ribbonMixer = 0x9fb21c651e98df25

// place returns where a hash comes to the first layer.
func (p *ribbonProbe) place(h Hash) uint64 {
	if p.seed == 0 {
		return uint64(h)
	}
	return splitMix64(uint64(h) ^ splitMix64(p.seed))
}

func ribbonFingerprint(coefficients uint64) uint64 {
	high, low := bits.Mul64(coefficients, ribbonMixer)
	return high ^ low
}

// bumpedBelow says how many of the first starts of a bucket a code bumps.
var bumpedBelow = [4]uint64{0, 2, 5, 16}

// bumps reports whether the keys of a start go on to the next layer.
func (l *ribbonLayer) bumps(payload []byte, start uint64) bool {
	bucket := start / 16
	code := payload[l.at+bucket/4] >> (2 * (bucket % 4)) & 3
	return start%16 < bumpedBelow[code]
}

func (p *ribbonProbe) contains(h Hash) bool {
	if p.empty {
		return false
	}
	place := p.place(h)
	for i := range p.layers {
		layer, coefficients := &p.layers[i], splitMix64(place)
		start, _ := bits.Mul64(place, layer.starts)
		if layer.starts != 0 && !layer.bumps(p.bytes, start) {
			at, columns := layer.window(start)
			return p.solves(at, columns, coefficients)
		}
		place = coefficients
	}
	return p.listed(place)
}

// solves reports whether the sums of all columns are the fingerprint. It takes eight
// columns at a time: the parity of byte i of the sum is that of column i.
func (p *ribbonProbe) solves(at, columns, coefficients uint64) bool {
	const ones = 0x0101010101010101
	fingerprint := ribbonFingerprint(coefficients)
	for first := uint64(0); first < columns; first += 8 {
		sum := uint64(0)
		for group := uint64(0); group < ribbonWindow; group++ {
			sum ^= coefficients >> (8 * group) & 0xff * ones & word(p.bytes, at+group*columns+first)
		}
		sum ^= sum >> 4
		sum ^= sum >> 2
		sum ^= sum >> 1
		mask := uint64(ones)
		if left := columns - first; left < 8 {
			mask >>= 8 * (8 - left)
		}
		if (sum^fingerprint>>(first/8))&mask != 0 {
			return false
		}
	}
	return true
}

func (p *ribbonProbe) touch(h Hash) byte {
	layer := &p.layers[0]
	if layer.starts == 0 {
		return 0
	}
	start, _ := bits.Mul64(p.place(h), layer.starts)
	at, columns := layer.window(start)
	return p.bytes[at] | p.bytes[at+ribbonWindow*columns-1]
}
