package bloomery

// This file reads the kind counting: a classic filter with a counter in the place of
// each bit (spec/counting.md).

import "encoding/binary"

// countingGeometry fixes the layout of a counting filter.
type countingGeometry struct {
	M           uint64 // counters, 1 to 2^58
	K           uint32 // indexes per key, 1 to maxK
	CounterBits uint32 // 4 or 32
}

func (g countingGeometry) kind() Kind { return Counting }

func (g countingGeometry) fields() []Field {
	return []Field{{"m", g.M}, {"k", uint64(g.K)}, {"counter_bits", uint64(g.CounterBits)}}
}

func (g countingGeometry) check() error {
	if err := g.classic().check(); err != nil {
		return err
	}
	if g.M > 1<<58 {
		return wrong("m is %d, must be 1 to 2^58", g.M)
	}
	if g.CounterBits != 4 && g.CounterBits != 32 {
		return wrong("counter_bits is %d, must be 4 or 32", g.CounterBits)
	}
	return nil
}

// classic returns the geometry of the classic filter of the same keys.
func (g countingGeometry) classic() classicGeometry { return classicGeometry{g.M, g.K} }

func (g countingGeometry) byteLen() uint64 { return (g.bitLen() + 7) / 8 }

func (g countingGeometry) bitLen() uint64 { return g.M * uint64(g.CounterBits) }

func (g countingGeometry) cells() (uint64, string) { return g.M, "counters" }

func (g countingGeometry) checkPayload(payload []byte) error {
	if g.CounterBits == 4 && g.M%2 != 0 && payload[len(payload)-1]>>4 != 0 {
		return invalid("bits", "the four bits after the last of %d counters are not 0: the file is damaged, build it again", g.M)
	}
	return nil
}

func (g countingGeometry) used(payload []byte) (count uint64) {
	p := newCountingProbe(g, payload)
	for i := uint64(0); i < g.M; i++ {
		if p.counter(i) != 0 {
			count++
		}
	}
	return count
}

// estimated and rateOf are those of the classic filter of the same keys.
func (g countingGeometry) estimated(_ []byte, used uint64) (uint64, bool) {
	return g.classic().estimatedCount(used)
}

func (g countingGeometry) rateOf(payload []byte, used uint64) float64 {
	if g.M > exactUpTo {
		return g.classic().rate(used)
	}
	p, bits := newCountingProbe(g, payload), make([]byte, g.classic().byteLen())
	for i := uint64(0); i < g.M; i++ {
		if p.counter(i) != 0 {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return g.classic().rateOf(bits, used)
}

type countingProbe struct {
	bytes   []byte
	classic classicProbe
	wide    bool
}

func newCountingProbe(g countingGeometry, payload []byte) *countingProbe {
	return &countingProbe{payload, newClassicProbe(g.classic()), g.CounterBits == 32}
}

func (p *countingProbe) counter(i uint64) uint32 {
	if p.wide {
		return binary.LittleEndian.Uint32(p.bytes[4*i:])
	}
	return uint32(p.bytes[i/2] >> (4 * (i % 2)) & 15)
}

func (p *countingProbe) contains(h Hash) bool {
	index, stride := p.classic.start(h)
	for i := p.classic.k; i > 0; i-- {
		if p.counter(index) == 0 {
			return false
		}
		index = next(index, stride, p.classic.m)
	}
	return true
}

func (p *countingProbe) touch(h Hash) byte {
	index, _ := p.classic.start(h)
	return byte(p.counter(index))
}
