package bloomery

// The test in this file holds saves to what they say of directories that a process may
// write to and not read.

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// asNobody runs a function with the rights of a user who owns nothing, also where root
// runs the tests: the rights to files are those of a thread, which ends with it.
func asNobody(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked
		syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		f()
	}()
	<-done
}

const nobody = 65534

func TestASaveWhoseDirectoryCannotBeReadChangesNothing(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "filter")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	os.Chmod(filepath.Dir(directory), 0o711)
	if os.Getuid() == 0 {
		os.Chown(path, nobody, -1)
		os.Chown(directory, nobody, -1)
	}
	os.Chmod(directory, 0o300)
	f := mustCapacity(t, 100, 0.01)
	var unreadable, saved error
	asNobody(func() {
		_, unreadable = os.ReadDir(directory)
		saved = f.Save(path)
	})
	os.Chmod(directory, 0o700)
	if unreadable == nil {
		t.Skip("this user reads every directory")
	}
	if !errors.Is(saved, fs.ErrPermission) || !errors.Is(saved, ErrIO) {
		t.Errorf("the error is %v", saved)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("the old file is %d bytes, %v", len(text), err)
	}
	if names, err := os.ReadDir(directory); err != nil || len(names) != 1 {
		t.Errorf("there are %v, %v", names, err)
	}
}
