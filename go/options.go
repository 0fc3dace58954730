package bloomery

// This file has the options of functions that make and open filters.

// Option says how a filter is made. One that a function cannot follow is refused.
type Option func(*settings)

type settings struct {
	kind   Kind
	hasher *Hasher
	arity  uint32
}

// WithKind chooses the kind: Block unless told otherwise.
func WithKind(kind Kind) Option { return func(s *settings) { s.kind = kind } }

// WithHasher chooses the hash function of the keys, with its seed or secret.
func WithHasher(hasher Hasher) Option { return func(s *settings) { s.hasher = &hasher } }

// WithArity chooses how many slots a key of a fuse filter has: 3, the faster choice and
// the default, or 4, which takes 5 % fewer bits.
func WithArity(arity int) Option {
	return func(s *settings) {
		s.arity = ^uint32(0) // refused, whatever was cut off
		if arity == 3 || arity == 4 {
			s.arity = uint32(arity)
		}
	}
}

// settingsOf collects options. The kind is the one given, or a default.
func settingsOf(kind Kind, options []Option) settings {
	s := settings{kind: kind}
	for _, option := range options {
		option(&s)
	}
	return s
}

// check refuses options that have no meaning.
func (s *settings) check() error {
	if err := s.kind.checkMade(); err != nil {
		return err
	}
	if s.arity != 0 && s.kind != Fuse {
		return wrong("WithArity is for fuse filters: a %v filter has no arity", s.kind)
	}
	return nil
}

func (s *settings) hasherOrDefault() Hasher {
	if s.hasher != nil {
		return *s.hasher
	}
	return s.kind.defaultHasher()
}

// fuseArity is the one given, or the default.
func (s *settings) fuseArity() uint32 {
	if s.arity != 0 {
		return s.arity
	}
	return defaultArity
}

// OpenOption says how a filter file is opened.
type OpenOption func(*opening)

type opening struct {
	unverified bool
	secret     *Secret
}

// Unverified leaves out the checksum of the payload, which [File.Verify] can make up
// for: opening then takes constant time over bytes in memory. Damage that it does not
// notice can make present keys absent.
func Unverified() OpenOption { return func(o *opening) { o.unverified = true } }

// WithSecret gives the secret of a keyed file. Files whose hash takes none ignore it.
func WithSecret(secret Secret) OpenOption { return func(o *opening) { o.secret = &secret } }

func openingOf(options []OpenOption) (o opening) {
	for _, option := range options {
		option(&o)
	}
	return o
}
