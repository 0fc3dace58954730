package bloomery

// This file has what a filter file says, whichever of the two formats it has,
// and the way from it to filters and back. The formats themselves are in raw.go
// and envelope.go; reading and writing on disk are in open.go and save.go.

import (
	"fmt"

	"github.com/zeebo/xxh3"
)

// Format is one of the two file formats.
type Format int

// The formats.
const (
	Raw      Format = iota // the classic raw file: 12 bytes and the bits
	Envelope               // the .blm envelope, with checksums
)

// EnvelopeVersion is the version of the envelope that is read and written.
const EnvelopeVersion = 1

// String returns the format's name.
func (f Format) String() string {
	if f == Envelope {
		return "envelope"
	}
	return "raw"
}

// File is a valid filter file: one that passed all checks, or that will be
// written. What needs no key, and so no secret, can be asked of it directly.
type File struct {
	Bits
	format   Format
	hash     HashID
	seed     uint64
	keys     uint64
	checksum uint64 // of the payload, as an envelope stores it
}

// Parse reads a filter file from memory, which the result goes on using. All
// checks of the specification are made; the error is a *FormatError.
func Parse(data []byte) (*File, error) {
	f, err := parseHeader(data, uint64(len(data)))
	if err != nil {
		return nil, err
	}
	return f.attach(data[f.headerLen():], true)
}

// parseHeader makes all checks that the first bytes of a file and its length
// allow, before anything is allocated. prefix holds 128 bytes, or the whole file
// when it is shorter.
func parseHeader(prefix []byte, length uint64) (*File, error) {
	if len(prefix) > 0 && prefix[0] == magic[0] {
		return parseEnvelopeHeader(prefix, length)
	}
	if len(prefix) > 0 && (prefix[0] == 0 || prefix[0] > MaxK) {
		return nil, invalid("k", "its first byte is %d, must be 1 to %d (raw classic) or %d (envelope): this is no filter file, or it is damaged",
			prefix[0], MaxK, magic[0])
	}
	return parseRawHeader(prefix, length)
}

// attach makes the checks that need the payload.
func (f *File) attach(payload []byte, verify bool) (*File, error) {
	if err := checkPayload(f.geometry, payload); err != nil {
		return nil, err
	}
	f.Bits = newBits(f.geometry, payload)
	if verify {
		if err := f.Verify(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Verify compares the bits with their checksum. Parse and Open did it already,
// OpenUnverified did not. Raw files have no checksum.
func (f *File) Verify() error {
	if f.format == Envelope && xxh3.Hash(f.bytes) != f.checksum {
		return invalid("payload checksum", "the payload checksum does not match: the file is damaged, build it again")
	}
	return nil
}

// Format returns the format.
func (f *File) Format() Format { return f.format }

// HashID returns the hash function of the keys.
func (f *File) HashID() HashID { return f.hash }

// Seed returns the seed of xxh3 and xxh64, the secret's id of siphash13 and
// siphash24, and 0 for fnv_splitmix.
func (f *File) Seed() uint64 { return f.seed }

// KeyCount returns the number of adds, or UnknownKeys.
func (f *File) KeyCount() uint64 { return f.keys }

// Len returns the length of the file in bytes.
func (f *File) Len() uint64 { return uint64(f.headerLen()) + uint64(len(f.bytes)) }

func (f *File) headerLen() int {
	if f.format == Envelope {
		return envelopeHeaderLen
	}
	return rawHeaderLen
}

// View returns a view for key lookups. secret is nil unless the hash is keyed;
// without it, or with a wrong one, the error is ErrSecretNeeded or ErrWrongSecret.
func (f *File) View(secret *Secret) (View, error) {
	hasher, err := f.hasher(secret)
	if err != nil {
		return View{}, err
	}
	return View{Bits: f.Bits, hasher: hasher}, nil
}

// Filter returns a filter with a copy of the bits, which keys can be added to; secret
// as for View. A fuse filter takes no more keys: of that there is a View only.
func (f *File) Filter(secret *Secret) (*Filter, error) {
	hasher, err := f.hasher(secret)
	if err != nil {
		return nil, err
	}
	if f.kind.Static() {
		return nil, fmt.Errorf("a %v filter takes no more keys: use View", f.kind)
	}
	filter, err := New(f.geometry, hasher)
	if err != nil {
		return nil, err
	}
	copy(filter.bytes, f.bytes)
	filter.keys = f.keys
	return filter, nil
}

func (f *File) hasher(secret *Secret) (Hasher, error) {
	switch {
	case f.hash.Seeded():
		return SeededHasher(f.hash, f.seed)
	case !f.hash.Keyed():
		return Hasher{}, nil
	case secret == nil:
		return Hasher{}, ErrSecretNeeded
	case secret.ID() != f.seed:
		return Hasher{}, ErrWrongSecret
	}
	return KeyedHasher(f.hash, *secret)
}

// File returns the file that a filter makes in a format. It shares the filter's
// bits, so write it before the filter changes again.
func (f *Filter) File(format Format) (*File, error) { return f.View.file(format, f.keys) }

func (v *View) file(format Format, keys uint64) (*File, error) {
	id := v.hasher.ID()
	if format == Raw && v.kind != Classic {
		return nil, fmt.Errorf("the kind %v has no raw file: use an envelope", v.kind)
	}
	if format == Raw && id != FNVSplitMix {
		return nil, fmt.Errorf("a raw file cannot name its hash, which is %v: use an envelope, or fnv_splitmix", id)
	}
	if err := checkBits(v.geometry, v.bytes); err != nil {
		return nil, err
	}
	file := &File{Bits: v.Bits, format: format, hash: id, seed: v.hasher.Seed(), keys: keys}
	if format == Raw {
		file.keys = UnknownKeys
	} else {
		file.checksum = xxh3.Hash(v.bytes)
	}
	return file, nil
}

// Encode returns the bytes of the file.
func (f *File) Encode() []byte { return append(f.header(), f.bytes...) }

func (f *File) header() []byte {
	if f.format == Envelope {
		return f.envelopeHeader()
	}
	return f.rawHeader()
}
