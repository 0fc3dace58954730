package bloomery

// This file has what must hold of every slot of a quotient filter, which Verify looks at:
// in a table that breaks a rule a lookup may miss a key that is there.

import "math/bits"

// checkStructure follows all runs in order: each has an end, ascends and is where it
// belongs. Slots that no run takes are zero, and offsets and the count are right.
func (g quotientGeometry) checkStructure(payload []byte) error {
	walk := quotientWalk{probe: newQuotientProbe(g, payload)}
	for block := uint64(0); block < g.blocks(); block++ {
		first := 64 * block
		if walk.probe.offset(block) != max(walk.behind, first)-first {
			return quotientDamage("a wrong offset", first)
		}
		for left := walk.probe.occupied(block); left != 0; left &= left - 1 {
			if err := walk.follow(first + uint64(bits.TrailingZeros64(left))); err != nil {
				return err
			}
		}
	}
	if err := walk.gapsUpTo(64 * g.blocks()); err != nil {
		return err
	}
	if used := g.used(payload); used != walk.taken {
		return invalid("slots", "%d slots are taken, the file says %d: it is damaged, build it again", walk.taken, used)
	}
	return nil
}

func quotientDamage(what string, slot uint64) error {
	return invalid("slots", "there is %s at slot %d: the file is damaged, build it again", what, slot)
}

// quotientWalk is a way over the runs.
type quotientWalk struct {
	probe  *quotientProbe
	behind uint64 // the slot behind the last run
	taken  uint64
}

func (w *quotientWalk) endsAt(slot uint64) bool { return w.probe.ends(slot/64)>>(slot%64)&1 != 0 }

// follow goes over the run of a quotient.
func (w *quotientWalk) follow(quotient uint64) error {
	if err := w.gapsUpTo(quotient); err != nil {
		return err
	}
	before := uint64(0)
	for end := false; !end; w.behind++ {
		if w.behind >= 64*w.probe.blocks {
			return quotientDamage("a run without an end", quotient)
		}
		remainder := w.probe.remainder(w.behind)
		if remainder < before {
			return quotientDamage("a run out of order", w.behind)
		}
		before, end = remainder, w.endsAt(w.behind)
		w.taken++
	}
	return nil
}

func (w *quotientWalk) gapsUpTo(slot uint64) error {
	for ; w.behind < slot; w.behind++ {
		if w.endsAt(w.behind) || w.probe.remainder(w.behind) != 0 {
			return quotientDamage("something that belongs to no run", w.behind)
		}
	}
	return nil
}
