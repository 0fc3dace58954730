package main

// This file has the build command, and the choice of a hash it shares with the
// hash command.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	bloomery "github.com/bloomery/bloomery/go"
	"github.com/bloomery/bloomery/go/internal/publish"
)

// job is what a build command line asks for.
type job struct {
	*arguments
	kind   bloomery.Kind
	hasher bloomery.Hasher
	size   size
	path   string
}

func runBuild(args []string, s *streams) (int, error) {
	j, err := parseJob(args)
	if err != nil {
		return 0, err
	}
	build := j.fill
	if j.kind.Static() {
		build = j.buildAtOnce
	}
	made, err := build(s)
	if err != nil {
		return 0, err
	}
	if j.has("-n") && made.keys > j.size.n {
		s.warn("%d keys were added, -n is %d: more of the absent ones will answer maybe than planned", made.keys, j.size.n)
	}
	return exitDone, j.save(made, s)
}

// product is a filter that is ready to be written.
type product struct {
	file *bloomery.File
	view bloomery.View
	keys uint64
}

// parseJob refuses what is wrong before any key is read.
func parseJob(args []string) (*job, error) {
	known := options{"--kind": true, "--envelope": false, "--hash": true, "--seed": true, "--secret": true, "-q": false, "-0": false, "-o": true}
	for _, option := range sizeOptions {
		known[option] = true
	}
	a, err := parseArguments(args, known)
	if err != nil {
		return nil, err
	}
	if err := a.files(0, 1, "at most one: KEYS"); err != nil {
		return nil, err
	}
	j := &job{arguments: a, path: a.values["-o"]}
	if j.kind, err = parseKind(a); err != nil {
		return nil, err
	}
	if err := checkBuild(a, j.kind); err != nil {
		return nil, err
	}
	if j.hasher, err = parseHasher(a, defaultHash[j.kind]); err != nil {
		return nil, err
	}
	if j.size, err = parseSize(a, j.kind); err != nil {
		return nil, err
	}
	return j, at(j.path, publish.Check(j.path))
}

// fill makes the filter of all keys, which it counts first where the size needs it.
func (j *job) fill(s *streams) (*product, error) {
	from, err := j.openKeys(s)
	if err != nil {
		return nil, err
	}
	defer func() { from.close() }()
	if j.size.needsCount() {
		n, again, err := from.counted(j.separator())
		if err != nil {
			return nil, err
		}
		from, j.size.n = again, atLeastOne(n)
	}
	geometry, err := j.size.geometry(s)
	if err != nil {
		return nil, err
	}
	filter, err := bloomery.NewWithGeometry(geometry, bloomery.WithHasher(j.hasher))
	if err != nil {
		return nil, err
	}
	add := func(keys [][]byte, _ byte) { filter.AddMany(keys) }
	if err := readBlocks(from, j.separator(), s.out, add); err != nil {
		return nil, err
	}
	file, err := filter.File(formatOf(j.arguments, j.kind))
	return &product{file, filter.View, filter.KeyCount()}, err
}

// buildAtOnce is fill for a kind that needs all keys at once: their hashes are read
// first.
func (j *job) buildAtOnce(s *streams) (*product, error) {
	j.size.n = 1000000 // a number of keys that no size is too small for
	if _, err := j.size.geometry(s); err != nil {
		return nil, err
	}
	from, err := j.openKeys(s)
	if err != nil {
		return nil, err
	}
	defer from.close()
	var hashes []bloomery.Hash
	err = readBlocks(from, j.separator(), s.out, func(keys [][]byte, _ byte) {
		for _, key := range keys {
			hashes = append(hashes, j.hasher.Hash(key))
		}
	})
	if err != nil {
		return nil, err
	}
	j.size.n = atLeastOne(uint64(len(hashes)))
	wish, err := j.size.geometry(s)
	if err != nil {
		return nil, err
	}
	filter, err := bloomery.BuildFuseHashes(hashes, wish, bloomery.WithHasher(j.hasher))
	if err != nil {
		return nil, err
	}
	file, err := filter.File()
	return &product{file, filter.View, filter.KeyCount()}, err
}

