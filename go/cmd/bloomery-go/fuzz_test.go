package main

// Fuzz targets of what the command takes: words, numbers, lines, spelled keys, and whole
// runs. `go test` runs them over their seeds; tools/fuzz_go.sh searches on.

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzNumbers holds the reader of numbers to the grammar as spec/cli.md has it, and to
// exact arithmetic.
func FuzzNumbers(f *testing.F) {
	for _, seed := range []string{"1000", "10k", "2.5M", "1e9", ".5", "1.k", "+1", "0x10", "18446744073709551615", "9007199254740993.0", "1e-2", "0.01"} {
		f.Add(seed)
	}
	const number = `([0-9]+(\.[0-9]+)?|\.[0-9]+)`
	count, rate, seed := regexp.MustCompile(`\A`+number+`([kMG]|[eE]\+?[0-9]+)?\z`), regexp.MustCompile(`\A`+number+`([eE][+-]?[0-9]+)?\z`), regexp.MustCompile(`\A([0-9]+|0[xX][0-9a-fA-F]+)\z`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 60 {
			return
		}
		value, err := parseCount("-n", text)
		if err == nil {
			plain := strings.NewReplacer("k", "e3", "M", "e6", "G", "e9").Replace(text)
			exact, good := new(big.Rat).SetString(plain)
			if !count.MatchString(text) || !good || exact.Cmp(new(big.Rat).SetUint64(value)) != 0 {
				t.Fatalf("count %q is %d", text, value)
			}
		}
		if real, err := parseReal("--fpr", text); err == nil && (!rate.MatchString(text) || !(real >= 0)) || err != nil && rate.MatchString(text) && len(text) < 20 && !strings.ContainsAny(text, "eE") {
			t.Fatalf("rate %q is %g (%v)", text, real, err)
		}
		if number, err := parseSeed(text); err == nil && !seed.MatchString(text) {
			t.Fatalf("seed %q is %d", text, number)
		}
	})
}

// FuzzLines cuts any bytes into lines, however they arrive.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n\r\nlast"), false, true)
	f.Add([]byte("a\x00b\nc\x00"), true, false)
	f.Add([]byte("longer than the buffer\nand more"), false, false)
	f.Fuzz(func(t *testing.T, data []byte, nul, strip bool) {
		format := lineFormat{'\n', strip}
		if nul {
			format.separator = 0
		}
		want := strings.Split(string(data), string(format.separator))
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		ended := lineCounts{lines: uint64(len(want))}
		for i, line := range want {
			if strings.HasSuffix(line, "\r") {
				ended.withCR++
				if strip {
					want[i] = line[:len(line)-1]
				}
			}
			if want[i] == "" {
				ended.empty++
			}
		}
		for _, from := range []io.Reader{bytes.NewReader(data), iotest.HalfReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
			reader := &keyReader{from: from, format: format, buffer: make([]byte, 8)} // small, so that lines outgrow it
			var got []string
			for {
				lines, err := reader.next()
				if err == io.EOF {
					break
				}
				if err != nil || len(lines) == 0 {
					t.Fatal(err)
				}
				for _, line := range lines {
					got = append(got, string(line))
				}
			}
			if strings.Join(got, "\xff") != strings.Join(want, "\xff") || len(got) != len(want) || reader.counted != ended {
				t.Fatalf("%q is cut into %q (%+v)", data, got, reader.counted)
			}
		}
		if n, err := countKeys(bytes.NewReader(data), io.Discard, format.separator, make([]byte, 8)); err != nil || n != ended.lines {
			t.Fatalf("%d lines are counted (%v)", n, err)
		}
	})
}

// FuzzSpelling takes any line as every spelling; what is taken has one key, and its plain
// form is the same key.
func FuzzSpelling(f *testing.F) {
	for _, seed := range []string{"", "42", "-1", "-0", "+2", "18446744073709551616", "00ff", "0", "AP8=", "AP8", "AP\n8=", "====", "AB=="} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for i := range spellings {
			keys, err := (&decoder{spelling: &spellings[i]}).decode([][]byte{line, line}, "file")
			if err != nil {
				if !strings.HasPrefix(err.Error(), "file: line 1 is ") || i == 0 {
					t.Fatalf("%s %q: %v", spellings[i].name, line, err)
				}
				continue
			}
			key, again := keys[0], ""
			switch spellings[i].name {
			case "text":
				again = string(key)
			case "hex":
				again = hex.EncodeToString(key)
			case "base64":
				again = base64.StdEncoding.EncodeToString(key)
			}
			if !bytes.Equal(key, keys[1]) || i != 1 && !strings.EqualFold(again, string(line)) || i == 1 && (len(key) != 8 || !regexp.MustCompile(`\A-?[0-9]+\z`).Match(line)) {
				t.Fatalf("%s %q is the key %x", spellings[i].name, line, key)
			}
		}
	})
}

// FuzzWords runs any words on a folder of its own: an exit status, one line on standard
// error at most for an error, and no panic.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"build -o out keys", "query filter keys", "query filter --key a --count", "inspect --json filter keys", "hash --keys int keys",
		"verify filter", "help build", "biuld", "build --fpr", "build -qn 10 -oout --label=x keys", "query --only no --invert filter -- keys"} {
		f.Add(strings.ReplaceAll(seed, " ", "\n"))
	}
	home := f.TempDir()
	filter := filepath.Join(home, "filter")
	var none bytes.Buffer
	if status := run([]string{"build", "-q", "-o", filter}, strings.NewReader("a\nb\n"), &none, &none); status != exitDone {
		f.Fatal(none.String())
	}
	data, err := os.ReadFile(filter)
	if err != nil {
		f.Fatal(err)
	}
	there := map[string][]byte{"keys": []byte("a\nb\n"), "filter": data}
	// Words that name other folders, or make a filter that takes long, are not tried.
	strange := regexp.MustCompile(`[./\x00]|[0-9]{4}|[0-9][kMGeE]|.{40}`)
	f.Fuzz(func(t *testing.T, text string) {
		if strange.MatchString(text) {
			return
		}
		words := strings.Split(text, "\n")
		before, err := os.Getwd()
		if err == nil {
			err = os.Chdir(home)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer os.Chdir(before)
		for name, want := range there {
			// To make and remove files takes longer than most runs.
			if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, want) {
				os.Remove(name)
				os.WriteFile(name, want, 0o666)
			}
		}
		var out, errs bytes.Buffer
		status := run(words, strings.NewReader("a\nx\n"), &out, &errs)
		many := words[0] == "inspect" || words[0] == "verify"
		if status < exitDone || status > exitError || status == exitError && (out.Len() > 0 && !many || errs.Len() == 0 && !many) {
			t.Fatalf("%q: %d, %q, %q", words, status, &out, &errs)
		}
		made, _ := os.ReadDir(".")
		for _, file := range made {
			if there[file.Name()] == nil {
				os.Remove(file.Name())
			}
		}
	})
}
