module github.com/bloomery/bloomery/bench/peers/others/go

go 1.23

require (
	github.com/bits-and-blooms/bloom/v3 v3.7.1
	github.com/bloomery/bloomery/go v0.0.0
	github.com/greatroar/blobloom v0.8.1
)

require (
	github.com/bits-and-blooms/bitset v1.24.2 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/zeebo/xxh3 v1.0.2 // indirect
)

replace github.com/bloomery/bloomery/go => ../../../../go
