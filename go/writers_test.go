package bloomery

// Writers of the kinds that this package only reads, as plain as their pages have them:
// the tests make payloads by them, hold those to the golden data, and then ask the
// readers. Nothing here is fast, and nothing here is shipped.

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

func stream(first, n uint64) []Hash {
	hashes := make([]Hash, n)
	for i := range hashes {
		hashes[i] = Hash(splitMix64(first + uint64(i)))
	}
	return hashes
}

func writePartitioned(g partitionedGeometry, hashes []Hash) []byte {
	payload := make([]byte, g.byteLen())
	p := newPartitionedProbe(g, payload)
	for _, h := range hashes {
		for i := uint64(0); i < uint64(g.K); i++ {
			at := p.place(h, i)
			payload[at/8] |= 1 << (at % 8)
		}
	}
	return payload
}

// changeCounters raises or lowers the counters of hashes, each once.
func changeCounters(g countingGeometry, payload []byte, hashes []Hash, up bool) {
	p, most := newCountingProbe(g, payload), uint32(15)
	if g.CounterBits == 32 {
		most = ^uint32(0)
	}
	for _, h := range hashes {
		if !up && !p.contains(h) {
			continue
		}
		seen := map[uint64]bool{}
		for i := uint64(0); i < uint64(g.K); i++ {
			at := (uint64(h)&0xffffffff + i*(uint64(h)>>32)) % g.M
			now := p.counter(at)
			if seen[at] || now == most {
				seen[at] = true
				continue
			}
			seen[at] = true
			if up {
				now++
			} else {
				now--
			}
			if g.CounterBits == 32 {
				binary.LittleEndian.PutUint32(payload[4*at:], now)
			} else {
				payload[at/2] = payload[at/2]&^(15<<(4*(at%2))) | byte(now)<<(4*(at%2))
			}
		}
	}
}

func writeStable(g stableGeometry, hashes []Hash) []byte {
	payload := make([]byte, g.byteLen())
	cells, hand := payload[stableHeaderLen:], uint64(0)
	for _, h := range hashes {
		for i := uint32(0); i < g.Decrement; i++ {
			if cells[hand/4]>>(2*(hand%4))&3 != 0 {
				cells[hand/4] -= 1 << (2 * (hand % 4))
			}
			hand = (hand + 1) % (stableCells * g.Lines)
		}
		line, _ := bits.Mul64(uint64(h), g.Lines)
		for _, salt := range salts[:g.K] {
			cell := stableCells*line + uint64(uint32(h)*salt>>24)
			cells[cell/4] |= 3 << (2 * (cell % 4))
		}
	}
	binary.LittleEndian.PutUint64(payload, hand)
	return payload
}

// chain is a scalable filter that grows.
type chain struct {
	g     scalableGeometry
	share uint64
	links []*Filter
	caps  []uint64
}

func newChain(first, growth, ppt uint64) *chain {
	c := &chain{g: scalableGeometry{Growth: growth, TargetPPT: ppt}, share: ppt / 10}
	c.grow(first)
	return c
}

func (c *chain) grow(capacity uint64) {
	link, err := New(capacity, float64(c.share)/1e12)
	if err != nil {
		panic(err)
	}
	of := link.Geometry().of.(blockGeometry)
	c.links, c.caps = append(c.links, link), append(c.caps, capacity)
	c.share = c.share * 9 / 10
	c.g.Links, c.g.Blocks = c.g.Links+1, c.g.Blocks+of.Blocks
	c.g.LinkK, c.g.LinkCapacity = uint64(of.K), capacity
}

func (c *chain) add(h Hash) {
	for _, link := range c.links {
		if link.ContainsHash(h) {
			return
		}
	}
	if newest := len(c.links) - 1; c.links[newest].KeyCount() == c.caps[newest] {
		c.grow(c.caps[newest] * c.g.Growth)
	}
	c.links[len(c.links)-1].AddHash(h)
}

func (c *chain) payload() []byte {
	payload := make([]byte, c.g.directoryLen())
	for i, link := range c.links {
		of := link.Geometry().of.(blockGeometry)
		for j, number := range []uint64{of.Blocks, uint64(of.K), c.caps[i], link.KeyCount()} {
			binary.LittleEndian.PutUint64(payload[32*i+8*j:], number)
		}
		payload = append(payload, link.Bytes()...)
	}
	return payload
}

