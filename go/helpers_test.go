package bloomery

// What several tests share: filters that must be there, and their bytes.

import (
	"fmt"
	"os"
	"testing"
)

// rounds is how often a property is tried: more often in a soak.
func rounds(usual int) int {
	if os.Getenv("BLOOMERY_SOAK") != "" {
		return 100 * usual
	}
	return usual
}

func numbered(prefix string, n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = []byte(fmt.Sprintf("%s%d", prefix, i))
	}
	return keys
}

func must[T any](t testing.TB) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// hashedBy is the option of at most one hasher.
func hashedBy(hasher []Hasher) (options []Option) {
	for _, h := range hasher {
		options = append(options, WithHasher(h))
	}
	return options
}

// mustCapacity makes a classic filter.
func mustCapacity(t testing.TB, n uint64, fpr float64, hasher ...Hasher) *Filter {
	t.Helper()
	return must[*Filter](t)(New(n, fpr, append(hashedBy(hasher), WithKind(Classic))...))
}

// mustGeometry makes a classic filter.
func mustGeometry(t testing.TB, m uint64, k uint32, hasher ...Hasher) *Filter {
	t.Helper()
	return mustNew(t, classicGeometry{m, k}, hasher...)
}

func mustNew(t testing.TB, g layout, hasher ...Hasher) *Filter {
	t.Helper()
	return must[*Filter](t)(NewWithGeometry(Geometry{g}, hashedBy(hasher)...))
}

// allHashers has one of every hash function.
func allHashers(t testing.TB) []Hasher {
	t.Helper()
	hashers := []Hasher{{}}
	for id := XXH3; id <= SipHash24; id++ {
		h, err := SeededHasher(id, 42)
		if id.Keyed() {
			h, err = KeyedHasher(id, Secret{1, 2, 3})
		}
		if err != nil {
			t.Fatal(err)
		}
		hashers = append(hashers, h)
	}
	return hashers
}

func encoded(t testing.TB, f *Filter, format Format) []byte {
	t.Helper()
	return bytesOfFile(t, must[*File](t)(f.File(format)))
}

func bytesOfFile(t testing.TB, file *File) []byte {
	t.Helper()
	return must[[]byte](t)(file.MarshalBinary())
}

// saveRaw saves a classic filter as a raw file.
func saveRaw(f *Filter, path string) error {
	file, err := f.File(Raw)
	if err != nil {
		return err
	}
	return file.Save(path)
}
