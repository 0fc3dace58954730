package bloomery

// This file has what a filter file says, whichever of the two formats it has,
// and the way from it to filters and back. The formats themselves are in raw.go
// and envelope.go; reading and writing are in open.go, save.go and stream.go.

import "fmt"

// Format is one of the two file formats.
type Format int

// The formats.
const (
	Raw      Format = iota // the classic raw file: 12 bytes and the bits
	Envelope               // the .blm envelope, with checksums
)

// envelopeVersion is the version of the envelope that is read and written.
const envelopeVersion = 1

// String returns the format's name.
func (f Format) String() string {
	if f == Envelope {
		return "envelope"
	}
	return "raw"
}

// File is a valid filter file of any kind: one that passed all checks, or that will be
// written. It may be read from any goroutine. What needs no key, and so no secret, can be
// asked of it directly; keys are asked of its View. The zero File is there to read into.
type File struct {
	core     *core // without a hasher
	format   Format
	hash     HashID
	seed     uint64
	keys     uint64
	checksum uint64 // of the payload, as an envelope stores it
	secret   *Secret
	records  records
	offset   uint64 // of the payload, in an envelope; 0 is that of none but a header
	// Whether the payload was taken without a look at its checksum.
	unverified bool
}

// Parse reads a filter file from memory, a mapped file for example, which the result
// goes on using. All checks of the specification are made, but that of the payload's
// checksum when the options say Unverified.
func Parse(data []byte, options ...OpenOption) (*File, error) {
	return parse(data, openingOf(options), false)
}

func parse(data []byte, o opening, copied bool) (*File, error) {
	f, err := parseHeader(data, uint64(len(data)))
	if err != nil {
		return nil, err
	}
	payload := data[f.headerLen():]
	if copied {
		own, err := allocate(uint64(len(payload)))
		if err != nil {
			return nil, err
		}
		copy(own, payload)
		payload = own
	}
	return f.attach(payload, o)
}

// parseHeader makes all checks that the first bytes of a file and its length
// allow, before anything is allocated that depends on a count in it. prefix goes up to
// the payload at least.
func parseHeader(prefix []byte, length uint64) (*File, error) {
	if len(prefix) > 0 && prefix[0] == magic[0] {
		return parseEnvelopeHeader(prefix, length)
	}
	if len(prefix) > 0 && (prefix[0] == 0 || prefix[0] > maxK) {
		return nil, invalid("k", "its first byte is %d, must be 1 to %d (raw classic) or %d (envelope): this is no filter file, or it is damaged",
			prefix[0], maxK, magic[0])
	}
	return parseRawHeader(prefix, length)
}

// attach makes the checks that need the payload.
func (f *File) attach(payload []byte, o opening) (*File, error) {
	of := f.core.of
	if err := of.checkPayload(payload); err != nil {
		return nil, err
	}
	f.core, f.secret, f.unverified = newCore(of, payload, Hasher{}), o.secret, o.unverified
	if !o.unverified {
		if err := f.verifySum(); err != nil {
			return nil, err
		}
	}
	if f.hash.Keyed() && f.secret != nil && f.secret.ID() != f.seed {
		return nil, errOtherSecret
	}
	return f, nil
}

var errOtherSecret = &failure{ErrWrongSecret, "the secret is not the one this filter was built with"}

// Verify compares the bits with their checksum, and with those of chunks where the file
// has them; then the error names the first damaged one. Of a quotient filter it looks at
// every slot. Parse and Open compared the checksum already, unless Unverified. Raw files
// have none.
func (f *File) Verify() error {
	if err := f.verifySum(); err != nil {
		if chunk := f.verifyChunks(); chunk != nil {
			return chunk // which says where
		}
		return err
	}
	if err := f.verifyChunks(); err != nil || f.core == nil {
		return err
	}
	if of, ok := f.core.of.(quotientGeometry); ok {
		return of.checkStructure(f.core.bytes)
	}
	return nil
}

// verifySum is what opening does.
func (f *File) verifySum() error {
	if f.core != nil && f.format == Envelope && checksumOf(f.core.bytes) != f.checksum {
		return invalid("payload checksum", "the payload checksum does not match: the file is damaged, build it again")
	}
	return nil
}

func (f *File) verifyChunks() error {
	if f.ChunkBytes() == 0 {
		return nil
	}
	return f.VerifyRange(0, uint64(len(f.core.bytes)))
}

// Kind returns the kind of the filter.
func (f *File) Kind() Kind { return f.Geometry().Kind() }

// Geometry returns the layout of the filter.
func (f *File) Geometry() Geometry { return f.core.geometry() }

// Format returns the format.
func (f *File) Format() Format { return f.format }

// HashID returns the hash function of the keys.
func (f *File) HashID() HashID { return f.hash }

// Seed returns the seed of xxh3 and xxh64, the secret's id of siphash13 and
// siphash24, and 0 for fnv_splitmix.
func (f *File) Seed() uint64 { return f.seed }

