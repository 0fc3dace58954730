package bloomery

// This file reads the kind ribbon: bits that solve an equation a key, in layers, each
// with the keys that the one before could not take (spec/ribbon.md).

import (
	"math"
	"sort"
)

const (
	ribbonLayers    = 4
	ribbonSegment   = 8192 // starts that share a segment
	ribbonGap       = 7    // groups between segments in which no key starts
	ribbonWindow    = 8    // groups of a window
	ribbonPadding   = 8
	maxRibbonKeys   = 1 << 48
	maxRibbonColumn = 32
)

// ribbonGeometry fixes the layout of a ribbon filter.
type ribbonGeometry struct {
	Keys     uint64 // distinct ones
	Columns  uint64 // bits of a fingerprint, 1 to 32
	LowShare uint64 // of starts with a column less, in 65536ths
	Seed     uint64 // 0 to 3
	Bumped   [3]uint64
	Listed   uint64
}

func (g ribbonGeometry) kind() Kind { return Ribbon }

func (g ribbonGeometry) fields() []Field {
	return []Field{{"keys", g.Keys}, {"columns", g.Columns}, {"low_share", g.LowShare}, {"seed", g.Seed},
		{"bumped_1", g.Bumped[0]}, {"bumped_2", g.Bumped[1]}, {"bumped_3", g.Bumped[2]}, {"listed", g.Listed}}
}

// coming returns the keys that come to each layer, and to the list.
func (g ribbonGeometry) coming() [ribbonLayers + 1]uint64 {
	return [...]uint64{g.Keys, g.Bumped[0], g.Bumped[1], g.Bumped[2], g.Listed}
}

func (g ribbonGeometry) check() error {
	switch {
	case g.Keys > maxRibbonKeys:
		return wrong("keys is %d, must be at most 2^48", g.Keys)
	case g.Columns < 1 || g.Columns > maxRibbonColumn:
		return wrong("columns is %d, must be 1 to %d", g.Columns, maxRibbonColumn)
	case g.LowShare >= 65536 || g.Columns == 1 && g.LowShare != 0:
		return wrong("low_share is %d, must be below 65536, and 0 with one column", g.LowShare)
	case g.Seed > 3:
		return wrong("seed is %d, must be 0 to 3", g.Seed)
	}
	coming, names := g.coming(), g.fields()[4:]
	for i, name := range names {
		layer := newRibbonLayer(ribbonSlots(coming[i], i), g.Columns, g.LowShare, 0)
		if coming[i+1] > coming[i] || coming[i]-coming[i+1] > layer.slots() {
			return wrong("%s is %d, which cannot be of %d keys", name.Name, name.Value, coming[i])
		}
	}
	return nil
}

// ribbonSlots returns those of a layer that so many keys come to.
func ribbonSlots(keys uint64, layer int) uint64 {
	switch {
	case keys <= 6:
		return 0
	case keys <= 500 || layer == ribbonLayers-1:
		return keys + keys/12 + 12
	}
	return keys - keys/21
}

// ribbonLayer is where a layer's codes and windows are.
type ribbonLayer struct {
	starts  uint64 // 0 when the layer bumps all its keys
	cut     uint64 // starts below it have a column less
	columns uint64
	at      uint64 // where it begins in the payload
}

// layers returns the layers, and where the list begins.
func (g ribbonGeometry) layers() (layers [ribbonLayers]ribbonLayer, list uint64) {
	coming := g.coming()
	for i := range layers {
		layers[i] = newRibbonLayer(ribbonSlots(coming[i], i), g.Columns, g.LowShare, list)
		list += layers[i].byteLen()
	}
	return layers, list
}

func newRibbonLayer(slots, columns, lowShare, at uint64) ribbonLayer {
	l := ribbonLayer{columns: columns, at: at}
	if slots == 0 {
		return l
	}
	l.starts = 1
	if groups := (slots + 7) / 8; groups > ribbonGap {
		l.starts = max(1, groups-ribbonGap)
	}
	if l.starts >= 256 {
		l.cut = l.starts * lowShare / 65536 / 64 * 64
	}
	return l
}

