package bloomery

// The tests in this file hold the filter's promises: no false negatives, exact
// indexes, a measured rate like the predicted one, and the laws of merging.

import (
	"errors"
	"math/rand"
	"testing"
)

func TestNoFalseNegatives(t *testing.T) {
	for _, hasher := range allHashers(t) {
		for _, m := range []uint64{1, 2, 7, 8, 9, 63, 64, 65, 1000, 100003, 1 << 20} {
			for _, k := range []uint32{1, 2, 7, 30} {
				one, many := mustGeometry(t, m, k, hasher), mustGeometry(t, m, k, hasher)
				keys := append(numbered("key", 200), nil, []byte{0})
				for _, key := range keys {
					one.Add(key)
					if !one.Contains(key) || one.Add(key) {
						t.Fatalf("%v m %d k %d: %q is absent after it was added", hasher.ID(), m, k, key)
					}
				}
				many.AddMany(keys)
				if !one.Equal(many) {
					t.Fatalf("%v m %d k %d: AddMany gives other bits than Add", hasher.ID(), m, k)
				}
				answers := make([]bool, len(keys))
				many.ContainsMany(keys, answers)
				for i, answer := range answers {
					if !answer {
						t.Fatalf("%v m %d k %d: ContainsMany denies %q", hasher.ID(), m, k, keys[i])
					}
				}
			}
		}
	}
}

func TestContainsManyAnswersAsContainsDoes(t *testing.T) {
	for _, hasher := range allHashers(t) {
		f := mustCapacity(t, 1000, 0.2, hasher)
		f.AddMany(numbered("key", 1000))
		for _, n := range []int{0, 1, 31, 32, 33, 64, 100, 999} {
			keys := append(numbered("miss", n), numbered("key", n)...)
			rand.New(rand.NewSource(1)).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			answers := make([]bool, len(keys))
			for i := range answers {
				answers[i] = i%2 == 0 // old answers must not shine through
			}
			f.ContainsMany(keys, answers)
			hashes, hashAnswers := make([]Hash, len(keys)), make([]bool, len(keys))
			for i, key := range keys {
				hashes[i] = f.Hasher().Hash(key)
			}
			f.ContainsHashes(hashes, hashAnswers)
			for i, key := range keys {
				if want := f.Contains(key); answers[i] != want || hashAnswers[i] != want {
					t.Fatalf("%v: %q of %d keys: %v, by hashes %v, one by one %v", hasher.ID(), key, n, answers[i], hashAnswers[i], want)
				}
			}
		}
	}
}

func TestIndexesAreExactRemainders(t *testing.T) {
	random := rand.New(rand.NewSource(7))
	moduli := []uint64{1, 2, 3, 7, 8, 9586, 1<<27 - 1, 1 << 27, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 33, 1<<40 + 7, 1<<64 - 1}
	for i := 0; i < 200; i++ {
		moduli = append(moduli, 1+random.Uint64()>>(uint(random.Intn(63))))
	}
	for _, m := range moduli {
		b := newClassicProbe(classicGeometry{m, maxK})
		for i := 0; i < 200; i++ {
			h := random.Uint64()
			if i == 0 {
				h = 1<<64 - 1
			}
			index, stride := b.start(Hash(h))
			for j := uint64(0); j < maxK; j++ {
				if want := (h&0xffffffff + j*(h>>32)) % m; index != want {
					t.Fatalf("m %d, h %x: index %d is %d, want %d", m, h, j, index, want)
				}
				index = next(index, stride, m)
			}
		}
	}
}

func TestAddReportsWhetherABitChanged(t *testing.T) {
	f := mustCapacity(t, 100, 0.01)
	for _, key := range numbered("key", 100) {
		before, maybe := f.core.used(), f.Contains(key)
		changed := f.Add(key)
		if changed != (f.core.used() != before) || changed == maybe {
			t.Fatalf("%s: changed %v, bits %d to %d, maybe before %v", key, changed, before, f.core.used(), maybe)
		}
	}
	if !f.AddString("fresh") || f.Add([]byte("fresh")) {
		t.Error("Add must tell a key's first time from its second")
	}
	if f.KeyCount() != 102 {
		t.Errorf("key count is %d after 102 adds", f.KeyCount())
	}
}

func TestMeasuredRateIsThePredictedOne(t *testing.T) {
	for _, hasher := range allHashers(t) {
		f := mustCapacity(t, 100000, 0.01, hasher)
		f.AddMany(numbered("key", 100000))
		hits := 0
		for _, key := range numbered("miss", 200000) {
			if f.Contains(key) {
				hits++
			}
		}
		for _, rate := range []float64{float64(hits) / 200000, float64(f.core.sample(1000000)) / 1e6, f.PredictedFPR()} {
			if rate < 0.009 || rate > 0.011 {
				t.Errorf("%v: rates %g, want within 10 %% of 0.01", hasher.ID(), rate)
			}
		}
		if n, known := f.EstimatedCount(); !known || n < 99000 || n > 101000 {
			t.Errorf("%v: estimated %d of 100000 keys", hasher.ID(), n)
		}
	}
}

