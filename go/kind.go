package bloomery

// This file names the kinds of filters, which spec/envelope.md numbers. All are read
// here; four are made here.

import (
	"fmt"
	"strings"
)

// Kind is a kind of filter; the values are those stored in files.
type Kind uint16

// The kinds. Classic, Split, Block and Fuse are made by this package; of the others
// it reads what the C++ command wrote.
const (
	Classic     Kind = 1 + iota // m bits, k of them a key: the one kind that has a raw file too
	Split                       // blocks of 32 bytes, eight bits a key, as in Parquet
	Block                       // blocks of 64 bytes, k bits a key: the default
	Counting                    // counters in the place of bits; keys can be removed
	Partitioned                 // a bit in each of k slices
	Scalable                    // a chain of block filters, which grows
	Stable                      // remembers the last keys and forgets older ones
	Cuckoo                      // fingerprints in one of two buckets; keys can be removed
	Quotient                    // sorted fingerprints; keys can be removed, listed and merged
	Fuse                        // slots whose xor is a fingerprint; made of all its keys at once
	Ribbon                      // the fewest bits; made of all its keys at once
)

var kindNames = [...]string{"", "classic", "split", "block", "counting", "partitioned", "scalable", "stable",
	"cuckoo", "quotient", "fuse", "ribbon", "iblt"}

// Kinds returns the kinds that this package reads.
func Kinds() []Kind {
	return []Kind{Classic, Split, Block, Counting, Partitioned, Scalable, Stable, Cuckoo, Quotient, Fuse, Ribbon}
}

// String returns the name that the commands and the specification use.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", uint16(k))
	}
	return kindNames[k]
}

func (k Kind) known() bool { return k >= Classic && k <= Ribbon }

// ParseKind finds a kind by its name.
func ParseKind(name string) (Kind, error) {
	for _, k := range Kinds() {
		if kindNames[k] == name {
			return k, nil
		}
	}
	return 0, wrong("there is no kind %q: use %s", name, kindList(Kinds()))
}

// Buildable reports whether this package makes filters of a kind; it reads all.
func (k Kind) Buildable() bool { return k == Classic || k == Split || k == Block || k == Fuse }

// Static reports whether filters of a kind are made of all their keys at once, and
// take no more.
func (k Kind) Static() bool { return k == Fuse || k == Ribbon }

// Forgets reports whether filters of a kind forget old keys: then "no" means "not
// lately".
func (k Kind) Forgets() bool { return k == Stable }

// checkMade refuses kinds that are only read here.
func (k Kind) checkMade() error {
	if !k.known() {
		return wrong("%v is unknown: use %s", k, kindList(madeKinds))
	}
	if !k.Buildable() {
		return unsupported("kind %v is made by the C++ command alone: use it, or %s", k, kindList(madeKinds))
	}
	return nil
}

var madeKinds = []Kind{Classic, Split, Block, Fuse}

// kindList is "classic, split, block or fuse".
func kindList(kinds []Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// defaultHasher returns the hasher of a kind's filters unless told otherwise.
func (k Kind) defaultHasher() Hasher {
	switch k {
	case Classic, 0:
		return Hasher{}
	case Split:
		return Hasher{extra: XXH64 - 1}
	}
	return Hasher{extra: XXH3 - 1}
}
