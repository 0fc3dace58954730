package bloomery_test

// Examples of the smaller types; the larger ones are in example_test.go.

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	bloomery "github.com/bloomery/bloomery/go"
)

func ExampleOption() {
	hasher, err := bloomery.SeededHasher(bloomery.XXH3, 42)
	if err != nil {
		fmt.Println(err)
		return
	}
	filter, err := bloomery.New(1000, 0.01, bloomery.WithKind(bloomery.Split), bloomery.WithHasher(hasher))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filter)
	// Output: split (blocks 42), xxh3 with seed 0x2a, 1344 bytes, 0 keys
}

func ExampleOpenOption() {
	filter, _ := bloomery.New(100, 0.01)
	filter.AddString("apple")
	mapped, _ := filter.MarshalBinary() // or a file that was mapped into memory

	file, err := bloomery.Parse(mapped, bloomery.Unverified()) // in constant time
	if err != nil {
		fmt.Println(err)
		return
	}
	view, _ := file.View()
	fmt.Println(view.ContainsString("apple"), file.Verify())
	// Output: true <nil>
}

func ExampleFormat() {
	filter, _ := bloomery.New(1000, 0.01, bloomery.WithKind(bloomery.Classic))
	for _, format := range []bloomery.Format{bloomery.Raw, bloomery.Envelope} {
		file, err := filter.File(format)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(format, file.Len())
	}
	// Output:
	// raw 1211
	// envelope 1327
}

func ExampleSecret() {
	secret, err := bloomery.ParseSecret([]byte("000102030405060708090a0b0c0d0e0f\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	hasher, _ := bloomery.KeyedHasher(bloomery.SipHash13, secret)
	filter, _ := bloomery.New(100, 0.01, bloomery.WithHasher(hasher))
	filter.AddString("chosen by somebody hostile")
	data, _ := filter.MarshalBinary()

	file, _ := bloomery.Parse(data)
	_, err = file.View()
	fmt.Println(err)
	file, _ = bloomery.Parse(data, bloomery.WithSecret(secret))
	view, _ := file.View()
	fmt.Println(view.ContainsString("chosen by somebody hostile"))
	// Output:
	// its hash is keyed: give the secret it was built with
	// true
}

func ExampleHash() {
	hasher, _ := bloomery.SeededHasher(bloomery.XXH3, 0)
	h := hasher.HashString("apple") // once, for several filters
	first, _ := bloomery.New(100, 0.01)
	second, _ := bloomery.New(100, 0.01)
	first.AddHash(h)
	fmt.Println(first.ContainsHash(h), second.ContainsHash(h))
	// Output: true false
}

func ExampleHashID() {
	id, err := bloomery.ParseHashID("siphash13")
	fmt.Println(id, id.Keyed(), id.Seeded(), err)
	// Output: siphash13 true false <nil>
}

func ExampleInspection() {
	filter, _ := bloomery.New(1000, 0.01)
	for i := uint64(0); i < 1000; i++ {
		filter.AddUint64(i)
	}
	file, err := filter.File(bloomery.Envelope)
	if err != nil {
		fmt.Println(err)
		return
	}
	found := file.Inspect()
	fmt.Printf("%.2f full, about %.0f %% false positives, %d columns, the first with %d bits\n",
		found.Fill, 100*found.SampledFPR, len(found.Along), found.Along[0].Bits)
	// Output: 0.39 full, about 1 % false positives, 64 columns, the first with 160 bits
}

func ExampleFormatError() {
	_, err := bloomery.Parse([]byte("this is no filter"))
	var format *bloomery.FormatError
	fmt.Println(errors.Is(err, bloomery.ErrCorrupt), errors.As(err, &format) && format.Field != "")
	// Output: true true
}

func ExampleFileError() {
	_, err := bloomery.Open("no-such-file.blm")
	var file *bloomery.FileError
	if errors.As(err, &file) {
		fmt.Println(file.Path, errors.Is(err, bloomery.ErrIO), errors.Is(err, fs.ErrNotExist))
	}
	// Output: no-such-file.blm true true
}

func ExampleField() {
	geometry, err := bloomery.GeometryForCapacity(1_000_000, 0.01)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, field := range geometry.Fields() {
		fmt.Println(field.Name, field.Value)
	}
	// Output:
	// blocks 19372
	// k 6
}

func ExampleColumn() {
	filter, _ := bloomery.New(10_000, 0.01)
	for i := uint64(0); i < 10_000; i++ {
		filter.AddUint64(i)
	}
	file, _ := filter.File(bloomery.Envelope)
	var picture strings.Builder
	for _, column := range file.Inspect().Along[:8] {
		picture.WriteByte(" .:|#"[4*column.Set/column.Bits])
	}
	fmt.Println(picture.String())
	// Output: ........
}
