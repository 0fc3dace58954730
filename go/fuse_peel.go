package bloomery

// This file solves one part of a fuse filter: it takes keys away one by one, each
// from a slot that is its own, and then sets the slots in reverse. Slots wait in
// queues, one for each group of slots, so that the work stays within a few windows.

import "encoding/binary"

const fuseGroup = 1 << 14 // slots that share a queue

// fuseWord is what is known of a slot: how many keys it still has, in the highest 8
// bits, and below them the xor of the numbers of these keys. With one key left that
// is its number.
type fuseWord interface{ uint32 | uint64 }

// fuseQueue says where the slots of a group that wait are.
type fuseQueue struct{ next, end uint64 }

// fusePeeler has the memory of peeling, which parts use one after the other: three
// words a slot.
type fusePeeler[W fuseWord] struct {
	probe  fuseProbe
	hashes []Hash
	factor uint64
	words  []W
	queues []fuseQueue
	// The slots of all queues. A slot waits at most once, so a queue has as many
	// places as its group has slots, and one more, which is written in vain.
	waiting []W
	// The slots that gave their key away, in this order. The word of each is then
	// the number of the key.
	taken []W
}

func newFusePeeler[W fuseWord](g fuseGeometry) (*fusePeeler[W], error) {
	if err := checkMemory(25 * g.Slots); err != nil { // for the wider words
		return nil, err
	}
	groups := g.Slots/fuseGroup + 1
	return &fusePeeler[W]{probe: newFuseProbe(g), words: make([]W, g.Slots), queues: make([]fuseQueue, groups),
		waiting: make([]W, g.Slots+groups), taken: make([]W, 0, g.Slots)}, nil
}

// solve reports whether a factor does; then the values of the slots, which are 0, are
// set.
func (p *fusePeeler[W]) solve(hashes []Hash, factor uint64, values []byte) bool {
	p.hashes, p.factor = hashes, factor
	good := p.count() && p.peel()
	if good {
		p.fill(values)
	}
	return good
}

func (p *fusePeeler[W]) places(key uint64) [4]uint64 { return p.probe.places(p.hashes[key], p.factor) }

// count gives the slots their keys; false when one has too many.
func (p *fusePeeler[W]) count() bool {
	all := ^W(0)
	full, one := all&^(all>>8), all>>8+1
	words, arity := p.words, p.probe.arity
	for i := range words {
		words[i] = 0
	}
	for key := range p.hashes {
		slots := p.places(uint64(key))
		for _, slot := range slots[:arity] {
			word := words[slot]
			if word >= full {
				return false
			}
			words[slot] = (word + one) ^ W(key)
		}
	}
	return true
}

// peel reports whether all keys come away.
func (p *fusePeeler[W]) peel() bool {
	p.queueFirst()
	p.taken = p.taken[:0]
	for group := uint64(0); group < uint64(len(p.queues)); {
		group = p.workOn(group)
	}
	return len(p.taken) == len(p.hashes)
}

// queueFirst lets the slots of one key wait in their groups.
func (p *fusePeeler[W]) queueFirst() {
	for group := range p.queues {
		start := uint64(group) * (fuseGroup + 1)
		p.queues[group] = fuseQueue{start, start}
	}
	for slot, word := range p.words {
		queue := &p.queues[slot/fuseGroup]
		p.waiting[queue.end] = W(slot)
		queue.end += alone(word)
	}
}

// workOn takes keys away until no slot of a group waits. It returns the lowest group
// where one may wait now.
func (p *fusePeeler[W]) workOn(group uint64) uint64 {
	lowest, queue := group+1, &p.queues[group]
	for queue.next < queue.end {
		slot := uint64(p.waiting[queue.next])
		queue.next++
		if alone(p.words[slot]) == 0 {
			continue
		}
		if reached := p.take(slot); reached < lowest {
			lowest = reached
		}
	}
	return lowest
}

// take takes the one key of a slot away from all its slots. It returns the lowest
// group where one of them waits now.
func (p *fusePeeler[W]) take(own uint64) uint64 {
	below := ^W(0) >> 8
	key, lowest := p.words[own]&below, ^uint64(0)
	slots := p.places(uint64(key))
	for _, slot := range slots[:p.probe.arity] {
		word := (p.words[slot] - (below + 1)) ^ key
		p.words[slot] = word
		waits := alone(word) // a number: a branch would be wrong too often
		queue := &p.queues[slot/fuseGroup]
		p.waiting[queue.end] = W(slot)
		queue.end += waits
		if group := slot/fuseGroup | (waits - 1); group < lowest {
			lowest = group
		}
	}
	p.words[own] = key
	p.taken = append(p.taken, W(own))
	return lowest
}

// alone is 1 for a slot of one key, else 0.
func alone[W fuseWord](word W) uint64 {
	one := ^W(0)>>8 + 1
	if word-one < one {
		return 1
	}
	return 0
}

// fill sets the slots, from the last key taken to the first.
func (p *fusePeeler[W]) fill(values []byte) {
	for i := len(p.taken) - 1; i >= 0; i-- {
		own := uint64(p.taken[i])
		key := uint64(p.words[own])
		value, slots := p.probe.fingerprint(p.hashes[key]), p.places(key)
		for _, slot := range slots[:p.probe.arity] {
			value ^= p.probe.value(values, slot) // that of its own slot is still 0
		}
		if p.probe.width == 8 {
			values[own] = byte(value)
		} else {
			binary.LittleEndian.PutUint16(values[2*own:], value)
		}
	}
}
