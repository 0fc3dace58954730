//go:build armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64

package bloomery

// wordFlip turns the number of a bit in 8 bytes, counted as in files, into its number
// in a word of this machine: the bytes of a word stand the other way round.
const wordFlip = 56
