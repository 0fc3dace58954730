package main

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/bits-and-blooms/bloom/v3"
	bloomery "github.com/bloomery/bloomery/go"
	"github.com/greatroar/blobloom"
)

const fpr = 0.01

// peer is the shape in which every module is asked. A call covers a whole
// window of keys, so it costs nothing per key.
type peer interface {
	name() string
	takes() string // keys, which it hashes, or hashes
	note() string
	clear()
	add(k keys)
	contains(k keys, answers []bool)
	bits() uint64
}

// batched is a peer that also takes many keys at once.
type batched interface {
	peer
	addMany(k keys)
	containsMany(k keys, answers []bool)
}

// keys is a run of keys as numbers, and as 8 bytes each, little-endian.
type keys struct {
	numbers []uint64
	bytes   []byte
}

func makeKeys(first, count uint64) keys {
	k := keys{make([]uint64, count), make([]byte, 8*count)}
	for i := range k.numbers {
		k.numbers[i] = splitMix64(first + uint64(i))
		binary.LittleEndian.PutUint64(k.bytes[8*i:], k.numbers[i])
	}
	return k
}

func splitMix64(number uint64) uint64 {
	z := number + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

type bitsAndBlooms struct{ filter *bloom.BloomFilter }

func newBitsAndBlooms(n uint64) peer { return bitsAndBlooms{bloom.NewWithEstimates(uint(n), fpr)} }

func (p bitsAndBlooms) name() string  { return "bits-and-blooms/bloom" }
func (p bitsAndBlooms) takes() string { return "keys" }
func (p bitsAndBlooms) note() string {
	return fmt.Sprintf("%d bits a key set, MurmurHash3", p.filter.K())
}
func (p bitsAndBlooms) clear()       { p.filter.ClearAll() }
func (p bitsAndBlooms) bits() uint64 { return uint64(p.filter.Cap()) }

func (p bitsAndBlooms) add(k keys) {
	for i := range k.numbers {
		p.filter.Add(k.bytes[8*i : 8*i+8])
	}
}

func (p bitsAndBlooms) contains(k keys, answers []bool) {
	for i := range k.numbers {
		answers[i] = p.filter.Test(k.bytes[8*i : 8*i+8])
	}
}

type blob struct {
	filter *blobloom.Filter
	hashes int
}

func newBlobloom(n uint64) peer {
	bits, hashes := blobloom.Optimize(blobloom.Config{Capacity: n, FPRate: fpr})
	return blob{blobloom.New(bits, hashes), hashes}
}

func (p blob) name() string  { return "blobloom" }
func (p blob) takes() string { return "hashes" }
func (p blob) note() string  { return fmt.Sprintf("k = %d in a 64-byte block", p.hashes) }
func (p blob) clear()        { p.filter.Clear() }
func (p blob) bits() uint64  { return p.filter.NumBits() }

func (p blob) add(k keys) {
	for _, hash := range k.numbers {
		p.filter.Add(hash)
	}
}

func (p blob) contains(k keys, answers []bool) {
	for i, hash := range k.numbers {
		answers[i] = p.filter.Has(hash)
	}
}

// ours is the sibling of this repository, which takes keys or hashes.
type ours struct {
	filter *bloomery.Filter
	hashed bool
}

func newOurs(n uint64, kind bloomery.Kind, hashed bool) (peer, error) {
	filter, err := bloomery.New(n, fpr, bloomery.WithKind(kind))
	return ours{filter, hashed}, err
}

func (p ours) name() string { return fmt.Sprintf("bloomery %v", p.filter.Kind()) }
func (p ours) takes() string {
	if p.hashed {
		return "hashes"
	}
	return "keys"
}
func (p ours) note() string { return fmt.Sprint(p.filter.Geometry(), ", ", p.filter.Hasher()) }
func (p ours) clear()       { p.filter.Clear() }
func (p ours) bits() uint64 { return p.filter.Geometry().BitLen() }

func (p ours) add(k keys) {
	if p.hashed {
		for _, hash := range k.numbers {
			p.filter.AddHash(bloomery.Hash(hash))
		}
		return
	}
	for i := range k.numbers {
		p.filter.Add(k.bytes[8*i : 8*i+8])
	}
}

func (p ours) contains(k keys, answers []bool) {
	if p.hashed {
		for i, hash := range k.numbers {
			answers[i] = p.filter.ContainsHash(bloomery.Hash(hash))
		}
		return
	}
	for i := range k.numbers {
		answers[i] = p.filter.Contains(k.bytes[8*i : 8*i+8])
	}
}

func (p ours) addMany(k keys) {
	if p.hashed {
		p.filter.AddHashes(asHashes(k.numbers))
		return
	}
	p.filter.AddUint64s(k.numbers)
}

func (p ours) containsMany(k keys, answers []bool) {
	if p.hashed {
		p.filter.ContainsHashes(asHashes(k.numbers), answers)
		return
	}
	p.filter.ContainsUint64s(k.numbers, answers)
}

func asHashes(numbers []uint64) []bloomery.Hash {
	return unsafe.Slice((*bloomery.Hash)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers))
}