// groupOf is the group at which the window of a start begins, but for the cut.
func groupOf(start uint64) uint64 { return start + ribbonGap*(start/ribbonSegment) }

// window returns where the window of a start begins in the payload, and its columns.
func (l *ribbonLayer) window(start uint64) (at, columns uint64) {
	codes := l.at + (l.starts+63)/64
	switch {
	case start < l.cut:
		return codes + groupOf(start)*(l.columns-1), l.columns - 1
	case l.cut == 0:
		return codes + groupOf(start)*l.columns, l.columns
	}
	return codes + (groupOf(l.cut)+ribbonGap)*(l.columns-1) + (groupOf(start)-groupOf(l.cut))*l.columns, l.columns
}

func (l *ribbonLayer) byteLen() uint64 {
	if l.starts == 0 {
		return 0
	}
	at, columns := l.window(l.starts - 1)
	return at + ribbonWindow*columns - l.at
}

// slots returns all that the windows of the layer reach.
func (l *ribbonLayer) slots() uint64 {
	if l.starts == 0 {
		return 0
	}
	groups := groupOf(l.starts-1) + ribbonWindow
	if l.cut != 0 {
		groups += ribbonGap
	}
	return 8 * groups
}

// rate is that of a key that the layer does not bump.
func (l *ribbonLayer) rate() float64 {
	full := math.Ldexp(1, -int(l.columns))
	if l.cut == 0 {
		return full
	}
	low := share(l.cut, l.starts)
	return full * (1 + low)
}

func (g ribbonGeometry) byteLen() uint64 {
	_, list := g.layers()
	return list + 8*g.Listed + ribbonPadding
}

func (g ribbonGeometry) bitLen() uint64 { return 8 * g.byteLen() }

func (g ribbonGeometry) cells() (total uint64, word string) {
	layers, _ := g.layers()
	for i := range layers {
		total += layers[i].slots()
	}
	return total + g.Listed, "slots"
}

func (g ribbonGeometry) checkPayload(payload []byte) error {
	if word(payload, uint64(len(payload))-ribbonPadding) != 0 {
		return invalid("bits", "the padding at the end is not 0: the file is damaged, build it again")
	}
	return nil
}

func (g ribbonGeometry) used([]byte) uint64 { return g.Keys }

func (g ribbonGeometry) estimated([]byte, uint64) (uint64, bool) { return g.Keys, true }

func (g ribbonGeometry) retries([]byte) uint64 { return g.Seed }

// rateOf is the rate of each layer with its share of the keys.
func (g ribbonGeometry) rateOf([]byte, uint64) float64 {
	layers, _ := g.layers()
	coming, sum := g.coming(), 0.0
	for i := range layers {
		sum += float64(share(coming[i]-coming[i+1], g.Keys) * layers[i].rate())
	}
	return sum + float64(share(g.Listed, g.Keys)*math.Ldexp(float64(g.Listed), -64))
}

type ribbonProbe struct {
	bytes  []byte
	layers [ribbonLayers]ribbonLayer
	list   []byte
	seed   uint64
	empty  bool
}

func newRibbonProbe(g ribbonGeometry, payload []byte) *ribbonProbe {
	p := &ribbonProbe{bytes: payload, seed: g.Seed, empty: g.Keys == 0}
	var list uint64
	p.layers, list = g.layers()
	p.list = payload[list : list+8*g.Listed]
	return p
}

// listed reports whether a place is in the list, which ascends.
func (p *ribbonProbe) listed(place uint64) bool {
	n := len(p.list) / 8
	i := sort.Search(n, func(i int) bool { return word(p.list, 8*uint64(i)) >= place })
	return i < n && word(p.list, 8*uint64(i)) == place
}
