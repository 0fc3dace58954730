//go:build unix

package publish

import (
	"os"
	"path/filepath"
	"testing"
)

func TestATemporaryThatReplacesAFileIsItsOwnersAloneFromTheStart(t *testing.T) {
	mode := func(replaces bool) os.FileMode {
		file, err := createBeside(filepath.Join(t.TempDir(), "f"), replaces)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if got := mode(true); got != 0o600 {
		t.Errorf("mode %o instead of the owner's alone", got)
	}
	if got := mode(false); got|0o022 != 0o666 { // as any new file, by the usual umasks
		t.Errorf("mode %o of a new file", got)
	}
}
