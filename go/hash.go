package bloomery

// This file turns keys into hashes: the five functions of spec/hash.md behind
// one small value, the Hasher, which every filter carries.

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

// Hash is a hashed key. It is a type of its own so that a number that was meant
// as a key is not taken for its hash.
type Hash uint64

// HashID names a hash function; the values are those stored in files.
type HashID uint16

// The hash functions, in the order of their ids.
const (
	FNVSplitMix HashID = 1 + iota // the only one of raw files
	XXH3                          // takes a seed
	XXH64                         // takes a seed
	SipHash13                     // takes a secret
	SipHash24                     // takes a secret
)

var hashNames = [...]string{"", "fnv_splitmix", "xxh3", "xxh64", "siphash13", "siphash24"}

// String returns the name that the commands and the specification use.
func (id HashID) String() string {
	if !id.known() {
		return fmt.Sprintf("hash %d", uint16(id))
	}
	return hashNames[id]
}

// Seeded reports whether the function takes a 64-bit seed.
func (id HashID) Seeded() bool { return id == XXH3 || id == XXH64 }

// Keyed reports whether the function takes a Secret.
func (id HashID) Keyed() bool { return id == SipHash13 || id == SipHash24 }

func (id HashID) known() bool { return id >= FNVSplitMix && id <= SipHash24 }

// ParseHashID finds a hash function by its name.
func ParseHashID(name string) (HashID, error) {
	for id := FNVSplitMix; id <= SipHash24; id++ {
		if hashNames[id] == name {
			return id, nil
		}
	}
	return 0, wrong("hash %q is unknown: use fnv_splitmix, xxh3, xxh64, siphash13 or siphash24", name)
}

// Hasher is a hash function with its seed or secret. The zero Hasher is
// fnv_splitmix. Hashers are comparable: equal ones give equal hashes.
type Hasher struct {
	extra  HashID // id - 1, so that the zero value is a valid hasher
	seed   uint64 // what a file stores: the seed, or the secret's id
	k0, k1 uint64
}

// SeededHasher returns the hasher of xxh3 or xxh64 with a seed.
func SeededHasher(id HashID, seed uint64) (Hasher, error) {
	if !id.Seeded() {
		return Hasher{}, wrong("%v takes no seed: only xxh3 and xxh64 do", id)
	}
	return Hasher{extra: id - 1, seed: seed}, nil
}

// KeyedHasher returns the hasher of siphash13 or siphash24 with a secret.
func KeyedHasher(id HashID, secret Secret) (Hasher, error) {
	if !id.Keyed() {
		return Hasher{}, wrong("%v takes no secret: only siphash13 and siphash24 do", id)
	}
	k0, k1 := secret.halves()
	return Hasher{extra: id - 1, seed: secret.ID(), k0: k0, k1: k1}, nil
}

// ID returns the function.
func (h Hasher) ID() HashID { return h.extra + 1 }

// Seed returns what a file stores about the function: the seed, the id of the
// secret, or 0.
func (h Hasher) Seed() uint64 { return h.seed }

// Hash returns the hash of a key, the empty one included.
func (h Hasher) Hash(key []byte) Hash { return h.sum(key) }

// sum is Hash without a copy of the hasher.
func (h *Hasher) sum(key []byte) Hash {
	switch h.extra + 1 {
	case XXH3:
		if len(key) == xxh3KeySize {
			return xxh3Uint64(binary.LittleEndian.Uint64(key), xxh3Flip(h.seed))
		}
		return Hash(xxh3.HashSeed(key, h.seed))
	case XXH64:
		return Hash(sumXXH64(key, h.seed))
	case SipHash13:
		return Hash(siphash(h.k0, h.k1, key, 1, 3))
	case SipHash24:
		return Hash(siphash(h.k0, h.k1, key, 2, 4))
	}
	return fnvSplitMix(key)
}

// HashString is Hash for text, whose key is its UTF-8 bytes.
func (h Hasher) HashString(key string) Hash { return h.sum(bytesOf(key)) }

// HashUint64 is Hash for an integer, whose key is its 8 bytes, little-endian. Signed and
// narrower integers are sign-extended first: h.HashUint64(uint64(int64(x))).
func (h Hasher) HashUint64(key uint64) Hash { return h.sumUint64(key) }

func (h *Hasher) sumUint64(x uint64) Hash {
	if h.extra+1 == XXH3 {
		return xxh3Uint64(x, xxh3Flip(h.seed))
	}
	var key [8]byte
	binary.LittleEndian.PutUint64(key[:], x)
	return h.sum(key[:])
}

// String returns the function and its seed, or the id of its secret; never the secret.
func (h Hasher) String() string {
	switch {
	case h.ID().Seeded():
		return fmt.Sprintf("%v with seed %#x", h.ID(), h.seed)
	case h.ID().Keyed():
		return fmt.Sprintf("%v with secret id 0x%016x", h.ID(), h.seed)
	}
	return h.ID().String()
}

// GoString is String: %#v must not show the secret either.
func (h Hasher) GoString() string { return h.String() }

// bytesOf returns the bytes of text without a copy; nobody may change them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

func decimal(x uint64) string { return strconv.FormatUint(x, 10) }

// hashMany fills out with the hashes of the keys; the choice of the function is
// made once for all of them.
func (h *Hasher) hashMany(keys [][]byte, out []Hash) {
	out = out[:len(keys)]
	if h.ID() == FNVSplitMix {
		for i, key := range keys {
			out[i] = fnvSplitMix(key)
		}
		return
	}
	for i, key := range keys {
		out[i] = h.sum(key)
	}
}

// hashUint64s is hashMany for integers.
func (h *Hasher) hashUint64s(keys []uint64, out []Hash) {
	out = out[:len(keys)]
	if h.ID() == XXH3 {
		flip := xxh3Flip(h.seed)
		for i, key := range keys {
			out[i] = xxh3Uint64(key, flip)
		}
		return
	}
	for i, key := range keys {
		out[i] = h.sumUint64(key)
	}
}

func fnvSplitMix(key []byte) Hash { return Hash(splitMix64(fnv1a64(key))) }

func fnv1a64(key []byte) uint64 {
	x := uint64(0xcbf29ce484222325)
	for _, b := range key {
		x = (x ^ uint64(b)) * 0x00000100000001b3
	}
	return x
}

// A program whose compiler or memory gets fnv_splitmix wrong would deny keys that are
// there. It ends here, once, before it opens any filter.
func init() { checkFNV(fnv1a64, splitMix64) }

// checkFNV holds both steps of fnv_splitmix to published values, and panics.
func checkFNV(fnv func([]byte) uint64, mix func(uint64) uint64) {
	if fnv(nil) != 0xcbf29ce484222325 || fnv([]byte("foobar")) != 0x85944171f73967e8 || mix(0) != 0xe220a8397b1dcdaf {
		panic("bloomery: this build computes fnv_splitmix wrongly, so its filters would deny keys that were added")
	}
}

// splitMix64 is the mixing step of fnv_splitmix. Over 0, 1, 2, .. it also is the stream
// of random hashes that inspection samples a filter with.
func splitMix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// sumXXH64 uses the package's one-shot form where it has one, for seed 0; with
// another seed it is a Digest, which stays on the stack.
func sumXXH64(key []byte, seed uint64) uint64 {
	if seed == 0 {
		return xxhash.Sum64(key)
	}
	var digest xxhash.Digest
	digest.ResetWithSeed(seed)
	digest.Write(key) // never fails
	return digest.Sum64()
}
