package bloomery

// This file has the header of the raw classic file (spec/classic.md): k, m, and
// nothing else.

import "encoding/binary"

const rawHeaderLen = 12

func parseRawHeader(prefix []byte, length uint64) (*File, error) {
	if length < rawHeaderLen || len(prefix) < rawHeaderLen {
		return nil, invalid("length", "it has %d bytes, the header of a raw classic file alone has %d: this is no filter file, or it was cut short", length, rawHeaderLen)
	}
	g := classicGeometry{K: binary.LittleEndian.Uint32(prefix), M: binary.LittleEndian.Uint64(prefix[4:])}
	if g.K < 1 || g.K > maxK {
		return nil, invalid("k", "k is %d, must be 1 to %d: this is no classic filter file, or it is damaged", g.K, maxK)
	}
	if g.M == 0 {
		return nil, invalid("m", "m is 0, must be at least 1: this is no classic filter file, or it is damaged")
	}
	if body := length - rawHeaderLen; body != g.byteLen() {
		return nil, invalid("m", "m %d needs %d bytes of bits, the file has %d: it was cut short, or is no classic filter file", g.M, g.byteLen(), body)
	}
	return &File{core: &core{of: g}, format: Raw, hash: FNVSplitMix, keys: UnknownKeys}, nil
}

func (f *File) rawHeader() []byte {
	header := make([]byte, rawHeaderLen, rawHeaderLen+len(f.core.bytes))
	binary.LittleEndian.PutUint32(header, f.core.classic.k)
	binary.LittleEndian.PutUint64(header[4:], f.core.classic.m)
	return header
}
