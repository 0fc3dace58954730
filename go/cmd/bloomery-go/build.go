package main

// This file has the build command: keys in, a filter file out.

import (
	"errors"
	"fmt"
	"os"

	bloomery "github.com/bloomery/bloomery/go"
	"github.com/bloomery/bloomery/go/internal/publish"
)

const mostThreads = 256

var buildCommand = command{
	name:    "build",
	summary: "Build a filter file from keys, one a line",
	details: "Without -n the keys are counted first (two passes over a file; a stream is kept in a temporary file), and the " +
		"filter is sized for exactly that many. A filter is sized by --fpr, by --bits-per-key, or exactly: by -m and -k " +
		"(classic), --blocks (split), --blocks and -k (block), or --geometry.",
	options: []option{
		{names: []string{"--kind"}, value: "K", help: "Kind of filter: block (default), split, fuse or classic"},
		{names: []string{"--fpr"}, value: "P", help: "False-positive rate aimed at (default 0.01)"},
		{names: []string{"-n"}, value: "N", help: "Size for N keys, as 10M or 1e9 (default: the keys are counted first)"},
		{names: []string{"--bits-per-key"}, value: "B", help: "Size by bits per key instead of --fpr"},
		{names: []string{"-m"}, value: "M", help: "Exactly M bits (classic, with -k)"},
		{names: []string{"-k"}, value: "K", help: "Exactly K bits per key (with -m or --blocks)"},
		{names: []string{"--blocks"}, value: "B", help: "Exactly B blocks (split; block with -k)"},
		{names: []string{"--geometry"}, value: "NAME=N,..", help: "Exactly this geometry, by the names that inspect prints; or beside --fpr arity=4 of fuse"},
		{names: []string{"--hash"}, value: "H", help: "Hash of the keys (default: xxh3; xxh64 for split, fnv_splitmix for classic)"},
		seedOption, secretOption,
		{names: []string{"--envelope"}, help: "Write classic as an envelope, with checksums, instead of its raw file"},
		{names: []string{"-0"}, help: "Keys end in NUL instead of LF"},
		crlfOption, keysOption,
		{names: []string{"--label"}, value: "TEXT", help: "A name for people, kept in the file: at most 255 bytes"},
		{names: []string{"--chunks"}, help: "Keep sums of parts of the payload, by which a part can be verified"},
		{names: []string{"--align"}, value: "SIZE", help: "Begin the payload at a multiple of SIZE, a power of two from 64 to 4M"},
		{names: []string{"--threads"}, value: "T", help: "Taken as the C++ command takes it; this one builds on one thread"},
		{names: []string{"--json"}, help: "One line of JSON"},
		{names: []string{"-q", "--quiet"}, help: "Print nothing when all goes well"},
		{names: []string{"-o", "--output"}, value: "FILE", required: true, help: "The filter file; it appears whole or not at all"},
		keysArgument,
	},
	run: runBuild,
}

// job is what a build command line asks for.
type job struct {
	*arguments
	kind    bloomery.Kind
	hasher  bloomery.Hasher
	size    size
	spelled *spelling // nil: not said
	path    string
	align   uint64 // 0: not given
}

func runBuild(a *arguments, s *streams) (int, error) {
	j, err := parseJob(a)
	if err != nil {
		return 0, err
	}
	keys, err := j.openKeys(s)
	if err != nil {
		return 0, err
	}
	defer keys.close()
	build := j.fill
	if j.kind.Static() {
		build = j.buildAtOnce
	}
	made, err := build(keys, s)
	if err == nil {
		err = j.describe(made.file)
	}
	if err != nil {
		return 0, err
	}
	if j.has("-n") && made.keys > j.size.n {
		s.warn("%d keys were added, -n is %d: more of the absent ones will answer maybe than planned", made.keys, j.size.n)
	}
	if err := j.save(made.file); err != nil {
		return 0, err
	}
	if !j.has("-q") {
		j.report(made, keys, s)
	}
	return exitDone, nil
}

// parseJob refuses what is wrong before any key is read.
func parseJob(a *arguments) (*job, error) {
	j := &job{arguments: a, path: a.value("-o")}
	var err error
	if j.kind, err = parseKind(a); err != nil {
		return nil, err
	}
	if err := checkBuild(a, j.kind); err != nil {
		return nil, err
	}
	if j.hasher, err = parseHasher(a, defaultHash[j.kind]); err != nil {
		return nil, err
	}
	if j.spelled, err = givenSpelling(a); err != nil {
		return nil, err
	}
	if j.size, err = parseSize(a, j.kind); err != nil {
		return nil, err
	}
	if a.has("--align") {
		if j.align, err = parseAlign(a.value("--align")); err != nil {
			return nil, err
		}
	}
	return j, at(j.path, publish.Check(j.path))
}

// spelling is that of the lines.
func (j *job) spelling() *spelling {
	if j.spelled == nil {
		return plainText
	}
	return j.spelled
}

