package bloomery

// The test in this file holds files of every kind to the golden ones of spec/vectors.

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
)

// kindRow is a golden file of any kind.
type kindRow struct {
	Kind, Hash     string
	Seed, Secret   *string
	Words          []uint64
	Keys           int
	Denied, Maybes []any
	Hex            string
}

func readKinds(t testing.TB) []kindRow {
	t.Helper()
	var v struct{ Files []kindRow }
	readVectors(t, "kinds.json", &v)
	return v.Files
}

// names returns a set of keys, which the golden data gives by number or by name.
func names(prefix string, list []any) map[string]bool {
	set := map[string]bool{}
	for _, one := range list {
		if number, ok := one.(float64); ok {
			set[prefix+strconv.Itoa(int(number))] = true
		} else {
			set[fmt.Sprint(one)] = true
		}
	}
	return set
}

func TestFilesOfEveryKindEqualTheGoldenData(t *testing.T) {
	seen := map[Kind]int{}
	for i, row := range readKinds(t) {
		var options []OpenOption
		if row.Secret != nil {
			options = append(options, WithSecret(secretOf(t, *row.Secret)))
		}
		data := unhex(t, row.Hex)
		f, err := Parse(data, options...)
		if err != nil {
			t.Errorf("%d, %s: %v", i, row.Kind, err)
			continue
		}
		seen[f.Kind()]++
		if f.Kind().String() != row.Kind || f.HashID().String() != row.Hash || !bytes.Equal(bytesOfFile(t, f), data) || f.Verify() != nil {
			t.Errorf("%d, %s: read as %v", i, row.Kind, f)
		}
		denied, maybes := names("key", row.Denied), names("miss", row.Maybes)
		view := must[View](t)(f.View())
		keys := append(numbered("key", row.Keys), numbered("miss", 100)...)
		answers := make([]bool, len(keys))
		view.ContainsMany(keys, answers)
		for j, key := range keys {
			want := j < row.Keys && !denied[string(key)] || j >= row.Keys && maybes[string(key)]
			if view.Contains(key) != want || answers[j] != want {
				t.Errorf("%d, %s: answers %s wrongly", i, row.Kind, key)
			}
		}
		if rate := view.PredictedFPR(); !(rate >= 0 && rate <= 1) {
			t.Errorf("%d, %s: predicts %g", i, row.Kind, rate)
		}
	}
	for _, kind := range Kinds() {
		if seen[kind] == 0 {
			t.Errorf("no golden file of %v", kind)
		}
	}
}
