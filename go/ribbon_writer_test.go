package bloomery

// A writer of ribbon filters, as plain as spec/ribbon.md has it, for the tests of its
// reader.

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// ribbonRow is an equation whose first coefficient is its own slot's.
type ribbonRow struct{ coefficients, fingerprint uint64 }

// writeRibbon builds hashes with a seed, and returns the geometry that came of it.
func writeRibbon(hashes []Hash, columns, lowShare, seed uint64) (ribbonGeometry, []byte) {
	g := ribbonGeometry{Keys: uint64(len(hashes)), Columns: columns, LowShare: lowShare, Seed: seed}
	var places []uint64
	for _, h := range hashes {
		places = append(places, (&ribbonProbe{seed: seed}).place(h))
	}
	var payload []byte
	for layer := 0; layer < ribbonLayers; layer++ {
		l := newRibbonLayer(ribbonSlots(uint64(len(places)), layer), columns, lowShare, 0)
		var bytes []byte
		bytes, places = l.write(places)
		payload = append(payload, bytes...)
		if layer < len(g.Bumped) {
			g.Bumped[layer] = uint64(len(places))
		}
	}
	g.Listed = uint64(len(places))
	slices.Sort(places)
	for _, place := range places {
		payload = binary.LittleEndian.AppendUint64(payload, place)
	}
	return g, append(payload, make([]byte, ribbonPadding)...)
}

// write returns the bytes of a layer, and the places of the keys that it bumps.
func (l *ribbonLayer) write(places []uint64) (payload []byte, bumped []uint64) {
	if l.starts == 0 {
		for _, place := range places {
			bumped = append(bumped, splitMix64(place))
		}
		return nil, bumped
	}
	payload = make([]byte, l.byteLen())
	rows := make([]ribbonRow, l.slots())
	slices.Sort(places)
	for bucket := uint64(0); bucket*16 < l.starts; bucket++ {
		end := 0
		for end < len(places) && startOf(places[end], l.starts) < 16*(bucket+1) {
			end++
		}
		code := l.fill(rows, places[:end])
		payload[bucket/4] |= code << (2 * (bucket % 4))
		for _, place := range places[:end] {
			if startOf(place, l.starts)%16 < bumpedBelow[code] {
				bumped = append(bumped, splitMix64(place))
			}
		}
		places = places[end:]
	}
	l.solve(rows, payload)
	return payload, bumped
}

func startOf(place, starts uint64) uint64 {
	start, _ := bits.Mul64(place, starts)
	return start
}

// firstSlot returns where the window of a start begins.
func (l *ribbonLayer) firstSlot(start uint64) uint64 {
	group := groupOf(start)
	if l.cut != 0 && start >= l.cut {
		group += ribbonGap
	}
	return 8 * group
}

// fill puts the keys of a bucket into rows, from the last to the first, and returns the
// code: the first that does not fit ends it.
func (l *ribbonLayer) fill(rows []ribbonRow, places []uint64) byte {
	var slots []uint64
	for i := len(places) - 1; i >= 0; i-- {
		slot, good := insert(rows, l.firstSlot(startOf(places[i], l.starts)), splitMix64(places[i]))
		if !good {
			code := byte(1)
			for startOf(places[i], l.starts)%16 >= bumpedBelow[code] {
				code++
			}
			for j, taken := range slots { // those of bumped starts are taken back
				if startOf(places[len(places)-1-j], l.starts)%16 < bumpedBelow[code] {
					rows[taken] = ribbonRow{}
				}
			}
			return code
		}
		slots = append(slots, slot)
	}
	return 0
}

func insert(rows []ribbonRow, slot, coefficients uint64) (uint64, bool) {
	row := ribbonRow{coefficients, ribbonFingerprint(coefficients)}
	for row.coefficients != 0 {
		zeros := bits.TrailingZeros64(row.coefficients)
		slot, row.coefficients = slot+uint64(zeros), row.coefficients>>zeros
		there := &rows[slot]
		if there.coefficients == 0 {
			*there = row
			return slot, true
		}
		row.coefficients ^= there.coefficients
		row.fingerprint ^= there.fingerprint
	}
	return 0, false
}

// solve goes from the last slot to the first.
func (l *ribbonLayer) solve(rows []ribbonRow, payload []byte) {
	solution := make([]uint64, len(rows))
	codes, low := (l.starts+63)/64, uint64(0) // low: groups with a column less
	if l.cut != 0 {
		low = groupOf(l.cut) + ribbonGap
	}
	for slot := uint64(len(rows)); slot > 0; {
		slot--
		sum := rows[slot].fingerprint
		for left := rows[slot].coefficients &^ 1; left != 0; left &= left - 1 {
			sum ^= solution[slot+uint64(bits.TrailingZeros64(left))]
		}
		solution[slot] = sum
		group, columns := slot/8, l.columns
		at := codes + low*(l.columns-1) + (group-low)*l.columns
		if group < low {
			columns--
			at = codes + group*columns
		}
		for i := uint64(0); i < columns; i++ {
			payload[at+i] |= byte(sum>>(8*(i%8)+i/8)&1) << (slot % 8)
		}
	}
}
