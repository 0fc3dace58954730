package bloomery

// This file holds SipHash (Aumasson and Bernstein, 2012) and the secret that
// keys it, so that somebody who chooses the keys cannot choose where they land.

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/bits"
	"os"
)

// Secret is the 128-bit key of siphash13 and siphash24. Filter files never hold
// it, only its ID.
type Secret [16]byte

var errSecret = wrong("a secret is 32 hexadecimal digits, then at most one line end")

// String hides the secret, so that no log shows it by accident.
func (s Secret) String() string { return fmt.Sprintf("secret of id 0x%016x", s.ID()) }

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// ParseSecret reads a secret from the text of a secret file: 32 hexadecimal
// digits and optionally one line end.
func ParseSecret(text []byte) (Secret, error) {
	var secret Secret
	if len(text) > 32 {
		if end := string(text[32:]); end != "\n" && end != "\r\n" {
			return Secret{}, errSecret
		}
		text = text[:32]
	}
	if len(text) != 32 {
		return Secret{}, errSecret
	}
	if _, err := hex.Decode(secret[:], text); err != nil {
		return Secret{}, errSecret
	}
	return secret, nil
}

// ReadSecret reads a secret file.
func ReadSecret(path string) (Secret, error) {
	file, err := os.Open(path)
	if err != nil {
		return Secret{}, atPath(path, err)
	}
	defer file.Close()
	// One byte more than the longest valid file tells a longer one.
	text, err := io.ReadAll(io.LimitReader(file, 35))
	if err != nil {
		return Secret{}, atPath(path, err)
	}
	secret, err := ParseSecret(text)
	return secret, atPath(path, err)
}

// ID returns the identifier that files store, which tells a wrong secret from
// the right one without revealing it.
func (s Secret) ID() uint64 {
	k0, k1 := s.halves()
	return siphash(k0, k1, []byte("bloomery secret id v1"), 2, 4)
}

func (s Secret) halves() (k0, k1 uint64) {
	return binary.LittleEndian.Uint64(s[:8]), binary.LittleEndian.Uint64(s[8:])
}

type sipState struct{ v0, v1, v2, v3 uint64 }

func siphash(k0, k1 uint64, key []byte, compress, finalize int) uint64 {
	s := sipState{
		k0 ^ 0x736f6d6570736575, // "somepseudorandomlygeneratedbytes"
		k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261,
		k1 ^ 0x7465646279746573,
	}
	last := uint64(len(key)) << 56
	for ; len(key) >= 8; key = key[8:] {
		s.absorb(binary.LittleEndian.Uint64(key), compress)
	}
	for i, b := range key {
		last |= uint64(b) << (8 * uint(i))
	}
	s.absorb(last, compress)
	s.v2 ^= 0xff
	s.rounds(finalize)
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}

func (s *sipState) absorb(word uint64, compress int) {
	s.v3 ^= word
	s.rounds(compress)
	s.v0 ^= word
}

func (s *sipState) rounds(n int) {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	for ; n > 0; n-- {
		v0 += v1
		v2 += v3
		v1 = bits.RotateLeft64(v1, 13) ^ v0
		v3 = bits.RotateLeft64(v3, 16) ^ v2
		v0 = bits.RotateLeft64(v0, 32)
		v2 += v1
		v0 += v3
		v1 = bits.RotateLeft64(v1, 17) ^ v2
		v3 = bits.RotateLeft64(v3, 21) ^ v0
		v2 = bits.RotateLeft64(v2, 32)
	}
	s.v0, s.v1, s.v2, s.v3 = v0, v1, v2, v3
}
