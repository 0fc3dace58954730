package bloomery

// The tests in this file use what goroutines may share from many at once. They hold
// little by themselves: tests/race/go.sh runs them under the race detector.

import (
	"bytes"
	"sync"
	"testing"
)

// atOnce calls f on many goroutines, with their numbers.
func atOnce(goroutines int, f func(number uint64)) {
	var done sync.WaitGroup
	for i := 0; i < goroutines; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			f(uint64(i))
		}()
	}
	done.Wait()
}

func TestFilesOfEveryKindAreSharedByReaders(t *testing.T) {
	seen := map[Kind]bool{}
	for _, row := range readKinds(t) {
		kind := must[Kind](t)(ParseKind(row.Kind))
		if seen[kind] || row.Secret != nil {
			continue
		}
		seen[kind] = true
		data := unhex(t, row.Hex)
		file := must[*File](t)(Parse(data))
		atOnce(4, func(uint64) {
			view := must[View](t)(file.View())
			keys := numbered("key", row.Keys)
			answers := make([]bool, len(keys))
			view.ContainsMany(keys, answers)
			for i, key := range keys {
				if view.Contains(key) != answers[i] {
					t.Errorf("%v: %s is answered otherwise in a batch", file, key)
				}
			}
			view.EstimatedCount()
			var wire bytes.Buffer
			if _, err := file.WriteTo(&wire); err != nil || !bytes.Equal(wire.Bytes(), data) || file.Verify() != nil || view.PredictedFPR() > 1 || view.Fill() > 1 || file.String() == "" {
				t.Errorf("%v: %v", file, err)
			}
		})
	}
	if len(seen) != len(Kinds()) {
		t.Errorf("only %d kinds were read", len(seen))
	}
}

func TestAFilterThatNobodyChangesIsSharedByReaders(t *testing.T) {
	f, hashes := must[*Filter](t)(New(1000, 0.01)), stream(1, 1000)
	f.AddHashes(hashes)
	atOnce(4, func(uint64) {
		clone := must[*Filter](t)(f.Clone())
		if !clone.Equal(f) {
			t.Error("a clone is another filter")
		}
		clone.AddUint64(1)
		wantAll(t, f.View, hashes)
		encoded(t, f, Envelope)
	})
}

func TestSharedFiltersDoEverythingAtOnce(t *testing.T) {
	for _, g := range shareableLayouts() {
		shared, other, plain := mustShare(t, g), mustShare(t, g), mustNew(t, g)
		plain.AddHashes(stream(1<<30, 10))
		atOnce(6, func(number uint64) {
			answers := make([]bool, 20)
			for i := uint64(0); i < 20; i++ {
				hashes := stream(1000*number+20*i, 20)
				switch number {
				case 0:
					if err := shared.Merge(plain.View); err != nil {
						t.Error(err)
					}
				case 1:
					if err := shared.MergeShared(other); err != nil {
						t.Error(err)
					}
				case 2:
					must[*Filter](t)(shared.Copy())
				case 3:
					shared.ContainsHashes(hashes, answers)
					shared.AddMany(numbered("key", 20))
				}
				for _, h := range hashes {
					shared.AddHash(h)
					other.AddHashOnce(h)
					if !shared.ContainsHash(h) || !other.ContainsHash(h) {
						t.Errorf("%v: a key is denied", shared)
					}
				}
			}
		})
		other.Clear()
	}
}

// A filter merged with one that does not say what its keys are does not say it either.
func TestMergesAtOnceAgreeOnWhatTheKeysAre(t *testing.T) {
	typed := func(keys string) *Shared {
		file := must[*File](t)(must[*Filter](t)(New(10, 0.1)).File(Envelope))
		if err := file.SetKeyType(keys); err != nil {
			t.Fatal(err)
		}
		return must[*Shared](t)(Share(must[*Filter](t)(file.Filter())))
	}
	for round := 0; round < 300; round++ {
		shared, others := typed("int"), []*Shared{typed("int"), typed(""), typed("int"), typed("int")}
		atOnce(len(others), func(number uint64) {
			if err := shared.MergeShared(others[number]); err != nil {
				t.Error(err)
			}
		})
		merged := must[*File](t)(must[*Filter](t)(shared.Copy()).File(Envelope))
		if merged.KeyType() != "" {
			t.Fatalf("the keys are %s", merged.KeyType())
		}
	}
}
