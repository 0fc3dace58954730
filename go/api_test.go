package bloomery

// The tests in this file hold the shape of the package: what a key is, options,
// streams, classes of errors, and one line for people.

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"
)

var (
	_ io.WriterTo                = (*Filter)(nil)
	_ io.ReaderFrom              = (*Filter)(nil)
	_ encoding.BinaryMarshaler   = (*Filter)(nil)
	_ encoding.BinaryUnmarshaler = (*Filter)(nil)
	_ io.WriterTo                = (*FuseFilter)(nil)
	_ io.ReaderFrom              = (*FuseFilter)(nil)
	_ encoding.BinaryMarshaler   = (*FuseFilter)(nil)
	_ encoding.BinaryUnmarshaler = (*FuseFilter)(nil)
	_ io.WriterTo                = (*File)(nil)
	_ io.ReaderFrom              = (*File)(nil)
	_ encoding.BinaryMarshaler   = (*File)(nil)
	_ encoding.BinaryUnmarshaler = (*File)(nil)
)

func TestAKeyIsTheSameHoweverItIsGiven(t *testing.T) {
	numbers := []uint64{0, 1, 42, 1<<63 - 1, 1 << 63, ^uint64(0), 0x0123456789abcdef}
	for i := uint64(0); i < 100; i++ {
		numbers = append(numbers, splitMix64(i))
	}
	for _, hasher := range allHashers(t) {
		byBytes, byNumber, byMany := mustGeometry(t, 5000, 3, hasher), mustGeometry(t, 5000, 3, hasher), mustGeometry(t, 5000, 3, hasher)
		for _, x := range numbers {
			key := binary.LittleEndian.AppendUint64(nil, x)
			byBytes.Add(key)
			byNumber.AddUint64(x)
			if hasher.Hash(key) != hasher.HashUint64(x) || hasher.Hash(key) != hasher.HashString(string(key)) {
				t.Errorf("%v: %x hashes differently as a number, as text and as bytes", hasher, x)
			}
			if !byBytes.ContainsUint64(x) || !byNumber.Contains(key) || !byNumber.ContainsString(string(key)) {
				t.Errorf("%v: %x is absent in another shape", hasher, x)
			}
		}
		byMany.AddUint64s(numbers)
		if !byBytes.Equal(byNumber) || !byBytes.Equal(byMany) {
			t.Errorf("%v: integers have other bits than their 8 bytes", hasher)
		}
		asked := append([]uint64{7, 8, 9}, numbers...)
		answers := make([]bool, len(asked))
		byMany.ContainsUint64s(asked, answers)
		for i, x := range asked {
			if answers[i] != byMany.ContainsUint64(x) {
				t.Errorf("%v: ContainsUint64s differs from ContainsUint64 for %x", hasher, x)
			}
		}
		text := mustGeometry(t, 5000, 3, hasher)
		text.AddString("grüße")
		if !text.Contains([]byte("grüße")) || text.ContainsString("gruesse") {
			t.Errorf("%v: text is not its UTF-8 bytes", hasher)
		}
	}
}

func TestTheDefaultIsBlock(t *testing.T) {
	f := must[*Filter](t)(New(1000, 0.01))
	if f.Kind() != Block || f.Hasher().ID() != XXH3 {
		t.Errorf("New makes %v", f)
	}
	split := must[*Filter](t)(New(1000, 0.01, WithKind(Split)))
	if split.Kind() != Split || split.Hasher().ID() != XXH64 {
		t.Errorf("WithKind(Split) makes %v", split)
	}
	seeded := must[Hasher](t)(SeededHasher(XXH3, 5))
	if f := must[*Filter](t)(New(1000, 0.01, WithHasher(seeded))); f.Hasher() != seeded {
		t.Errorf("WithHasher is not followed: %v", f)
	}
	g := must[Geometry](t)(GeometryOf(Block, map[string]uint64{"blocks": 33, "k": 5}))
	if f := must[*Filter](t)(NewWithGeometry(g)); f.Geometry() != g || len(f.Bytes()) != 33*64 {
		t.Errorf("made %v of %v", f, g)
	}
}

