package bloomery

// The tests in this file hold the readers of counting, cuckoo and quotient filters, from
// which keys can be removed, to the golden data of spec/vectors.

import "testing"

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
