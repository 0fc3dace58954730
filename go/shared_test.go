package bloomery

// The tests in this file hold the promise of filters that goroutines share. Run them
// with `go test -race -run Shared`.

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// shareableLayouts have bits at every place of a word, and a last word cut short.
func shareableLayouts() []layout {
	return []layout{blockGeometry{7, 5}, blockGeometry{1, 16}, splitGeometry{5}, classicGeometry{1001, 7}, classicGeometry{1, 1}, classicGeometry{64, 3}, classicGeometry{20000, 4}}
}

func mustShare(t testing.TB, g layout) *Shared {
	t.Helper()
	return must[*Shared](t)(Share(mustNew(t, g)))
}

func TestASharedFilterHasTheBitsOfAPlainOne(t *testing.T) {
	for _, g := range shareableLayouts() {
		plain, shared := mustNew(t, g), mustShare(t, g)
		for i, h := range stream(1, 300) {
			if shared.ContainsHash(h) != plain.ContainsHash(h) || shared.AddHash(h) != plain.AddHash(h) || !shared.ContainsHash(h) {
				t.Fatalf("%v: hash %d is answered otherwise", plain, i)
			}
		}
		for _, key := range numbered("key", 9) {
			shared.Add(key)
			plain.Add(key)
		}
		shared.AddString("text")
		plain.AddString("text")
		shared.AddUint64s([]uint64{1, 2})
		plain.AddUint64s([]uint64{1, 2})
		shared.AddMany(numbered("many", 9))
		plain.AddMany(numbered("many", 9))
		if copied := must[*Filter](t)(shared.Copy()); !copied.Equal(plain) || copied.KeyCount() != UnknownKeys {
			t.Fatalf("%v: other bits than %v", copied, plain)
		}
		keys, answers, want := numbered("miss", 100), make([]bool, 100), make([]bool, 100)
		shared.ContainsMany(keys, answers)
		plain.ContainsMany(keys, want)
		for i := range keys {
			if answers[i] != want[i] || shared.Contains(keys[i]) != want[i] || shared.ContainsString(string(keys[i])) != want[i] {
				t.Fatalf("%v: %s is answered otherwise", plain, keys[i])
			}
		}
		numbers := []uint64{1, 2, 3, 4}
		shared.ContainsUint64s(numbers, answers)
		plain.ContainsUint64s(numbers, want)
		if !shared.ContainsUint64(1) || answers[2] != want[2] || answers[3] != want[3] || !answers[0] {
			t.Fatalf("%v: numbers are answered otherwise", plain)
		}
	}
}

func TestSharedAddsOfManyGoroutinesAllCount(t *testing.T) {
	const writers, each = 8, 3000
	for _, g := range shareableLayouts() {
		shared, plain := mustShare(t, g), mustNew(t, g)
		var done sync.WaitGroup
		var denied atomic.Uint64
		for w := uint64(0); w < writers; w++ {
			done.Add(1)
			go func() {
				defer done.Done()
				for i, h := range stream(1+w*each, each) {
					shared.AddHash(h)
					if !shared.ContainsHash(h) {
						denied.Add(1)
					}
					if i%1000 == 0 {
						if _, err := shared.Copy(); err != nil {
							t.Error(err)
						}
					}
				}
			}()
		}
		done.Wait()
		plain.AddHashes(stream(1, writers*each))
		if copied := must[*Filter](t)(shared.Copy()); denied.Load() != 0 || !bytes.Equal(copied.Bytes(), plain.Bytes()) {
			t.Errorf("%v: %d keys were denied, or bits were lost", plain, denied.Load())
		}
	}
}

func TestSharedAddOnceTellsExactlyOne(t *testing.T) {
	shared := must[*Shared](t)(NewShared(10000, 1e-6))
	var told [1000]atomic.Uint64
	var done sync.WaitGroup
	for w := 0; w < 8; w++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for i, key := range numbered("key", len(told)) {
				if shared.AddOnce(key) {
					told[i].Add(1)
				}
			}
		}()
	}
	done.Wait()
	for i := range told {
		if n := told[i].Load(); n != 1 {
			t.Errorf("key %d is new to %d", i, n)
		}
	}
}

func TestSharedFiltersMergeAndClear(t *testing.T) {
	for _, g := range shareableLayouts() {
		a, b, both := mustShare(t, g), mustShare(t, g), mustNew(t, g)
		hashes := stream(1, 40)
		for i, h := range hashes {
			both.AddHash(h)
			if i%2 == 0 {
				a.AddHash(h)
			} else {
				b.AddHash(h)
			}
		}
		other := must[*Filter](t)(b.Copy())
		merged := must[*Shared](t)(Share(must[*Filter](t)(a.Copy())))
		if err := errors.Join(merged.MergeShared(b), a.Merge(other.View)); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Shared{a, merged} {
			if copied := must[*Filter](t)(s.Copy()); !copied.Equal(both) {
				t.Errorf("%v: merged it is not the filter of both", s)
			}
		}
		a.Clear()
		if copied := must[*Filter](t)(a.Copy()); copied.Fill() != 0 {
			t.Errorf("%v: cleared it has %g", a, copied.Fill())
		}
		if err := a.Merge(mustNew(t, blockGeometry{99, 1}).View); !errors.Is(err, ErrMismatch) {
			t.Errorf("%v: merged with another geometry: %v", a, err)
		}
	}
}

func TestSharingTakesTheFilterOver(t *testing.T) {
	f := must[*Filter](t)(New(100, 0.01))
	f.AddString("a")
	shared := must[*Shared](t)(Share(f))
	if !shared.ContainsString("a") || f.Bytes() != nil {
		t.Errorf("%v is left of %v", f, shared)
	}
	if _, err := Share(f); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("shared twice: %v", err)
	}
	if n := testing.AllocsPerRun(5, func() { shared.AddString("b"); shared.ContainsString("c") }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
