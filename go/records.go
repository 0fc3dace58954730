package bloomery

// This file has the records of envelopes: what a file says of itself beside its filter
// (spec/envelope.md). Files have none unless somebody asked for them.

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

const (
	recordHeaderLen = 8
	recordArea      = envelopeHeaderLen // where records begin
	maxOffset       = 4 << 20
	offsetUnit      = 64

	smallestChunk = 4096
	mostChunkSums = 1 << 19 // bytes of a record of chunks

	// Flags of a record.
	recordMust  = 1 // a reader must understand it
	recordStays = 2 // it stays true when the payload changes
)

// recordType is what a record says.
type recordType uint16

const (
	labelRecord recordType = 1 + iota
	createdRecord
	keysRecord
	chunksRecord
	lineageRecord // reserved: as one that is not known
)

// knownFlags has the flags of the records that are known here, by their type.
var knownFlags = [...]uint16{labelRecord: recordStays, createdRecord: 0, keysRecord: recordStays, chunksRecord: 0}

func (t recordType) known() bool { return t >= labelRecord && t <= chunksRecord }

type record struct {
	kind     recordType
	flags    uint16
	contents []byte
}

// records are sorted by type, and each type is there at most once.
type records []record

func (r records) find(kind recordType) ([]byte, bool) {
	at, found := slices.BinarySearchFunc(r, kind, func(one record, kind recordType) int { return int(one.kind) - int(kind) })
	if !found {
		return nil, false
	}
	return r[at].contents, true
}

// with returns the records with one more, or with other contents of it, or, without
// contents, less it.
func (r records) with(kind recordType, contents []byte) records {
	others := slices.DeleteFunc(slices.Clone(r), func(one record) bool { return one.kind == kind })
	if contents == nil {
		return others
	}
	return append(others, record{kind, knownFlags[kind], contents}).sorted()
}

func (r records) sorted() records {
	slices.SortFunc(r, func(a, b record) int { return int(a.kind) - int(b.kind) })
	return r
}

// afterChange returns those that stay true when the payload changes.
func (r records) afterChange() records {
	return slices.DeleteFunc(slices.Clone(r), func(one record) bool { return one.flags&recordStays == 0 })
}

// merged returns the records of a filter made of two.
func (r records) merged(other records) (records, error) {
	mine, said := r.find(keysRecord)
	theirs, alsoSaid := other.find(keysRecord)
	if said && alsoSaid && !bytes.Equal(mine, theirs) {
		return nil, &failure{ErrMismatch, "the keys of one filter are " + string(mine) + ", of the other " + string(theirs) + ": they are different keys"}
	}
	return slices.DeleteFunc(r.afterChange(), func(one record) bool {
		contents, found := other.find(one.kind)
		return one.kind == labelRecord || one.kind == lineageRecord || !found || !bytes.Equal(contents, one.contents)
	}), nil
}

// length returns the bytes that the records take.
func (r records) length() uint64 {
	total := uint64(0)
	for _, one := range r {
		total += recordHeaderLen + roundUp(uint64(len(one.contents)), 8)
	}
	return total
}

func roundUp(x, unit uint64) uint64 { return (x + unit - 1) / unit * unit }

// put writes the records into zeros.
func (r records) put(area []byte) {
	for _, one := range r {
		binary.LittleEndian.PutUint16(area, uint16(one.kind))
		binary.LittleEndian.PutUint16(area[2:], one.flags)
		binary.LittleEndian.PutUint32(area[4:], uint32(len(one.contents)))
		copy(area[recordHeaderLen:], one.contents)
		area = area[recordHeaderLen+roundUp(uint64(len(one.contents)), 8):]
	}
}

func badRecord(kind recordType, what string) error {
	return invalid("records", "the record of type %d %s: the file is damaged, build it again", kind, what)
}

