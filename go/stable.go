package bloomery

// This file reads the kind stable, which remembers the last keys and forgets older
// ones: lines of 256 cells of two bits, and k cells of a line a key (spec/stable.md).

import (
	"math/bits"
)

const (
	stableLineLen   = 64
	stableCells     = 256 // of a line
	stableHeaderLen = 64
)

// stableGeometry fixes the layout of a stable filter.
type stableGeometry struct {
	Lines     uint64 // 1 to 2^54
	K         uint32 // cells per key, 1 to 16
	Decrement uint32 // cells that each add makes older, 1 to 256
}

func (g stableGeometry) kind() Kind { return Stable }

func (g stableGeometry) fields() []Field {
	return []Field{{"lines", g.Lines}, {"k", uint64(g.K)}, {"decrement", uint64(g.Decrement)}}
}

func (g stableGeometry) check() error {
	switch {
	case g.Lines < 1 || g.Lines > 1<<54:
		return wrong("lines is %d, must be 1 to 2^54", g.Lines)
	case g.K < 1 || g.K > 16:
		return wrong("k is %d, must be 1 to 16", g.K)
	case g.Decrement < 1 || g.Decrement > 256:
		return wrong("decrement is %d, must be 1 to 256", g.Decrement)
	}
	return nil
}

func (g stableGeometry) byteLen() uint64 { return stableHeaderLen + stableLineLen*g.Lines }

func (g stableGeometry) bitLen() uint64 { return 8 * g.byteLen() }

func (g stableGeometry) cells() (uint64, string) { return stableCells * g.Lines, "cells" }

func (g stableGeometry) checkPayload(payload []byte) error {
	if hand := word(payload, 0); hand >= stableCells*g.Lines {
		return invalid("hand", "the hand is at cell %d of %d: the file is damaged, build it again", hand, stableCells*g.Lines)
	}
	for _, b := range payload[8:stableHeaderLen] {
		if b != 0 {
			return invalid("hand", "the header of the cells is not 0 behind the hand: the file is damaged, build it again")
		}
	}
	return nil
}

// cellsAbove0 counts those of a line.
func cellsAbove0(line []byte) (count int) {
	for at := uint64(0); at < stableLineLen; at += 8 {
		w := word(line, at)
		count += bits.OnesCount64((w | w>>1) & 0x5555555555555555)
	}
	return count
}

func (g stableGeometry) eachLine(payload []byte, f func(line []byte)) {
	for lines := payload[stableHeaderLen:]; len(lines) > 0; lines = lines[stableLineLen:] {
		f(lines[:stableLineLen])
	}
}

func (g stableGeometry) used(payload []byte) (count uint64) {
	g.eachLine(payload, func(line []byte) { count += uint64(cellsAbove0(line)) })
	return count
}

// estimated says that nobody can tell: what was forgotten leaves no trace.
func (g stableGeometry) estimated([]byte, uint64) (uint64, bool) { return 0, false }

// rateOf is exact: the mean over lines of the share of cells above 0, to the power of k.
func (g stableGeometry) rateOf(payload []byte, _ uint64) float64 {
	var linesWith [stableCells + 1]uint64
	g.eachLine(payload, func(line []byte) { linesWith[cellsAbove0(line)]++ })
	sum := 0.0
	for count, lines := range linesWith {
		sum += float64(float64(lines) * power(float64(count)/stableCells, g.K))
	}
	return sum / float64(g.Lines)
}

type stableProbe struct {
	lines []byte
	block blockProbe // chooses the line
}

func newStableProbe(g stableGeometry, payload []byte) *stableProbe {
	return &stableProbe{payload[stableHeaderLen:], blockProbe{g.Lines, g.K}}
}

func (p *stableProbe) contains(h Hash) bool {
	at := p.block.offset(h)
	line := p.lines[at : at+stableLineLen]
	for _, salt := range salts[:p.block.k] {
		cell := uint32(h) * salt >> 24
		if line[cell/4]>>(2*(cell%4))&3 == 0 {
			return false
		}
	}
	return true
}

func (p *stableProbe) touch(h Hash) byte { return p.lines[p.block.offset(h)] }
