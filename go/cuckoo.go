package bloomery

// This file reads the kind cuckoo: a key leaves a fingerprint in one of two buckets of
// four slots (spec/cuckoo.md).

import (
	"encoding/binary"
	"math/bits"
)

// cuckooGeometry fixes the layout of a cuckoo filter.
type cuckooGeometry struct {
	Buckets         uint64 // of four slots: even, 2 to 2^48
	FingerprintBits uint32 // of a slot: 8, 12 or 16
}

func (g cuckooGeometry) kind() Kind { return Cuckoo }

func (g cuckooGeometry) fields() []Field {
	return []Field{{"buckets", g.Buckets}, {"fingerprint_bits", uint64(g.FingerprintBits)}}
}

func (g cuckooGeometry) check() error {
	if g.Buckets < 2 || g.Buckets > 1<<48 || g.Buckets%2 != 0 {
		return wrong("buckets is %d, must be even and from 2 to 2^48", g.Buckets)
	}
	if b := g.FingerprintBits; b != 8 && b != 12 && b != 16 {
		return wrong("fingerprint_bits is %d, must be 8, 12 or 16", b)
	}
	return nil
}

// padding is what lets every bucket of 6 bytes be read by one load of 8.
func (g cuckooGeometry) padding() uint64 {
	if g.FingerprintBits == 12 {
		return 2
	}
	return 0
}

func (g cuckooGeometry) byteLen() uint64 {
	return g.Buckets*uint64(g.FingerprintBits)/2 + g.padding()
}

func (g cuckooGeometry) bitLen() uint64 { return 8 * g.byteLen() }

func (g cuckooGeometry) cells() (uint64, string) { return 4 * g.Buckets, "slots" }

func (g cuckooGeometry) checkPayload(payload []byte) error {
	for _, b := range payload[uint64(len(payload))-g.padding():] {
		if b != 0 {
			return invalid("bits", "the padding after the last bucket is not 0: the file is damaged, build it again")
		}
	}
	return nil
}

// used counts the slots that hold a fingerprint.
func (g cuckooGeometry) used(payload []byte) (count uint64) {
	p := newCuckooProbe(g, payload)
	for i := uint64(0); i < g.Buckets; i++ {
		bucket := p.bucket(i)
		for slot := uint32(0); slot < 4; slot++ {
			if bucket>>(slot*p.width)&p.mask != 0 {
				count++
			}
		}
	}
	return count
}

func (g cuckooGeometry) estimated(_ []byte, used uint64) (uint64, bool) { return used, true }

func (g cuckooGeometry) rateOf(_ []byte, used uint64) float64 {
	alike := 2 / (float64(g.Buckets) * float64(uint64(1)<<g.FingerprintBits-1))
	return oneMinusPower(alike, used)
}

type cuckooProbe struct {
	bytes   []byte
	buckets uint64
	width   uint32
	mask    uint64
}

func newCuckooProbe(g cuckooGeometry, payload []byte) *cuckooProbe {
	return &cuckooProbe{payload, g.Buckets, g.FingerprintBits, 1<<g.FingerprintBits - 1}
}

// places returns the fingerprint of a hash and its two buckets.
func (p *cuckooProbe) places(h Hash) (fingerprint, first, second uint64) {
	fingerprint = 1 + (uint64(h)&0xffff*p.mask)>>16
	first, _ = bits.Mul64(uint64(h), p.buckets)
	x := fingerprint * 0xbf58476d1ce4e5b9
	y := (x ^ x>>32) * 0x94d049bb133111eb
	sum, _ := bits.Mul64(y, p.buckets)
	second = sum | 1
	if second < first {
		second += p.buckets
	}
	return fingerprint, first, second - first
}

func (p *cuckooProbe) bucket(i uint64) uint64 {
	at := i * uint64(p.width) / 2
	if p.width == 8 {
		return uint64(binary.LittleEndian.Uint32(p.bytes[at:]))
	}
	return word(p.bytes, at)
}

func (p *cuckooProbe) contains(h Hash) bool {
	fingerprint, first, second := p.places(h)
	one, two := p.bucket(first), p.bucket(second)
	for slot := uint32(0); slot < 4; slot++ {
		if one&p.mask == fingerprint || two&p.mask == fingerprint {
			return true
		}
		one, two = one>>p.width, two>>p.width
	}
	return false
}

func (p *cuckooProbe) touch(h Hash) byte {
	_, first, second := p.places(h)
	return byte(p.bucket(first) | p.bucket(second))
}
