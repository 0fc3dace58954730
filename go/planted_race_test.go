//go:build planted_race

package bloomery

// A race on purpose: two goroutines add to a Filter, which has one writer. tests/race/go.sh
// holds that the detector objects, so that its silence about the other tests says something.

import "testing"

func TestAPlantedRaceIsSeen(t *testing.T) {
	f := must[*Filter](t)(New(100, 0.01))
	atOnce(4, func(number uint64) {
		for _, h := range stream(100*number, 100) {
			f.AddHash(h)
		}
	})
}