func writeQuotient(g quotientGeometry, hashes []Hash) []byte {
	payload := make([]byte, g.byteLen())
	p, sorted := newQuotientProbe(g, payload), append([]Hash(nil), hashes...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i]>>p.shift < sorted[j]>>p.shift })
	setBit := func(at, bit uint64) { payload[at+bit/8] |= 1 << (bit % 8) }
	place := uint64(0)
	for i, h := range sorted {
		fingerprint := uint64(h) >> p.shift
		home, remainder := fingerprint>>p.r, fingerprint&p.mask
		place = max(place, home)
		setBit(p.blockLen*(home/64)+2, home%64)
		for j := uint64(0); j < uint64(p.r); j++ {
			if remainder>>j&1 != 0 {
				setBit(p.blockLen*(place/64)+18, place%64*uint64(p.r)+j)
			}
		}
		if i+1 == len(sorted) || uint64(sorted[i+1])>>p.shift>>p.r != home {
			setBit(p.blockLen*(place/64)+10, place%64)
		}
		for block := home/64 + 1; 64*block <= place; block++ { // slots that runs of earlier blocks take here
			binary.LittleEndian.PutUint16(payload[p.blockLen*block:], uint16(place-64*block+1))
		}
		place++
	}
	binary.LittleEndian.PutUint64(payload[len(payload)-8:], uint64(len(sorted)))
	return payload
}

// cuckooWriter moves fingerprints until there is room.
type cuckooWriter struct{ *cuckooProbe }

func (c cuckooWriter) slot(bucket, j uint64) uint64 {
	return c.bucket(bucket) >> (j * uint64(c.width)) & c.mask
}

func (c cuckooWriter) set(bucket, j, fingerprint uint64) {
	at, shift := bucket*uint64(c.width)/2, j*uint64(c.width)
	var raw [8]byte
	size := copy(raw[:], c.bytes[at:min(at+8, uint64(len(c.bytes)))])
	w := binary.LittleEndian.Uint64(raw[:])
	binary.LittleEndian.PutUint64(raw[:], w&^(c.mask<<shift)|fingerprint<<shift)
	copy(c.bytes[at:], raw[:size])
}

func (c cuckooWriter) empty(bucket uint64) (uint64, bool) {
	for j := uint64(0); j < 4; j++ {
		if c.slot(bucket, j) == 0 {
			return j, true
		}
	}
	return 0, false
}

func (c cuckooWriter) partner(fingerprint, bucket uint64) uint64 {
	x := fingerprint * 0xbf58476d1ce4e5b9
	y := (x ^ x>>32) * 0x94d049bb133111eb
	sum, _ := bits.Mul64(y, c.buckets)
	return ((sum | 1) + c.buckets - bucket) % c.buckets
}

func (c cuckooWriter) add(h Hash) bool {
	type node struct {
		bucket   uint64
		from     int
		fromSlot uint64
	}
	fingerprint, first, second := c.places(h)
	for _, bucket := range []uint64{first, second} {
		if j, room := c.empty(bucket); room {
			c.set(bucket, j, fingerprint)
			return true
		}
	}
	nodes := []node{{first, -1, 0}, {second, -1, 0}}
	for at := 0; at < len(nodes) && at <= 681; at++ {
		for j := uint64(0); j < 4; j++ {
			lies := c.slot(nodes[at].bucket, j)
			other := c.partner(lies, nodes[at].bucket)
			hole, room := c.empty(other)
			if !room {
				nodes = append(nodes, node{other, at, j})
				continue
			}
			c.set(other, hole, lies)
			for slot := j; ; {
				from := nodes[at]
				if from.from < 0 {
					c.set(from.bucket, slot, fingerprint)
					return true
				}
				before := nodes[from.from]
				c.set(from.bucket, slot, c.slot(before.bucket, from.fromSlot))
				at, slot = from.from, from.fromSlot
			}
		}
	}
	return false
}

func (c cuckooWriter) remove(h Hash) bool {
	fingerprint, first, second := c.places(h)
	for _, bucket := range []uint64{first, second} {
		for j := uint64(0); j < 4; j++ {
			if c.slot(bucket, j) == fingerprint {
				c.set(bucket, j, 0)
				return true
			}
		}
	}
	return false
}
