//go:build unix

package bloomery

// The test in this file holds that a mapped file is used in place.

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAMappedFileIsUsedInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filter")
	f := must[*Filter](t)(New(100000, 0.01))
	f.AddUint64s(benchNumbers(0, 100000))
	file := must[*File](t)(f.File(Envelope))
	if err := file.AddChunks(); err != nil {
		t.Fatal(err)
	}
	if err := file.Save(path); err != nil {
		t.Fatal(err)
	}
	on := must[*os.File](t)(os.Open(path))
	defer on.Close()
	mapped := must[[]byte](t)(syscall.Mmap(int(on.Fd()), 0, int(file.Len()), syscall.PROT_READ, syscall.MAP_SHARED))
	defer syscall.Munmap(mapped)

	parsed := must[*File](t)(Parse(mapped, Unverified()))
	view := must[View](t)(parsed.View())
	if &view.Bytes()[0] != &mapped[len(mapped)-len(view.Bytes())] {
		t.Error("the payload was copied")
	}
	for _, x := range benchNumbers(0, 1000) {
		if !view.ContainsUint64(x) {
			t.Fatalf("%x is denied", x)
		}
	}
	if err := parsed.VerifyRange(4096, 8192); err != nil {
		t.Error(err)
	}
	if err := parsed.Verify(); err != nil {
		t.Error(err)
	}
	if n := testing.AllocsPerRun(5, func() { Parse(mapped, Unverified()) }); n > 20 {
		t.Errorf("%g allocations to open a mapped file", n)
	}
}
