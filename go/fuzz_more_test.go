package bloomery

// Fuzz targets of keys, of what a file says of itself, and of ranges that are verified.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// FuzzHash gives any bytes to every hash function: all doors agree, and with the package
// of the function where this one has a short way of its own.
func FuzzHash(f *testing.F) {
	for _, size := range []int{0, 1, 7, 8, 9, 16, 240, 241} {
		f.Add(bytes.Repeat([]byte{0xa5}, size), uint64(size))
	}
	f.Fuzz(func(t *testing.T, key []byte, seed uint64) {
		hashers := allHashers(t)
		for i := range hashers {
			if hashers[i].ID().Seeded() {
				hashers[i].seed = seed
			}
			h, all := hashers[i], make([]Hash, 2)
			h.hashMany([][]byte{key, key}, all)
			if want := h.Hash(key); all[0] != want || all[1] != want || h.HashString(string(key)) != want {
				t.Fatalf("%v: %x is hashed otherwise by another door", h, key)
			}
			if h.ID() == XXH3 && h.Hash(key) != Hash(xxh3.HashSeed(key, seed)) {
				t.Fatalf("%v: %x", h, key)
			}
			if len(key) == 8 {
				x := binary.LittleEndian.Uint64(key)
				h.hashUint64s([]uint64{x, x}, all)
				if h.HashUint64(x) != h.Hash(key) || all[0] != h.Hash(key) {
					t.Fatalf("%v: the integer %d is another key than its bytes", h, x)
				}
			}
		}
	})
}

// FuzzLabel gives a file any label and any type of keys: what is taken comes back.
func FuzzLabel(f *testing.F) {
	f.Add("orders of 2026", "text")
	f.Add("\x00", "user:")
	f.Add("\xff", "user:a")
	f.Add("é", "parquet-int32")
	filter := must[*Filter](f)(New(10, 0.1))
	f.Fuzz(func(t *testing.T, label, keys string) {
		file := must[*File](t)(filter.File(Envelope))
		labelled, typed := file.SetLabel(label), file.SetKeyType(keys)
		if labelled == nil && (len(label) > 255 || !utf8.ValidString(label)) || labelled != nil && !errors.Is(labelled, ErrInvalidArgument) {
			t.Fatalf("%q: %v", label, labelled)
		}
		again := must[*File](t)(Parse(bytesOfFile(t, file)))
		if labelled == nil && again.Label() != label || typed == nil && again.KeyType() != keys || labelled != nil && again.Label() != "" {
			t.Fatalf("%q, %q became %q, %q", label, keys, again.Label(), again.KeyType())
		}
	})
}

// FuzzVerifyRange damages a byte of a payload: a range is sound unless it has that chunk.
func FuzzVerifyRange(f *testing.F) {
	f.Add(uint16(0), byte(1), uint64(0), uint64(1))
	f.Add(uint16(9000), byte(0x80), uint64(4096), uint64(8192))
	f.Add(uint16(9000), byte(0), uint64(5), uint64(4))
	filter := must[*Filter](f)(NewWithGeometry(Geometry{blockGeometry{150, 5}}))
	filter.AddMany(numbered("key", 1000))
	file := must[*File](f)(filter.File(Envelope))
	if err := file.AddChunks(); err != nil {
		f.Fatal(err)
	}
	sound := bytesOfFile(f, file)
	length := uint64(len(filter.Bytes()))
	f.Fuzz(func(t *testing.T, where uint16, flip byte, from, to uint64) {
		at := uint64(where) % length
		data := bytes.Clone(sound)
		data[uint64(len(data))-length+at] ^= flip
		damaged := must[*File](t)(Parse(data, Unverified()))
		err := damaged.VerifyRange(from, to)
		if from > to || to > length {
			if !errors.Is(err, ErrInvalidArgument) {
				t.Fatalf("%d to %d: %v", from, to, err)
			}
			return
		}
		chunk := at / damaged.ChunkBytes() * damaged.ChunkBytes()
		touched := from < to && from < chunk+damaged.ChunkBytes() && to > chunk
		if (err != nil) != (touched && flip != 0) || err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("byte %d, %d to %d: %v", at, from, to, err)
		}
		if (damaged.Verify() != nil) != (flip != 0) {
			t.Fatalf("byte %d: %v", at, damaged.Verify())
		}
	})
}

// FuzzReadFilter reads any bytes into filters that are in use: refused, they stay as they
// were; taken, they are the filter of the bytes.
func FuzzReadFilter(f *testing.F) {
	for _, row := range readKinds(f) {
		f.Add(unhex(f, row.Hex))
	}
	f.Add(encoded(f, mustCapacity(f, 10, 0.1), Raw))
	small := must[*Filter](f)(New(10, 0.1)).Geometry() // found once: the search for it takes longer than a filter
	f.Fuzz(func(t *testing.T, data []byte) {
		file, parseErr := Parse(data)
		for _, door := range []interface {
			ReadFrom(io.Reader) (int64, error)
			UnmarshalBinary([]byte) error
			Bytes() []byte
		}{must[*Filter](t)(NewWithGeometry(small)), must[*FuseFilter](t)(BuildFuse(numbered("key", 3), 0.01))} {
			was := bytes.Clone(door.Bytes())
			err := door.UnmarshalBinary(data)
			_, streamed := door.ReadFrom(bytes.NewReader(data))
			if parseErr != nil && err == nil || err == nil && streamed != nil {
				t.Fatalf("in memory %v, by %T %v, as a stream %v", parseErr, door, err, streamed)
			}
			if err == nil && !bytes.Equal(door.Bytes(), file.core.bytes) || err != nil && streamed != nil && !bytes.Equal(door.Bytes(), was) {
				t.Fatalf("%T has other bytes (%v)", door, err)
			}
			if err != nil && !classified(err) {
				t.Fatalf("%v has no class", err)
			}
		}
	})
}
