package main

// This file has the inspect command: what a filter file says about itself, and
// what can be measured on it, as text or as one line of JSON.

import (
	"fmt"
	"strconv"
	"strings"

	bloomery "github.com/bloomery/bloomery/go"
)

// envelopeVersion is that of every envelope that opens.
const envelopeVersion = 1

// report has all that inspect prints.
type report struct {
	bloomery.Inspection
	file *bloomery.File
}

var inspectCommand = command{
	name:    "inspect",
	summary: "Show a filter's kind, geometry, fill and false-positive rate",
	details: "Shows kind, geometry, fill, estimated number of keys, the predicted false-positive rate and the one sampled with a " +
		"million random hashes, and a picture of the fill along the filter. A keyed file needs no secret here.",
	options: []option{
		{names: []string{"--json"}, help: "A line of JSON for each file"},
		{names: []string{"FILE"}, required: true, repeated: true, help: "Filter files; of several, each answer begins with the name of its file"},
	},
	run: runInspect,
}

// runInspect goes on after a file that is none.
func runInspect(a *arguments, s *streams) (int, error) {
	status := exitDone
	paths := a.values["FILE"]
	for i, path := range paths {
		many := len(paths) > 1
		if many && !a.has("--json") {
			if i > 0 {
				s.out.WriteByte('\n')
			}
			fmt.Fprintf(s.out, "%-16s%s\n", "file", path)
		}
		file, err := bloomery.Open(path)
		if err != nil {
			s.complain(err)
			status = exitError
			continue
		}
		r := &report{file.Inspect(), file}
		switch {
		case a.has("--json") && many:
			s.out.WriteString(`{"file":` + jsonText(path) + "," + r.json()[1:])
		case a.has("--json"):
			s.out.WriteString(r.json())
		default:
			s.out.WriteString(r.text())
		}
	}
	return status, nil
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

// bitsPerKey returns the bits of the payload for each distinct key, where the
// geometry counts these.
func (r *report) bitsPerKey() (bits float64, known bool) {
	for _, field := range r.file.Geometry().Fields() {
		if field.Name == "keys" && field.Value > 0 {
			return float64(r.file.Geometry().BitLen()) / float64(field.Value), true
		}
	}
	return 0, false
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
		format += fmt.Sprintf(" %d", envelopeVersion)
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
	r.records(line)
	line("geometry", "%s", r.numbers("%s %d", ", "))
	if r.CountRetries {
		line("retries", "%d", r.Retries)
	}
	line("file bytes", "%d", r.file.Len())
	line("keys added", "%s", r.keyCount("unknown"))
	if bits, known := r.bitsPerKey(); known {
		line("bits per key", "%s", real(bits))
	}
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

// records prints what the file says of itself.
func (r *report) records(line func(label, format string, args ...any)) {
	if label := r.file.Label(); label != "" {
		line("label", "%s", label)
	}
	if created, said := r.file.Created(); said {
		line("created", "%d", uint64(created.Unix()))
	}
	if keys := r.file.KeyType(); keys != "" {
		line("keys are", "%s", keys)
	}
	if size := r.file.ChunkBytes(); size != 0 {
		line("chunks", "%d of %d bytes", (r.file.Geometry().ByteLen()+size-1)/size, size)
	}
}

// jsonRecords is records, as fields behind others.
func (r *report) jsonRecords() (fields string) {
	if label := r.file.Label(); label != "" {
		fields += `,"label":` + jsonText(label)
	}
	if created, said := r.file.Created(); said {
		fields += fmt.Sprintf(`,"created":%d`, uint64(created.Unix()))
	}
	if keys := r.file.KeyType(); keys != "" {
		fields += `,"keys":` + jsonText(keys)
	}
	if size := r.file.ChunkBytes(); size != 0 {
		fields += fmt.Sprintf(`,"chunk_bytes":%d`, size)
	}
	return fields
}

func (r *report) bars() string {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	bars := make([]rune, len(r.Along))
	for i, column := range r.Along {
		bars[i] = levels[8*column.Set/column.Bits]
	}
	return string(bars)
}

// json is one line.
func (r *report) json() string {
	version, seed, secret := "null", "null", "null"
	if r.file.Format() == bloomery.Envelope {
		version = strconv.Itoa(envelopeVersion)
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
	last += r.jsonRecords()
	if bits, known := r.bitsPerKey(); known {
		last += `,"bits_per_key":` + jsonReal(bits)
	}
	return fmt.Sprintf(`{"kind":"%v","format":"%v","version":%s,"hash":"%v","seed":%s,"secret_id":%s,"geometry":{%s},`+
		`"file_bytes":%d,"payload_bytes":%d,"key_count":%s,"bits_set":%d,"fill":%s,"estimated_count":%s,`+
		`"predicted_fpr":%s,"sampled_fpr":%s,"sampled_low":%s,"sampled_high":%s,"samples":%d,"fill_along":[%s]%s}`+"\n",
		r.file.Kind(), r.file.Format(), version, r.file.HashID(), seed, secret, r.numbers(`"%s":%d`, ","),
		r.file.Len(), r.file.Geometry().ByteLen(), r.keyCount("null"), r.Used, jsonReal(r.Fill), orElse(r.EstimatedCount, r.EstimateKnown, "null"),
		jsonReal(r.PredictedFPR), jsonReal(r.SampledFPR), jsonReal(r.SampledLow), jsonReal(r.SampledHigh), r.Samples, strings.Join(shares, ","), last)
}
