package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestRealsPrintAsCDoes(t *testing.T) {
	// The right side is what printf("%.4g") of glibc prints.
	for x, want := range map[float64]string{
		0: "0", 1: "1", 5: "5", 100: "100", 9999: "9999", 10000: "1e+04", 100000: "1e+05", 9999.5: "1e+04", 9999.4: "9999",
		12345: "1.234e+04", 12355: "1.236e+04", 12345.1: "1.235e+04", 123456789: "1.235e+08", 1e100: "1e+100", 1e15: "1e+15",
		0.5: "0.5", 0.1: "0.1", 0.0001: "0.0001", 0.00012345: "0.0001234", 0.00001: "1e-05", 0.000099999: "0.0001", 0.0000999949: "9.999e-05",
		0.010365: "0.01036", 0.010375: "0.01038", 9.5850594: "9.585", 9.586: "9.586", 0.00390625: "0.003906", 0.03125: "0.03125",
		0.12345: "0.1235", 1234.5: "1234", 1235.5: "1236", 99995: "1e+05", 0.99996: "1", 0.99994: "0.9999", 1.765e-7: "1.765e-07", 1e-300: "1e-300",
	} {
		if got := real(x); got != want {
			t.Errorf("%.17g prints as %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0.0", 1: "1.0", 0.5: "0.5", 1e5: "1e+05", 42: "42.0"} {
		if got := jsonReal(x); got != want {
			t.Errorf("%g in JSON is %s, want %s", x, got, want)
		}
	}
}

// rowsOf returns the rows of a table of spec/cli.md by its head: text and value, "" where
// it is refused.
func rowsOf(t *testing.T, head string) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "spec", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n| "+head+" | is |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(.*)` \\| (\\S+) \\|$").FindAllStringSubmatch(table, -1) {
		rows[row[1]] = strings.TrimPrefix(row[2], "refused")
	}
	if !found || len(rows) != strings.Count(table, "\n")+1 || len(rows) < 10 {
		t.Fatalf("%d rows of %s", len(rows), head)
	}
	return rows
}

func TestNumbersAreReadAsThePageSays(t *testing.T) {
	for text, want := range rowsOf(t, "count") {
		if got, err := parseCount("-n", text); (err == nil) != (want != "") || err == nil && strconv.FormatUint(got, 10) != want {
			t.Errorf("count %q is %d (%v), want %s", text, got, err, want)
		}
	}
	for text, want := range rowsOf(t, "rate") {
		if got, err := parseReal("--fpr", text); (err == nil) != (want != "") || err == nil && fmt.Sprint(got) != want {
			t.Errorf("rate %q is %g (%v), want %s", text, got, err, want)
		}
	}
	for text, want := range rowsOf(t, "seed") {
		number, _ := strconv.ParseUint(want, 0, 64)
		if got, err := parseSeed(text); (err == nil) != (want != "") || err == nil && got != number {
			t.Errorf("seed %q is %d (%v), want %s", text, got, err, want)
		}
	}
}

func TestCountsAreExact(t *testing.T) {
	for text, want := range map[string]uint64{
		"1": 1, "0": 0, "007": 7, "10k": 10000, "10M": 10000000, "3G": 3000000000, "1e9": 1000000000, "1E3": 1000, "1e+3": 1000, "2.5M": 2500000,
		"2.5k": 2500, "1.0": 1, ".5k": 500, "18446744073709551615": 1<<64 - 1, "9007199254740993": 9007199254740993, "9007199254740992.0": 1 << 53,
		"0.000": 0, "0e1000": 0, ".0010k": 1, "0.00001e5": 1, "00000000000000000000001e1": 10,
	} {
		if got, err := parseCount("-n", text); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", ".", "e3", "1e", "-1", "+1", "1.5", "2.0001k", "1e3k", "1kk", "1kM", "0x10", "1_000", " 1", "1 ", "1e999999999999", "1e1001",
		"18446744073709551616", "9007199254740993.0", "18.446744073709551615e18", "nan", "1K", "1T", "1.e2", "20e-1", ".", ".k", "1e+"} {
		if got, err := parseCount("-n", text); err == nil {
			t.Errorf("%q is taken as %d", text, got)
		}
	}
}
