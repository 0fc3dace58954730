package main

// This file turns the size options of build into a geometry.

import (
	"errors"
	"fmt"
	"strings"

	bloomery "github.com/bloomery/bloomery/go"
)

// sizeOptions are those that parseSize reads.
var sizeOptions = []string{"--fpr", "-n", "--bits-per-key", "-m", "-k", "--blocks", "--geometry"}

type size struct {
	kind       bloomery.Kind
	n          uint64 // 0: not known yet
	fpr        float64
	bitsPerKey float64           // 0: not given
	arity      uint32            // of fuse
	exact      bloomery.Geometry // nil: not given
}

func parseSize(a *arguments, kind bloomery.Kind) (size, error) {
	s := size{kind: kind, fpr: 0.01, arity: bloomery.DefaultArity}
	var err error
	if a.has("-n") {
		if kind.Static() {
			return s, fmt.Errorf("%v filters are sized for the very keys they are built of: leave out -n", kind)
		}
		if s.n, err = parseCount("-n", a.values["-n"]); err != nil {
			return s, err
		}
		if s.n == 0 {
			return s, errors.New("-n is 0, must be at least 1: leave it out to count the keys")
		}
	}
	if err := s.parseRate(a); err != nil {
		return s, err
	}
	numbers, err := parseNumbers(a)
	if err != nil || len(numbers) == 0 {
		return s, err
	}
	if kind.Static() {
		s.arity, err = onlyArity(kind, numbers)
		return s, err
	}
	if s.exact, err = exactGeometry(kind, numbers); err != nil {
		return s, err
	}
	if a.has("--fpr") || a.has("--bits-per-key") {
		return s, errors.New("-m, -k, --blocks and --geometry fix the size: leave out --fpr and --bits-per-key")
	}
	return s, nil
}

func (s *size) parseRate(a *arguments) (err error) {
	if a.has("--bits-per-key") {
		if s.bitsPerKey, err = parseReal("--bits-per-key", a.values["--bits-per-key"]); err == nil && !(s.bitsPerKey > 0) {
			err = fmt.Errorf("--bits-per-key is %s, must be above 0", real(s.bitsPerKey))
		}
	} else if a.has("--fpr") {
		if s.fpr, err = parseReal("--fpr", a.values["--fpr"]); err == nil && !(s.fpr > 0 && s.fpr < 1) {
			err = fmt.Errorf("--fpr is %s, must be above 0 and below 1", real(s.fpr))
		}
	}
	return err
}

// parseNumbers reads -m, -k, --blocks, and what --geometry names: blocks=100,k=6.
func parseNumbers(a *arguments) (map[string]uint64, error) {
	numbers := map[string]uint64{}
	take := func(option, name, text string) error {
		if _, given := numbers[name]; given {
			return fmt.Errorf("%s is given twice", name)
		}
		number, err := parseCount(option, text)
		numbers[name] = number
		return err
	}
	for _, option := range []string{"-m", "-k", "--blocks"} {
		if a.has(option) {
			if err := take(option, strings.TrimLeft(option, "-"), a.values[option]); err != nil {
				return nil, err
			}
		}
	}
	if !a.has("--geometry") {
		return numbers, nil
	}
	for _, part := range strings.Split(a.values["--geometry"], ",") {
		name, text, found := strings.Cut(part, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("--geometry has %q: give names and numbers, as blocks=100,k=6", part)
		}
		if err := take("--geometry "+name, name, text); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// onlyArity takes the one number that a rate leaves open; the others follow from the
// keys.
func onlyArity(kind bloomery.Kind, numbers map[string]uint64) (uint32, error) {
	arity, given := numbers["arity"]
	if !given || len(numbers) != 1 {
		return 0, fmt.Errorf("the geometry of a %v filter follows from its keys: give a rate, and beside it only arity", kind)
	}
	if arity > 4 {
		return 0, fmt.Errorf("arity is %d, must be 3 or 4", arity)
	}
	return uint32(arity), nil
}

// exactGeometry needs all numbers of the kind's geometry, and no others.
func exactGeometry(kind bloomery.Kind, numbers map[string]uint64) (bloomery.Geometry, error) {
	names := bloomery.FieldNames(kind)
	values := make([]uint64, 0, len(names))
	for _, name := range names {
		if value, given := numbers[name]; given {
			values = append(values, value)
			delete(numbers, name)
		}
	}
	for name := range numbers {
		return nil, fmt.Errorf("%v filters have no %s: their geometry is %s", kind, name, strings.Join(names, ", "))
	}
	if len(values) != len(names) {
		return nil, fmt.Errorf("%s need each other: an exact geometry of a %v filter has all of them", strings.Join(names, " and "), kind)
	}
	return bloomery.GeometryOf(kind, values...)
}

// needsCount reports whether the keys have to be counted before they are added.
func (s *size) needsCount() bool { return s.n == 0 && s.exact == nil }

func (s *size) geometry(to *streams) (bloomery.Geometry, error) {
	if s.exact != nil {
		return s.exact, nil
	}
	if s.kind == bloomery.Fuse && s.bitsPerKey != 0 {
		return bloomery.FuseForBits(s.n, s.bitsPerKey, s.arity)
	}
	if s.kind == bloomery.Fuse {
		return bloomery.FuseForCapacity(s.n, s.fpr, s.arity)
	}
	if s.bitsPerKey != 0 {
		return bloomery.GeometryForBits(s.kind, s.n, s.bitsPerKey)
	}
	if s.kind != bloomery.Classic {
		return bloomery.GeometryForCapacity(s.kind, s.n, s.fpr)
	}
	plan, err := bloomery.NewPlan(s.n, s.fpr)
	if err == nil && plan.Misses() {
		to.warn("classic predicts fpr %s for %d keys, above the target %s: kind block has no such limit", real(plan.Predicted), s.n, real(s.fpr))
	}
	return plan.ClassicGeometry, err
}
