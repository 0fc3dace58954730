package bloomery

// Fuzz targets of the other doors: streams, records, the payloads of every kind,
// geometries and secrets.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"regexp"
	"testing"

	"github.com/zeebo/xxh3"
)

func FuzzStream(f *testing.F) {
	for _, row := range readKinds(f) {
		f.Add(unhex(f, row.Hex))
	}
	f.Add(encoded(f, mustCapacity(f, 10, 0.1), Raw))
	f.Fuzz(func(t *testing.T, data []byte) {
		var streamed File
		n, err := streamed.ReadFrom(bytes.NewReader(data))
		if n > int64(len(data)) {
			t.Fatalf("%d of %d bytes were read", n, len(data))
		}
		if err != nil {
			if !classified(err) && !(err == io.EOF && len(data) == 0) {
				t.Fatalf("%v has no class", err)
			}
			return
		}
		parsed, err := Parse(data[:n])
		if err != nil || !bytes.Equal(bytesOfFile(t, parsed), bytesOfFile(t, &streamed)) {
			t.Fatalf("as a stream it is %v, in memory %v (%v)", &streamed, parsed, err)
		}
	})
}

// FuzzRecords puts any bytes between header and payload, and makes the checksum right.
func FuzzRecords(f *testing.F) {
	for _, row := range readKinds(f) {
		data := unhex(f, row.Hex)
		f.Add(data[envelopeHeaderLen:binary.LittleEndian.Uint64(data[atOffset:])])
	}
	file := must[*File](f)(must[*Filter](f)(New(10, 0.1)).File(Envelope))
	f.Fuzz(func(t *testing.T, area []byte) {
		plain := *file
		plain.offset = envelopeHeaderLen + roundUp(uint64(len(area)), offsetUnit)
		if plain.offset > maxOffset {
			return
		}
		data := bytesOfFile(t, &plain)
		copy(data[envelopeHeaderLen:plain.offset], area)
		binary.LittleEndian.PutUint64(data[atHeader:], headerSum(data, data[envelopeHeaderLen:plain.offset]))
		parsed, err := Parse(data)
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) || format.Field != "records" {
				t.Fatalf("refused for %v", err)
			}
			return
		}
		again := must[*File](t)(Parse(bytesOfFile(t, parsed)))
		if again.Label() != parsed.Label() || again.KeyType() != parsed.KeyType() || len(again.records) != len(parsed.records) {
			t.Fatalf("%v became %v", parsed.records, again.records)
		}
	})
}

// rateIsQuick says whether the rate is had without trying every start and stride, which
// small classic and counting filters do and which takes longer than everything else
// together; of these, one in sixteen.
func rateIsQuick(c *core) bool {
	var m uint64
	switch g := c.of.(type) {
	case classicGeometry:
		m = g.M
	case countingGeometry:
		m = g.M
	}
	return m <= 128 || m > exactUpTo || xxh3.Hash(c.bytes)%16 == 0
}

// FuzzPayload gives a filter of any kind any payload: lookups and measures stay inside.
func FuzzPayload(f *testing.F) {
	rows := readKinds(f)
	var layouts []layout
	for i, row := range rows {
		file := must[*File](f)(Parse(unhex(f, row.Hex)))
		layouts = append(layouts, file.core.of)
		f.Add(i, uint64(i)*0x9e3779b97f4a7c15, file.core.bytes)
	}
	f.Fuzz(func(t *testing.T, which int, h uint64, data []byte) {
		of := layouts[uint(which)%uint(len(layouts))]
		payload := make([]byte, of.byteLen())
		copy(payload, data)
		if of.checkPayload(payload) != nil {
			return
		}
		c := newCore(of, payload, Hasher{})
		hashes, answers := make([]Hash, group), make([]bool, group)
		for i := range hashes {
			hashes[i] = Hash(splitMix64(h + uint64(i)))
		}
		hashes[0], hashes[1], hashes[2] = Hash(h), 0, ^Hash(0)
		c.containsGroup(hashes, answers)
		for i, one := range hashes {
			if c.contains(one) != answers[i] {
				t.Fatalf("%v: a batch answers %x otherwise", of, one)
			}
		}
		c.estimated()
		c.along(columns)
		if rateIsQuick(c) {
			if rate := c.rate(); !(rate >= 0 && rate <= 1) {
				t.Fatalf("%v: predicts %g", of, rate)
			}
		}
	})
}

// FuzzGeometry takes any words as the geometry of any kind: what is accepted has a length
// that does not overflow.
func FuzzGeometry(f *testing.F) {
	for _, row := range readKinds(f) {
		kind := must[Kind](f)(ParseKind(row.Kind))
		var words []byte
		for _, w := range row.Words {
			words = binary.LittleEndian.AppendUint64(words, w)
		}
		f.Add(uint16(kind), words)
	}
	largest := binary.LittleEndian.AppendUint64(nil, math.MaxUint64) // bits, one less than in 2^61 bytes
	f.Add(uint16(Classic), binary.LittleEndian.AppendUint64(largest, 6))
	f.Fuzz(func(t *testing.T, kind uint16, data []byte) {
		if !Kind(kind).known() {
			return
		}
		var words [8]uint64
		for i := range words {
			if len(data) >= 8*i+8 {
				words[i] = binary.LittleEndian.Uint64(data[8*i:])
			}
		}
		g, err := checkedLayout(Kind(kind), words)
		if err != nil {
			return
		}
		numbers := map[string]uint64{}
		for _, field := range g.fields() {
			numbers[field.Name] = field.Value
		}
		if again, err := GeometryOf(Kind(kind), numbers); err != nil || again != (Geometry{g}) {
			t.Fatalf("%v became %v (%v)", Geometry{g}, again, err)
		}
		length, bits := g.byteLen(), g.bitLen()
		if length > 1<<62 || length == 0 || (Kind(kind) != Block && length < bits/8+min(bits%8, 1)) {
			t.Fatalf("%v has %d bytes, %d bits", Geometry{g}, length, bits)
		}
		if length < 1<<20 {
			payload := make([]byte, length)
			if g.checkPayload(payload) == nil {
				newCore(g, payload, Hasher{}).contains(Hash(words[0] * 0x9e3779b97f4a7c15))
			}
		}
	})
}

func FuzzSecret(f *testing.F) {
	f.Add([]byte("000102030405060708090A0b0c0d0e0f\n"))
	valid := regexp.MustCompile(`\A[0-9a-fA-F]{32}(\r?\n)?\z`)
	f.Fuzz(func(t *testing.T, text []byte) {
		secret, err := ParseSecret(text)
		if (err == nil) != valid.Match(text) || err != nil && secret != (Secret{}) {
			t.Fatalf("%q: %v, %v", text, secret, err)
		}
	})
}
