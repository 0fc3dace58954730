package bloomery

// The tests in this file hold records to the golden data of spec/vectors.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

type unknownRecord struct {
	Type  recordType
	Flags uint16
	Hex   string
}

// recordRow is what the golden data says of records.
type recordRow struct {
	Name       string
	Offset     uint64
	Label      *string
	Created    *uint64
	Keys       *string
	ChunkBytes *uint64 `json:"chunk_bytes"`
	Unknown    []unknownRecord
	Written    bool
	Hex        string
	ChangedHex string `json:"changed_hex"`
}

// tells compares what a file says with a row.
func (row *recordRow) tells(t *testing.T, f *File) {
	t.Helper()
	created, known := f.Created()
	text := func(want *string, got string) bool { return want == nil && got == "" || want != nil && *want == got }
	if !text(row.Label, f.Label()) || !text(row.Keys, f.KeyType()) || known != (row.Created != nil) || known && uint64(created.Unix()) != *row.Created ||
		(f.ChunkBytes() != 0) != (row.ChunkBytes != nil) || row.ChunkBytes != nil && f.ChunkBytes() != *row.ChunkBytes {
		t.Errorf("%s: says %q, %q, %v %v, %d", row.Name, f.Label(), f.KeyType(), created, known, f.ChunkBytes())
	}
	var others []unknownRecord
	for _, one := range f.records {
		if !one.kind.known() {
			others = append(others, unknownRecord{one.kind, one.flags, fmt.Sprintf("%x", one.contents)})
		}
	}
	if fmt.Sprint(others) != fmt.Sprint(row.Unknown) {
		t.Errorf("%s: has unknown records %v, want %v", row.Name, others, row.Unknown)
	}
}

// ask gives a file the records of a row.
func (row *recordRow) ask(t *testing.T, f *File) {
	t.Helper()
	for _, one := range row.Unknown {
		f.records = append(f.records, record{one.Type, one.Flags, unhex(t, one.Hex)})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
	}
	if row.Label != nil {
		must(f.SetLabel(*row.Label))
	}
	if row.Created != nil {
		if *row.Created > math.MaxInt64 { // which no time.Time is for
			must(f.setRecord(createdRecord, binary.LittleEndian.AppendUint64(nil, *row.Created)))
		} else {
			must(f.SetCreated(time.Unix(int64(*row.Created), 0)))
		}
	}
	if row.Keys != nil {
		must(f.SetKeyType(*row.Keys))
	}
	if row.ChunkBytes != nil {
		must(f.AddChunks())
	}
	f.records.sorted()
	f.offset = row.Offset
	must(f.place(f.records, 0))
}

func TestRecordsEqualTheGoldenData(t *testing.T) {
	var v struct {
		Valid   []recordRow
		Invalid []struct {
			Why, Hex string
			Check    int
		}
		Merged []struct {
			One, Other recordRow
			Merged     *recordRow
		}
	}
	readVectors(t, "records.json", &v)
	for _, row := range v.Valid {
		data := unhex(t, row.Hex)
		f, err := Parse(data)
		if err != nil {
			t.Errorf("%s: %v", row.Name, err)
			continue
		}
		row.tells(t, f)
		if err := f.Verify(); err != nil || f.Len() != uint64(len(data)) {
			t.Errorf("%s: %v", row.Name, err)
		}
		var streamed File
		if n, err := streamed.ReadFrom(bytes.NewReader(append(data, 1, 2, 3))); err != nil || n != int64(len(data)) {
			t.Errorf("%s: as a stream %d bytes of %d, %v", row.Name, n, len(data), err)
		}
		row.tells(t, &streamed)
		if again := bytesOfFile(t, f); row.Written != bytes.Equal(again, data) {
			t.Errorf("%s: written again it is %x", row.Name, again)
		}
		row.writes(t, f, data)
		row.changes(t, f)
	}
	for _, row := range v.Invalid {
		data := unhex(t, row.Hex)
		_, err := Parse(data)
		var format *FormatError
		if !errors.As(err, &format) {
			t.Errorf("%s: error is %v", row.Why, err)
		} else if !strings.Contains(checkOf[format.Field], strconv.Itoa(row.Check)) {
			t.Errorf("%s: refused for its %s, step %d comes first", row.Why, format.Field, row.Check)
		}
		if n, err := new(File).ReadFrom(bytes.NewReader(data)); err == nil && n == int64(len(data)) {
			t.Errorf("%s: not refused as a stream", row.Why)
		}
	}
	for i, row := range v.Merged {
		one, other := filterWith(t, row.One), filterWith(t, row.Other)
		err := one.Merge(other)
		if (err != nil) != (row.Merged == nil) || err != nil && !errors.Is(err, ErrMismatch) {
			t.Errorf("merge %d: %v", i, err)
		}
		if err == nil {
			row.Merged.Name = fmt.Sprint("merge ", i)
			row.Merged.tells(t, must[*File](t)(one.File(Envelope)))
		}
	}
	if len(v.Valid) < 40 || len(v.Invalid) < 100 || len(v.Merged) < 10 {
		t.Error("rows are missing")
	}
}

