package main

import "testing"

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

func TestCountsAreExact(t *testing.T) {
	for text, want := range map[string]uint64{
		"1": 1, "0": 0, "007": 7, "10k": 10000, "10M": 10000000, "3G": 3000000000, "1e9": 1000000000, "1E3": 1000, "1e+3": 1000, "2.5M": 2500000,
		"2.5k": 2500, "1.0": 1, "20e-1": 2, ".5k": 500, "1.e2": 100, "18446744073709551615": 1<<64 - 1, "18.446744073709551615e18": 1<<64 - 1,
		"9007199254740993": 9007199254740993,
	} {
		if got, err := parseCount("-n", text); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", ".", "e3", "1e", "-1", "+1", "1.5", "2.0001k", "1e3k", "1kk", "0x10", "1_000", " 1", "1 ", "1e999999999999", "18446744073709551616", "nan", "1K", "1T"} {
		if got, err := parseCount("-n", text); err == nil {
			t.Errorf("%q is taken as %d", text, got)
		}
	}
}
