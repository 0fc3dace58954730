package bloomery

// This file reads the kind scalable: a chain of block filters, whose sizes are in a
// directory at the start of the payload (spec/scalable.md).

import "math"

const (
	scalableEntryLen = 32
	maxLinks         = 64
)

// scalableGeometry fixes the layout of a scalable filter.
type scalableGeometry struct {
	Links        uint64 // 1 to maxLinks
	Blocks       uint64 // of all links, at least one each
	LinkK        uint64 // k of the newest link
	LinkCapacity uint64 // keys that the newest link takes
	Growth       uint64 // of the capacity, from link to link
	TargetPPT    uint64 // the rate of the chain, in parts per 10^12
}

func (g scalableGeometry) kind() Kind { return Scalable }

func (g scalableGeometry) fields() []Field {
	return []Field{{"links", g.Links}, {"blocks", g.Blocks}, {"link_k", g.LinkK}, {"link_capacity", g.LinkCapacity},
		{"growth", g.Growth}, {"fpr_ppt", g.TargetPPT}}
}

func (g scalableGeometry) check() error {
	switch {
	case g.Links < 1 || g.Links > maxLinks:
		return wrong("links is %d, must be 1 to %d", g.Links, maxLinks)
	case g.Blocks < g.Links || g.Blocks > 1<<54:
		return wrong("blocks is %d, must be %d to 2^54", g.Blocks, g.Links)
	case g.LinkK < 1 || g.LinkK > maxBlockK:
		return wrong("link_k is %d, must be 1 to %d", g.LinkK, maxBlockK)
	case g.LinkCapacity < 1 || g.LinkCapacity > 512*(g.Blocks-g.Links+1):
		return wrong("link_capacity is %d, must be 1 to %d", g.LinkCapacity, 512*(g.Blocks-g.Links+1))
	case g.Growth < 1 || g.Growth > 8:
		return wrong("growth is %d, must be 1 to 8", g.Growth)
	case g.TargetPPT < 10_000_000 || g.TargetPPT >= 1_000_000_000_000:
		return wrong("fpr_ppt is %d, must be 10^7 to 10^12 - 1", g.TargetPPT)
	}
	return nil
}

func (g scalableGeometry) directoryLen() uint64 { return 64 * ((g.Links + 1) / 2) }

func (g scalableGeometry) byteLen() uint64 { return g.directoryLen() + blockBlockLen*g.Blocks }

func (g scalableGeometry) bitLen() uint64 { return 8 * g.byteLen() }

func (g scalableGeometry) cells() (uint64, string) { return 8 * blockBlockLen * g.Blocks, "bits" }

// entry returns the numbers of a link.
func (g scalableGeometry) entry(payload []byte, link uint64) (blocks, k, capacity, count uint64) {
	at := scalableEntryLen * link
	return word(payload, at), word(payload, at+8), word(payload, at+16), word(payload, at+24)
}

// checkPayload holds the directory to its rules.
func (g scalableGeometry) checkPayload(payload []byte) error {
	damaged := func(link uint64, what string) error {
		return invalid("directory", "link %d has %s: the file is damaged, build it again", link, what)
	}
	left := g.Blocks
	for link := uint64(0); link < g.Links; link++ {
		blocks, k, capacity, count := g.entry(payload, link)
		newest := link == g.Links-1
		switch {
		case blocks < 1 || blocks > left || newest && blocks != left:
			return damaged(link, decimal(blocks)+" blocks, the geometry leaves "+decimal(left))
		case k < 1 || k > maxBlockK || newest && k != g.LinkK:
			return damaged(link, "k "+decimal(k))
		case capacity < 1 || capacity > 512*blocks || newest && capacity != g.LinkCapacity:
			return damaged(link, "capacity "+decimal(capacity))
		case count > capacity:
			return damaged(link, decimal(count)+" keys, more than its capacity")
		}
		left -= blocks
	}
	for _, b := range payload[scalableEntryLen*g.Links : g.directoryLen()] {
		if b != 0 {
			return invalid("directory", "the padding of the directory is not 0: the file is damaged, build it again")
		}
	}
	return nil
}

// eachLink calls f with the geometry and the blocks of every link, oldest first.
func (g scalableGeometry) eachLink(payload []byte, f func(link blockGeometry, blocks []byte)) {
	at := g.directoryLen()
	for link := uint64(0); link < g.Links; link++ {
		blocks, k, _, _ := g.entry(payload, link)
		of := blockGeometry{blocks, uint32(k)}
		f(of, payload[at:at+of.byteLen()])
		at += of.byteLen()
	}
}

func (g scalableGeometry) used(payload []byte) uint64 { return countBits(payload[g.directoryLen():]) }

// estimated is the sum over the links; unknown when one of them is saturated.
func (g scalableGeometry) estimated(payload []byte, _ uint64) (sum uint64, known bool) {
	total, known := 0.0, true
	g.eachLink(payload, func(link blockGeometry, blocks []byte) {
		n, ok := link.keysAt(countBits(blocks))
		total += math.Round(n)
		known = known && ok
	})
	if !known {
		return 0, false
	}
	return uint64(total), true
}

// rateOf is the chance that some link lets an absent key pass.
func (g scalableGeometry) rateOf(payload []byte, _ uint64) float64 {
	denied := 1.0
	g.eachLink(payload, func(link blockGeometry, blocks []byte) { denied *= 1 - link.rateOf(blocks, 0) })
	return math.Min(1, math.Max(0, 1-denied))
}

// scalableProbe has the links, the newest first: most keys are there.
type scalableProbe struct{ links []scalableLink }

type scalableLink struct {
	block blockProbe
	bytes []byte
}

func newScalableProbe(g scalableGeometry, payload []byte) *scalableProbe {
	p := &scalableProbe{make([]scalableLink, g.Links)}
	at := len(p.links)
	g.eachLink(payload, func(link blockGeometry, blocks []byte) {
		at--
		p.links[at] = scalableLink{blockProbe{link.Blocks, link.K}, blocks}
	})
	return p
}

func (p *scalableProbe) contains(h Hash) bool {
	for i := range p.links {
		if link := &p.links[i]; link.block.contains(link.bytes, h) {
			return true
		}
	}
	return false
}

func (p *scalableProbe) touch(h Hash) (touched byte) {
	for i := range p.links {
		link := &p.links[i]
		touched |= link.bytes[link.block.offset(h)]
	}
	return touched
}
