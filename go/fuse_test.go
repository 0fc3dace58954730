package bloomery

// The tests in this file hold fuse filters to the golden data of spec/vectors, and
// to what every set of keys is promised.

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/zeebo/xxh3"
)

type fuseRowOfVectors struct {
	Arity           uint32
	FingerprintBits uint32 `json:"fingerprint_bits"`
	Parts           uint64
	Window          uint64
	Slots           uint64
	Keys            uint64

	N            uint64
	BitsPerKey   float64 `json:"bits_per_key"`
	FPR          float64
	Hash         string
	Seed         byte
	Part         uint64
	Places       []uint64
	Fingerprint  uint16
	First, Count uint64
	Name         string
	Hashes       []string
	Seeds        []int
	Hex, XXH3    string
}

func (r fuseRowOfVectors) geometry() fuseGeometry {
	return fuseGeometry{r.Arity, r.FingerprintBits, r.Parts, r.Window, r.Slots, r.Keys}
}

type fuseVectors struct {
	Places, Parts, Payloads, Hashes, Sizing []fuseRowOfVectors
	BitsPerKey                              []fuseRowOfVectors `json:"bits_per_key"`
	Refused                                 []struct {
		N   uint64
		FPR string
	}
	RefusedBits []fuseRowOfVectors `json:"refused_bits_per_key"`
}

func readFuse(t *testing.T) (v fuseVectors) {
	t.Helper()
	readVectors(t, "fuse.json", &v)
	for _, rows := range [][]fuseRowOfVectors{v.Places, v.Parts, v.Payloads, v.Hashes, v.Sizing, v.BitsPerKey, v.RefusedBits} {
		if len(rows) == 0 {
			t.Fatal("no rows")
		}
	}
	return v
}

