package bloomery

// The tests in this file hold split and block filters to the golden data of
// spec/vectors, and to the promises of every filter.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
)

type blockedVectors struct {
	SplitPayloads []payloadRow `json:"split_payloads"`
	BlockPayloads []payloadRow `json:"block_payloads"`
	Split         []placeRow
	Block         []placeRow
	SplitSizing   []sizeRow `json:"split_sizing"`
	BlockSizing   []sizeRow `json:"block_sizing"`
	BitsPerKey    []sizeRow `json:"bits_per_key"`
	Files         []struct {
		Kind, Hash   string
		Blocks       uint64
		K            uint32
		Seed, Secret *string
		KeyCount     *uint64 `json:"key_count"`
		Keys         int
		Maybes       []string
		Hex          string
	}
	Invalid []struct{ Why, Hex string }
}

type payloadRow struct {
	Stream  [2]uint64
	Nblocks uint64
	K       uint32
	SHA256  string
	Rate    string `json:"predicted_fpr"`
}

type placeRow struct {
	Hash         string
	Nblocks      uint64
	Block        uint64
	Positions    []int
	PositionsK16 []int `json:"positions_k16"`
}

type sizeRow struct {
	N           uint64
	FPR         float64
	BitsPerKey  float64 `json:"bits_per_key"`
	SplitBlocks *uint64 `json:"split_blocks"`
	Blocks      *uint64
	K           uint32
}

func TestBlockedPayloadsAndTheirRatesEqualTheGoldenOnes(t *testing.T) {
	var v blockedVectors
	readVectors(t, "blocked.json", &v)
	check := func(g layout, row payloadRow) {
		f := mustNew(t, g)
		for i := uint64(0); i < row.Stream[1]; i++ {
			h := Hash(splitMix64(row.Stream[0] + i))
			f.AddHash(h)
			if !f.ContainsHash(h) || f.AddHash(h) {
				t.Fatalf("%+v: hash %d is not there once added", g, i)
			}
		}
		if sum := sha256.Sum256(f.Bytes()); hex.EncodeToString(sum[:]) != row.SHA256 {
			t.Errorf("%+v: payload is %x", g, sum)
		}
		if rate := f.PredictedFPR(); real4(rate) != row.Rate {
			t.Errorf("%+v: predicted %.4g, want %s", g, rate, row.Rate)
		}
	}
	for _, row := range v.SplitPayloads {
		check(splitGeometry{row.Nblocks}, row)
	}
	for _, row := range v.BlockPayloads {
		check(blockGeometry{row.Nblocks, row.K}, row)
	}
	if len(v.SplitPayloads) == 0 || len(v.BlockPayloads) == 0 {
		t.Error("no rows")
	}
}

func TestBlockedPlacesEqualTheGoldenOnes(t *testing.T) {
	var v blockedVectors
	readVectors(t, "blocked.json", &v)
	places := func(block []byte, wanted []int) bool {
		got := make([]byte, len(block))
		for _, p := range wanted {
			got[p>>3] |= 1 << (p & 7)
		}
		return bytes.Equal(got, block)
	}
	for _, row := range v.Split {
		h, probe, block := Hash(unhex64(t, row.Hash)), splitProbe{row.Nblocks}, make([]byte, splitBlockLen)
		(&splitProbe{1}).add(block, h)
		if probe.offset(h) != splitBlockLen*row.Block || !places(block, row.Positions) {
			t.Errorf("split %+v: offset %d, block %x", row, probe.offset(h), block)
		}
	}
	for _, row := range v.Block {
		h, probe, block := Hash(unhex64(t, row.Hash)), blockProbe{row.Nblocks, 16}, make([]byte, blockBlockLen)
		(&blockProbe{1, 16}).add(block, h)
		if probe.offset(h) != blockBlockLen*row.Block || !places(block, row.PositionsK16) {
			t.Errorf("block %+v: offset %d, block %x", row, probe.offset(h), block)
		}
	}
	if len(v.Split) == 0 || len(v.Block) == 0 {
		t.Error("no rows")
	}
}

