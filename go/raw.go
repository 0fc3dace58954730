package bloomery

// This file has the header of the raw classic file (spec/classic.md): k, m, and
// nothing else.

import "encoding/binary"

const rawHeaderLen = 12

func parseRawHeader(prefix []byte, length uint64) (*File, error) {
	if length < rawHeaderLen || len(prefix) < rawHeaderLen {
		return nil, invalid("length", "it has %d bytes, the header of a raw classic file alone has %d: this is no filter file, or it was cut short", length, rawHeaderLen)
	}
	g := ClassicGeometry{K: binary.LittleEndian.Uint32(prefix), M: binary.LittleEndian.Uint64(prefix[4:])}
	if g.K < 1 || g.K > MaxK {
		return nil, invalid("k", "k is %d, must be 1 to %d: this is no classic filter file, or it is damaged", g.K, MaxK)
	}
	if g.M == 0 {
		return nil, invalid("m", "m is 0, must be at least 1: this is no classic filter file, or it is damaged")
	}
	if body := length - rawHeaderLen; body != g.ByteLen() {
		return nil, invalid("m", "m %d needs %d bytes of bits, the file has %d: it was cut short, or is no classic filter file", g.M, g.ByteLen(), body)
	}
	return &File{Bits: Bits{geometry: g}, format: Raw, hash: FNVSplitMix, keys: UnknownKeys}, nil
}

func (f *File) rawHeader() []byte {
	header := make([]byte, rawHeaderLen, rawHeaderLen+len(f.bytes))
	binary.LittleEndian.PutUint32(header, f.classic.k)
	binary.LittleEndian.PutUint64(header[4:], f.classic.m)
	return header
}
