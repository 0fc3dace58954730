package bloomery

// Properties over random keys, kinds and sizes, by testing/quick: what holds of one
// filter must hold of all.

import (
	"bytes"
	"testing"
	"testing/quick"
)

// drawn is what a property is tried on: keys, and numbers that choose the filter.
type drawn struct {
	Keys, Others [][]byte
	Numbers      []uint64
	N            uint16
	Rate         uint8
	Kind, Hash   uint8
}

// filter makes the filter that the numbers choose.
func (d *drawn) filter(t *testing.T) *Filter {
	kinds, hashers := []Kind{Block, Split, Classic}, allHashers(t)
	return must[*Filter](t)(New(1+uint64(d.N)%2000, float64(1+d.Rate%200)/400, WithKind(kinds[int(d.Kind)%3]), WithHasher(hashers[int(d.Hash)%len(hashers)])))
}

func holds(t *testing.T, property func(d drawn) bool) {
	t.Helper()
	if err := quick.Check(property, &quick.Config{MaxCount: rounds(300)}); err != nil {
		t.Error(err)
	}
}

func TestWhatWasAddedIsFoundThroughEveryDoor(t *testing.T) {
	holds(t, func(d drawn) bool {
		f := d.filter(t)
		f.AddMany(d.Keys)
		f.AddUint64s(d.Numbers)
		var streamed Filter
		var wire bytes.Buffer
		streamed.core = f.core // for a secret
		must[int64](t)(f.WriteTo(&wire))
		must[int64](t)(streamed.ReadFrom(&wire))
		clone := must[*Filter](t)(f.Clone())
		shared := must[*Shared](t)(Share(clone))
		for _, key := range d.Keys {
			if !f.Contains(key) || !f.ContainsString(string(key)) || !streamed.Contains(key) || !shared.Contains(key) {
				return false
			}
		}
		for _, x := range d.Numbers {
			if !f.ContainsUint64(x) || !streamed.ContainsUint64(x) || !shared.ContainsUint64(x) {
				return false
			}
		}
		return streamed.Equal(f) && streamed.KeyCount() == uint64(len(d.Keys)+len(d.Numbers))
	})
}

func TestBatchesAnswerAsSingleLookupsDo(t *testing.T) {
	holds(t, func(d drawn) bool {
		f := d.filter(t)
		f.AddMany(d.Keys)
		set := must[*FuseFilter](t)(BuildFuse(d.Keys, 0.01))
		asked := append(append([][]byte{}, d.Keys...), d.Others...)
		for _, v := range []View{f.View, set.View} {
			answers := make([]bool, len(asked))
			v.ContainsMany(asked, answers)
			for i, key := range asked {
				if answers[i] != v.Contains(key) || i < len(d.Keys) && !answers[i] {
					return false
				}
			}
		}
		return true
	})
}

func TestTheOrderOfAddsAndMergesDoesNotMatter(t *testing.T) {
	holds(t, func(d drawn) bool {
		a, b, both := d.filter(t), d.filter(t), d.filter(t)
		a.AddMany(d.Keys)
		b.AddMany(d.Others)
		both.AddMany(append(append([][]byte{}, d.Others...), d.Keys...))
		shared := must[*Shared](t)(Share(must[*Filter](t)(a.Clone())))
		if shared.Merge(b.View) != nil || a.Merge(b) != nil {
			return false
		}
		return a.Equal(both) && must[*Filter](t)(shared.Copy()).Equal(both)
	})
}

func TestAGeometryIsWhatItsFieldsSay(t *testing.T) {
	holds(t, func(d drawn) bool {
		g := d.filter(t).Geometry()
		numbers := map[string]uint64{}
		for _, field := range g.Fields() {
			numbers[field.Name] = field.Value
		}
		again, err := GeometryOf(g.Kind(), numbers)
		return err == nil && again == g && again.ByteLen() == uint64(len(d.filter(t).Bytes()))
	})
}
