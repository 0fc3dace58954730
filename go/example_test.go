package bloomery_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	bloomery "github.com/bloomery/bloomery/go"
)

func Example() {
	filter, err := bloomery.New(1_000_000, 0.01) // keys, false-positive rate
	if err != nil {
		fmt.Println(err)
		return
	}
	filter.AddString("apple")
	filter.AddUint64(42)
	fmt.Println(filter.ContainsString("apple"), filter.ContainsUint64(42), filter.ContainsString("plum"))
	// Output: true true false
}

func ExampleFilter() {
	seen, err := bloomery.New(1000, 0.001)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, visitor := range []string{"ann", "bob", "ann"} {
		if seen.AddString(visitor) {
			fmt.Println(visitor, "is new")
		} else {
			fmt.Println(visitor, "was here, as it seems")
		}
	}
	// Output:
	// ann is new
	// bob is new
	// ann was here, as it seems
}

func ExampleFilter_Save() {
	directory, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "fruit.blm")

	filter, err := bloomery.New(1000, 0.01)
	if err != nil {
		fmt.Println(err)
		return
	}
	filter.AddString("apple")
	if err := filter.Save(path); err != nil { // whole or not at all
		fmt.Println(err)
		return
	}
	file, err := bloomery.Open(path) // every check of the format
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := file.View()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(view.ContainsString("apple"), view.ContainsString("plum"))
	// Output: true false
}

func ExampleFilter_WriteTo() {
	var wire bytes.Buffer
	sent, _ := bloomery.New(100, 0.01)
	sent.AddString("apple")
	if _, err := sent.WriteTo(&wire); err != nil {
		fmt.Println(err)
	}
	var received bloomery.Filter
	if _, err := received.ReadFrom(&wire); err != nil {
		fmt.Println(err)
	}
	fmt.Println(&received)
	// Output: block (blocks 2, k 5), xxh3 with seed 0x0, 128 bytes, 1 keys
}

func ExampleFuseFilter() {
	keys := [][]byte{[]byte("apple"), []byte("pear"), []byte("apple")}
	set, err := bloomery.BuildFuse(keys, 0.004)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.KeyCount(), set.ContainsString("pear"), set.ContainsString("plum"))
	// Output: 2 true false
}

func ExampleView() {
	filter, _ := bloomery.New(1000, 0.01)
	filter.AddMany([][]byte{[]byte("apple"), []byte("pear")})

	// Bytes that somebody else owns: a page of a store, a mapped file.
	page := filter.Bytes()
	view, err := bloomery.NewView(filter.Geometry(), filter.Hasher(), page)
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := make([]bool, 3)
	view.ContainsMany([][]byte{[]byte("apple"), []byte("plum"), []byte("pear")}, answers)
	fmt.Println(answers)
	// Output: [true false true]
}

func ExampleFile() {
	filter, _ := bloomery.New(1000, 0.01, bloomery.WithKind(bloomery.Split))
	filter.AddString("apple")
	data, _ := filter.MarshalBinary()

	file, err := bloomery.Parse(data) // of any kind, from memory
	if err != nil {
		fmt.Println(err)
		return
	}
	report := file.Inspect()
	fmt.Println(file.Kind(), file.HashID(), file.KeyCount(), report.Used, report.Cells)
	// Output: split xxh64 1 8 bits
}

func ExampleGeometry() {
	g, err := bloomery.GeometryForCapacity(1_000_000, 0.01)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: %d bytes, %.2g after twice as many keys\n", g, g.ByteLen(), g.FPRAfter(2_000_000))
	// Output: block (blocks 19372, k 6): 1239808 bytes, 0.12 after twice as many keys
}

func ExampleHasher() {
	// A secret keeps those who choose the keys from choosing where they land.
	hasher, err := bloomery.KeyedHasher(bloomery.SipHash13, bloomery.Secret{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	filter, _ := bloomery.New(1000, 0.01, bloomery.WithHasher(hasher))
	filter.AddString("apple")
	data, _ := filter.MarshalBinary()

	file, _ := bloomery.Parse(data)
	_, err = file.View()
	fmt.Println(errors.Is(err, bloomery.ErrSecretNeeded))
	file, _ = bloomery.Parse(data, bloomery.WithSecret(bloomery.Secret{1, 2, 3}))
	view, _ := file.View()
	fmt.Println(view.ContainsString("apple"))
	// Output:
	// true
	// true
}

func ExampleKind() {
	for _, kind := range bloomery.Kinds() {
		if kind.Buildable() {
			fmt.Println(kind)
		}
	}
	// Output:
	// classic
	// split
	// block
	// fuse
}

func ExampleShared() {
	seen, err := bloomery.NewShared(1000, 0.001)
	if err != nil {
		fmt.Println(err)
		return
	}
	var done sync.WaitGroup
	for worker := uint64(0); worker < 4; worker++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := uint64(0); i < 100; i++ {
				seen.AddUint64(100*worker + i)
			}
		}()
	}
	done.Wait()
	fmt.Println(seen.ContainsUint64(0), seen.ContainsUint64(399), seen.ContainsUint64(400))

	filter, err := seen.Copy() // to save or to inspect
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filter.Kind())
	// Output:
	// true true false
	// block
}

func ExampleFile_SetLabel() {
	filter, _ := bloomery.New(100, 0.01)
	filter.AddUint64(42)
	file, err := filter.File(bloomery.Envelope)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(file.SetLabel("orders of 2026"), file.SetKeyType("int")); err != nil {
		fmt.Println(err)
		return
	}
	data, _ := file.MarshalBinary()
	again, _ := bloomery.Parse(data)
	fmt.Println(again.Label(), again.KeyType())
	// Output: orders of 2026 int
}
