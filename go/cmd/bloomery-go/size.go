package main

// This file turns the size options of build into a geometry.

import (
	"errors"
	"fmt"
	"strings"

	bloomery "github.com/bloomery/bloomery/go"
)

type size struct {
	kind       bloomery.Kind
	n          uint64 // 0: not known yet
	fpr        float64
	bitsPerKey float64           // 0: not given
	options    []bloomery.Option // of sizing
	exact      bloomery.Geometry // of no kind: not given
}

func parseSize(a *arguments, kind bloomery.Kind) (size, error) {
	s := size{kind: kind, fpr: 0.01, options: []bloomery.Option{bloomery.WithKind(kind)}}
	var err error
	if a.has("-n") {
		if kind.Static() {
			return s, fmt.Errorf("%v filters are sized for the very keys they are built of: leave out -n", kind)
		}
		if s.n, err = parseCount("-n", a.value("-n")); err != nil {
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
		arity, err := onlyArity(kind, numbers)
		s.options = append(s.options, bloomery.WithArity(arity))
		return s, err
	}
	if s.exact, err = bloomery.GeometryOf(kind, numbers); err != nil {
		return s, fmt.Errorf("%w (by -m, -k, --blocks or --geometry NAME=N,..)", err)
	}
	if a.has("--fpr") || a.has("--bits-per-key") {
		return s, errors.New("-m, -k, --blocks and --geometry fix the size: leave out --fpr and --bits-per-key")
	}
	return s, nil
}

func (s *size) parseRate(a *arguments) (err error) {
	if a.has("--bits-per-key") {
		if s.bitsPerKey, err = parseReal("--bits-per-key", a.value("--bits-per-key")); err == nil && !(s.bitsPerKey > 0) {
			err = fmt.Errorf("--bits-per-key is %s, must be above 0", real(s.bitsPerKey))
		}
	} else if a.has("--fpr") {
		if s.fpr, err = parseReal("--fpr", a.value("--fpr")); err == nil && !(s.fpr > 0 && s.fpr < 1) {
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
			if err := take(option, strings.TrimLeft(option, "-"), a.value(option)); err != nil {
				return nil, err
			}
		}
	}
	if !a.has("--geometry") {
		return numbers, nil
	}
	for _, part := range strings.Split(a.value("--geometry"), ",") {
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
func onlyArity(kind bloomery.Kind, numbers map[string]uint64) (int, error) {
	arity, given := numbers["arity"]
	if !given || len(numbers) != 1 {
		return 0, fmt.Errorf("the geometry of a %v filter follows from its keys: give a rate, and beside it only arity", kind)
	}
	if arity > 4 {
		return 0, fmt.Errorf("arity is %d, must be 3 or 4", arity)
	}
	return int(arity), nil
}

// needsCount reports whether the keys have to be counted before they are added.
func (s *size) needsCount() bool { return s.n == 0 && s.exact.Kind() == 0 }

func (s *size) geometry(to *streams) (bloomery.Geometry, error) {
	if s.exact.Kind() != 0 {
		return s.exact, nil
	}
	if s.bitsPerKey != 0 {
		return bloomery.GeometryForBits(s.n, s.bitsPerKey, s.options...)
	}
	geometry, err := bloomery.GeometryForCapacity(s.n, s.fpr, s.options...)
	if err != nil || s.kind != bloomery.Classic {
		return geometry, err
	}
	if predicted := geometry.FPRAfter(s.n); predicted > 1.1*s.fpr {
		instead := "ask for a higher rate"
		if _, err := bloomery.GeometryForCapacity(s.n, s.fpr, bloomery.WithKind(bloomery.Block)); err == nil {
			instead = "the kind 'block' has no such limit"
		}
		to.warn("classic predicts fpr %s for %d keys, above the target %s: %s", real(predicted), s.n, real(s.fpr), instead)
	}
	return geometry, nil
}