func mustFuse(t testing.TB, keys [][]byte, fpr float64) *FuseFilter {
	t.Helper()
	f, err := BuildFuse(keys, fpr)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFusePlacesEqualTheGoldenOnes(t *testing.T) {
	for _, row := range readFuse(t).Places {
		probe, h := newFuseProbe(row.geometry()), Hash(unhex64(t, row.Hash))
		slots := probe.places(h, fuseFactor(row.Parts, row.Seed))
		for i, want := range row.Places {
			if slots[i] != want {
				t.Errorf("%+v: slots %v", row, slots)
			}
		}
		if probe.part(h) != row.Part || probe.fingerprint(h) != row.Fingerprint {
			t.Errorf("%+v: part %d, fingerprint %d", row, probe.part(h), probe.fingerprint(h))
		}
	}
}

func TestFuseSizesEqualTheGoldenOnes(t *testing.T) {
	v := readFuse(t)
	for _, row := range v.Parts {
		if window, slots := fuseWindowAndSlots(row.N, row.Arity); window != row.Window || slots != row.Slots {
			t.Errorf("%d keys: window %d, slots %d", row.N, window, slots)
		}
	}
	for _, row := range v.Sizing {
		if g, err := fuseForCapacity(row.N, row.FPR, row.Arity); err != nil || g != row.geometry() {
			t.Errorf("%+v: %+v, %v", row, g, err)
		}
	}
	for _, row := range v.BitsPerKey {
		if g, err := fuseForBits(row.N, row.BitsPerKey, 3); err != nil || g != row.geometry() {
			t.Errorf("%+v: %+v, %v", row, g, err)
		}
	}
	for _, row := range v.Refused {
		fpr, err := strconv.ParseFloat(row.FPR, 64)
		if err != nil {
			t.Fatal(err)
		}
		if g, err := fuseForCapacity(row.N, fpr, 3); err == nil {
			t.Errorf("%+v is not refused: %+v", row, g)
		}
	}
	for _, row := range v.RefusedBits {
		if g, err := fuseForBits(row.N, row.BitsPerKey, 3); err == nil {
			t.Errorf("%+v is not refused: %+v", row, g)
		}
	}
}

func TestFusePayloadsEqualTheGoldenOnes(t *testing.T) {
	v := readFuse(t)
	for _, row := range append(v.Payloads, v.Hashes...) {
		var hashes []Hash
		for i := uint64(0); i < row.Count; i++ {
			hashes = append(hashes, Hash(splitMix64(row.First+i)))
		}
		for _, text := range row.Hashes {
			hashes = append(hashes, Hash(unhex64(t, text)))
		}
		hashes = sortedDistinct(hashes)
		g, data, err := buildFuse(hashes, row.geometry(), row.Parts)
		if err != nil || g != row.geometry() {
			t.Errorf("%d of %d %s: built %+v, want %+v (%v)", row.Count, row.First, row.Name, g, row.geometry(), err)
			continue
		}
		if row.Hex != hex.EncodeToString(data) && row.XXH3 != fmt.Sprintf("%016x", xxh3.Hash(data)) {
			t.Errorf("%d of %d %s: other bytes", row.Count, row.First, row.Name)
		}
		cut, _ := splitParts(hashes, g.Parts)
		byWideWords := make([]byte, len(data))
		if solved, err := solveFuseBy[uint64](cut, g, byWideWords); !solved || !bytes.Equal(byWideWords, data) {
			t.Errorf("%d of %d %s: other bytes by wide words (%v)", row.Count, row.First, row.Name, err)
		}
		b := newCore(g, data, Hasher{})
		sum := uint64(0)
		for _, seed := range row.Seeds {
			sum += uint64(seed)
		}
		if retries := g.retries(data); retries != sum {
			t.Errorf("%s: %d retries", row.Name, retries)
		}
		for _, h := range hashes {
			if !b.contains(h) {
				t.Fatalf("%s: %x is absent", row.Name, h)
			}
		}
	}
}

func TestManyHashesAreSorted(t *testing.T) {
	hashes := make([]Hash, 20000)
	for i := range hashes {
		hashes[i] = Hash(splitMix64(uint64(i/2))) >> (i / 2 % 60)
	}
	sorted := sortedDistinct(hashes)
	for i := range sorted[1:] {
		if sorted[i] >= sorted[i+1] {
			t.Fatalf("%x comes before %x", sorted[i], sorted[i+1])
		}
	}
	if len(sorted) < 9000 || len(sorted) > 10000 {
		t.Errorf("%d are left", len(sorted))
	}
}

func TestEverySmallSetIsBuilt(t *testing.T) {
	for n := 0; n < 70; n++ {
		keys := numbered("key", n)
		for _, fpr := range []float64{0.01, 0.0001} {
			f := mustFuse(t, append(keys, keys...), fpr)
			answers, hits := make([]bool, 4000), 0
			f.ContainsMany(keys, answers)
			for i, key := range keys {
				if !answers[i] || !f.Contains(key) {
					t.Fatalf("n %d: %s is absent", n, key)
				}
			}
			for _, key := range numbered("miss", 1000) {
				if f.Contains(key) {
					hits++
				}
			}
			if count, known := f.EstimatedCount(); !known || count != uint64(n) || f.KeyCount() != uint64(n) || hits > 20 {
				t.Errorf("n %d: %d keys, %d of 1000 absent ones are maybe", n, count, hits)
			}
		}
	}
}

func TestAFuseFilterIsReadAndTakesNoMoreKeys(t *testing.T) {
	keys := numbered("key", 500)
	f := mustFuse(t, keys, 0.004)
	file, err := f.File()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(bytesOfFile(t, file))
	if err != nil || again.Geometry() != f.Geometry() || again.KeyCount() != 500 || !bytes.Equal(again.core.bytes, f.Bytes()) {
		t.Fatalf("came back as %+v (%v)", again, err)
	}
	if _, err := again.Filter(); !errors.Is(err, ErrUnsupported) {
		t.Error("a fuse filter was made one that takes keys")
	}
	if _, err := NewWithGeometry(f.Geometry()); err == nil {
		t.Error("an empty fuse filter was made")
	}
	view, err := again.View()
	if err != nil || !view.Contains(keys[499]) {
		t.Errorf("a key is gone (%v)", err)
	}
	if _, err := BuildFuse(keys, 1e-5); err == nil {
		t.Error("a rate out of reach was not refused")
	}
	if n := testing.AllocsPerRun(3, func() { view.Contains(keys[0]) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
	for i, bad := range [][8]uint64{{2, 8, 1, 4, 20, 10}, {5, 8, 1, 4, 20, 10}, {1<<32 | 3, 8, 1, 4, 20, 10}, {3, 7, 1, 4, 20, 10}, {3, 8, 0, 4, 20, 10},
		{3, 8, 1<<32 + 1, 4, 20, 10}, {3, 8, 1, 3, 20, 10}, {3, 8, 1, 0, 20, 10}, {3, 8, 1, 1 << 17, 1 << 30, 10}, {3, 8, 1, 4, 8, 1},
		{3, 8, 1, 4, 1<<48 + 1, 10}, {3, 8, 1, 4, 20, 21}} {
		if g, err := checkedLayout(Fuse, bad); err == nil {
			t.Errorf("%d: %+v is taken", i, g)
		}
	}
}