func TestBlockedSizesEqualTheGoldenOnes(t *testing.T) {
	var v blockedVectors
	readVectors(t, "blocked.json", &v)
	split := func(got splitGeometry, err error, blocks *uint64, row sizeRow) {
		if (err == nil) != (blocks != nil) || err == nil && got.Blocks != *blocks {
			t.Errorf("split of %d keys, %g, %g: %v, %v", row.N, row.FPR, row.BitsPerKey, got, err)
		}
	}
	block := func(got blockGeometry, err error, row sizeRow) {
		if err != nil || got != (blockGeometry{*row.Blocks, row.K}) {
			t.Errorf("block of %d keys, %g, %g: %v, %v", row.N, row.FPR, row.BitsPerKey, got, err)
		}
	}
	for _, row := range v.SplitSizing {
		got, err := splitForCapacity(row.N, row.FPR)
		split(got, err, row.Blocks, row)
	}
	for _, row := range v.BlockSizing {
		got, err := blockForCapacity(row.N, row.FPR)
		block(got, err, row)
	}
	for _, row := range v.BitsPerKey {
		splitBits, err := splitForBits(row.N, row.BitsPerKey)
		split(splitBits, err, row.SplitBlocks, row)
		blockBits, err := blockForBits(row.N, row.BitsPerKey)
		block(blockBits, err, row)
	}
	if len(v.SplitSizing) < 20 || len(v.BlockSizing) < 20 || len(v.BitsPerKey) == 0 {
		t.Error("too few rows")
	}
}

func TestBlockedFilesEqualTheGoldenOnes(t *testing.T) {
	var v blockedVectors
	readVectors(t, "blocked.json", &v)
	for i, row := range v.Files {
		data := unhex(t, row.Hex)
		var options []OpenOption
		if row.Secret != nil {
			options = append(options, WithSecret(secretOf(t, *row.Secret)))
		}
		file, err := Parse(data, options...)
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		f, err := file.Filter()
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if f.Kind().String() != row.Kind || f.Hasher().ID().String() != row.Hash || (f.KeyCount() == UnknownKeys) != (row.KeyCount == nil) {
			t.Errorf("%d: read as %v %v of %d keys", i, f.Kind(), f.Hasher().ID(), f.KeyCount())
		}
		maybes := map[string]bool{}
		for _, key := range row.Maybes {
			maybes[key] = true
		}
		for _, key := range numbered("miss", 20) {
			if f.Contains(key) != maybes[string(key)] {
				t.Errorf("%d: answers %s wrongly", i, key)
			}
		}
		f.Clear()
		f.AddMany(numbered("key", row.Keys))
		f.keys = file.KeyCount()
		built, err := f.File(Envelope)
		if err != nil || !bytes.Equal(bytesOfFile(t, built), data) {
			t.Errorf("%d: built again it differs (%v)", i, err)
		}
		if _, err := f.File(Raw); err == nil {
			t.Errorf("%d: %s was made a raw file", i, row.Kind)
		}
	}
	for _, row := range v.Invalid {
		_, err := Parse(unhex(t, row.Hex))
		var format *FormatError
		if !errors.As(err, &format) {
			t.Errorf("%s: error is %v", row.Why, err)
		}
	}
	if len(v.Files) < 10 || len(v.Invalid) < 10 {
		t.Error("too few rows")
	}
}

func TestFiltersOfEveryKindKeepTheirPromises(t *testing.T) {
	keys, absent := numbered("key", 3000), numbered("miss", 30000)
	for _, kind := range []Kind{Classic, Split, Block} {
		g := must[Geometry](t)(GeometryForCapacity(uint64(len(keys)), 0.01, WithKind(kind))).of
		one, many := mustNew(t, g), mustNew(t, g)
		for _, key := range keys {
			one.Add(key)
		}
		many.AddMany(keys)
		if !one.Equal(many) || one.KeyCount() != many.KeyCount() {
			t.Errorf("%v: AddMany differs from Add", kind)
		}
		answers, hits := make([]bool, len(absent)), 0
		many.ContainsMany(keys, answers)
		for i, key := range keys {
			if !answers[i] || !many.Contains(key) {
				t.Fatalf("%v: %s is denied", kind, key)
			}
		}
		many.ContainsMany(absent, answers)
		for i, key := range absent {
			if answers[i] != many.Contains(key) {
				t.Fatalf("%v: ContainsMany differs from Contains", kind)
			}
			if answers[i] {
				hits++
			}
		}
		if rate := float64(hits) / float64(len(absent)); rate < 0.007 || rate > 0.013 {
			t.Errorf("%v: rate is %g", kind, rate)
		}
		if n, known := many.EstimatedCount(); !known || n < 2900 || n > 3100 {
			t.Errorf("%v: estimates %d keys", kind, n)
		}
		if n := testing.AllocsPerRun(3, func() { many.AddMany(keys); many.ContainsMany(keys, answers); many.Contains(keys[0]) }); n != 0 {
			t.Errorf("%v: %g allocations", kind, n)
		}
	}
}
