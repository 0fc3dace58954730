// Command bloomery-peers N measures filters of N keys at 1 % with other Go
// modules, and prints a JSON object a line and library. bench/peers/others.py
// runs it.
//
// Key number i is splitmix64(i), as in bench/keys.h. Making keys is not timed.
// It exits 1 when an added key is not found.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"

	bloomery "github.com/bloomery/bloomery/go"
)

const (
	windows   = 15
	windowLen = 400_000
	addWindow = 1_000_000
	absent    = 1 << 40 // first number of the keys that are never added
	asked     = 1_000_000
)

type samples struct{ add, present, absent, addMany, manyPresent, manyAbsent []float64 }

func main() {
	n := uint64(0)
	if len(os.Args) == 2 {
		n, _ = strconv.ParseUint(os.Args[1], 10, 40)
	}
	if n == 0 {
		fmt.Fprintln(os.Stderr, "bloomery-peers: how many keys? usage: bloomery-peers N, with N from 1 to 2^40 - 1")
		os.Exit(2)
	}
	runtime.LockOSThread() // its CPU time is what counts
	peers, err := allPeers(n)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bloomery-peers:", err)
		os.Exit(2)
	}
	debug.SetGCPercent(-1) // a cycle would only add noise; it runs between windows
	of := make([]samples, len(peers))
	build(peers, n, of)
	lookUp(peers, n, of)
	for i, p := range peers {
		if lost, found := firstLost(p, n); found {
			fmt.Fprintf(os.Stderr, "bloomery-peers: %s: added key %d is not found\n", p.name(), lost)
			os.Exit(1)
		}
		report(p, n, of[i])
	}
}

// allPeers has the other modules first, then ours.
func allPeers(n uint64) ([]peer, error) {
	peers := []peer{newBitsAndBlooms(n), newBlobloom(n)}
	for _, kind := range []bloomery.Kind{bloomery.Block, bloomery.Split, bloomery.Classic} {
		for _, hashed := range []bool{false, true} {
			p, err := newOurs(n, kind, hashed)
			if err != nil {
				return nil, err
			}
			peers = append(peers, p)
		}
	}
	return peers, nil
}

// build makes whole filters in turn, by the call for many keys and then key by key,
// until each peer has a sample for every window; a window has at most a million keys.
// What is built last stays.
func build(peers []peer, n uint64, of []samples) {
	for len(of[0].add) < windows {
		for _, many := range []bool{true, false} {
			runtime.GC()
			for _, p := range peers {
				p.clear()
			}
			for from := uint64(0); from < n; from += addWindow {
				k := makeKeys(from, least(addWindow, n-from))
				for i, p := range peers {
					add(p, k, many, &of[i])
				}
			}
		}
	}
}

func add(p peer, k keys, many bool, s *samples) {
	if !many {
		s.add = append(s.add, nsPerKey(k, func() { p.add(k) }))
	} else if b, ok := p.(batched); ok {
		s.addMany = append(s.addMany, nsPerKey(k, func() { b.addMany(k) }))
	}
}

// lookUp gives every window keys of its own and starts with another peer. Each
// peer first gets a short untimed run, which brings its filter back into the
// caches it lives in.
func lookUp(peers []peer, n uint64, of []samples) {
	window := least(windowLen, n)
	answers := make([]bool, window)
	present := func(w, count uint64) keys { return makeKeys(w*window%(n-count+1), count) }
	for w := uint64(0); w < windows; w++ {
		added, warm := present(w, window), present(w+1, window/4)
		missing := makeKeys(absent+w*window, window)
		for i := range peers {
			which := (i + int(w)) % len(peers)
			p, s := peers[which], &of[which]
			ask := func(k keys) float64 {
				p.contains(warm, answers)
				return nsPerKey(k, func() { p.contains(k, answers) })
			}
			s.present = append(s.present, ask(added))
			s.absent = append(s.absent, ask(missing))
			if b, ok := p.(batched); ok {
				many := func(k keys) float64 {
					p.contains(warm, answers)
					return nsPerKey(k, func() { b.containsMany(k, answers) })
				}
				s.manyPresent = append(s.manyPresent, many(added))
				s.manyAbsent = append(s.manyAbsent, many(missing))
			}
		}
		runtime.GC()
	}
}

// firstLost is the number of the first added key that is not found.
func firstLost(p peer, n uint64) (uint64, bool) {
	answers := make([]bool, addWindow)
	for from := uint64(0); from < n; from += addWindow {
		k := makeKeys(from, least(addWindow, n-from))
		p.contains(k, answers)
		for i := range k.numbers {
			if !answers[i] {
				return from + uint64(i), true
			}
		}
	}
	return 0, false
}

func report(p peer, n uint64, s samples) {
	answers := make([]bool, asked)
	p.contains(makeKeys(2*absent, asked), answers)
	found := 0
	for _, answer := range answers {
		if answer {
			found++
		}
	}
	ns := map[string]float64{"add": median(s.add), "contains_present": median(s.present), "contains_absent": median(s.absent)}
	if len(s.manyAbsent) > 0 {
		ns["add_many"] = median(s.addMany)
		ns["contains_many_present"], ns["contains_many_absent"] = median(s.manyPresent), median(s.manyAbsent)
	}
	line, err := json.Marshal(map[string]any{
		"library": p.name(), "takes": p.takes(), "note": p.note(), "clock": clock, "n": n,
		"ns":           ns,
		"bits_per_key": float64(p.bits()) / float64(n), "fpr": float64(found) / asked,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "bloomery-peers:", err)
		os.Exit(2)
	}
	fmt.Println(string(line))
}

func nsPerKey(k keys, work func()) float64 {
	start := now()
	work()
	return float64(now()-start) / float64(len(k.numbers))
}

func median(of []float64) float64 {
	sort.Float64s(of)
	return of[len(of)/2]
}

func least(a, b uint64) uint64 {
	if a < b {
		return a
	}
	return b
}
