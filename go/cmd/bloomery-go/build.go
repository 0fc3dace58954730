package main

// This file has the build command, and the choice of a hash it shares with the
// hash command.

import (
	"errors"
	"fmt"

	bloomery "github.com/bloomery/bloomery/go"
)

func runBuild(args []string, s *streams) (int, error) {
	known := options{"--kind": true, "--envelope": false, "--hash": true, "--seed": true, "--secret": true, "-q": false, "-0": false, "-o": true}
	for _, option := range sizeOptions {
		known[option] = true
	}
	a, err := parseArguments(args, known)
	if err != nil {
		return 0, err
	}
	if err := a.files(0, 1, "at most one: KEYS"); err != nil {
		return 0, err
	}
	kind, err := parseKind(a)
	if err != nil {
		return 0, err
	}
	if err := checkBuild(a, kind); err != nil {
		return 0, err
	}
	hasher, err := parseHasher(a, kind.DefaultHasher().ID())
	if err != nil {
		return 0, err
	}
	size, err := parseSize(a, kind)
	if err != nil {
		return 0, err
	}
	path := a.values["-o"]
	if err := bloomery.CheckTarget(path); err != nil {
		return 0, err
	}
	if kind.Static() {
		return exitDone, buildAtOnce(a, &size, hasher, path, s)
	}
	filter, err := fill(a, &size, hasher, s)
	if err != nil {
		return 0, err
	}
	if a.has("-n") && filter.KeyCount() > size.n {
		s.warn("%d keys were added, -n is %d: more of the absent ones will answer maybe than planned", filter.KeyCount(), size.n)
	}
	file, err := filter.File(formatOf(a, kind))
	if err != nil {
		return 0, err
	}
	return exitDone, save(a, file, filter.KeyCount(), path, s)
}

// buildAtOnce makes a filter of a kind that needs all keys at once: their hashes are
// read first.
func buildAtOnce(a *arguments, size *size, hasher bloomery.Hasher, path string, s *streams) error {
	size.n = 1000000 // a number of keys that no size is too small for
	if _, err := size.geometry(s); err != nil {
		return err
	}
	var hashes []bloomery.Hash
	err := eachBlock(a, 0, s, func(keys [][]byte, _ byte) {
		for _, key := range keys {
			hashes = append(hashes, hasher.Hash(key))
		}
	})
	if err != nil {
		return err
	}
	if size.n = uint64(len(hashes)); size.n == 0 {
		size.n = 1
	}
	wish, err := size.geometry(s)
	if err != nil {
		return err
	}
	filter, err := bloomery.BuildFuseHashes(hashes, wish.(bloomery.FuseGeometry), hasher)
	if err != nil {
		return err
	}
	file, err := filter.File()
	if err != nil {
		return err
	}
	return save(a, file, filter.KeyCount(), path, s)
}

// fill makes the filter of all keys, which it counts first where the size needs it.
func fill(a *arguments, size *size, hasher bloomery.Hasher, s *streams) (*bloomery.Filter, error) {
	from, err := openKeys(a.keys(0), s.in)
	if err != nil {
		return nil, err
	}
	defer func() { from.close() }()
	if size.needsCount() {
		n, again, err := from.counted(a.separator())
		if err != nil {
			return nil, err
		}
		from, size.n = again, n
		if n == 0 {
			size.n = 1
		}
	}
	geometry, err := size.geometry(s)
	if err != nil {
		return nil, err
	}
	filter, err := bloomery.New(geometry, hasher)
	if err != nil {
		return nil, err
	}
	add := func(keys [][]byte, _ byte) { filter.AddMany(keys) }
	return filter, readBlocks(from, a.separator(), s.out, add)
}

// formatOf returns the format that is written: classic alone has one of its own.
func formatOf(a *arguments, kind bloomery.Kind) bloomery.Format {
	if kind == bloomery.Classic && !a.has("--envelope") {
		return bloomery.Raw
	}
	return bloomery.Envelope
}

func save(a *arguments, file *bloomery.File, keys uint64, path string, s *streams) error {
	release := holdSignals()
	err := file.Save(path)
	release()
	if err != nil {
		return err
	}
	if a.has("-q") {
		return nil
	}
	perKey := float64(file.Geometry().BitLen())
	if keys > 1 {
		perKey /= float64(keys)
	}
	_, err = fmt.Fprintf(s.out, "%s: %v, %d keys, %d bytes, %s bits/key, predicted fpr %s\n",
		path, file.Kind(), keys, file.Len(), real(perKey), real(file.PredictedFPR()))
	return err
}

// parseKind reads --kind; block when it is not given.
func parseKind(a *arguments) (bloomery.Kind, error) {
	if !a.has("--kind") {
		return bloomery.Block, nil
	}
	return bloomery.ParseKind(a.values["--kind"])
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
