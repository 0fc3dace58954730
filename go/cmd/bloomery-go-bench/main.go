// Command bloomery-go-bench N measures a classic filter of N keys at 1 % and
// prints a line "OP NS" per operation, in nanoseconds per key, for the benchmark
// of the C++ library to show beside its own numbers.
//
// A key is 8 bytes; its hash is part of the time, its making is not. Each number
// is the median of 7 windows of about a million keys.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime/debug"
	"sort"
	"strconv"
	"time"

	bloomery "github.com/bloomery/bloomery/go"
)

const (
	windows   = 7
	windowLen = 1 << 20
	absent    = 1 << 40 // first number of the keys that are never added
)

func main() {
	n := uint64(0)
	if len(os.Args) == 2 {
		n, _ = strconv.ParseUint(os.Args[1], 10, 40)
	}
	if n == 0 {
		fmt.Fprintln(os.Stderr, "bloomery-go-bench: how many keys? usage: bloomery-go-bench N, with N from 1 to 2^40 - 1")
		os.Exit(2)
	}
	if err := measure(n); err != nil {
		fmt.Fprintln(os.Stderr, "bloomery-go-bench:", err)
		os.Exit(2)
	}
}

func measure(n uint64) error {
	filter, err := bloomery.New(n, 0.01, bloomery.WithKind(bloomery.Classic))
	if err != nil {
		return err
	}
	debug.SetGCPercent(-1) // nothing below makes garbage; a cycle would only add noise
	k := newKeys()
	fmt.Printf("add %.3f\n", measureAdd(filter, k, n))
	addAll(filter, n)

	one := func() {
		for i, key := range k.keys {
			k.answers[i] = filter.Contains(key)
		}
	}
	many := func() { filter.ContainsMany(k.keys, k.answers) }
	// Present keys in random order, absent ones fresh in every window.
	present := func(i uint64) uint64 { return splitMix64(^i) % n }
	missing := func(i uint64) uint64 { return absent + i }
	for _, op := range []struct {
		name   string
		number func(i uint64) uint64
		answer func()
	}{
		{"contains_present", present, one}, {"contains_absent", missing, one},
		{"contains_many_present", present, many}, {"contains_many_absent", missing, many},
	} {
		fmt.Printf("%s %.3f\n", op.name, median(func(window uint64) float64 {
			k.fill(window*windowLen, op.number)
			return k.time(op.answer)
		}))
	}
	return nil
}

// measureAdd adds a window of keys at a time, and empties the filter before it
// would hold more keys than it was made for.
func measureAdd(filter *bloomery.Filter, k *keys, n uint64) float64 {
	next := uint64(0)
	return median(func(uint64) float64 {
		if next+windowLen > n {
			filter.Clear()
			next = 0
		}
		// With fewer keys than a window has, they are added again and again.
		k.fill(next, func(i uint64) uint64 { return i % n })
		next += windowLen
		return k.time(func() {
			for i, key := range k.keys {
				k.answers[i] = filter.Add(key)
			}
		})
	})
}

func addAll(filter *bloomery.Filter, n uint64) {
	filter.Clear()
	var key [8]byte
	for i := uint64(0); i < n; i++ {
		binary.LittleEndian.PutUint64(key[:], splitMix64(i))
		filter.Add(key[:])
	}
}

// keys is one window: slices into one block of memory, and room for answers.
type keys struct {
	bytes   []byte
	keys    [][]byte
	answers []bool
}

func newKeys() *keys {
	k := &keys{bytes: make([]byte, 8*windowLen), keys: make([][]byte, windowLen), answers: make([]bool, windowLen)}
	for i := range k.keys {
		k.keys[i] = k.bytes[8*i : 8*i+8]
	}
	return k
}

func (k *keys) fill(first uint64, number func(i uint64) uint64) {
	for i := range k.keys {
		binary.LittleEndian.PutUint64(k.keys[i], splitMix64(number(first+uint64(i))))
	}
}

func (k *keys) time(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start).Nanoseconds()) / windowLen
}

// splitMix64 makes keys that have nothing in common of numbers in a row.
func splitMix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

func median(window func(i uint64) float64) float64 {
	results := make([]float64, windows)
	for i := range results {
		results[i] = window(uint64(i))
	}
	sort.Float64s(results)
	return results[windows/2]
}