// fill makes the filter of all keys, which it counts first where the size needs it.
func (j *job) fill(keys *keyFiles, s *streams) (*product, error) {
	if j.size.needsCount() {
		n, err := keys.count()
		if err != nil {
			return nil, err
		}
		j.size.n = atLeastOne(n)
	}
	geometry, err := j.size.geometry(s)
	if err != nil {
		return nil, err
	}
	filter, err := bloomery.NewWithGeometry(geometry, bloomery.WithHasher(j.hasher))
	if errors.Is(err, bloomery.ErrOutOfMemory) {
		return nil, fmt.Errorf("%w for a %v filter of %d keys, which takes %s: give fewer keys (-n) or a higher rate (--fpr)",
			bloomery.ErrOutOfMemory, j.kind, j.size.n, sizeForPeople(geometry.ByteLen()))
	}
	if err != nil {
		return nil, err
	}
	if err := keys.each(j.spelling(), func(_, keys [][]byte) { filter.AddMany(keys) }); err != nil {
		return nil, err
	}
	file, err := filter.File(formatOf(j.arguments, j.kind))
	return &product{file, filter.View, filter.KeyCount()}, err
}

// buildAtOnce is fill for a kind that needs all keys at once: their hashes are read
// first.
func (j *job) buildAtOnce(keys *keyFiles, s *streams) (*product, error) {
	// A rate that the kind cannot have is refused before the keys are read. How many bits are too few depends on them.
	if j.size.bitsPerKey == 0 {
		j.size.n = 1000000
		if _, err := j.size.geometry(s); err != nil {
			return nil, err
		}
	}
	var hashes []bloomery.Hash
	err := keys.each(j.spelling(), func(_, keys [][]byte) {
		for _, key := range keys {
			hashes = append(hashes, j.hasher.Hash(key))
		}
	})
	if err != nil {
		return nil, err
	}
	j.size.n = atLeastOne(uint64(len(hashes)))
	target, err := j.size.geometry(s)
	if err != nil {
		return nil, err
	}
	filter, err := bloomery.BuildFuseHashes(hashes, target, bloomery.WithHasher(j.hasher))
	if err != nil {
		return nil, err
	}
	file, err := filter.File()
	return &product{file, filter.View, filter.KeyCount()}, err
}

// openKeys opens the keys, and refuses an output that would replace what is read.
func (j *job) openKeys(s *streams) (*keyFiles, error) {
	keys, err := openKeys(j.arguments, s)
	if err != nil {
		return nil, err
	}
	written, err := os.Stat(j.path)
	if err != nil {
		return keys, nil // a new file
	}
	what := ""
	if secret, err := os.Stat(j.value("--secret")); err == nil && os.SameFile(secret, written) {
		what = "secret"
	}
	if keys.includes(written) {
		what = "keys"
	}
	if what == "" {
		return keys, nil
	}
	keys.close()
	return nil, at(j.path, fmt.Errorf("is the file of the %s itself, which the filter would replace: name another file", what))
}

func atLeastOne(n uint64) uint64 {
	if n == 0 {
		return 1
	}
	return n
}

// formatOf returns the format that is written: classic alone has one of its own.
func formatOf(a *arguments, kind bloomery.Kind) bloomery.Format {
	if kind == bloomery.Classic && !a.has("--envelope") {
		return bloomery.Raw
	}
	return bloomery.Envelope
}

// parseKind reads --kind; block when it is not given.
func parseKind(a *arguments) (bloomery.Kind, error) {
	if !a.has("--kind") {
		return bloomery.Block, nil
	}
	kind, err := bloomery.ParseKind(a.value("--kind"))
	if err == nil && !kind.Buildable() {
		err = fmt.Errorf("kind %v is made by the C++ command alone: use it, or block, split, fuse or classic", kind)
	}
	return kind, err
}

// defaultHash is the hash of a kind unless --hash is given.
var defaultHash = map[bloomery.Kind]bloomery.HashID{
	bloomery.Classic: bloomery.FNVSplitMix, bloomery.Split: bloomery.XXH64, bloomery.Block: bloomery.XXH3, bloomery.Fuse: bloomery.XXH3,
}

// checkBuild refuses options that contradict each other.
func checkBuild(a *arguments, kind bloomery.Kind) error {
	if a.has("--fpr") && a.has("--bits-per-key") {
		return errors.New("--fpr and --bits-per-key contradict each other: leave one out")
	}
	if threads, good := countOf(a.value("--threads")); a.has("--threads") && (!good || threads < 1 || threads > mostThreads) {
		return fmt.Errorf("--threads is '%s': give a number from 1 to %d", a.value("--threads"), mostThreads)
	}
	if formatOf(a, kind) != bloomery.Raw {
		return nil
	}
	for _, record := range []string{"--label", "--chunks", "--align"} {
		if a.has(record) {
			return fmt.Errorf("only an envelope has records: add --envelope, or leave out %s", record)
		}
	}
	if hash := a.value("--hash"); a.has("--hash") && hash != "fnv_splitmix" {
		if _, err := bloomery.ParseHashID(hash); err != nil {
			return err
		}
		return fmt.Errorf("a raw file cannot name its hash: use --envelope with --hash %s", hash)
	}
	return nil
}
