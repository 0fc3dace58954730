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
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func readVectors(t testing.TB, name string, to any) {
	t.Helper()
	folder := filepath.Join("..", "spec", "vectors")
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the golden data is in the repository alone")
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
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

func TestAWrongFNVEndsTheProgram(t *testing.T) {
	for name, fault := range map[string]func(){
		"fnv": func() { checkFNV(func(key []byte) uint64 { return fnv1a64(key) + uint64(len(key)) }, splitMix64) },
		"mix": func() { checkFNV(fnv1a64, func(x uint64) uint64 { return splitMix64(x) ^ 1 }) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a wrong %s is not noticed", name)
				}
			}()
			fault()
		}()
	}
	checkFNV(fnv1a64, splitMix64)
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
			if got := h.Hash(key); got != Hash(unhex64(t, want)) || hashed[0] != got || h.HashString(string(key)) != got {
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
		if got := (Hasher{}).HashUint64(uint64(x)); got != Hash(unhex64(t, row.FNV)) {
			t.Errorf("integer %s hashes to %016x, want %s", row.Integer, got, row.FNV)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d hashes were compared", compared)
	}
}

func TestClassicFilesEqualTheGoldenOnes(t *testing.T) {
	var v struct {
		splitMix64 []struct{ X, Y string }
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
	for _, row := range v.splitMix64 {
		if got := splitMix64(unhex64(t, row.X)); got != unhex64(t, row.Y) {
			t.Errorf("splitmix64(%s) is %016x, want %s", row.X, got, row.Y)
		}
	}
	for _, row := range v.Filters {
		f := mustCapacity(t, uint64(row.N), row.FPR)
		f.AddMany(numbered("key", row.N))
		file, err := f.File(Raw)
		if err != nil {
			t.Fatal(err)
		}
		data := bytesOfFile(t, file)
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != row.SHA256 || len(data) != row.Bytes || f.core.used() != row.BitsSet {
			t.Errorf("n %d: %d bytes, %d bits set, sha256 %x; want %+v", row.N, len(data), f.core.used(), sum, row)
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
