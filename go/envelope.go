package bloomery

// This file has the header of the .blm envelope, version 1 (spec/envelope.md); the
// records behind it are in records.go.
// Fields are read and written one by one, at the offsets below; the checks are
// made in the order of the specification.

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"
)

const (
	envelopeHeaderLen = 128

	atVersion  = 8
	atKind     = 10
	atHash     = 12
	atFlags    = 14
	atSeed     = 16
	atKeys     = 24
	atOffset   = 32
	atLength   = 40
	atGeometry = 48
	atPayload  = 112 // checksum of the payload
	atHeader   = 120 // checksum of all bytes before it, and of the records
)

// magic begins with a byte that no raw file begins with, and is damaged by every
// common text-mode transfer.
var magic = [8]byte{0x89, 'B', 'L', 'M', '\r', '\n', 0x1a, '\n'}

// envelopeStart makes the checks that come before the header's checksum, of the first 128
// bytes, and returns where the payload begins: so many bytes are needed for the rest.
func envelopeStart(prefix []byte, length uint64) (offset uint64, err error) {
	if length < envelopeHeaderLen || len(prefix) < envelopeHeaderLen {
		return 0, invalid("length", "it has %d bytes, the header of an envelope alone has %d: it was cut short", length, envelopeHeaderLen)
	}
	if string(prefix[:8]) != string(magic[:]) {
		return 0, invalid("magic", "the magic is % x, must be % x: this is no filter file, or it was transferred as text", prefix[:8], magic[:])
	}
	if version := binary.LittleEndian.Uint16(prefix[atVersion:]); version != envelopeVersion {
		return 0, unknown("version", "version is %d, only %d is known here: use a newer bloomery", version, envelopeVersion)
	}
	offset = word(prefix, atOffset)
	if offset < envelopeHeaderLen || offset > maxOffset || offset%offsetUnit != 0 {
		return 0, invalid("payload offset", "payload offset is %d, must be a multiple of %d from %d to %d: the file is damaged, build it again",
			offset, offsetUnit, envelopeHeaderLen, maxOffset)
	}
	if offset > length {
		return 0, invalid("payload offset", "payload offset is %d, the file has %d bytes: it was cut short", offset, length)
	}
	return offset, nil
}

// parseEnvelopeHeader makes the checks up to those of the payload. prefix goes up to the
// payload at least, or is the whole file.
func parseEnvelopeHeader(prefix []byte, length uint64) (*File, error) {
	offset, err := envelopeStart(prefix, length)
	if err != nil {
		return nil, err
	}
	if uint64(len(prefix)) < offset {
		return nil, invalid("payload offset", "payload offset is %d, only %d bytes are there: it was cut short", offset, len(prefix))
	}
	header, area := prefix[:envelopeHeaderLen], prefix[envelopeHeaderLen:offset]
	u16 := func(at int) uint16 { return binary.LittleEndian.Uint16(header[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(header[at:]) }
	if headerSum(header, area) != u64(atHeader) {
		return nil, invalid("header checksum", "the header checksum does not match: the file is damaged, build it again")
	}
	f := &File{format: Envelope, hash: HashID(u16(atHash)), seed: u64(atSeed), keys: u64(atKeys), checksum: u64(atPayload), offset: offset}
	if err := f.checkNames(Kind(u16(atKind)), u16(atFlags)); err != nil {
		return nil, err
	}
	if f.records, err = parseRecords(area); err != nil {
		return nil, err
	}
	if body := length - offset; u64(atLength) != body {
		return nil, invalid("payload length", "payload length is %d, the file has %d: it was cut short, or something was appended", u64(atLength), body)
	}
	if err := f.records.checkChunks(u64(atLength)); err != nil {
		return nil, err
	}
	var words [8]uint64
	for i := range words {
		words[i] = u64(atGeometry + 8*i)
	}
	if err := f.takeGeometry(Kind(u16(atKind)), words, u64(atLength)); err != nil {
		return nil, err
	}
	return f, nil
}

// headerSum is the checksum of a header and of the records behind it.
func headerSum(header, area []byte) uint64 {
	if len(area) == 0 {
		return xxh3.Hash(header[:atHeader])
	}
	return xxh3.Hash(append(header[:atHeader:atHeader], area...))
}

func (f *File) checkNames(kind Kind, flags uint16) error {
	if !kind.known() {
		name := ""
		if int(kind) < len(kindNames) && kind > 0 {
			name = fmt.Sprintf(" (%v)", kind)
		}
		return unknown("kind", "kind is %d%s, only %s can be read here: use the C++ command", kind, name, kindList(Kinds()))
	}
	if !f.hash.known() {
		return unknown("hash id", "hash id is %d, only 1 to %d are known here: use a newer bloomery", uint16(f.hash), SipHash24)
	}
	if flags&0xff != 0 { // the others may be ignored
		return unknown("flags", "flags are 0x%04x, of which 0x%02x must be understood and is unknown here: use a newer bloomery", flags, flags&0xff)
	}
	if f.hash == FNVSplitMix && f.seed != 0 {
		return invalid("hash seed", "hash seed is 0x%016x, must be 0 for fnv_splitmix: the file is damaged, build it again", f.seed)
	}
	return nil
}

// takeGeometry has the rules of step 6 that need no payload.
func (f *File) takeGeometry(kind Kind, words [8]uint64, length uint64) error {
	g, err := checkedLayout(kind, words)
	if err != nil {
		return invalid("geometry", "%v: the file is damaged, build it again", err)
	}
	if length != g.byteLen() {
		return invalid("payload length", "payload length is %d, %s needs %d: the file is damaged, build it again", length, describe(g), g.byteLen())
	}
	used := len(g.fields())
	for i, word := range words[used:] {
		if word != 0 {
			return invalid("geometry", "geometry word %d is %d, must be 0 for %v: the file is damaged, build it again", i+used, word, kind)
		}
	}
	f.core = &core{of: g}
	return nil
}

// envelopeHeader returns all bytes before the payload, with room for it.
func (f *File) envelopeHeader() []byte {
	offset := max(f.offset, envelopeHeaderLen)
	header := make([]byte, offset, offset+uint64(len(f.core.bytes)))
	put16 := func(at int, v uint16) { binary.LittleEndian.PutUint16(header[at:], v) }
	put64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(header[at:], v) }
	copy(header, magic[:])
	put16(atVersion, envelopeVersion)
	put16(atKind, uint16(f.core.kind))
	put16(atHash, uint16(f.hash))
	put64(atSeed, f.seed)
	put64(atKeys, f.keys)
	put64(atOffset, offset)
	put64(atLength, uint64(len(f.core.bytes)))
	for i, field := range f.core.of.fields() {
		put64(atGeometry+8*i, field.Value)
	}
	put64(atPayload, f.checksum)
	f.records.put(header[envelopeHeaderLen:])
	put64(atHeader, headerSum(header, header[envelopeHeaderLen:]))
	return header
}
