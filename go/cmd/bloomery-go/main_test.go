package main

// The tests in this file run the commands in the test's own process and hold what
// they print to the golden data of spec/vectors and to spec/cli.md.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

func runWith(in io.Reader, args ...string) (status int, out, errs string) {
	var stdout, stderr bytes.Buffer
	status = run(args, in, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func keyLines(prefix string, n int) string {
	var b strings.Builder
	for i := 0; i < n; i++ {
		fmt.Fprintf(&b, "%s%d\n", prefix, i)
	}
	return b.String()
}

func TestBuildAndInspectPrintTheGoldenBytes(t *testing.T) {
	var v struct {
		Rows []struct {
			Keys        int
			Args        []string
			Secret      *string
			Build       string
			Inspect     string
			InspectJSON string `json:"inspect_json"`
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "spec", "vectors", "cli.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil || len(v.Rows) == 0 {
		t.Fatal(err, len(v.Rows))
	}
	directory := t.TempDir()
	for i, row := range v.Rows {
		path := filepath.Join(directory, fmt.Sprint("filter", i))
		args := append([]string{"build", "-o", path}, row.Args...)
		if row.Secret != nil {
			args = append(args, "--secret="+write(t, path+".secret", *row.Secret+"\n"))
		}
		status, out, errs := runWith(strings.NewReader(keyLines("key", row.Keys)), args...)
		if want := strings.Replace(row.Build, "FILE", path, 1); status != exitDone || out != want {
			t.Errorf("%v: %d %s%s, want %s", args, status, errs, out, want)
		}
		if status, out, _ := runWith(nil, "inspect", path); status != exitDone || out != row.Inspect {
			t.Errorf("%v: %d\n%s, want\n%s", args, status, out, row.Inspect)
		}
		if status, out, _ := runWith(nil, "inspect", path, "--json"); status != exitDone || out != row.InspectJSON {
			t.Errorf("%v: %d\n%s, want\n%s", args, status, out, row.InspectJSON)
		}
	}
}

func TestQueryAnswersInOrderWithEveryKeyKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filter")
	long := strings.Repeat("x", 3*blockLen)
	keys := "a\n\ncr\r\n" + long + "\nlast"
	if status, _, errs := runWith(strings.NewReader(keys), "build", "--kind", "classic", "-q", "--fpr", "1e-9", "-o", path); status != exitDone {
		t.Fatal(errs)
	}
	want := "maybe\ta\nmaybe\t\nmaybe\tcr\r\nmaybe\t" + long + "\nmaybe\tlast\n"
	for _, in := range []io.Reader{strings.NewReader(keys), iotest.HalfReader(strings.NewReader(keys)), iotest.DataErrReader(strings.NewReader(keys))} {
		if status, out, errs := runWith(in, "query", path); status != exitDone || out != want {
			t.Errorf("%d %s%.100s", status, errs, out)
		}
	}
	if status, out, _ := runWith(strings.NewReader("cr\na\n"), "query", path, "-"); status != exitNo || out != "no\tcr\nmaybe\ta\n" {
		t.Errorf("%d %q", status, out)
	}
	if status, out, _ := runWith(strings.NewReader("a\x00line\n\x00"), "query", "-0", path); status != exitNo || out != "maybe\ta\x00no\tline\n\x00" {
		t.Errorf("%d %q", status, out)
	}
	if status, out, _ := runWith(strings.NewReader(""), "query", path); status != exitDone || out != "" {
		t.Errorf("%d %q", status, out)
	}
}

func TestFilesAndPipesOfKeysBuildTheSameFilter(t *testing.T) {
	directory := t.TempDir()
	lines := keyLines("key", 70000)
	keys := write(t, filepath.Join(directory, "keys"), lines)
	built := func(in io.Reader, args ...string) string {
		path := filepath.Join(directory, "filter")
		if status, _, errs := runWith(in, append([]string{"build", "--kind", "classic", "-o", path}, args...)...); status != exitDone || errs != "" {
			t.Fatal(errs)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	file, err := os.Open(keys)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.WriteString(writer, lines)
		writer.Close()
	}()
	want := built(nil, keys)
	zero := strings.NewReader(strings.ReplaceAll(lines, "\n", "\x00"))
	for i, got := range []string{built(file), built(reader, "-"), built(zero, "-0"), built(nil, "-n70k", keys), built(nil, keys, "-n", "7e4")} {
		if got != want {
			t.Errorf("way %d gives another filter", i)
		}
	}
}

func TestHashPrintsHexTabKey(t *testing.T) {
	secret := write(t, filepath.Join(t.TempDir(), "secret"), "000102030405060708090a0b0c0d0e0f")
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"hash"}, "c3817c016ba4ff30\t\n"},
		{[]string{"hash", "--hash", "xxh3"}, "2d06800538d394c2\t\n"},
		{[]string{"hash", "--hash=xxh64", "--seed=0x1"}, "d5afba1336a3be4b\t\n"},
		{[]string{"hash", "--hash=xxh64", "--seed", "18446744073709551615"}, "298f4c84b24f5380\t\n"},
		{[]string{"hash", "--secret", secret, "--hash=siphash24"}, "726fdb47dd0e0e31\t\n"},
	} {
		if status, out, errs := runWith(strings.NewReader("\n"), row.args...); status != exitDone || out != row.want {
			t.Errorf("%v: %d %s%s", row.args, status, errs, out)
		}
	}
}

