package bloomery

// The test in this file holds envelopes to the golden data of spec/vectors.

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"
)

// checkOf maps the field an error names to the step of envelope.md's list that
// checks it. Steps 5 and 6 share the payload length, 4 and 5 the records.
var checkOf = map[string]string{"length": "1", "magic": "1", "k": "1", "version": "2", "header checksum": "3", "kind": "4", "hash id": "4",
	"flags": "4", "hash seed": "4", "payload offset": "3", "records": "45", "payload length": "56", "geometry": "6", "bits": "6", "payload checksum": "7"}

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
		var options []OpenOption
		if row.Secret != nil {
			options = append(options, WithSecret(secretOf(t, *row.Secret)))
		}
		file, err := Parse(data, options...)
		if err != nil {
			t.Errorf("%s: %v", row.Name, err)
			continue
		}
		keys := uint64(UnknownKeys)
		if row.KeyCount != nil {
			keys = *row.KeyCount
		}
		if file.Geometry() != (Geometry{classicGeometry{row.M, row.K}}) || file.HashID().String() != row.Hash || file.KeyCount() != keys || file.core.used() != row.BitsSet {
			t.Errorf("%s: read %+v", row.Name, file)
		}
		if !bytes.Equal(bytesOfFile(t, file), data) {
			t.Errorf("%s: encoded again it is %x", row.Name, bytesOfFile(t, file))
		}
		f, err := file.Filter()
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
		if err != nil || !bytes.Equal(bytesOfFile(t, built), data) {
			t.Errorf("%s: built again it differs (%v)", row.Name, err)
		}
	}
	for _, row := range v.Invalid {
		_, err := Parse(unhex(t, row.Hex))
		var format *FormatError
		if !errors.As(err, &format) {
			t.Errorf("%s: error is %v", row.Why, err)
		} else if !strings.Contains(checkOf[format.Field], strconv.Itoa(row.Check)) {
			t.Errorf("%s: refused for its %s, step %d comes first", row.Why, format.Field, row.Check)
		}
	}
	if len(v.Valid) < 20 || len(v.Invalid) < 50 {
		t.Errorf("only %d valid and %d invalid envelopes", len(v.Valid), len(v.Invalid))
	}
}
