package bloomery

// The tests in this file hold the promises of files: damage is noticed, nothing
// is believed before it was checked, and a save happens whole or not at all.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/zeebo/xxh3"
)

func TestEveryBitFlipAndTruncationOfAnEnvelopeIsNoticed(t *testing.T) {
	for _, hasher := range allHashers(t) {
		f := mustGeometry(t, 701, 4, hasher)
		f.AddMany(numbered("key", 50))
		data := encoded(t, f, Envelope)
		if _, err := Parse(data); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 8*len(data); i++ {
			data[i/8] ^= 1 << (i % 8)
			if _, err := Parse(data); err == nil {
				t.Errorf("%v: flip of bit %d is not noticed", hasher.ID(), i)
			}
			data[i/8] ^= 1 << (i % 8)
		}
		for i := range data {
			if _, err := Parse(data[:i]); err == nil {
				t.Errorf("%v: truncation to %d bytes is not noticed", hasher.ID(), i)
			}
		}
		if _, err := Parse(append(data, 0)); err == nil {
			t.Errorf("%v: an appended byte is not noticed", hasher.ID())
		}
	}
}

func TestEveryTruncationOfARawFileIsNoticed(t *testing.T) {
	f := mustCapacity(t, 50, 0.01)
	data := encoded(t, f, Raw)
	for i := range data {
		if _, err := Parse(data[:i]); err == nil {
			t.Errorf("truncation to %d bytes is not noticed", i)
		}
	}
}

func TestErrorsNameTheFieldAndTheRemedy(t *testing.T) {
	f := mustCapacity(t, 50, 0.01)
	raw := func(edit func(data []byte)) []byte {
		data := encoded(t, f, Raw)
		edit(data)
		return data
	}
	envelope := func(edit func(data []byte)) []byte {
		data := encoded(t, f, Envelope)
		edit(data)
		binary.LittleEndian.PutUint64(data[atHeader:], xxh3.Hash(data[:atHeader]))
		return data
	}
	for _, row := range []struct {
		data  []byte
		field string
		words string
	}{
		{nil, "length", "it has 0 bytes"},
		{[]byte("hello, world"), "k", "this is no filter file"},
		{raw(func(d []byte) { d[1] = 1 }), "k", "k is 263, must be 1 to 30: this is no classic filter file, or it is damaged"},
		{raw(func(d []byte) { d[0] = 0 }), "k", "must be 1 to 30"},
		{raw(func(d []byte) { d[11] = 0xff }), "m", "it was cut short"},
		{envelope(func(d []byte) { d[4] = '\n' }), "magic", "transferred as text"},
		{envelope(func(d []byte) { d[atVersion] = 2 }), "version", "version is 2, only 1 is known here: use a newer bloomery"},
		{envelope(func(d []byte) { d[atKind] = 12 }), "kind", "kind is 12 (iblt), only classic, split, block, "},
		{envelope(func(d []byte) { d[atKind] = 99 }), "kind", "kind is 99, only"},
		{envelope(func(d []byte) { d[atHash] = 6 }), "hash id", "hash id is 6"},
		{envelope(func(d []byte) { d[atFlags] = 0x80 }), "flags", "flags are 0x0080"},
		{envelope(func(d []byte) { d[atSeed] = 1 }), "hash seed", "must be 0 for fnv_splitmix"},
		{envelope(func(d []byte) { d[atOffset] = 64 }), "payload offset", "payload offset is 64, must be a multiple of 64 from 128 to 4194304"},
		{envelope(func(d []byte) { d[atLength]++ }), "payload length", "cut short"},
		{envelope(func(d []byte) { d[atGeometry]-- }), "bits", "at or above m"},
		{envelope(func(d []byte) { d[atGeometry+8] = 31 }), "geometry", "k is 31"},
		{envelope(func(d []byte) { d[atGeometry+12] = 1 }), "geometry", "k is 42949"},
		{envelope(func(d []byte) { d[atGeometry+63] = 1 }), "geometry", "geometry word 7"},
		{envelope(func(d []byte) { d[atPayload] ^= 1 }), "payload checksum", "damaged"},
	} {
		if row.field == "bits" { // a filter whose last bit is set, and then cut off
			binary.LittleEndian.PutUint64(row.data[atGeometry:], f.core.classic.m-1)
			row.data[len(row.data)-1] |= 1 << ((f.core.classic.m - 1) % 8)
			binary.LittleEndian.PutUint64(row.data[atHeader:], xxh3.Hash(row.data[:atHeader]))
		}
		_, err := Parse(row.data)
		var format *FormatError
		if !errors.As(err, &format) || format.Field != row.field || !strings.Contains(format.Why, row.words) {
			t.Errorf("error is %q, want one about %s with %q", err, row.field, row.words)
		}
	}
}

func TestOpenReadsWhatSaveWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filter")
	for _, format := range []Format{Raw, Envelope} {
		for _, m := range []uint64{1, 8, 100, 5000, 100000} {
			f := mustGeometry(t, m, 3)
			f.AddMany(numbered("key", 20))
			if err := must[*File](t)(f.File(format)).Save(path); err != nil {
				t.Fatal(err)
			}
			file, err := Open(path)
			if err != nil || !bytes.Equal(bytesOfFile(t, file), encoded(t, f, format)) {
				t.Fatalf("%v m %d: %v", format, m, err)
			}
			data, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(data, bytesOfFile(t, file)) || file.Len() != uint64(len(data)) {
				t.Fatalf("%v m %d: the file has other bytes (%v)", format, m, err)
			}
		}
	}
}

func TestOpenChecksTheLengthBeforeItAllocates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filter")
	huge := append([]byte{7, 0, 0, 0}, bytes.Repeat([]byte{0xff}, 8)...)
	if err := os.WriteFile(path, append(huge, 1, 2, 3), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.HasPrefix(err.Error(), path+": m 18446744073709551615 needs") {
		t.Errorf("error is %v", err)
	}
}

func TestOnlyVerificationNoticesADamagedPayload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filter")
	f := mustCapacity(t, 100, 0.01)
	data := encoded(t, f, Envelope)
	data[130] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil {
		t.Error("Open takes a damaged payload")
	}
	file, err := Open(path, Unverified())
	if err != nil {
		t.Fatal(err)
	}
	if file.Verify() == nil {
		t.Error("Verify takes a damaged payload")
	}
	if _, err := file.Filter(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a filter with the damage, which it would save under a checksum of its own: %v", err)
	}
}

func TestAFailedSaveLeavesTheOldFile(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "filter")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit, small syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	small = limit
	small.Cur = 100 // the header and a part of the bits
	big := mustGeometry(t, 100000, 3)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	err := saveRaw(big, path)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EFBIG) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("saved beyond the limit of a file's size: %v", err)
	}
	entries, _ := os.ReadDir(directory)
	if data, _ := os.ReadFile(path); string(data) != "old" || len(entries) != 1 {
		t.Errorf("the old file became %q, among %v", data, entries)
	}
	if err := saveRaw(mustGeometry(t, 100, 3), path); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions of the old file are lost: %v %v", info.Mode(), err)
	}
}

func TestOddTargetsAndSourcesAreRefused(t *testing.T) {
	directory := t.TempDir()
	pipe := filepath.Join(directory, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	f := mustGeometry(t, 100, 3)
	for _, path := range []string{directory, pipe, filepath.Join(directory, "missing", "filter"), ""} {
		if saveRaw(f, path) == nil {
			t.Errorf("saved to %q", path)
		}
		if _, err := Open(path); err == nil {
			t.Errorf("opened %q", path)
		}
	}
	if entries, _ := os.ReadDir(directory); len(entries) != 1 {
		t.Errorf("something was left: %v", entries)
	}
}

func TestALinkToTheFileStaysALink(t *testing.T) {
	directory := t.TempDir()
	in := func(name string) string { return filepath.Join(directory, name) }
	if err := os.WriteFile(in("old"), []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"one": "old", "two": "three", "three": in("new"), "nowhere": "no/such", "round": "round"}
	for link, to := range links {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	f := mustCapacity(t, 10, 0.01)
	for link, file := range map[string]string{"one": "old", "two": "new"} {
		if err := saveRaw(f, in(link)); err != nil {
			t.Errorf("%s: %v", link, err)
		}
		if _, err := Open(in(file)); err != nil {
			t.Errorf("%s is not the filter: %v", file, err)
		}
	}
	for _, link := range []string{"nowhere", "round"} {
		if err := saveRaw(f, in(link)); err == nil {
			t.Errorf("%s: saved", link)
		}
	}
	for link, to := range links {
		if now, err := os.Readlink(in(link)); now != to {
			t.Errorf("%s leads to %q now: %v", link, now, err)
		}
	}
}
