package bloomery

// The tests in this file hold the readers of partitioned, ribbon, scalable and stable
// filters to the golden data of spec/vectors.

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"testing"
)

// viewOf views a payload by hashes.
func viewOf(t testing.TB, g layout, payload []byte) View {
	t.Helper()
	if err := g.check(); err != nil {
		t.Fatalf("%v: %v", Geometry{g}, err)
	}
	return must[View](t)(NewView(Geometry{g}, Hasher{}, payload))
}

// samePayload compares with the hex or the XXH3 of the golden data.
func samePayload(payload []byte, hexText, sum string) bool {
	if hexText != "" {
		return hex.EncodeToString(payload) == hexText
	}
	return fmt.Sprintf("%016x", checksumOf(payload)) == sum
}

// wantAll fails for the first hash that a view denies, one by one or in a batch.
func wantAll(t testing.TB, v View, hashes []Hash) {
	t.Helper()
	answers := make([]bool, len(hashes))
	v.ContainsHashes(hashes, answers)
	for i, h := range hashes {
		if !v.ContainsHash(h) || !answers[i] {
			t.Fatalf("%v: hash %d, %x, is denied", v, i, h)
		}
	}
}

// wantRate holds the rate over random hashes to the predicted one, from few hits on loosely.
func wantRate(t testing.TB, v View) {
	t.Helper()
	const asked = 20000
	hits := uint64(0)
	for _, h := range stream(1<<40, asked) {
		if v.ContainsHash(h) {
			hits++
		}
	}
	low, high := wilson(hits, asked)
	if rate := v.PredictedFPR(); rate < low/1.3-1e-5 || rate > high*1.3+1e-5 {
		t.Errorf("%v: predicts %.3g, measured %.3g to %.3g", v, rate, low, high)
	}
}

func TestPartitionedEqualsTheGoldenData(t *testing.T) {
	var v struct {
		Positions []struct {
			Hash      string
			SliceBits uint64 `json:"slice_bits"`
			Positions []string
		}
		Payloads []struct {
			Stream    [2]uint64
			SliceBits uint64 `json:"slice_bits"`
			K         uint32
			XXH3      string
		}
	}
	readVectors(t, "partitioned.json", &v)
	for _, row := range v.Positions {
		p := newPartitionedProbe(partitionedGeometry{row.SliceBits, 30}, nil)
		for i, want := range row.Positions {
			if got := p.place(Hash(unhex64(t, row.Hash)), uint64(i)); strconv.FormatUint(got, 10) != want {
				t.Errorf("%s in slices of %d: bit %d is %d, want %s", row.Hash, row.SliceBits, i, got, want)
			}
		}
	}
	for _, row := range v.Payloads {
		g, hashes := partitionedGeometry{row.SliceBits, row.K}, stream(row.Stream[0], row.Stream[1])
		payload := writePartitioned(g, hashes)
		if !samePayload(payload, "", row.XXH3) {
			t.Errorf("%+v: other bytes", row)
		}
		view := viewOf(t, g, payload)
		wantAll(t, view, hashes)
		wantRate(t, view)
		if n, known := view.EstimatedCount(); row.Stream[1] > 1000 && (!known || n < 9800 || n > 10200) {
			t.Errorf("%+v: estimates %d", row, n)
		}
	}
	if len(v.Positions) < 30 || len(v.Payloads) < 5 {
		t.Error("rows are missing")
	}
}

func TestScalableEqualsTheGoldenData(t *testing.T) {
	type row struct {
		First, Growth  uint64
		FPR            float64
		Stream         [2]uint64
		Words          [6]uint64
		Hex, XXH3      string
		Rate           string `json:"predicted_fpr"`
		PayloadByteLen uint64 `json:"bytes"`
	}
	var v struct {
		Payloads []row
		Example  row
	}
	readVectors(t, "scalable.json", &v)
	for _, row := range append(v.Payloads, v.Example) {
		c, hashes := newChain(row.First, row.Growth, row.Words[5]), stream(row.Stream[0], row.Stream[1])
		for _, h := range hashes {
			c.add(h)
		}
		payload := c.payload()
		if w := row.Words; c.g != (scalableGeometry{w[0], w[1], w[2], w[3], w[4], w[5]}) || !samePayload(payload, row.Hex, row.XXH3) {
			t.Errorf("%+v: made %+v", row, c.g)
		}
		view := viewOf(t, c.g, payload)
		wantAll(t, view, hashes)
		if row.Rate != "" && real4(view.PredictedFPR()) != row.Rate {
			t.Errorf("%+v: predicts %s", row, real4(view.PredictedFPR()))
		}
		for at := 0; at < 32*int(c.g.Links); at += 8 { // the directory is held to the geometry, but for the counts
			if at%32 == 24 {
				continue
			}
			payload[at+7] ^= 0x80
			if c.g.checkPayload(payload) == nil {
				t.Errorf("%+v: a directory with another word at %d is taken", row, at)
			}
			payload[at+7] ^= 0x80
		}
	}
	if len(v.Payloads) < 8 {
		t.Error("rows are missing")
	}
}

