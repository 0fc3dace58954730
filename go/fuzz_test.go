package bloomery

// Fuzz targets: arbitrary bytes as a file, arbitrary keys through a file, and
// arbitrary hashes in a fuse filter.
// `go test` runs them over their seeds; `go test -fuzz FuzzOpen` searches on.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

func FuzzOpen(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{7, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0xbb, 1})
	f.Add(append([]byte{7, 0, 0, 0}, bytes.Repeat([]byte{0xff}, 10)...))
	for _, hasher := range allHashers(f) {
		filter := mustGeometry(f, 100, 5, hasher)
		filter.AddMany(numbered("key", 10))
		f.Add(encoded(f, filter, Envelope))
		if hasher.ID() == FNVSplitMix {
			f.Add(encoded(f, filter, Raw))
		}
	}
	for _, kind := range []Kind{Classic, Split, Block} {
		filter := must[*Filter](f)(New(10, 0.1, WithKind(kind)))
		filter.AddMany(numbered("key", 10))
		f.Add(encoded(f, filter, Envelope))
	}
	for _, fpr := range []float64{0.01, 0.0001} {
		file, err := mustFuse(f, numbered("key", 10), fpr).File()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytesOfFile(f, file))
	}
	for _, row := range readKinds(f) {
		f.Add(unhex(f, row.Hex))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) || format.Field == "" || format.Why == "" {
				t.Fatalf("error %v does not name its field", err)
			}
			return
		}
		// Written again it is the same, but for the order of records and flags to ignore.
		written := bytesOfFile(t, file)
		again, err := Parse(written)
		if err != nil || len(written) != len(data) || !bytes.Equal(bytesOfFile(t, again), written) {
			t.Fatalf("encodes again to %x (%v)", written, err)
		}
		if err := file.Verify(); err != nil && file.ChunkBytes() == 0 {
			t.Fatal(err)
		}
		c := file.core
		c.contains(1 << 63)
		c.along(64)
		c.estimated()
		if rateIsQuick(c) {
			if rate := c.rate(); !(rate >= 0 && rate <= 1) {
				t.Fatalf("predicts %g", rate)
			}
		}
		if view, err := file.View(); err == nil {
			view.Contains(data)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("a\nb\n\nkey"), uint64(100), uint32(3), byte(0))
	f.Add([]byte{0, 10, 255}, uint64(1), uint32(30), byte(4))
	f.Add([]byte{}, uint64(8191), uint32(1), byte(2))
	f.Fuzz(func(t *testing.T, text []byte, m uint64, k uint32, hash byte) {
		hashers := allHashers(t)
		hasher := hashers[int(hash)%len(hashers)]
		keys := bytes.Split(text, []byte("\n"))
		filter, err := NewWithGeometry(Geometry{classicGeometry{1 + m%100000, 1 + k%30}}, WithHasher(hasher))
		if err != nil {
			return
		}
		filter.AddMany(keys)
		for _, format := range []Format{Raw, Envelope} {
			file, err := filter.File(format)
			if err != nil {
				continue
			}
			again, err := Parse(bytesOfFile(t, file), WithSecret(Secret{1, 2, 3}))
			if err != nil {
				t.Fatal(err)
			}
			back, err := again.Filter()
			if err != nil || !back.Equal(filter) {
				t.Fatalf("%v: it came back as another filter (%v)", format, err)
			}
			answers := make([]bool, len(keys))
			back.ContainsMany(keys, answers)
			for i, key := range keys {
				if !answers[i] || !back.Contains(key) {
					t.Fatalf("%v: %q is absent", format, key)
				}
			}
		}
	})
}

func FuzzFuse(f *testing.F) {
	f.Add([]byte("abcdefgh"), false)
	f.Add(bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, 20), true)
	f.Fuzz(func(t *testing.T, data []byte, four bool) {
		var hashes []Hash
		for ; len(data) >= 8; data = data[8:] {
			hashes = append(hashes, Hash(binary.LittleEndian.Uint64(data)))
		}
		target := fuseGeometry{Arity: 3, FingerprintBits: 8}
		if four {
			target = fuseGeometry{Arity: 4, FingerprintBits: 16}
		}
		filter, err := BuildFuseHashes(append([]Hash(nil), hashes...), Geometry{target}, WithHasher(Hasher{}))
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hashes {
			if !filter.ContainsHash(h) {
				t.Fatalf("%x is absent", h)
			}
		}
	})
}
