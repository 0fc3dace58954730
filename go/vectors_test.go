package bloomery

// The tests in this file hold the package to the golden data of spec/vectors,
// which all implementations share.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func readVectors(t testing.TB, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "spec", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unhex64(t testing.TB, text string) uint64 {
	t.Helper()
	x, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func secretOf(t testing.TB, text string) Secret {
	t.Helper()
	secret, err := ParseSecret([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func real4(x float64) string { return fmt.Sprintf("%.4g", x) }

type hashRow struct {
	Length    int
	Integer   string
	KeyHex    string   `json:"key_hex"`
	FNV       string   `json:"fnv_splitmix"`
	XXH3      []string `json:"xxh3"`
	XXH64     []string `json:"xxh64"`
	SipHash13 []string `json:"siphash13"`
	SipHash24 []string `json:"siphash24"`
}

func TestHashesEqualTheGoldenOnes(t *testing.T) {
	var v struct {
		Seeds   []string
		Secrets []struct {
			Secret string
			ID     string `json:"secret_id"`
		}
		Rows           []hashRow
		RowsWithoutNUL []hashRow `json:"rows_without_nul"`
		Integers       []hashRow
	}
	readVectors(t, "hash.json", &v)
	for _, s := range v.Secrets {
		if got := secretOf(t, s.Secret).ID(); got != unhex64(t, s.ID) {
			t.Errorf("id of secret %s is %016x, want %s", s.Secret, got, s.ID)
		}
	}
	compared := 0
	check := func(row hashRow, key []byte) {
		compare := func(h Hasher, want string) {
			t.Helper()
			compared++
			var hashed [1]Hash
			h.hashMany([][]byte{key}, hashed[:])
			if got := h.Hash(key); got != Hash(unhex64(t, want)) || hashed[0] != got {
				t.Errorf("%v seed %x of %d bytes is %016x (in a batch %016x), want %s", h.ID(), h.Seed(), len(key), got, hashed[0], want)
			}
		}
		compare(Hasher{}, row.FNV)
		for i, seed := range v.Seeds {
			for id, want := range map[HashID]string{XXH3: row.XXH3[i], XXH64: row.XXH64[i]} {
				h, err := SeededHasher(id, unhex64(t, seed))
				if err != nil {
					t.Fatal(err)
				}
				compare(h, want)
			}
		}
		for i, s := range v.Secrets {
			for id, want := range map[HashID]string{SipHash13: row.SipHash13[i], SipHash24: row.SipHash24[i]} {
				h, err := KeyedHasher(id, secretOf(t, s.Secret))
				if err != nil {
					t.Fatal(err)
				}
				compare(h, want)
			}
		}
	}
	counting := func(length, from int) []byte {
		key := make([]byte, length)
		for i := range key {
			key[i] = byte(from + i%251)
		}
		return key
	}
	for _, row := range v.Rows {
		check(row, counting(row.Length, 0))
	}
	for _, row := range v.RowsWithoutNUL {
		check(row, counting(row.Length, 1))
	}
	for _, row := range v.Integers {
		check(row, unhex(t, row.KeyHex))
		x, err := strconv.ParseInt(row.Integer, 10, 64)
		if err != nil {
			u, err := strconv.ParseUint(row.Integer, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			x = int64(u)
		}
		if got := (Hasher{}).Uint64(uint64(x)); got != Hash(unhex64(t, row.FNV)) {
			t.Errorf("integer %s hashes to %016x, want %s", row.Integer, got, row.FNV)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d hashes were compared", compared)
	}
}

func TestClassicFilesEqualTheGoldenOnes(t *testing.T) {
	var v struct {
		SplitMix64 []struct{ X, Y string }
		Filters    []struct {
			N       int
			FPR     float64
			M       uint64
			K       uint32
			Bytes   int
			SHA256  string
			BitsSet uint64 `json:"bits_set"`
			Hex     string
			Maybe   []string `json:"absent_that_answer_maybe"`
			Count   int      `json:"maybe_count_of_1000_misses"`
		}
		Invalid []struct{ Hex, Why string }
	}
	readVectors(t, "classic.json", &v)
	for _, row := range v.SplitMix64 {
		if got := SplitMix64(unhex64(t, row.X)); got != unhex64(t, row.Y) {
			t.Errorf("splitmix64(%s) is %016x, want %s", row.X, got, row.Y)
		}
	}
	for _, row := range v.Filters {
		f, err := WithCapacity(uint64(row.N), row.FPR)
		if err != nil {
			t.Fatal(err)
		}
		f.AddMany(numbered("key", row.N))
		file, err := f.File(Raw)
		if err != nil {
			t.Fatal(err)
		}
		data := file.Encode()
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != row.SHA256 || len(data) != row.Bytes || f.Set() != row.BitsSet {
			t.Errorf("n %d: %d bytes, %d bits set, sha256 %x; want %+v", row.N, len(data), f.Set(), sum, row)
		}
		if row.Hex != "" && !bytes.Equal(data, unhex(t, row.Hex)) {
			t.Errorf("n %d: %x", row.N, data)
		}
		count := 0
		for _, key := range numbered("miss", 1000) {
			if f.Contains(key) {
				if count < len(row.Maybe) && row.Maybe[count] != string(key) {
					t.Errorf("n %d: %s answers maybe, want %s", row.N, key, row.Maybe[count])
				}
				count++
			}
		}
		if count != row.Count {
			t.Errorf("n %d: %d misses answer maybe, want %d", row.N, count, row.Count)
		}
	}
	for _, row := range v.Invalid {
		if _, err := Parse(unhex(t, row.Hex)); err == nil {
			t.Errorf("not refused: %s", row.Why)
		}
	}
}

// checkOf maps the field an error names to the step of envelope.md's list that
// checks it. Steps 5 and 6 share the payload length.
var checkOf = map[string]string{"length": "1", "magic": "1", "k": "1", "version": "2", "header checksum": "3", "kind": "4", "hash id": "4",
	"flags": "4", "hash seed": "4", "payload offset": "5", "payload length": "56", "geometry": "6", "bits": "6", "payload checksum": "7"}

func TestEnvelopesEqualTheGoldenOnes(t *testing.T) {
	var v struct {
		Valid []struct {
			Name, Hash   string
			Seed, Secret *string
			SecretID     *string `json:"secret_id"`
			M            uint64
			K            uint32
			KeyCount     *uint64  `json:"key_count"`
			BitsSet      uint64   `json:"bits_set"`
			KeysHex      []string `json:"keys_hex"`
			Absent       map[string]bool
			Hex          string
		}
		Invalid []struct {
			Why, Hex string
			Check    int
		}
	}
	readVectors(t, "envelope.json", &v)
	for _, row := range v.Valid {
		data := unhex(t, row.Hex)
		file, err := Parse(data)
		if err != nil {
			t.Errorf("%s: %v", row.Name, err)
			continue
		}
		keys := uint64(UnknownKeys)
		if row.KeyCount != nil {
			keys = *row.KeyCount
		}
		if file.Geometry() != (Geometry{row.M, row.K}) || file.HashID().String() != row.Hash || file.KeyCount() != keys || file.Set() != row.BitsSet {
			t.Errorf("%s: read %+v", row.Name, file)
		}
		if !bytes.Equal(file.Encode(), data) {
			t.Errorf("%s: encoded again it is %x", row.Name, file.Encode())
		}
		var secret *Secret
		if row.Secret != nil {
			s := secretOf(t, *row.Secret)
			secret = &s
		}
		f, err := file.Filter(secret)
		if err != nil {
			t.Errorf("%s: %v", row.Name, err)
			continue
		}
		for key, want := range row.Absent {
			if got := f.Contains([]byte(key)); got != want {
				t.Errorf("%s: contains %s is %v", row.Name, key, got)
			}
		}
		f.Clear()
		for _, key := range row.KeysHex {
			f.Add(unhex(t, key))
		}
		f.keys = keys
		built, err := f.File(Envelope)
		if err != nil || !bytes.Equal(built.Encode(), data) {
			t.Errorf("%s: built again it differs (%v)", row.Name, err)
		}
	}
	for _, row := range v.Invalid {
		_, err := Parse(unhex(t, row.Hex))
		var format *FormatError
		if !errors.As(err, &format) {
			t.Errorf("%s: error is %v", row.Why, err)
		} else if !bytes.Contains([]byte(checkOf[format.Field]), []byte(strconv.Itoa(row.Check))) {
			t.Errorf("%s: refused for its %s, step %d comes first", row.Why, format.Field, row.Check)
		}
	}
	if len(v.Valid) < 20 || len(v.Invalid) < 50 {
		t.Errorf("only %d valid and %d invalid envelopes", len(v.Valid), len(v.Invalid))
	}
}

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
		if got := (Geometry{uint64(m), bestK(m, row.N)}); got != (Geometry{row.M, row.K}) {
			t.Errorf("n %d, fpr %g: %+v, want m %d, k %d", row.N, row.FPR, got, row.M, row.K)
		}
		if plan, err := NewPlan(row.N, row.FPR); err == nil && plan.Geometry != (Geometry{row.M, row.K}) {
			t.Errorf("n %d, fpr %g: planned %+v", row.N, row.FPR, plan)
		} else if err != nil && row.M <= 1<<32 {
			t.Errorf("n %d, fpr %g: %v", row.N, row.FPR, err)
		}
	}
	for _, row := range v.BitsPerKey {
		if got, err := GeometryForBits(row.N, row.Bits); err != nil || got != (Geometry{row.M, row.K}) {
			t.Errorf("n %d, %g bits per key: %+v, %v", row.N, row.Bits, got, err)
		}
	}
	for _, row := range v.Refused {
		fpr, err := strconv.ParseFloat(row.FPR, 64)
		if err != nil {
			t.Fatal(err)
		}
		if plan, err := NewPlan(row.N, fpr); err == nil {
			t.Errorf("not refused: %s: %+v", row.Why, plan)
		}
	}
	for _, row := range v.Sampled {
		low, high := Wilson(row.Hits, row.Samples)
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
		view, err := NewView(Geometry{r.M, r.K}, Hasher{}, unhex(t, r.BitsHex))
		if err != nil || real4(view.PredictedFPR()) != r.Rate || view.Set() != r.BitsSet {
			t.Errorf("m %d, k %d: predicted %.4g, want %s (%v)", r.M, r.K, view.PredictedFPR(), r.Rate, err)
		}
	}
	for _, r := range v.Predicted {
		g := Geometry{r.M, r.K}
		if got := g.Rate(r.BitsSet); real4(got) != r.Rate {
			t.Errorf("%+v, %d bits set: predicted %.4g, want %s", g, r.BitsSet, got, r.Rate)
		}
		count, known := g.EstimatedCount(r.BitsSet)
		if known != (r.Count != nil) || known && count != *r.Count {
			t.Errorf("%+v, %d bits set: estimated %d %v", g, r.BitsSet, count, known)
		}
	}
	for _, r := range v.Plan {
		g := Geometry{r.M, r.K}
		if got := g.FPRAfter(r.N); real4(got) != r.Rate {
			t.Errorf("n %d, fpr %g: predicted %.4g, want %s", r.N, r.FPR, got, r.Rate)
		}
		plan, err := NewPlan(r.N, r.FPR)
		verdict := "accepted"
		if err != nil {
			verdict = "refused"
		} else if plan.Misses() {
			verdict = "warned"
		}
		if verdict != r.Verdict || err == nil && plan.Geometry != g {
			t.Errorf("n %d, fpr %g: %s, want %s", r.N, r.FPR, verdict, r.Verdict)
		}
	}
	if len(v.Exact) == 0 || len(v.Predicted) == 0 || len(v.Plan) == 0 {
		t.Error("rows are missing")
	}
}