func TestMergeIsTheFilterOfTheUnion(t *testing.T) {
	keys := numbered("key", 300)
	filter := func(keys [][]byte) *Filter {
		f := mustGeometry(t, 2003, 5)
		f.AddMany(keys)
		return f
	}
	merged := func(a, b *Filter) *Filter {
		c, err := a.Clone()
		if err == nil {
			err = c.Merge(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, b, c, none := filter(keys[:100]), filter(keys[100:200]), filter(keys[200:]), filter(nil)
	union := filter(keys)
	if !merged(merged(a, b), c).Equal(union) || !merged(a, merged(b, c)).Equal(union) || !merged(c, merged(b, a)).Equal(union) {
		t.Error("merges in another order differ, or are not the filter of all keys")
	}
	if !merged(a, a).Equal(a) || !merged(a, none).Equal(a) || merged(a, b).Equal(a) {
		t.Error("a merge with itself or with an empty filter changes the bits, or one with another does not")
	}
	if got := merged(a, b).KeyCount(); got != 200 {
		t.Errorf("a merge of 100 and 100 adds counts %d", got)
	}
}

func TestIntersectKeepsTheCommonKeys(t *testing.T) {
	keys := numbered("key", 300)
	a, b := mustGeometry(t, 5003, 5), mustGeometry(t, 5003, 5)
	a.AddMany(keys[:200])
	b.AddMany(keys[100:])
	before := a.core.used()
	if err := a.Intersect(b); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys[100:200] {
		if !a.Contains(key) {
			t.Fatalf("%s was in both and is absent", key)
		}
	}
	if a.core.used() >= before || a.KeyCount() != UnknownKeys {
		t.Errorf("%d bits of %d are left, %d keys", a.core.used(), before, a.KeyCount())
	}
}

func TestUnlikeFiltersAreNotCombined(t *testing.T) {
	seeded, _ := SeededHasher(XXH3, 0)
	other, _ := SeededHasher(XXH3, 1)
	a := mustGeometry(t, 100, 3, seeded)
	for _, b := range []*Filter{mustGeometry(t, 101, 3, seeded), mustGeometry(t, 100, 4, seeded), mustGeometry(t, 100, 3), mustGeometry(t, 100, 3, other)} {
		if !errors.Is(a.Merge(b), ErrMismatch) || !errors.Is(a.Intersect(b), ErrMismatch) {
			t.Errorf("combined %+v %v with %+v %v", a.Geometry(), a.Hasher(), b.Geometry(), b.Hasher())
		}
	}
}

func TestImpossibleGeometriesAreRefused(t *testing.T) {
	for _, g := range []classicGeometry{{0, 1}, {1, 0}, {1, 31}, {1 << 62, 7}, {^uint64(0), 7}} {
		if err := g.check(); err != nil {
			continue // no Geometry of it can be had
		}
		if f, err := NewWithGeometry(Geometry{g}); err == nil {
			t.Errorf("made a filter of %d bytes for %+v", len(f.Bytes()), g)
		}
	}
	if _, err := NewView(Geometry{classicGeometry{9, 1}}, Hasher{}, []byte{0}); err == nil {
		t.Error("viewed one byte as 9 bits")
	}
	if _, err := NewView(Geometry{classicGeometry{9, 1}}, Hasher{}, []byte{0, 2}); err == nil {
		t.Error("viewed a bit above m")
	}
}

func TestFullAndClearedFilters(t *testing.T) {
	f := mustGeometry(t, 20000, 3)
	if f.PredictedFPR() != 0 || f.Fill() != 0 {
		t.Error("an empty filter predicts false positives")
	}
	for i := range f.core.bytes {
		f.core.bytes[i] = 0xff
	}
	if _, known := f.EstimatedCount(); known || f.PredictedFPR() != 1 || f.Fill() != 1 || !f.Contains(nil) {
		t.Error("a full filter must contain everything and know no count")
	}
	f.Clear()
	if f.Contains(nil) || f.core.used() != 0 || f.KeyCount() != 0 {
		t.Error("a cleared filter contains something")
	}
}

func TestLookupsAndAddsDoNotAllocate(t *testing.T) {
	keys, answers := numbered("key with some more bytes than thirty-two ", 100), make([]bool, 100)
	for _, hasher := range allHashers(t) {
		f := mustCapacity(t, 1000, 0.01, hasher)
		if n := testing.AllocsPerRun(10, func() {
			f.Add(keys[0])
			f.Contains(keys[1])
			f.AddMany(keys)
			f.ContainsMany(keys, answers)
		}); n != 0 {
			t.Errorf("%v: %g allocations", hasher.ID(), n)
		}
	}
}

func TestZeroValuesAnswerMaybe(t *testing.T) {
	var f Filter
	answers := make([]bool, 3)
	f.Add([]byte("a"))
	f.AddUint64(1)
	f.AddUint64s([]uint64{1})
	f.AddHashes([]Hash{1})
	f.AddMany(numbered("key", 3))
	f.ContainsMany(numbered("key", 3), answers)
	if !f.Contains([]byte("b")) || !answers[2] {
		t.Error("a filter without bits denies a key")
	}
	if _, err := f.File(Raw); err == nil {
		t.Error("a filter without bits was made a file")
	}
}
