module github.com/bloomery/bloomery/bench/peers/others/go

go 1.19

require (
	github.com/bits-and-blooms/bloom/v3 v3.7.1
	github.com/greatroar/blobloom v0.8.1
)

require github.com/bits-and-blooms/bitset v1.24.2 // indirect
