package bloomery

// The tests in this file hold the readers of partitioned, counting, cuckoo, quotient,
// ribbon, scalable and stable filters to the golden data of spec/vectors.

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

func TestCountingEqualsTheGoldenData(t *testing.T) {
	var v struct {
		Streams []struct {
			M              uint64
			K              uint32
			CounterBits    uint32 `json:"counter_bits"`
			Added, Removed [2]uint64
			XXH3           string
			Set            uint64 `json:"counters_set"`
			Counts         []uint32
		}
		Invalid []struct {
			Words      []uint64
			PayloadHex string `json:"payload_hex"`
			Why        string
		}
	}
	readVectors(t, "counting.json", &v)
	for _, row := range v.Streams {
		g := countingGeometry{row.M, row.K, row.CounterBits}
		payload := make([]byte, g.byteLen())
		changeCounters(g, payload, stream(row.Added[0], row.Added[1]), true)
		changeCounters(g, payload, stream(row.Removed[0], row.Removed[1]), false)
		if !samePayload(payload, "", row.XXH3) {
			t.Errorf("%+v: other bytes", row)
		}
		view := viewOf(t, g, payload)
		if used := g.used(payload); used != row.Set {
			t.Errorf("%+v: %d counters are used", row, used)
		}
		wantAll(t, view, stream(row.Added[0]+row.Removed[1], row.Added[1]-row.Removed[1]))
		for i, h := range stream(row.Added[0], 8) {
			if view.ContainsHash(h) != (row.Counts[i] != 0) {
				t.Errorf("%+v: answers %d wrongly", row, i)
			}
		}
		wantRate(t, view)
	}
	for _, row := range v.Invalid {
		var words [8]uint64
		copy(words[:], row.Words)
		g, err := checkedLayout(Counting, words)
		if err == nil {
			err = checkBits(Geometry{g}, unhex(t, row.PayloadHex))
		}
		if err == nil {
			t.Errorf("not refused: %s", row.Why)
		}
	}
	if len(v.Streams) < 10 || len(v.Invalid) < 10 {
		t.Error("rows are missing")
	}
}

func TestCuckooEqualsTheGoldenData(t *testing.T) {
	var v struct {
		Places []struct {
			Hash                       string
			Buckets                    uint64
			Bits                       uint32 `json:"fingerprint_bits"`
			Fingerprint, First, Second uint64
		}
		Payloads []struct {
			Buckets                 uint64
			Bits                    uint32 `json:"fingerprint_bits"`
			Offered, Removed, Again int
			Taken                   uint64
			Hex, XXH3               string
		}
		Sizing []struct {
			N, Buckets uint64
			Bits       uint32 `json:"fingerprint_bits"`
			Rate       string `json:"predicted_fpr"`
		}
	}
	readVectors(t, "cuckoo.json", &v)
	for _, row := range v.Places {
		p := newCuckooProbe(cuckooGeometry{row.Buckets, row.Bits}, nil)
		if f, one, two := p.places(Hash(unhex64(t, row.Hash))); f != row.Fingerprint || one != row.First || two != row.Second {
			t.Errorf("%+v: %d, %d, %d", row, f, one, two)
		}
	}
	for _, row := range v.Payloads {
		g := cuckooGeometry{row.Buckets, row.Bits}
		payload := make([]byte, g.byteLen())
		writer := cuckooWriter{newCuckooProbe(g, payload)}
		var in []Hash
		for _, h := range stream(1, uint64(row.Offered)) {
			if writer.add(h) {
				in = append(in, h)
			}
		}
		for _, h := range in[:row.Removed] {
			writer.remove(h)
		}
		for _, h := range in[:row.Again] {
			writer.add(h)
		}
		if !samePayload(payload, row.Hex, row.XXH3) {
			t.Errorf("%+v: other bytes", row)
		}
		view := viewOf(t, g, payload)
		if taken, known := view.EstimatedCount(); !known || taken != row.Taken {
			t.Errorf("%+v: %d taken", row, taken)
		}
		wantAll(t, view, append(in[:row.Again:row.Again], in[row.Removed:]...))
		wantRate(t, view)
	}
	for _, row := range v.Sizing {
		if got := (cuckooGeometry{row.Buckets, row.Bits}).rateOf(nil, row.N); real4(got) != row.Rate {
			t.Errorf("%+v: predicts %s", row, real4(got))
		}
	}
	if len(v.Places) < 100 || len(v.Payloads) < 10 || len(v.Sizing) < 100 {
		t.Error("rows are missing")
	}
}