func TestBuildFuseNamesAKindThatIsNotFuse(t *testing.T) {
	_, err := BuildFuse(numbered("key", 3), 0.01, WithKind(Block))
	if err == nil || !strings.Contains(err.Error(), "WithKind says block") {
		t.Errorf("BuildFuse of another kind: %v", err)
	}
}

func TestEveryErrorHasItsClass(t *testing.T) {
	keyed := must[Hasher](t)(KeyedHasher(SipHash13, Secret{1}))
	filter := must[*Filter](t)(New(100, 0.01))
	keyedBytes := must[[]byte](t)(must[*Filter](t)(New(100, 0.01, WithHasher(keyed))).MarshalBinary())
	damaged := must[[]byte](t)(filter.MarshalBinary())
	damaged[len(damaged)-1] ^= 1
	newer := must[[]byte](t)(filter.MarshalBinary())
	newer[atVersion] = 2
	other := must[*Filter](t)(New(200, 0.01))
	missing := filepath.Join(t.TempDir(), "missing")
	block := func(number string) map[string]uint64 { return map[string]uint64{"blocks": 1, number: 1} }
	for _, row := range []struct {
		name  string
		err   error
		class error
	}{
		{"fpr 2", errorOf(New(100, 2)), ErrInvalidArgument},
		{"no keys", errorOf(New(0, 0.01)), ErrInvalidArgument},
		{"kind 99", errorOf(New(100, 0.01, WithKind(99))), ErrInvalidArgument},
		{"kind of C++", errorOf(New(100, 0.01, WithKind(Cuckoo))), ErrUnsupported},
		{"fuse by New", errorOf(New(100, 0.01, WithKind(Fuse))), ErrInvalidArgument},
		{"arity of block", errorOf(New(100, 0.01, WithArity(4))), ErrInvalidArgument},
		{"arity 5", errorOf(BuildFuse(nil, 0.01, WithArity(5))), ErrInvalidArgument},
		{"fuse of another kind", errorOf(BuildFuse(nil, 0.01, WithKind(Split))), ErrInvalidArgument},
		{"two kinds", errorOf(NewWithGeometry(filter.Geometry(), WithKind(Split))), ErrInvalidArgument},
		{"no geometry", errorOf(NewWithGeometry(Geometry{})), ErrInvalidArgument},
		{"hasher of a size", errorOf(GeometryForBits(10, 10, WithHasher(keyed))), ErrInvalidArgument},
		{"too few numbers", errorOf(GeometryOf(Block, map[string]uint64{"k": 1})), ErrInvalidArgument},
		{"strange number", errorOf(GeometryOf(Block, block("m"))), ErrInvalidArgument},
		{"large number", errorOf(GeometryOf(Block, map[string]uint64{"blocks": 1, "k": 1 << 40})), ErrInvalidArgument},
		{"seed of siphash", errorOf(SeededHasher(SipHash13, 1)), ErrInvalidArgument},
		{"short secret", errorOf(ParseSecret([]byte("00"))), ErrInvalidArgument},
		{"unknown kind", errorOf(ParseKind("bogus")), ErrInvalidArgument},
		{"unknown hash", errorOf(ParseHashID("md5")), ErrInvalidArgument},
		{"too large", errorOf(NewWithGeometry(Geometry{blockGeometry{1 << 50, 4}})), ErrOutOfMemory},
		{"larger than the machine", errorOf(NewWithGeometry(Geometry{blockGeometry{1 << 38, 4}})), ErrOutOfMemory},
		{"damage", errorOf(Parse(damaged)), ErrCorrupt},
		{"no filter", errorOf(Parse([]byte("hello, world"))), ErrCorrupt},
		{"a newer version", errorOf(Parse(newer)), ErrUnsupported},
		{"raw file of block", errorOf(filter.File(Raw)), ErrUnsupported},
		{"other geometry", filter.Merge(other), ErrMismatch},
		{"no secret", filter.UnmarshalBinary(keyedBytes), ErrWrongSecret},
		{"another secret", errorOf(Parse(keyedBytes, WithSecret(Secret{2}))), ErrWrongSecret},
		{"no such file", errorOf(Open(missing)), ErrIO},
		{"no such file", errorOf(Open(missing)), fs.ErrNotExist},
		{"no such secret", errorOf(ReadSecret(missing)), ErrIO},
		{"no such folder", filter.Save(filepath.Join(missing, "f")), ErrIO},
		{"a reader that fails", errorOf(filter.ReadFrom(iotest.ErrReader(errNoRoom))), ErrIO},
		{"a reader that fails", errorOf(filter.ReadFrom(iotest.ErrReader(errNoRoom))), errNoRoom},
		{"a writer that fails", errorOf(filter.WriteTo(fullWriter{})), ErrIO},
		{"a writer that fails", errorOf(filter.WriteTo(fullWriter{})), errNoRoom},
		{"a stream cut short", errorOf(filter.ReadFrom(bytes.NewReader(damaged[:200]))), ErrCorrupt},
		{"nothing to write", errorOf((&File{}).MarshalBinary()), ErrInvalidArgument},
	} {
		if !errors.Is(row.err, row.class) {
			t.Errorf("%s: %v is not %q", row.name, row.err, row.class)
		}
		classes := 0
		for _, class := range []error{ErrInvalidArgument, ErrOutOfMemory, ErrIO, ErrCorrupt, ErrUnsupported, ErrMismatch, ErrWrongSecret} {
			if errors.Is(row.err, class) {
				classes++
			}
		}
		if classes != 1 {
			t.Errorf("%s: %v is of %d classes", row.name, row.err, classes)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

var errNoRoom = errors.New("no room")

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errNoRoom }

func TestStreamsCarryFiltersOneAfterTheOther(t *testing.T) {
	keyed := must[Hasher](t)(KeyedHasher(SipHash24, Secret{7}))
	block := must[*Filter](t)(New(1000, 0.01, WithHasher(keyed)))
	classic := mustCapacity(t, 100, 0.02)
	large := must[*Filter](t)(New(4000000, 0.01)) // more than one step of the reader
	fuse := must[*FuseFilter](t)(BuildFuse(numbered("key", 500), 0.01))
	for _, f := range []*Filter{block, classic, large} {
		f.AddMany(numbered("key", 100))
	}
	var stream bytes.Buffer
	total := int64(0)
	for _, w := range []io.WriterTo{block, must[*File](t)(classic.File(Raw)), large, fuse} {
		total += must[int64](t)(w.WriteTo(&stream))
	}
	if total != int64(stream.Len()) {
		t.Errorf("%d bytes are there, %d were told", stream.Len(), total)
	}
	r := iotest.HalfReader(&stream)
	block2 := must[*Filter](t)(New(1, 0.5, WithHasher(keyed)))
	var classic2, large2 Filter
	var fuse2 FuseFilter
	for _, to := range []io.ReaderFrom{block2, &classic2, &large2, &fuse2} {
		total -= must[int64](t)(to.ReadFrom(r))
	}
	if _, err := new(Filter).ReadFrom(r); err != io.EOF {
		t.Errorf("at the end of the stream: %v", err)
	}
	if _, err := new(Filter).ReadFrom(iotest.ErrReader(io.ErrUnexpectedEOF)); err == io.EOF || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("where a reader was cut short: %v", err)
	}
	if total != 0 || stream.Len() != 0 {
		t.Errorf("%d bytes of the stream were told twice or never, %d are left", total, stream.Len())
	}
	if !block2.Equal(block) || !classic2.Equal(classic) || !large2.Equal(large) || !bytes.Equal(fuse2.Bytes(), fuse.Bytes()) {
		t.Error("a filter came back as another one")
	}
	if block2.KeyCount() != 100 || classic2.KeyCount() != UnknownKeys || fuse2.KeyCount() != 500 {
		t.Errorf("key counts are %d, %d, %d", block2.KeyCount(), classic2.KeyCount(), fuse2.KeyCount())
	}
	if large2.Add([]byte("new")) != large.Add([]byte("new")) || !large2.Equal(large) {
		t.Error("a filter that was read takes keys otherwise")
	}
}

func TestAHeaderThatLiesTakesNoMemory(t *testing.T) {
	data := must[[]byte](t)(must[*Filter](t)(New(1000, 0.01)).MarshalBinary())
	blocks := uint64(1) << 27 // 8 GiB
	binary.LittleEndian.PutUint64(data[atLength:], 64*blocks)
	binary.LittleEndian.PutUint64(data[atGeometry:], blocks)
	binary.LittleEndian.PutUint64(data[atHeader:], checksumOf(data[:atHeader]))
	most := testing.AllocsPerRun(1, func() {
		if _, err := new(File).ReadFrom(bytes.NewReader(data)); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrOutOfMemory) {
			t.Errorf("error is %v", err)
		}
	})
	if most > 50 {
		t.Errorf("%g allocations", most)
	}
	raw := append([]byte{7, 0, 0, 0}, bytes.Repeat([]byte{0xff}, 8)...)
	if _, err := new(File).ReadFrom(bytes.NewReader(raw)); err == nil {
		t.Error("a raw header without bits was taken")
	}
}

