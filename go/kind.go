package bloomery

// This file names the kinds of filters. All are numbered in spec/envelope.md; this
// package makes and reads some of them.

import (
	"fmt"
	"strings"
)

// Kind is a kind of filter; the values are those stored in files.
type Kind uint16

// The kinds of this package.
const (
	Classic Kind = 1  // m bits, k of them a key: the one kind that has a raw file too
	Split   Kind = 2  // blocks of 32 bytes, eight bits a key, as in Parquet
	Block   Kind = 3  // blocks of 64 bytes, k bits a key
	Fuse    Kind = 10 // slots whose xor is a fingerprint; made of all its keys at once
)

// Kinds returns the kinds that this package makes and reads.
func Kinds() []Kind { return []Kind{Classic, Split, Block, Fuse} }

var kindNames = [...]string{"", "classic", "split", "block", "counting", "partitioned", "scalable", "stable",
	"cuckoo", "quotient", "fuse", "ribbon", "iblt"}

// String returns the name that the commands and the specification use.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", uint16(k))
	}
	return kindNames[k]
}

func (k Kind) known() bool {
	for _, known := range Kinds() {
		if k == known {
			return true
		}
	}
	return false
}

// ParseKind finds a kind by its name. Those of the C++ library alone are refused
// by name.
func ParseKind(name string) (Kind, error) {
	for k := Classic; int(k) < len(kindNames); k++ {
		if kindNames[k] != name {
			continue
		}
		if !k.known() {
			return 0, fmt.Errorf("kind %s is made by the C++ command alone: use it, or %s", name, kindList())
		}
		return k, nil
	}
	return 0, fmt.Errorf("there is no kind %q: use %s", name, kindList())
}

// Static reports whether filters of a kind are made of all their keys at once, and
// take no more.
func (k Kind) Static() bool { return k == Fuse }

// kindList is "classic, split, block or fuse".
func kindList() string {
	names := make([]string, 0, len(kindNames))
	for _, k := range Kinds() {
		names = append(names, k.String())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// DefaultHasher returns the hasher of a kind's filters unless told otherwise.
func (k Kind) DefaultHasher() Hasher {
	switch k {
	case Split:
		return Hasher{extra: XXH64 - 1}
	case Block, Fuse:
		return Hasher{extra: XXH3 - 1}
	}
	return Hasher{}
}