// filterWith returns a filter that was read from a file with records.
func filterWith(t *testing.T, row recordRow) *Filter {
	t.Helper()
	f := must[*Filter](t)(New(10, 0.1))
	f.AddString("a")
	file := must[*File](t)(f.File(Envelope))
	row.ask(t, file)
	return must[*Filter](t)(must[*File](t)(Parse(bytesOfFile(t, file))).Filter())
}

// writes asks for the records of a row, and compares the bytes.
func (row *recordRow) writes(t *testing.T, f *File, data []byte) {
	t.Helper()
	if !row.Written || row.ChunkBytes != nil && *row.ChunkBytes != smallestChunk {
		return
	}
	plain := *f
	plain.records, plain.offset = nil, 0
	row.ask(t, &plain)
	if got := bytesOfFile(t, &plain); !bytes.Equal(got, data) {
		t.Errorf("%s: asked for, it is %x", row.Name, got)
	}
}

// changes reads a filter, adds to it, and looks at what is left; then takes the payload
// back, as the row has it.
func (row *recordRow) changes(t *testing.T, f *File) {
	t.Helper()
	filter := must[*Filter](t)(f.Filter())
	if unchanged := must[*File](t)(filter.File(Envelope)); row.Written && !bytes.Equal(bytesOfFile(t, unchanged), unhex(t, row.Hex)) {
		t.Errorf("%s: a filter that did not change makes another file", row.Name)
	}
	before, keys := bytes.Clone(filter.Bytes()), filter.keys
	filter.AddMany(numbered("more", 3))
	changed := must[*File](t)(filter.File(Envelope))
	copy(filter.Bytes(), before)
	changed.keys, changed.checksum = keys, checksumOf(before)
	if got := bytesOfFile(t, changed); !bytes.Equal(got, unhex(t, row.ChangedHex)) {
		t.Errorf("%s: after a change it is %x", row.Name, got)
	}
}

func TestDamageOfChunksIsNamed(t *testing.T) {
	f := must[*Filter](t)(New(100000, 0.01))
	f.AddUint64s([]uint64{1, 2, 3})
	file := must[*File](t)(f.File(Envelope))
	if err := errors.Join(file.SetLabel("large"), file.AddChunks(), file.Align(4096)); err != nil {
		t.Fatal(err)
	}
	data := bytesOfFile(t, file)
	if len(data)%64 != 0 || file.offset != 4096 {
		t.Fatalf("the payload begins at %d", file.offset)
	}
	data[4096+2*4096+5] ^= 1
	if _, err := Parse(data); !errors.Is(err, ErrCorrupt) {
		t.Errorf("damage is taken: %v", err)
	}
	damaged := must[*File](t)(Parse(data, Unverified()))
	if err := damaged.Verify(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "chunk 2 of 31, bytes 8192 to 12287") {
		t.Errorf("Verify says %v", err)
	}
	if err := errors.Join(damaged.VerifyRange(0, 8192), damaged.VerifyRange(12288, uint64(len(data)-4096)), damaged.VerifyRange(9000, 9000)); err != nil {
		t.Errorf("sound chunks are refused: %v", err)
	}
	for _, r := range [][2]uint64{{0, 8193}, {9000, 9001}, {12287, 12289}} {
		if damaged.VerifyRange(r[0], r[1]) == nil {
			t.Errorf("the damaged chunk passes from %d to %d", r[0], r[1])
		}
	}
	if err := damaged.VerifyRange(5, 1<<40); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("a range outside: %v", err)
	}
	for _, err := range []error{file.SetLabel("a\nb"), file.SetLabel(strings.Repeat("x", 256)), file.SetKeyType("a b"), file.Align(100), file.Align(8 << 20)} {
		if !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("not refused: %v", err)
		}
	}
	raw := must[*File](t)(mustCapacity(t, 10, 0.1).File(Raw))
	if err := raw.SetLabel("x"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a raw file got a label: %v", err)
	}
}

func TestEveryFlipAndCutOfAFileWithRecordsIsNoticed(t *testing.T) {
	f := must[*Filter](t)(New(10, 0.1))
	file := must[*File](t)(f.File(Envelope))
	if err := errors.Join(file.SetLabel("flips"), file.SetKeyType("int"), file.SetCreated(time.Unix(5, 0)), file.AddChunks()); err != nil {
		t.Fatal(err)
	}
	data := bytesOfFile(t, file)
	for i := 0; i < 8*len(data); i++ {
		data[i/8] ^= 1 << (i % 8)
		if _, err := Parse(data); err == nil {
			t.Errorf("flip of bit %d is not noticed", i)
		}
		data[i/8] ^= 1 << (i % 8)
	}
	for i := range data {
		if _, err := Parse(data[:i]); err == nil {
			t.Errorf("truncation to %d bytes is not noticed", i)
		}
		if _, err := new(File).ReadFrom(bytes.NewReader(data[:i])); err == nil {
			t.Errorf("truncation of the stream to %d bytes is not noticed", i)
		}
	}
}
