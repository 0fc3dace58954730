package bloomery

// The tests in this file hold refusals to what they advise: a kind that is named can
// do what was asked.

import (
	"fmt"
	"strings"
	"testing"
)

func TestARefusalNamesNoKindThatRefusesAsWell(t *testing.T) {
	kinds := []Kind{Classic, Split, Block, Fuse}
	seen := 0
	holds := func(what string, size func(Kind) error) {
		for _, kind := range kinds {
			err := size(kind)
			if err == nil {
				continue
			}
			message := err.Error()
			wayOut := message[strings.LastIndex(message, ": ")+1:]
			for _, other := range kinds {
				if !strings.Contains(wayOut, "kind "+other.String()) && !strings.Contains(wayOut, "'"+other.String()+"'") {
					continue
				}
				seen++
				if cannot := size(other); cannot != nil {
					t.Errorf("%s: %s; but %v", what, message, cannot)
				}
			}
		}
	}
	for _, n := range []uint64{1, 10, 1000, 1937, 1e6, 1e11, 1 << 50, 1 << 62, 1<<64 - 1} {
		for _, fpr := range []float64{0.01, 1e-5, 1e-6, 1e-7, 5e-8, 4e-8, 1e-9, 1e-10, 1e-16} {
			holds("rate "+fmt.Sprint(fpr), func(kind Kind) error {
				_, err := GeometryForCapacity(n, fpr, WithKind(kind))
				return err
			})
		}
		for _, bits := range []float64{1e-9, 0.5, 1, 5, 10, 100, 1e9, 1e18, 1e300} {
			holds("bits "+fmt.Sprint(bits), func(kind Kind) error {
				_, err := GeometryForBits(n, bits, WithKind(kind))
				return err
			})
		}
	}
	if seen < 20 {
		t.Errorf("only %d were seen", seen)
	}
}
