package bloomery

// Benchmarks: what a key costs, one by one and in batches. They are the place to
// measure a change; the comparison with other modules is bench/peers/others.py.
//
//	go test -run XXX -bench . -benchtime 2s

import (
	"encoding/binary"
	"fmt"
	"testing"
)

func benchNumbers(first, n uint64) []uint64 {
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = splitMix64(first + uint64(i))
	}
	return numbers
}

const benchAsked = 1 << 16

func benchFilters(b *testing.B, use func(b *testing.B, f *Filter, present, absent []uint64)) {
	for _, kind := range []Kind{Block, Split, Classic} {
		for _, n := range []uint64{1_000_000, 30_000_000} {
			b.Run(fmt.Sprintf("%v/%dM", kind, n/1_000_000), func(b *testing.B) {
				f := must[*Filter](b)(New(n, 0.01, WithKind(kind)))
				f.AddUint64s(benchNumbers(0, n))
				use(b, f, benchNumbers(n-benchAsked, benchAsked), benchNumbers(1<<40, benchAsked))
			})
		}
	}
}

// perKey runs work over all keys, and reports the time of one.
func perKey(b *testing.B, name string, work func()) {
	b.Run(name, func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			work()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchAsked, "ns/key")
	})
}

func BenchmarkLookups(b *testing.B) {
	benchFilters(b, func(b *testing.B, f *Filter, present, absent []uint64) {
		answers, hashes := make([]bool, benchAsked), make([]Hash, benchAsked)
		for _, asked := range []struct {
			name string
			keys []uint64
		}{{"present", present}, {"absent", absent}} {
			for i, x := range asked.keys {
				hashes[i] = Hash(splitMix64(x)) // so that the misses of hash and key runs are alike
			}
			bytes := make([][]byte, benchAsked)
			for i, x := range asked.keys {
				bytes[i] = binary.LittleEndian.AppendUint64(nil, x)
			}
			perKey(b, asked.name+"/one", func() {
				for i, x := range asked.keys {
					answers[i] = f.ContainsUint64(x)
				}
			})
			perKey(b, asked.name+"/many", func() { f.ContainsUint64s(asked.keys, answers) })
			perKey(b, asked.name+"/bytes", func() { f.ContainsMany(bytes, answers) })
			perKey(b, asked.name+"/hashes", func() { f.ContainsHashes(hashes, answers) })
		}
	})
}

func BenchmarkAdds(b *testing.B) {
	benchFilters(b, func(b *testing.B, f *Filter, present, absent []uint64) {
		perKey(b, "one", func() {
			for _, x := range present {
				f.AddUint64(x)
			}
		})
		perKey(b, "many", func() { f.AddUint64s(present) })
		shared := must[*Shared](b)(Share(f))
		perKey(b, "shared", func() { shared.AddUint64s(present) })
		answers := make([]bool, benchAsked)
		perKey(b, "shared/contains", func() { shared.ContainsUint64s(absent, answers) })
	})
}
