// Package bloomery answers "is this key definitely absent?" with Bloom filters and
// their relatives, whose files are byte for byte those of the C++ and Rust
// implementations.
//
//	seen, err := bloomery.New(1_000_000, 0.01) // keys, false-positive rate
//	seen.AddString("apple")
//	seen.ContainsString("apple") // true: maybe; false is certain
//
// # Types
//
//   - [Filter]: keys are added by one goroutine at a time; block, split or classic;
//   - [Shared]: keys are added and asked by any number of goroutines at once;
//   - [FuseFilter]: made of all its keys at once, the smallest of them;
//   - [View]: read-only, over bytes that somebody else owns;
//   - [File]: a filter file of any of the eleven kinds, read or to be written;
//   - [Geometry]: the numbers that fix a filter's layout; [Kind]: how it lays out bits;
//   - [Hasher]: the function that makes a [Hash] of a key, with its seed or [Secret].
//
// A View, and a Filter while nobody changes it, may be used from any number of
// goroutines.
//
// # Keys
//
// A key is bytes. Text is its UTF-8 bytes; an integer is its 8 bytes, little-endian, in
// two's complement, so AddUint64(uint64(int64(-1))) is the key of -1. These rules are
// those of every language, so a file of one answers in all.
//
// # Errors
//
// Errors are values, of a class each for errors.Is: [ErrInvalidArgument],
// [ErrOutOfMemory], [ErrIO], [ErrCorrupt], [ErrUnsupported], [ErrMismatch],
// [ErrWrongSecret]. No input makes this package panic, and it prints nothing.
//
// # Memory
//
// The bits of a filter are one slice without pointers: the collector does not look into
// it, and a filter of a gigabyte costs a cycle nothing. It counts for the pace of the
// collector, though. With GOGC=100 a program whose live heap is mostly a filter of F
// bytes lets another F bytes of garbage gather before the next cycle. So, at a rebuild,
// when the old filter serves until the new one is full, two filters are alive, and the
// heap may reach four times one before the old one is collected. Three ways out:
//
//   - set a limit: debug.SetMemoryLimit (GOMEMLIMIT) of what the machine has for the
//     program; the collector then runs earlier, where GOGC alone would wait;
//   - rebuild in place where readers can wait: Clear and add again;
//   - let go of the old filter, then call debug.FreeOSMemory once, which collects and
//     gives the pages back.
//
// # Maps
//
// A file that is mapped into memory is not part of the heap at all: Parse(mapped,
// Unverified()) reads the header and a few bytes, and lookups fetch the pages that they
// need. Keep the mapping as long as any View of it, and do not let the file be changed
// in place; Save never does, it renames. A page that is not in memory stops the thread
// and not only the goroutine, and the scheduler cannot know: give such lookups few
// goroutines, or read the file once ahead. A file that others cut short while it is
// mapped ends the program by a signal; Open reads files and knows no such thing.
//
// A Go map of the keys answers exactly, and takes more: a map[string]struct{} of a
// million keys of 16 bytes has 72 bytes a key, which the collector walks through, since
// strings are pointers. A filter at 1 % has 10 bits a key, and spares 99 of 100 absent
// keys the way to the map, or to the disk.
package bloomery
