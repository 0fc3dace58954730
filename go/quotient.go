package bloomery

// This file reads the kind quotient: the fingerprints of the keys, sorted, in one
// table whose runs are found by counting bits (spec/quotient.md).

import (
	"encoding/binary"
	"math/bits"
)

// quotientGeometry fixes the layout of a quotient filter.
type quotientGeometry struct {
	QuotientBits  uint32 // 1 to 56
	RemainderBits uint32 // 1 to 56, and both together at most 64
}

func (g quotientGeometry) kind() Kind { return Quotient }

func (g quotientGeometry) fields() []Field {
	return []Field{{"quotient_bits", uint64(g.QuotientBits)}, {"remainder_bits", uint64(g.RemainderBits)}}
}

func (g quotientGeometry) check() error {
	switch q, r := g.QuotientBits, g.RemainderBits; {
	case q < 1 || q > 56:
		return wrong("quotient_bits is %d, must be 1 to 56", q)
	case r < 1 || r > 56:
		return wrong("remainder_bits is %d, must be 1 to 56", r)
	case q+r > 64:
		return wrong("quotient_bits %d and remainder_bits %d are together more than 64", q, r)
	}
	return nil
}

// homes is the number of slots at which a run can begin.
func (g quotientGeometry) homes() uint64 { return 1 << g.QuotientBits }

// capacity is floor(homes * 19 / 20), which does not overflow.
func (g quotientGeometry) capacity() uint64 {
	return g.homes()/20*19 + g.homes()%20*19/20
}

// blocks returns those of the homes and of the tail that the last runs reach into.
func (g quotientGeometry) blocks() uint64 {
	if g.QuotientBits <= 5 {
		return 1
	}
	tail := uint64(5)
	if rows := [...]uint64{1, 1, 1, 2, 2, 3, 3, 4, 4}; int(g.QuotientBits) < 6+len(rows) {
		tail = rows[g.QuotientBits-6]
	}
	return 1<<(g.QuotientBits-6) + tail
}

func (g quotientGeometry) blockLen() uint64 { return 18 + 8*uint64(g.RemainderBits) }

func (g quotientGeometry) byteLen() uint64 { return 8 + g.blockLen()*g.blocks() }

func (g quotientGeometry) bitLen() uint64 { return 8 * g.byteLen() }

func (g quotientGeometry) cells() (uint64, string) { return g.homes(), "slots" }

func (g quotientGeometry) checkPayload(payload []byte) error {
	if taken := g.used(payload); taken > g.capacity() {
		return invalid("slots", "%d slots are taken, %d can be: the file is damaged, build it again", taken, g.capacity())
	}
	p := newQuotientProbe(g, payload)
	first, strange := g.homes()/64, uint64(0)
	if g.QuotientBits < 6 {
		strange = p.occupied(0) >> g.homes()
		first = 1
	}
	for block := first; block < g.blocks(); block++ {
		strange |= p.occupied(block)
	}
	if strange != 0 {
		return invalid("slots", "a quotient from %d on is occupied: the file is damaged, build it again", g.homes())
	}
	return nil
}

// used returns the number of taken slots, which stands behind the last block.
func (g quotientGeometry) used(payload []byte) uint64 { return word(payload, uint64(len(payload))-8) }

func (g quotientGeometry) estimated(_ []byte, used uint64) (uint64, bool) { return used, true }

// rateOf is exact: the share of fingerprints that are there.
func (g quotientGeometry) rateOf(payload []byte, _ uint64) float64 {
	p := newQuotientProbe(g, payload)
	distinct, start, ends := uint64(0), uint64(0), slotScan{probe: p}
	for block := uint64(0); block < p.blocks; block++ {
		for left := p.occupied(block); left != 0; left &= left - 1 {
			start = max(start, 64*block+uint64(bits.TrailingZeros64(left)))
			end, found := ends.next()
			if !found {
				return share(distinct, 1) / fingerprints(g)
			}
			for slot := start; slot <= end; slot++ {
				if slot == start || p.remainder(slot) != p.remainder(slot-1) {
					distinct++
				}
			}
			start = max(start, end+1)
		}
	}
	return share(distinct, 1) / fingerprints(g)
}

// fingerprints is how many there can be.
func fingerprints(g quotientGeometry) float64 {
	return float64(g.homes()) * float64(uint64(1)<<g.RemainderBits)
}

// slotScan goes through the ends of runs.
type slotScan struct {
	probe *quotientProbe
	block uint64 // the next to look at
	ends  uint64 // those left of the one before
}

func (s *slotScan) next() (slot uint64, found bool) {
	for s.ends == 0 {
		if s.block == s.probe.blocks {
			return 0, false
		}
		s.ends = s.probe.ends(s.block)
		s.block++
	}
	slot = 64*(s.block-1) + uint64(bits.TrailingZeros64(s.ends))
	s.ends &= s.ends - 1
	return slot, true
}

type quotientProbe struct {
	bytes    []byte
	blocks   uint64
	blockLen uint64
	r        uint32
	shift    uint32 // from a hash to its fingerprint
	mask     uint64 // of a remainder
}

func newQuotientProbe(g quotientGeometry, payload []byte) *quotientProbe {
	return &quotientProbe{payload, g.blocks(), g.blockLen(), g.RemainderBits, 64 - g.QuotientBits - g.RemainderBits, 1<<g.RemainderBits - 1}
}

func (p *quotientProbe) offset(block uint64) uint64 {
	return uint64(binary.LittleEndian.Uint16(p.bytes[p.blockLen*block:]))
}

func (p *quotientProbe) occupied(block uint64) uint64 { return word(p.bytes, p.blockLen*block+2) }

func (p *quotientProbe) ends(block uint64) uint64 { return word(p.bytes, p.blockLen*block+10) }

// remainder reads a slot by one load, which the count behind the last block keeps
// inside the payload.
func (p *quotientProbe) remainder(slot uint64) uint64 {
	bit := slot % 64 * uint64(p.r)
	return word(p.bytes, p.blockLen*(slot/64)+18+bit/8) >> (bit % 8) & p.mask
}

// endOf finds the k-th end of a run from a slot on; k is at least 1.
func (p *quotientProbe) endOf(slot uint64, k int) (uint64, bool) {
	below := uint64(1)<<(slot%64) - 1
	for block := slot / 64; block < p.blocks; block++ {
		ends := p.ends(block) &^ below
		below = 0
		if count := bits.OnesCount64(ends); count < k {
			k -= count
			continue
		}
		for ; k > 1; k-- {
			ends &= ends - 1
		}
		return 64*block + uint64(bits.TrailingZeros64(ends)), true
	}
	return 0, false
}

func (p *quotientProbe) contains(h Hash) bool {
	fingerprint := uint64(h) >> p.shift
	home, wanted := fingerprint>>p.r, fingerprint&p.mask
	block, bit := home/64, home%64
	occupied := p.occupied(block)
	if occupied>>bit&1 == 0 {
		return false
	}
	slot, found := p.endOf(64*block+p.offset(block), bits.OnesCount64(occupied<<(63-bit)))
	if !found {
		return true // damage that nobody looked for: in doubt, maybe
	}
	for {
		if p.remainder(slot) == wanted {
			return true
		}
		if slot <= home || p.ends((slot-1)/64)>>((slot-1)%64)&1 != 0 {
			return false
		}
		slot--
	}
}

func (p *quotientProbe) touch(h Hash) byte {
	block := uint64(h) >> p.shift >> p.r / 64
	return byte(p.occupied(block)) | byte(p.ends(block))
}