// parseRecords reads the bytes between header and payload.
func parseRecords(area []byte) (records, error) {
	var found records
	for len(area) >= recordHeaderLen && (area[0] != 0 || area[1] != 0) {
		one := record{kind: recordType(binary.LittleEndian.Uint16(area)), flags: binary.LittleEndian.Uint16(area[2:])}
		length := uint64(binary.LittleEndian.Uint32(area[4:]))
		end := recordHeaderLen + roundUp(length, 8)
		if end > uint64(len(area)) {
			return nil, badRecord(one.kind, "reaches beyond the payload's offset")
		}
		if !allZero(area[recordHeaderLen+length : end]) {
			return nil, badRecord(one.kind, "has padding other than 0")
		}
		one.contents = area[recordHeaderLen : recordHeaderLen+length : recordHeaderLen+length]
		if err := one.check(); err != nil {
			return nil, err
		}
		one.contents = slices.Clone(one.contents)
		found, area = append(found, one), area[end:]
	}
	if !allZero(area) {
		return nil, invalid("records", "a byte between the last record and the payload is not 0: the file is damaged, build it again")
	}
	found.sorted()
	for i := range found[:max(0, len(found)-1)] {
		if found[i].kind == found[i+1].kind {
			return nil, badRecord(found[i].kind, "is there twice")
		}
	}
	return found, nil
}

func allZero(area []byte) bool {
	for _, b := range area {
		if b != 0 {
			return false
		}
	}
	return true
}

// check holds a record to the rules of its type. Flags of known types that may be
// ignored go.
func (r *record) check() error {
	switch {
	case !r.kind.known() && r.flags&recordMust != 0:
		return unknown("records", "the record of type %d must be understood, and is unknown here: use a newer bloomery", r.kind)
	case !r.kind.known() && r.flags&0xfc != 0:
		return unknown("records", "the record of type %d has flags 0x%x, which are unknown here: use a newer bloomery", r.kind, r.flags)
	case !r.kind.known():
		return nil
	case r.flags&0xff != knownFlags[r.kind]:
		return badRecord(r.kind, "has other flags than its type has")
	case !r.sensible():
		return badRecord(r.kind, "has contents that its type cannot have")
	}
	r.flags = knownFlags[r.kind]
	return nil
}

// sensible reports whether the contents are what the type has.
func (r *record) sensible() bool {
	n := len(r.contents)
	switch r.kind {
	case labelRecord:
		return n >= 1 && n <= 255 && utf8.Valid(r.contents) && !slices.ContainsFunc(r.contents, func(b byte) bool { return b < 0x20 || b == 0x7f })
	case createdRecord:
		return n == 8
	case keysRecord:
		return n >= 1 && n <= 255 && !slices.ContainsFunc(r.contents, func(b byte) bool { return b < 0x21 || b > 0x7e })
	}
	if n < 8 || n%8 != 0 {
		return false
	}
	size := word(r.contents, 0)
	return size >= smallestChunk && size&(size-1) == 0
}

// checkChunks holds a record of chunks to the length of the payload.
func (r records) checkChunks(length uint64) error {
	contents, found := r.find(chunksRecord)
	if !found {
		return nil
	}
	if sums := uint64(len(contents))/8 - 1; sums != chunkCount(length, word(contents, 0)) {
		return invalid("records", "the record of chunks has %d sums, a payload of %d bytes has %d: the file is damaged, build it again",
			sums, length, chunkCount(length, word(contents, 0)))
	}
	return nil
}

func chunkCount(length, size uint64) uint64 { return length/size + min(1, length%size) }

// chunkSums returns the contents of a record of chunks.
func chunkSums(payload []byte) []byte {
	length, size := uint64(len(payload)), uint64(smallestChunk)
	for 8*(1+chunkCount(length, size)) > mostChunkSums {
		size *= 2
	}
	contents := binary.LittleEndian.AppendUint64(nil, size)
	for at := uint64(0); at < length; at += size {
		contents = binary.LittleEndian.AppendUint64(contents, checksumOf(payload[at:min(at+size, length)]))
	}
	return contents
}