// openKeys opens the keys, and refuses an output that would replace what is read.
func (j *job) openKeys(s *streams) (*source, error) {
	from, err := openKeys(j.keys(0), s.in)
	if err != nil {
		return nil, err
	}
	written, err := os.Stat(j.path)
	if err != nil {
		return from, nil // a new file
	}
	what := ""
	if secret, err := os.Stat(j.values["--secret"]); err == nil && os.SameFile(secret, written) {
		what = "secret"
	}
	if from.file != nil {
		if keys, err := from.file.Stat(); err == nil && os.SameFile(keys, written) {
			what = "keys"
		}
	}
	if what == "" {
		return from, nil
	}
	from.close()
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

func (j *job) save(made *product, s *streams) error {
	unlock, err := lockFile(j.path) // before the signals wait: one may end a command that waits
	if err != nil {
		return err
	}
	release := holdSignals()
	err = made.file.Save(j.path)
	unlock()
	release()
	if err != nil || j.has("-q") {
		return err
	}
	perKey := float64(made.file.Geometry().BitLen()) / float64(atLeastOne(made.keys))
	fmt.Fprintf(s.out, "%s: %v, %d keys, %d bytes, %s bits/key, predicted fpr %s\n",
		j.path, made.file.Kind(), made.keys, made.file.Len(), real(perKey), real(made.view.PredictedFPR()))
	// The filter is what was asked for, and that is written.
	if err := s.out.Flush(); err != nil {
		if !errors.Is(err, syscall.EPIPE) {
			s.warn("%s; %s is written", oneLine(err.Error()), oneLine(j.path))
		}
		s.out.Reset(io.Discard)
	}
	return nil
}

// parseKind reads --kind; block when it is not given.
func parseKind(a *arguments) (bloomery.Kind, error) {
	if !a.has("--kind") {
		return bloomery.Block, nil
	}
	kind, err := bloomery.ParseKind(a.values["--kind"])
	if err == nil && !kind.Made() {
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
	if a.values["-o"] == "" {
		return errors.New("where to? use -o FILE")
	}
	if a.has("--fpr") && a.has("--bits-per-key") {
		return errors.New("--fpr and --bits-per-key contradict each other: leave one out")
	}
	if hash, given := a.values["--hash"]; given && hash != "fnv_splitmix" && formatOf(a, kind) == bloomery.Raw {
		if _, err := bloomery.ParseHashID(hash); err != nil {
			return err
		}
		return fmt.Errorf("a raw file cannot name its hash: use --envelope with --hash %s", hash)
	}
	return nil
}

// parseHasher makes the hasher of --hash, or the default one, with --seed and
// --secret.
func parseHasher(a *arguments, id bloomery.HashID) (bloomery.Hasher, error) {
	none := bloomery.Hasher{}
	if a.has("--hash") {
		var err error
		if id, err = bloomery.ParseHashID(a.values["--hash"]); err != nil {
			return none, err
		}
	}
	if a.has("--seed") && !id.Seeded() {
		return none, fmt.Errorf("%v takes no --seed: only xxh3 and xxh64 do", id)
	}
	if a.has("--secret") != id.Keyed() {
		if id.Keyed() {
			return none, fmt.Errorf("%v needs a secret: use --secret FILE", id)
		}
		return none, fmt.Errorf("%v takes no --secret: only siphash13 and siphash24 do", id)
	}
	switch {
	case id.Keyed():
		secret, err := bloomery.ReadSecret(a.values["--secret"])
		if err != nil {
			return none, err
		}
		return bloomery.KeyedHasher(id, secret)
	case id.Seeded():
		seed := uint64(0)
		if a.has("--seed") {
			var err error
			if seed, err = parseSeed(a.values["--seed"]); err != nil {
				return none, err
			}
		}
		return bloomery.SeededHasher(id, seed)
	}
	return none, nil
}
