package bloomery

// The tests in this file hold sizing and predictions to the golden data of
// spec/vectors.

import (
	"math"
	"strconv"
	"testing"
)

func TestSizingEqualsTheGoldenOne(t *testing.T) {
	var v struct {
		Classic []struct {
			N   uint64
			FPR float64
			M   uint64
			K   uint32
		}
		BitsPerKey []struct {
			N    uint64
			Bits float64 `json:"bits_per_key"`
			M    uint64
			K    uint32
		} `json:"bits_per_key"`
		Refused []struct {
			N        uint64
			FPR, Why string
		}
		Sampled []struct {
			Hits, Samples   uint64
			Rate, Low, High string
		}
	}
	readVectors(t, "sizing.json", &v)
	for _, row := range v.Classic {
		m := math.Ceil(-float64(row.N) * lnAccurate(row.FPR) / (ln2 * ln2))
		if got := (classicGeometry{uint64(m), bestK(m, row.N)}); got != (classicGeometry{row.M, row.K}) {
			t.Errorf("n %d, fpr %g: %+v, want m %d, k %d", row.N, row.FPR, got, row.M, row.K)
		}
		if plan, err := newPlan(row.N, row.FPR); err == nil && plan.classicGeometry != (classicGeometry{row.M, row.K}) {
			t.Errorf("n %d, fpr %g: planned %+v", row.N, row.FPR, plan)
		} else if err != nil && row.M <= 1<<32 {
			t.Errorf("n %d, fpr %g: %v", row.N, row.FPR, err)
		}
	}
	for _, row := range v.BitsPerKey {
		if got, err := classicForBits(row.N, row.Bits); err != nil || got != (classicGeometry{row.M, row.K}) {
			t.Errorf("n %d, %g bits per key: %+v, %v", row.N, row.Bits, got, err)
		}
	}
	for _, row := range v.Refused {
		fpr, err := strconv.ParseFloat(row.FPR, 64)
		if err != nil {
			t.Fatal(err)
		}
		if plan, err := newPlan(row.N, fpr); err == nil {
			t.Errorf("not refused: %s: %+v", row.Why, plan)
		}
	}
	for _, row := range v.Sampled {
		low, high := wilson(row.Hits, row.Samples)
		if real4(low) != row.Low || real4(high) != row.High {
			t.Errorf("%d of %d: %.4g to %.4g, want %s to %s", row.Hits, row.Samples, low, high, row.Low, row.High)
		}
	}
	if len(v.Classic) != 1000 {
		t.Errorf("%d rows", len(v.Classic))
	}
}

func TestPredictionsEqualTheGoldenOnes(t *testing.T) {
	type row struct {
		N, M    uint64
		K       uint32
		FPR     float64
		BitsHex string  `json:"bits_hex"`
		BitsSet uint64  `json:"bits_set"`
		Rate    string  `json:"predicted_fpr"`
		Count   *uint64 `json:"estimated_count"`
		Verdict string
	}
	var v struct{ Exact, Predicted, Plan []row }
	readVectors(t, "sizing.json", &v)
	for _, r := range v.Exact {
		view, err := NewView(Geometry{classicGeometry{r.M, r.K}}, Hasher{}, unhex(t, r.BitsHex))
		if err != nil || real4(view.PredictedFPR()) != r.Rate || view.core.used() != r.BitsSet {
			t.Errorf("m %d, k %d: predicted %.4g, want %s (%v)", r.M, r.K, view.PredictedFPR(), r.Rate, err)
		}
	}
	for _, r := range v.Predicted {
		g := classicGeometry{r.M, r.K}
		if got := g.rate(r.BitsSet); real4(got) != r.Rate {
			t.Errorf("%+v, %d bits set: predicted %.4g, want %s", g, r.BitsSet, got, r.Rate)
		}
		count, known := g.estimatedCount(r.BitsSet)
		if known != (r.Count != nil) || known && count != *r.Count {
			t.Errorf("%+v, %d bits set: estimated %d %v", g, r.BitsSet, count, known)
		}
	}
	for _, r := range v.Plan {
		g := classicGeometry{r.M, r.K}
		if got := g.fprAfter(r.N); real4(got) != r.Rate {
			t.Errorf("n %d, fpr %g: predicted %.4g, want %s", r.N, r.FPR, got, r.Rate)
		}
		plan, err := newPlan(r.N, r.FPR)
		verdict := "accepted"
		if err != nil {
			verdict = "refused"
		} else if plan.misses() {
			verdict = "warned"
		}
		if verdict != r.Verdict || err == nil && plan.classicGeometry != g {
			t.Errorf("n %d, fpr %g: %s, want %s", r.N, r.FPR, verdict, r.Verdict)
		}
	}
	if len(v.Exact) == 0 || len(v.Predicted) == 0 || len(v.Plan) == 0 {
		t.Error("rows are missing")
	}
}

func TestLogarithmIsCorrectlyRounded(t *testing.T) {
	// Decimals from a 60-digit computation.
	for x, want := range map[float64]float64{
		0.01: -4.605170185988091368035982909368728415202, 0.001: -6.907755278982137052053974364053092622803,
		0.05: -2.995732273553990993435223576142540775677, 0.5: -0.6931471805599453094172321214581765680755,
		1: 0, 1e-9: -20.72326583694641115616192309215927786841,
	} {
		// The decimals are those of the exact x; a double differs from it by up to half a unit.
		if got := lnAccurate(x); math.Abs(got-want) > 2.3e-16 && math.Abs(got-want) > 1e-15*math.Abs(want)/4 {
			t.Errorf("ln %g is %.17g, want %.17g", x, got, want)
		}
	}
	for i := 1; i < 10000; i++ {
		x := float64(i) / 10000
		if got, near := lnAccurate(x), math.Log(x); math.Abs(got-near) > 2.5e-16*math.Abs(near) {
			t.Errorf("ln %g is %.17g, the library says %.17g", x, got, near)
		}
	}
}