func TestQuotientEqualsTheGoldenData(t *testing.T) {
	type row struct {
		Stream                 [2]uint64
		Copies                 int
		Q                      uint32 `json:"quotient_bits"`
		R                      uint32 `json:"remainder_bits"`
		Hex, XXH3              string
		Hash                   string
		Quotient, Remainder    uint64
		Capacity, Slots, Bytes uint64
	}
	var v struct {
		Geometry, Payloads []row
		Example            row
		Refused            []struct {
			Q uint64 `json:"quotient_bits"`
			R uint64 `json:"remainder_bits"`
		}
		Fingerprints []row
	}
	readVectors(t, "quotient.json", &v)
	for _, row := range v.Fingerprints {
		p := newQuotientProbe(quotientGeometry{row.Q, row.R}, nil)
		fingerprint := unhex64(t, row.Hash) >> p.shift
		if fingerprint>>p.r != row.Quotient || fingerprint&p.mask != row.Remainder {
			t.Errorf("%+v: %x", row, fingerprint)
		}
	}
	for _, row := range v.Geometry {
		if g := (quotientGeometry{row.Q, row.R}); g.check() != nil || g.capacity() != row.Capacity || 64*g.blocks() != row.Slots || g.byteLen() != row.Bytes {
			t.Errorf("%+v: capacity %d, %d blocks, %d bytes", row, g.capacity(), g.blocks(), g.byteLen())
		}
	}
	for _, row := range v.Refused {
		if _, err := checkedLayout(Quotient, [8]uint64{row.Q, row.R}); err == nil {
			t.Errorf("%+v is not refused", row)
		}
	}
	for _, row := range append(v.Payloads, v.Example) {
		g := quotientGeometry{row.Q, row.R}
		var hashes []Hash
		distinct := map[Hash]bool{}
		for i, h := range stream(row.Stream[0], row.Stream[1]) {
			for copies := 1 + i%row.Copies; copies > 0; copies-- {
				hashes = append(hashes, h)
			}
			distinct[h>>(64-row.Q-row.R)] = true
		}
		payload := writeQuotient(g, hashes)
		if !samePayload(payload, row.Hex, row.XXH3) {
			t.Errorf("%+v: other bytes", row)
		}
		view := viewOf(t, g, payload)
		wantAll(t, view, hashes)
		for _, h := range stream(1<<40, 20000) {
			if view.ContainsHash(h) != distinct[h>>(64-row.Q-row.R)] {
				t.Fatalf("%+v: answers %x wrongly", row, h)
			}
		}
		if want := float64(len(distinct)) / fingerprints(g); view.PredictedFPR() != want {
			t.Errorf("%+v: predicts %g, want %g", row, view.PredictedFPR(), want)
		}
	}
	if len(v.Payloads) < 10 || len(v.Geometry) < 10 || len(v.Refused) < 10 {
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
		if row.Hex == "" {
			continue
		}
		view := viewOf(t, g, unhex(t, row.Hex))
		wantAll(t, view, stream(1, row.Geometry[0]))
		wantRate(t, view)
		asked++
	}
	for _, row := range v.Sizing {
		g, err := checkedLayout(Ribbon, row.Geometry)
		if err != nil || g.byteLen() != row.Bytes || fmt.Sprintf("%.3g", g.rateOf(nil, 0)) != row.Rate {
			t.Errorf("%+v: %d bytes, rate %.3g, %v", row, g.byteLen(), g.rateOf(nil, 0), err)
		}
	}
	if asked < 6 || len(v.Keys) < 10 || len(v.Layouts) < 10 || len(v.Sizing) < 100 {
		t.Error("rows are missing")
	}
}