func TestStableEqualsTheGoldenData(t *testing.T) {
	type row struct {
		Words     [3]uint64
		Stream    [2]uint64
		Seen      int `json:"seen_recently"`
		Hex, XXH3 string
	}
	var v struct {
		Payloads []row
		Example  row
	}
	readVectors(t, "stable.json", &v)
	for _, row := range v.Payloads {
		g, hashes := stableGeometry{row.Words[0], uint32(row.Words[1]), uint32(row.Words[2])}, stream(row.Stream[0], row.Stream[1])
		payload := writeStable(g, hashes)
		if !samePayload(payload, row.Hex, row.XXH3) {
			t.Errorf("%+v: other bytes", row)
		}
		view, seen := viewOf(t, g, payload), 0
		for _, h := range hashes {
			if view.ContainsHash(h) {
				seen++
			}
		}
		if seen != row.Seen {
			t.Errorf("%+v: %d are seen", row, seen)
		}
		remembered := min(len(hashes), int(2*256*g.Lines/uint64(g.Decrement)))
		wantAll(t, view, hashes[len(hashes)-remembered:])
		wantRate(t, view)
		payload[63] = 1
		if g.checkPayload(payload) == nil {
			t.Errorf("%+v: a strange header is taken", row)
		}
	}
	if len(v.Payloads) < 9 || !samePayload(writeStable(stableGeometry{v.Example.Words[0], uint32(v.Example.Words[1]), uint32(v.Example.Words[2])},
		stream(v.Example.Stream[0], v.Example.Stream[1])), v.Example.Hex, "") {
		t.Error("rows are missing, or the example has other bytes")
	}
}

func TestRibbonEqualsTheGoldenData(t *testing.T) {
	var v struct {
		Keys []struct {
			Hash, Place, Coefficients, Fingerprint string
			Seed                                   uint64
		}
		Layouts []struct {
			Starts, Columns, Cut, Bytes, Slots uint64
			LowShare                           uint64 `json:"low_share"`
			Windows                            [][3]uint64
		}
		Payloads []struct {
			Hashes    string
			Geometry  [8]uint64
			Bytes     uint64
			Hex, XXH3 string
		}
		Sizing []struct {
			Geometry [8]uint64
			Bytes    uint64
			Rate     string `json:"predicted_fpr"`
		}
	}
	readVectors(t, "ribbon.json", &v)
	for _, row := range v.Keys {
		p := &ribbonProbe{seed: row.Seed}
		place := p.place(Hash(unhex64(t, row.Hash)))
		coefficients := splitMix64(place)
		fingerprint := uint64(0)
		for i := 0; i < 32; i++ {
			fingerprint |= ribbonFingerprint(coefficients) >> (8*(i%8) + i/8) & 1 << i
		}
		if place != unhex64(t, row.Place) || coefficients != unhex64(t, row.Coefficients) || fingerprint != unhex64(t, row.Fingerprint) {
			t.Errorf("%+v: %x %x %x", row, place, coefficients, fingerprint)
		}
	}
	for _, row := range v.Layouts {
		l := newRibbonLayer(8*(row.Starts+ribbonGap), row.Columns, row.LowShare, 0)
		if l.starts != row.Starts || l.cut != row.Cut || len(row.Windows) > 0 && (l.byteLen() != row.Bytes || l.slots() != row.Slots) {
			t.Errorf("%+v: %+v, %d bytes, %d slots", row, l, l.byteLen(), l.slots())
		}
		for _, window := range row.Windows {
			if at, columns := l.window(window[0]); columns != window[1] || at != window[2] {
				t.Errorf("%+v: window %d has %d columns at %d", row, window[0], columns, at)
			}
		}
	}
	asked := 0
	for _, row := range v.Payloads {
		g, err := checkedLayout(Ribbon, row.Geometry)
		if err != nil || g.byteLen() != row.Bytes {
			t.Errorf("%+v: %v", row, err)
			continue
		}
		hashes := stream(1, row.Geometry[0])
		for i := range hashes {
			switch row.Hashes {
			case "counted":
				hashes[i] = Hash(i)
			case "spaced":
				hashes[i] = Hash(i) << 44
			}
		}
		made, payload := writeRibbon(hashes, row.Geometry[1], row.Geometry[2], row.Geometry[3])
		if layout(made) != g || !samePayload(payload, row.Hex, row.XXH3) {
			t.Errorf("%+v: made %v", row, Geometry{made})
			continue
		}
		view := viewOf(t, g, payload)
		wantAll(t, view, hashes)
		wantRate(t, view)
		asked++
	}
	for _, row := range v.Sizing {
		g, err := checkedLayout(Ribbon, row.Geometry)
		if err != nil || g.byteLen() != row.Bytes || fmt.Sprintf("%.3g", g.rateOf(nil, 0)) != row.Rate {
			t.Errorf("%+v: %d bytes, rate %.3g, %v", row, g.byteLen(), g.rateOf(nil, 0), err)
		}
	}
	if asked < 15 || len(v.Keys) < 10 || len(v.Layouts) < 10 || len(v.Sizing) < 100 {
		t.Error("rows are missing")
	}
}