// KeyCount returns the number of adds less removes, or UnknownKeys.
func (f *File) KeyCount() uint64 { return f.keys }

// Len returns the length of the file in bytes.
func (f *File) Len() uint64 {
	if f.core == nil {
		return 0
	}
	return uint64(f.headerLen()) + uint64(len(f.core.bytes))
}

func (f *File) headerLen() int {
	if f.format == Envelope {
		return max(int(f.offset), envelopeHeaderLen)
	}
	return rawHeaderLen
}

// String returns format, kind, geometry, hash, size and key count, in one line.
func (f *File) String() string {
	if f.core == nil {
		return "no filter file"
	}
	return fmt.Sprintf("%v file, %v, %v, %d bytes%s", f.format, f.Geometry(), f.hash, f.Len(), keysText(f.keys))
}

// View returns a view for key lookups. Of a keyed hash whose secret Open was not given,
// the error is ErrSecretNeeded.
func (f *File) View() (View, error) {
	hasher, err := f.hasher()
	if err != nil || f.core == nil {
		return View{}, err
	}
	return View{newCore(f.core.of, f.core.bytes, hasher)}, nil
}

// Filter returns a filter with a copy of the bits, which keys can be added to. Of kinds
// that take no more keys here there is a View only: ErrUnsupported. A file that was read
// Unverified is verified first, since the filter, once saved, has a checksum of its own.
func (f *File) Filter() (*Filter, error) {
	hasher, err := f.hasher()
	if err != nil {
		return nil, err
	}
	if err := f.checkChangeable(); err != nil {
		return nil, err
	}
	if f.unverified {
		if err := f.Verify(); err != nil {
			return nil, err
		}
	}
	filter, err := NewWithGeometry(f.Geometry(), WithHasher(hasher))
	if err != nil {
		return nil, err
	}
	copy(filter.Bytes(), f.core.bytes)
	filter.keys, filter.from = f.keys, f.origin()
	return filter, nil
}

// checkChangeable refuses kinds that no keys can be added to here.
func (f *File) checkChangeable() error {
	if kind := f.Kind(); kind.Static() || !kind.Buildable() {
		return unsupported("a %v filter takes no more keys here: use View", kind)
	}
	return nil
}

func (f *File) hasher() (Hasher, error) {
	switch {
	case f.hash.Seeded():
		return SeededHasher(f.hash, f.seed)
	case !f.hash.Keyed():
		return Hasher{}, nil
	case f.secret == nil:
		return Hasher{}, ErrSecretNeeded
	}
	return KeyedHasher(f.hash, *f.secret)
}

// hasherLike is hasher, of a keyed hash with the secret of another hasher.
func (f *File) hasherLike(other Hasher) (Hasher, error) {
	switch {
	case !f.hash.Keyed():
		return f.hasher()
	case !other.ID().Keyed():
		return Hasher{}, ErrSecretNeeded
	case other.seed != f.seed:
		return Hasher{}, errOtherSecret
	}
	return Hasher{extra: f.hash - 1, seed: other.seed, k0: other.k0, k1: other.k1}, nil
}

// File returns the file that a filter makes in a format. It shares the filter's
// bits, so write it before the filter changes again. Of a filter that was read from a
// file, what that said of itself and is still true (a label, the type of its keys) is
// kept.
func (f *Filter) File(format Format) (*File, error) { return f.View.file(format, f.keys, f.from) }

func (f *Filter) envelope() (*File, error) { return f.File(Envelope) }

// File returns the file that the filter makes: an envelope, which shares its bytes.
func (f *FuseFilter) File() (*File, error) { return f.View.file(Envelope, f.keys, f.from) }

func (f *FuseFilter) envelope() (*File, error) { return f.File() }

func (v View) file(format Format, keys uint64, from *origin) (*File, error) {
	if v.core == nil {
		return nil, errNoFilter
	}
	id := v.core.hasher.ID()
	if format == Raw && v.core.kind != Classic {
		return nil, unsupported("the kind %v has no raw file: use an envelope", v.core.kind)
	}
	if format == Raw && id != FNVSplitMix {
		return nil, unsupported("a raw file cannot name its hash, which is %v: use an envelope, or fnv_splitmix", id)
	}
	file := &File{core: v.core, format: format, hash: id, seed: v.core.hasher.Seed(), keys: keys}
	if format == Raw {
		file.keys = UnknownKeys
	} else {
		file.checksum = checksumOf(v.core.bytes)
	}
	return file, file.carry(from)
}

var errNoFilter = wrong("there is no filter: make one with New, or read one")

// header returns the bytes before the payload, with room for it.
func (f *File) header() ([]byte, error) {
	if f.core == nil {
		return nil, errNoFilter
	}
	if f.format == Envelope {
		return f.envelopeHeader(), nil
	}
	return f.rawHeader(), nil
}
