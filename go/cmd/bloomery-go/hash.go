package main

// This file has the hash command, and the choice of a hash it shares with build.

import (
	"fmt"

	bloomery "github.com/bloomery/bloomery/go"
)

// What several commands take.
var (
	seedOption   = option{names: []string{"--seed"}, value: "S", help: "Seed of xxh3 or xxh64, decimal or 0x hexadecimal (default 0)"}
	secretOption = option{names: []string{"--secret"}, value: "FILE", help: "File with the 32 hexadecimal digits siphash13 and siphash24 need"}
	keysOption   = option{names: []string{"--keys"}, value: "SPELLING", help: "How lines spell keys: text, int, hex or base64"}
	crlfOption   = option{names: []string{"--crlf"}, help: "Lines end in CR LF: the CR is no part of the key"}
	keysArgument = option{names: []string{"KEYS"}, repeated: true, help: "Files of keys, one a line; standard input when none or '-'"}
)

var hashCommand = command{
	name:    "hash",
	summary: "Print the 64-bit hash of each key",
	details: "A line a key: 16 hexadecimal digits, TAB, and the key. For comparing implementations.",
	options: []option{
		{names: []string{"--hash"}, value: "H", help: "fnv_splitmix (default), xxh3, xxh64, siphash13 or siphash24"},
		seedOption, secretOption, keysOption,
		{names: []string{"-0"}, help: "Keys and lines end in NUL instead of LF"},
		crlfOption,
		{names: []string{"--json"}, help: "A line of JSON for each key"},
		keysArgument,
	},
	run: runHash,
}

func runHash(a *arguments, s *streams) (int, error) {
	hasher, err := parseHasher(a, bloomery.FNVSplitMix)
	if err != nil {
		return 0, err
	}
	spelled, err := givenSpelling(a)
	if err != nil {
		return 0, err
	}
	if spelled == nil {
		spelled = plainText
	}
	files, err := openKeys(a, s)
	if err != nil {
		return 0, err
	}
	defer files.close()
	asJSON := a.has("--json")
	digits := make([]byte, 17)
	digits[16] = '\t'
	return exitDone, files.each(spelled, func(lines, keys [][]byte) {
		for i, key := range keys {
			hash := hasher.Hash(key)
			if asJSON {
				fmt.Fprintf(s.out, "{%s,\"hash\":\"%016x\"}\n", jsonKey(lines[i]), uint64(hash))
				continue
			}
			for j := 15; j >= 0; j-- {
				digits[j] = "0123456789abcdef"[hash&15]
				hash >>= 4
			}
			s.out.Write(digits)
			s.out.Write(lines[i])
			s.out.WriteByte(files.format.separator)
		}
	})
}

// parseHasher makes the hasher of --hash, or the default one, with --seed and
// --secret.
func parseHasher(a *arguments, id bloomery.HashID) (bloomery.Hasher, error) {
	none := bloomery.Hasher{}
	if a.has("--hash") {
		var err error
		if id, err = bloomery.ParseHashID(a.value("--hash")); err != nil {
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
		secret, err := bloomery.ReadSecret(a.value("--secret"))
		if err != nil {
			return none, err
		}
		return bloomery.KeyedHasher(id, secret)
	case id.Seeded():
		seed := uint64(0)
		if a.has("--seed") {
			var err error
			if seed, err = parseSeed(a.value("--seed")); err != nil {
				return none, err
			}
		}
		return bloomery.SeededHasher(id, seed)
	}
	return none, nil
}
