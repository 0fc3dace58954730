package bloomery_test

// The test in this file holds that a stranger can get the module: it packs the module
// as a proxy would, from this folder, and lets `go get` and `go run` of a program
// outside the repository, the one of README.md, find it through a proxy of files.

import (
	"archive/zip"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	modulePath = "github.com/bloomery/bloomery/go"
	version    = "v0.1.0" // in the repository the tag is go/v0.1.0
)

// program is the one that README.md begins with.
func program(t *testing.T) []byte {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(page), "\n```go\n")
	code, _, _ = strings.Cut(code, "```\n")
	if lines := strings.Count(code, "\n"); !found || lines > 25 {
		t.Fatalf("the program of README.md has %d lines", lines)
	}
	return []byte(code)
}

func TestGoGetFindsTheModuleThroughAProxy(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	if testing.Short() {
		t.Skip("it builds a program")
	}
	cache, err := exec.Command(tool, "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	proxy, work := t.TempDir(), t.TempDir()
	pack(t, filepath.Join(proxy, filepath.FromSlash(modulePath), "@v"))
	if err := os.WriteFile(filepath.Join(work, "main.go"), program(t), 0o666); err != nil {
		t.Fatal(err)
	}
	// What the module itself needs is in the cache of whoever built this test.
	proxies := "file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(strings.TrimSpace(string(cache))) + "/cache/download"
	for _, args := range [][]string{{"mod", "init", "example.org/stranger"}, {"get", modulePath + "@" + version}, {"run", "."}} {
		command := exec.Command(tool, args...)
		command.Dir = work
		command.Env = append(os.Environ(), "GOPROXY="+proxies, "GOSUMDB=off", "GOFLAGS=-modcacherw", "GOWORK=off", "GOTOOLCHAIN=local",
			"GOMODCACHE="+filepath.Join(work, "cache"))
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, output)
		}
		if args[0] == "run" && string(output) != "true false\n" {
			t.Errorf("the program prints %q", output)
		}
	}
	sums, err := os.ReadFile(filepath.Join(work, "go.mod"))
	if err != nil || !strings.Contains(string(sums), modulePath+" "+version) {
		t.Errorf("go.mod is %s (%v)", sums, err)
	}
}

// pack writes what a proxy serves of a version: its list, go.mod, date and files.
func pack(t *testing.T, to string) {
	t.Helper()
	mod, err := os.ReadFile("go.mod")
	if err == nil {
		err = os.MkdirAll(to, 0o777)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".mod": string(mod), version + ".info": `{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`} {
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), []byte(text), 0o666)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(to, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to, err := archive.Create(modulePath + "@" + version + "/" + filepath.ToSlash(path))
		if err == nil {
			_, err = to.Write(data)
		}
		return err
	})
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
