package bloomery

// This file has filters as streams of bytes: io.WriterTo, io.ReaderFrom and the
// interfaces of encoding, by which gob and others carry them. What is written is the
// filter file; what is read may be either of the two formats.

import (
	"io"

	"github.com/zeebo/xxh3"
)

// WriteTo writes the bytes of the file.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	header, err := f.header()
	if err != nil {
		return 0, err
	}
	first, err := w.Write(header)
	if err != nil {
		return int64(first), asIO(err)
	}
	second, err := w.Write(f.core.bytes)
	return int64(first) + int64(second), asIO(err)
}

// MarshalBinary returns the bytes of the file.
func (f *File) MarshalBinary() ([]byte, error) {
	header, err := f.header()
	if err != nil {
		return nil, err
	}
	return append(header, f.core.bytes...), nil
}

// ReadFrom makes f the filter file that r begins with. It makes all checks, and reads no
// byte beyond the end of the filter, so several can follow each other in a stream; at the
// end of it the error is io.EOF. Memory is taken as bytes arrive, whatever the header
// says.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	prefix, err := readHeader(r)
	if err != nil {
		return int64(len(prefix)), err
	}
	n := len(prefix)
	parsed, err := parseHeader(prefix, declaredLength(prefix))
	if err != nil {
		return int64(n), err
	}
	payload, err := readPayload(r, parsed.core.of.byteLen())
	if err != nil {
		return int64(n + len(payload)), err
	}
	parsed, err = parsed.attach(payload, opening{secret: f.secret})
	if err == nil {
		*f = *parsed
	}
	return int64(n + len(payload)), err
}

// readHeader reads all bytes before the payload, or fewer when the stream ends before.
func readHeader(r io.Reader) ([]byte, error) {
	prefix, whole, err := readUpTo(r, nil, rawHeaderLen)
	if len(prefix) == 0 && err == nil {
		return nil, io.EOF // between two filters: as it is, as readers of streams compare it
	}
	if !whole || prefix[0] != magic[0] {
		return prefix, err
	}
	if prefix, whole, err = readUpTo(r, prefix, envelopeHeaderLen); !whole {
		return prefix, err
	}
	offset, err := envelopeStart(prefix, maxOffset)
	if err != nil {
		return prefix, err
	}
	prefix, _, err = readUpTo(r, prefix, int(offset))
	return prefix, err
}

// readUpTo reads on until there are n bytes, and reports whether there are. That the
// stream ends is no error here; that its reader was cut short is one.
func readUpTo(r io.Reader, have []byte, n int) (all []byte, whole bool, err error) {
	all = make([]byte, n)
	at := copy(all, have)
	more, err := io.ReadFull(r, all[at:])
	if err == io.EOF || err == io.ErrUnexpectedEOF && more > 0 {
		return all[:at+more], false, nil
	}
	return all[:at+more], err == nil, asIO(err)
}

// declaredLength returns the length that a header tells of its file; what is too short
// for a header, its own.
func declaredLength(prefix []byte) uint64 {
	switch {
	case len(prefix) >= envelopeHeaderLen && uint64(len(prefix)) == word(prefix, atOffset):
		return uint64(len(prefix)) + min(word(prefix, atLength), mostBytes)
	case len(prefix) == rawHeaderLen && prefix[0] != magic[0]:
		return rawHeaderLen + classicGeometry{M: word(prefix, 4)}.byteLen()
	}
	return uint64(len(prefix))
}

// readPayload reads so many bytes, and takes memory in step with them.
func readPayload(r io.Reader, length uint64) ([]byte, error) {
	const first = 1 << 20
	var payload []byte
	for have := uint64(0); have < length || payload == nil; {
		grown, err := allocate(min(length, max(first, 2*have)))
		if err != nil {
			return payload, err
		}
		copy(grown, payload)
		n, err := io.ReadFull(r, grown[have:])
		payload = grown[:have+uint64(n)]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return payload, invalid("payload length", "payload length is %d, the stream ended after %d: it was cut short", length, len(payload))
		}
		if err != nil {
			return payload, asIO(err)
		}
		have += uint64(n)
	}
	return payload, nil
}

// UnmarshalBinary makes f the filter file of the bytes, which it copies.
func (f *File) UnmarshalBinary(data []byte) error {
	parsed, err := parse(data, opening{secret: f.secret}, true)
	if err == nil {
		*f = *parsed
	}
	return err
}

// WriteTo writes the filter as an envelope.
func (f *Filter) WriteTo(w io.Writer) (int64, error) { return writeTo(f, w) }

// MarshalBinary returns the filter as an envelope.
func (f *Filter) MarshalBinary() ([]byte, error) { return marshal(f) }

// ReadFrom makes f the filter that r begins with; see [File.ReadFrom]. Of a keyed hash,
// f must have the hasher already: make it with New and WithHasher.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	file := &File{}
	n, err := file.ReadFrom(r)
	if err == nil {
		err = f.take(file)
	}
	return n, err
}

// UnmarshalBinary makes f the filter of the bytes, which it copies; see ReadFrom.
func (f *Filter) UnmarshalBinary(data []byte) error {
	file := &File{}
	err := file.UnmarshalBinary(data)
	if err == nil {
		err = f.take(file)
	}
	return err
}

// take makes f the filter of a file whose bytes nobody else has.
func (f *Filter) take(file *File) error {
	hasher, err := file.hasherLike(f.Hasher())
	if err != nil {
		return err
	}
	if err := file.checkChangeable(); err != nil {
		return err
	}
	*f = Filter{View{newCore(file.core.of, file.core.bytes, hasher)}, file.keys, file.origin()}
	return nil
}

// WriteTo writes the filter as an envelope.
func (f *FuseFilter) WriteTo(w io.Writer) (int64, error) { return writeTo(f, w) }

// MarshalBinary returns the filter as an envelope.
func (f *FuseFilter) MarshalBinary() ([]byte, error) { return marshal(f) }

// ReadFrom makes f the filter that r begins with; see [Filter.ReadFrom].
func (f *FuseFilter) ReadFrom(r io.Reader) (int64, error) {
	file := &File{}
	n, err := file.ReadFrom(r)
	if err == nil {
		err = f.take(file)
	}
	return n, err
}

// UnmarshalBinary makes f the filter of the bytes, which it copies; see ReadFrom.
func (f *FuseFilter) UnmarshalBinary(data []byte) error {
	file := &File{}
	err := file.UnmarshalBinary(data)
	if err == nil {
		err = f.take(file)
	}
	return err
}

func (f *FuseFilter) take(file *File) error {
	hasher, err := file.hasherLike(f.Hasher())
	if err != nil {
		return err
	}
	if file.Kind() != Fuse {
		return unsupported("the file has a %v filter, not a fuse filter: use Filter or File", file.Kind())
	}
	*f = FuseFilter{View{newCore(file.core.of, file.core.bytes, hasher)}, file.keys, file.origin()}
	return nil
}

func writeTo(f filed, w io.Writer) (int64, error) {
	file, err := f.envelope()
	if err != nil {
		return 0, err
	}
	return file.WriteTo(w)
}

func marshal(f filed) ([]byte, error) {
	file, err := f.envelope()
	if err != nil {
		return nil, err
	}
	return file.MarshalBinary()
}

func checksumOf(payload []byte) uint64 { return xxh3.Hash(payload) }