func TestGobCarriesFilters(t *testing.T) {
	type message struct {
		Name string
		Seen *Filter
		Set  *FuseFilter
	}
	sent := message{"a", must[*Filter](t)(New(100, 0.01)), must[*FuseFilter](t)(BuildFuse(numbered("key", 9), 0.01))}
	sent.Seen.AddString("apple")
	var wire bytes.Buffer
	var got message
	if err := gob.NewEncoder(&wire).Encode(sent); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&wire).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if !got.Seen.Equal(sent.Seen) || !got.Set.ContainsString("key3") {
		t.Errorf("came back as %v", got)
	}
}

func TestEverythingPrintsAsOneLineWithoutItsSecret(t *testing.T) {
	secret := Secret{0xde, 0xad, 0xbe, 0xef}
	keyed := must[Hasher](t)(KeyedHasher(SipHash13, secret))
	filter := must[*Filter](t)(New(100000, 0.01, WithHasher(keyed)))
	fuse := must[*FuseFilter](t)(BuildFuse(numbered("key", 3), 0.01))
	for _, value := range []any{filter, filter.View, View{}, &Filter{}, fuse, must[*File](t)(fuse.File()), &File{}, keyed, secret, filter.Geometry(), Geometry{}, Block, XXH3, Raw} {
		for _, verb := range []string{"%v", "%s", "%+v"} {
			if line := fmt.Sprintf(verb, value); len(line) < 3 || len(line) > 200 || strings.ContainsAny(line, "\n{") {
				t.Errorf("%T prints as %q", value, line)
			}
		}
	}
	for _, value := range []any{keyed, secret} {
		k0 := fmt.Sprintf("%x", binary.LittleEndian.Uint64(secret[:]))
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if line := fmt.Sprintf(verb, value); strings.Contains(line, "dead") || strings.Contains(line, k0) || strings.Contains(line, "222, 173") {
				t.Errorf("%s of %T shows the secret: %s", verb, value, line)
			}
		}
	}
	if got, want := fmt.Sprint(must[*Filter](t)(New(1000, 0.01))), "block (blocks 20, k 5), xxh3 with seed 0x0, 1280 bytes, 0 keys"; got != want {
		t.Errorf("a filter is %q, want %q", got, want)
	}
}

func TestAViewIsOnePointer(t *testing.T) {
	if size := unsafe.Sizeof(View{}); size != unsafe.Sizeof(uintptr(0)) {
		t.Errorf("a View has %d bytes", size)
	}
}
