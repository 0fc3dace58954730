package main

// This file turns the size options of build into a geometry.

import (
	"errors"
	"fmt"

	bloomery "github.com/bloomery/bloomery/go"
)

type size struct {
	n          uint64 // 0: not known yet
	fpr        float64
	bitsPerKey float64           // 0: not given
	exact      bloomery.Geometry // zero: not given
}

func parseSize(a *arguments) (size, error) {
	s := size{fpr: 0.01}
	var err error
	if a.has("-n") {
		if s.n, err = parseCount("-n", a.values["-n"]); err != nil {
			return s, err
		}
		if s.n == 0 {
			return s, errors.New("-n is 0, must be at least 1: leave it out to count the keys")
		}
	}
	if a.has("-m") {
		k := uint64(0)
		if s.exact.M, err = parseCount("-m", a.values["-m"]); err != nil {
			return s, err
		}
		if k, err = parseCount("-k", a.values["-k"]); err != nil {
			return s, err
		}
		if k > bloomery.MaxK {
			return s, fmt.Errorf("k is %d, must be 1 to %d", k, bloomery.MaxK)
		}
		s.exact.K = uint32(k)
		return s, s.exact.Check()
	}
	if a.has("--bits-per-key") {
		if s.bitsPerKey, err = parseReal("--bits-per-key", a.values["--bits-per-key"]); err == nil && !(s.bitsPerKey > 0) {
			err = fmt.Errorf("--bits-per-key is %s, must be above 0", real(s.bitsPerKey))
		}
		return s, err
	}
	if a.has("--fpr") {
		if s.fpr, err = parseReal("--fpr", a.values["--fpr"]); err == nil && !(s.fpr > 0 && s.fpr < 1) {
			err = fmt.Errorf("--fpr is %s, must be above 0 and below 1", real(s.fpr))
		}
	}
	return s, err
}

// needsCount reports whether the keys have to be counted before they are added.
func (s *size) needsCount() bool { return s.n == 0 && s.exact.M == 0 }

func (s *size) geometry(to *streams) (bloomery.Geometry, error) {
	if s.exact.M != 0 {
		return s.exact, nil
	}
	if s.bitsPerKey != 0 {
		return bloomery.GeometryForBits(s.n, s.bitsPerKey)
	}
	plan, err := bloomery.NewPlan(s.n, s.fpr)
	if err == nil && plan.Misses() {
		to.warn("classic predicts fpr %s for %d keys, above the target %s: kind block has no such limit", real(plan.Predicted), s.n, real(s.fpr))
	}
	return plan.Geometry, err
}