func TestKeyedFilesAreAskedWithTheirSecret(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "filter")
	right := write(t, filepath.Join(directory, "right"), strings.Repeat("1", 32))
	wrong := write(t, filepath.Join(directory, "wrong"), strings.Repeat("2", 32))
	if status, _, errs := runWith(strings.NewReader("a\n"), "build", "--kind", "classic", "--envelope", "--hash=siphash13", "--secret", right, "-o", path); status != exitDone {
		t.Fatal(errs)
	}
	for secret, want := range map[string]int{"": exitError, wrong: exitError, right: exitDone} {
		args := []string{"query", path}
		if secret != "" {
			args = append(args, "--secret", secret)
		}
		if status, out, errs := runWith(strings.NewReader("a\n"), args...); status != want || (status == exitError) != (out == "") {
			t.Errorf("%v: %d %s%s", args, status, errs, out)
		}
	}
}

func TestErrorsAreOneLineAndExit2(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "filter")
	keys := write(t, filepath.Join(directory, "keys"), "a\n")
	junk := write(t, filepath.Join(directory, "junk"), "this is no filter file")
	// Not a device: a mistake under test would replace it.
	pipe := filepath.Join(directory, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	b := func(args ...string) []string {
		return append([]string{"build", "--kind", "classic", "-o", path, keys}, args...)
	}
	for _, args := range [][]string{
		{"plan"}, {"build"}, {"build", "--kind", "classic", keys}, {"build", "-o"}, {"query"}, {"inspect"}, {"inspect", "--json", junk}, {"help", "plan"}, {"query", path, "--only", "perhaps"}, {"query", path, "--key", "a", keys},
		b("-n", "0"), b("-n", "-5"), b("-n", "1.5"), b("-n", "x"), b("-n", ""), b("-n", "1e99"), b("-n", "18446744073709551616"), b("-n"),
		b("--fpr", "0"), b("--fpr", "1"), b("--fpr", "2"), b("--fpr", "nan"), b("--fpr", "inf"), b("--fpr", "-0.1"), b("--fpr", "0.1x"), b("--fpr", "1e-30"),
		b("-m", "100"), b("-k", "3"), b("-m", "0", "-k", "1"), b("-m", "8", "-k", "0"), b("-m", "8", "-k", "31"), b("-m", "8", "-k", "4294967297"),
		b("-m", "8", "-k", "1", "--fpr", "0.1"), b("-m", "8", "-k", "1", "--bits-per-key", "8"), b("-m", "18446744073709551615", "-k", "7"),
		b("--json=1"), b("--bits-per-key", "0"), b("--bits-per-key", "nan"), b("--bits-per-key", "8", "--fpr", "0.1"), b("--bits-per-key", "1e300"),
		b("-n", "1e9"), b("--kind", "block"), b("--kind", "nonsense"), b("--unknown"), b("--fpr=0.1", "--fpr", "0.2"), b("-n1k", "-n2k"), b("-x"), b("--envelope=yes"), b("--hash", "md5"), b("--hash", "xxh3"),
		b("--envelope", "--hash", "xxh3", "--seed", "-1"), b("--envelope", "--hash", "xxh3", "--seed", "0x"), b("--seed", "1"),
		b("--envelope", "--hash", "siphash13"), b("--secret", keys), b("--envelope", "--hash", "siphash13", "--secret", keys), b("--keys", "roman"), b("--threads", "0"), b("--threads", "257"),
		b("--label", "raw"), b("-n", "1000", "--envelope", "--label", "\x01"), b("-n", "1000", "--keys", "int"), b("--force"), b("-n", "1000", "--envelope", "--align", "100"), b("--chunks"), b("--align", "4k"),
		{"build", "--kind", "classic", "-o", directory, keys}, {"build", "-o", pipe, keys}, {"build", "-o", filepath.Join(directory, "no", "f"), keys},
		{"build", "--kind", "classic", "-o", path, filepath.Join(directory, "missing")}, {"build", "-o", path, directory},
		{"query", filepath.Join(directory, "missing")}, {"query", junk}, {"query", directory}, {"inspect", junk},
		{"inspect", directory}, {"inspect", "two\nlines"}, {"hash", directory}, {"hash", filepath.Join(directory, "missing")},
	} {
		status, out, errs := runWith(strings.NewReader("a\n"), args...)
		if status != exitError || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "bloomery-go: ") || len(errs) < 20 {
			t.Errorf("%q: status %d, output %q, errors %q", args, status, out, errs)
		}
	}
	if entries, _ := os.ReadDir(directory); len(entries) != 3 {
		t.Errorf("something was written: %v", entries)
	}
}

