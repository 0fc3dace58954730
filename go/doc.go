// Package bloomery answers "is this key definitely absent?" with Bloom filters
// whose files are byte for byte those of the C++ and Rust implementations.
//
// A key is hashed once, by a [Hasher], into a [Hash]; everything after that
// works on the hash. The types build on each other:
//
//   - [Kind]: how a filter lays out its bits: [Classic], [Split], [Block] or [Fuse];
//   - [Geometry]: the integers that fix a filter's layout, and what can be predicted from them;
//   - [Bits]: a geometry over bytes, with the questions that need no key;
//   - [View]: Bits that somebody else owns, and the hasher of their keys; read-only;
//   - [Filter]: bits it owns, which keys can be added to;
//   - [FuseFilter]: made of all its keys at once;
//   - [File]: what was read from a filter file or will be written to one.
//
// A View, and a Filter while nobody changes it, may be used from any number of
// goroutines. A Filter that changes needs one writer and no readers.
//
// Errors are values: no input makes this package panic, and it prints nothing.
package bloomery
