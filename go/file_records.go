package bloomery

// This file has what a file says of itself beside its filter, for those who read and
// write it: label, time, type of its keys, sums of its chunks.

import (
	"encoding/binary"
	"time"
)

// Label returns the name that a file has for people; "" when it has none.
func (f *File) Label() string {
	contents, _ := f.records.find(labelRecord)
	return string(contents)
}

// SetLabel gives the file a name: 1 to 255 bytes of UTF-8 without control characters;
// "" takes it away. Files of other programs keep it when keys are added. Like all
// records it is for envelopes alone.
func (f *File) SetLabel(label string) error { return f.setText(labelRecord, label) }

// KeyType returns what the keys are: text, bytes, int, parquet-TYPE or user:NAME; "" when
// the file does not say.
func (f *File) KeyType() string {
	contents, _ := f.records.find(keysRecord)
	return string(contents)
}

// SetKeyType says what the keys are, as KeyType returns it; "" takes it away. Filters
// whose types are said and differ do not merge.
func (f *File) SetKeyType(keys string) error { return f.setText(keysRecord, keys) }

// Created returns when the payload was made, to the second; false when the file does not
// say.
func (f *File) Created() (time.Time, bool) {
	contents, found := f.records.find(createdRecord)
	if !found {
		return time.Time{}, false
	}
	return time.Unix(int64(word(contents, 0)), 0), true
}

// SetCreated says when the payload was made, not before 1970. Files that are to be the
// same byte for byte do not say it.
func (f *File) SetCreated(when time.Time) error {
	if when.Unix() < 0 {
		return wrong("the time %v is before 1970: a file counts seconds from there", when)
	}
	return f.setRecord(createdRecord, binary.LittleEndian.AppendUint64(nil, uint64(when.Unix())))
}

// ChunkBytes returns the length of the parts that have checksums of their own; 0 when
// there are none.
func (f *File) ChunkBytes() uint64 {
	contents, found := f.records.find(chunksRecord)
	if !found {
		return 0
	}
	return word(contents, 0)
}

// AddChunks computes checksums of parts of the payload, so that [File.VerifyRange] can
// look at some of a large file.
func (f *File) AddChunks() error {
	if f.core == nil {
		return errNoFilter
	}
	return f.setRecord(chunksRecord, chunkSums(f.core.bytes))
}

// Align moves the payload to a multiple of a power of two from 64 to 4 MiB, such as the
// size of a page.
func (f *File) Align(unit uint64) error {
	if err := f.checkEnvelope(); err != nil {
		return err
	}
	if unit < offsetUnit || unit > maxOffset || unit&(unit-1) != 0 {
		return wrong("the alignment is %d, must be a power of two from %d to %d", unit, offsetUnit, maxOffset)
	}
	return f.place(f.records, unit)
}

func (f *File) setText(kind recordType, text string) error {
	if text == "" {
		return f.setRecord(kind, nil)
	}
	one := record{kind, knownFlags[kind], []byte(text)}
	if !one.sensible() {
		return wrong("%q is too long, or has characters that do not belong there: see spec/envelope.md", text)
	}
	return f.setRecord(kind, one.contents)
}

func (f *File) setRecord(kind recordType, contents []byte) error {
	if err := f.checkEnvelope(); err != nil {
		return err
	}
	return f.place(f.records.with(kind, contents), 0)
}

func (f *File) checkEnvelope() error {
	if f.core == nil {
		return errNoFilter
	}
	if f.format != Envelope {
		return unsupported("a raw file has no records: use an envelope")
	}
	return nil
}

// place gives the file these records, and its payload a place behind them: where it was
// if they fit, or, with a unit, the first multiple of it.
func (f *File) place(all records, unit uint64) error {
	end := recordArea + all.length()
	offset := max(f.offset, recordArea)
	if unit != 0 {
		offset = roundUp(end, unit)
	} else if end > offset {
		offset = roundUp(end, offsetUnit)
	}
	if offset > maxOffset {
		return wrong("records of %d bytes leave no place for the payload up to %d: use fewer, or a smaller alignment", all.length(), maxOffset)
	}
	f.records, f.offset = all, offset
	return nil
}

// VerifyRange compares the chunks that the bytes from .. to of the payload lie in with
// their checksums. A file without chunks is ErrUnsupported.
func (f *File) VerifyRange(from, to uint64) error {
	contents, found := f.records.find(chunksRecord)
	if !found {
		return unsupported("the file has no checksums of chunks: use Verify")
	}
	length, size := uint64(len(f.core.bytes)), word(contents, 0)
	if from > to || to > length {
		return wrong("the range %d to %d is not in a payload of %d bytes", from, to, length)
	}
	for chunk := from / size; from < to && chunk*size < to; chunk++ {
		end := min((chunk+1)*size, length)
		if checksumOf(f.core.bytes[chunk*size:end]) != word(contents, 8*(chunk+1)) {
			return invalid("chunks", "chunk %d of %d, bytes %d to %d of the payload, does not match its checksum: the file is damaged, build it again",
				chunk, (length+size-1)/size, chunk*size, end-1)
		}
	}
	return nil
}

// origin is what a filter remembers of the file it was read from.
type origin struct {
	records  records
	offset   uint64
	checksum uint64
	keys     uint64
}

func (f *File) origin() *origin {
	if len(f.records) == 0 && f.offset <= recordArea {
		return nil
	}
	return &origin{f.records, f.offset, f.checksum, f.keys}
}

// carry gives a new file what is still true of the one that its filter came from.
func (f *File) carry(from *origin) error {
	if from == nil || f.format != Envelope {
		return nil
	}
	f.offset = from.offset
	kept := from.records
	if f.checksum != from.checksum || f.keys != from.keys {
		kept = kept.afterChange()
	}
	return f.place(kept, 0)
}

// mergedWith is what is true of a filter made of two.
func (o *origin) mergedWith(other *origin) (*origin, error) {
	if o == nil && other == nil {
		return nil, nil
	}
	var mine, theirs origin
	if o != nil {
		mine = *o
	}
	if other != nil {
		theirs = *other
	}
	kept, err := mine.records.merged(theirs.records)
	if err != nil {
		return nil, err
	}
	return &origin{records: kept, offset: mine.offset}, nil
}