func TestWarningsGoToStandardError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filter")
	status, out, errs := runWith(strings.NewReader(keyLines("key", 3000)), "build", "--kind", "classic", "-n", "2000", "-o", path)
	if status != exitDone || !strings.HasPrefix(out, path+": classic, 3000 keys") || !strings.HasPrefix(errs, "bloomery-go: warning: 3000 keys were added, -n is 2000") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	status, out, errs = runWith(strings.NewReader(""), "build", "--kind", "classic", "-q", "-o", path)
	if status != exitDone || out != "" || !strings.HasPrefix(errs, "bloomery-go: warning: classic predicts fpr 0.09652 for 1 keys") {
		t.Errorf("%d %s%s", status, out, errs)
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}, {"build", "--help"}, {"query", "-h"}, {"help", "inspect"}, {"build", "-o", "f", "-h"}} {
		status, out, errs := runWith(nil, args...)
		if status != exitDone || !strings.Contains(out, "\nUsage: bloomery-go ") || errs != "" {
			t.Errorf("%v: %d %s%s", args, status, out, errs)
		}
		for _, line := range strings.Split(out, "\n") {
			if len(line) > helpColumns {
				t.Errorf("%v: %d columns: %s", args, len(line), line)
			}
		}
	}
	if status, out, _ := runWith(nil, "--version"); status != exitDone || out != "bloomery-go 0.1.0\n" {
		t.Errorf("%d %s", status, out)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestOnlyABrokenPipeIsSilent(t *testing.T) {
	for err, want := range map[error]string{
		&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}:  "",
		&os.PathError{Op: "write", Path: "|1", Err: syscall.ENOSPC}: "bloomery-go: standard output: no space left on device\n",
	} {
		var errs bytes.Buffer
		if status := run([]string{"hash"}, strings.NewReader("a\n"), failing{err}, &errs); status != exitError || errs.String() != want {
			t.Errorf("%v: %d %q", err, status, errs.String())
		}
	}
	in := iotest.ErrReader(errors.New("worn out"))
	if status, _, errs := runWith(in, "hash"); status != exitError || errs != "bloomery-go: standard input: worn out\n" {
		t.Errorf("%d %q", status, errs)
	}
}
