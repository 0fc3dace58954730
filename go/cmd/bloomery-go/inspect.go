package main

// This file has the inspect command: what a filter file says about itself, and
// what can be measured on it, as text or as one line of JSON.

import (
	"fmt"
	"strconv"
	"strings"

	bloomery "github.com/bloomery/bloomery/go"
)

// report has all that inspect prints.
type report struct {
	bloomery.Inspection
	file *bloomery.File
}

func runInspect(args []string, s *streams) (int, error) {
	a, err := parseArguments(args, options{"--json": false})
	if err != nil {
		return 0, err
	}
	if err := a.files(1, 1, "one: FILE"); err != nil {
		return 0, err
	}
	file, err := bloomery.Open(a.positional[0])
	if err != nil {
		return 0, err
	}
	r := &report{file.Inspect(), file}
	if a.has("--json") {
		s.out.WriteString(r.json())
	} else {
		s.out.WriteString(r.text())
	}
	return exitDone, nil
}

// orElse returns a number as text, or a word in its place.
func orElse(x uint64, known bool, word string) string {
	if known {
		return strconv.FormatUint(x, 10)
	}
	return word
}

func (r *report) keyCount(word string) string {
	return orElse(r.file.KeyCount(), r.file.KeyCount() != bloomery.UnknownKeys, word)
}

// numbers returns those of the geometry, each written in a format.
func (r *report) numbers(format, between string) string {
	var parts []string
	for _, field := range r.file.Geometry().Fields() {
		parts = append(parts, fmt.Sprintf(format, field.Name, field.Value))
	}
	return strings.Join(parts, between)
}

func (r *report) text() string {
	format := r.file.Format().String()
	if r.file.Format() == bloomery.Envelope {
		format += fmt.Sprintf(" %d", bloomery.EnvelopeVersion)
	}
	hash := r.file.HashID().String()
	if r.file.HashID().Seeded() {
		hash += fmt.Sprintf(", seed 0x%016x", r.file.Seed())
	} else if r.file.HashID().Keyed() {
		hash += fmt.Sprintf(", secret id 0x%016x", r.file.Seed())
	}
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-16s"+format+"\n", append([]any{label}, args...)...)
	}
	line("kind", "%v", r.file.Kind())
	if r.file.Kind().Forgets() {
		line("forgets", "yes: what it denies may have been added, but not lately")
	}
	line("format", "%s", format)
	line("hash", "%s", hash)
	line("geometry", "%s", r.numbers("%s %d", ", "))
	if r.CountRetries {
		line("retries", "%d", r.Retries)
	}
	line("file bytes", "%d", r.file.Len())
	line("keys added", "%s", r.keyCount("unknown"))
	used := " used"
	if r.Cells == "bits" {
		used = " set"
	}
	line(r.Cells+used, "%d", r.Used)
	line("fill", "%s", real(r.Fill))
	unknown := "saturated"
	if r.file.Kind().Forgets() {
		unknown = "unknown"
	}
	line("estimated keys", "%s", orElse(r.EstimatedCount, r.EstimateKnown, unknown))
	line("predicted fpr", "%s", real(r.PredictedFPR))
	line("sampled fpr", "%s, 95 %% interval %s to %s, %d random hashes", real(r.SampledFPR), real(r.SampledLow), real(r.SampledHigh), r.Samples)
	line("fill along", "|%s|", r.bars())
	return b.String()
}

func (r *report) bars() string {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	bars := make([]rune, len(r.Along))
	for i, column := range r.Along {
		bars[i] = levels[8*column.Set/column.Bits]
	}
	return string(bars)
}

// json is written by hand: the same bytes are promised in every language, and
// encoders differ in how they print numbers.
func (r *report) json() string {
	version, seed, secret := "null", "null", "null"
	if r.file.Format() == bloomery.Envelope {
		version = strconv.Itoa(bloomery.EnvelopeVersion)
	}
	if quoted := fmt.Sprintf(`"0x%016x"`, r.file.Seed()); r.file.HashID().Seeded() {
		seed = quoted
	} else if r.file.HashID().Keyed() {
		secret = quoted
	}
	shares := make([]string, len(r.Along))
	for i, column := range r.Along {
		shares[i] = strconv.FormatUint(1000*column.Set/column.Bits, 10)
	}
	last := ""
	if r.CountRetries {
		last = fmt.Sprintf(`,"retries":%d`, r.Retries)
	}
	return fmt.Sprintf(`{"kind":"%v","format":"%v","version":%s,"hash":"%v","seed":%s,"secret_id":%s,"geometry":{%s},`+
		`"file_bytes":%d,"payload_bytes":%d,"key_count":%s,"bits_set":%d,"fill":%s,"estimated_count":%s,`+
		`"predicted_fpr":%s,"sampled_fpr":%s,"sampled_low":%s,"sampled_high":%s,"samples":%d,"fill_along":[%s]%s}`+"\n",
		r.file.Kind(), r.file.Format(), version, r.file.HashID(), seed, secret, r.numbers(`"%s":%d`, ","),
		r.file.Len(), r.file.Geometry().ByteLen(), r.keyCount("null"), r.Used, jsonReal(r.Fill), orElse(r.EstimatedCount, r.EstimateKnown, "null"),
		jsonReal(r.PredictedFPR), jsonReal(r.SampledFPR), jsonReal(r.SampledLow), jsonReal(r.SampledHigh), r.Samples, strings.Join(shares, ","), last)
}
