package bloomery_test

import (
	"fmt"
	"os"
	"path/filepath"

	bloomery "github.com/bloomery/bloomery/go"
)

func Example() {
	filter, err := bloomery.WithCapacity(1000, 0.01)
	if err != nil {
		fmt.Println(err)
		return
	}
	filter.Add([]byte("apple"))
	filter.Add([]byte("pear"))

	directory, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "fruit.blm")
	if err := filter.Save(path, bloomery.Envelope); err != nil {
		fmt.Println(err)
		return
	}

	file, err := bloomery.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := file.View(nil) // no secret: its hash is not keyed
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"apple", "pear", "plum"} {
		fmt.Println(key, view.Contains([]byte(key)))
	}
	// Output:
	// apple true
	// pear true
	// plum false
}
