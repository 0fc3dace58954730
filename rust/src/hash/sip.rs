//! SipHash (Aumasson and Bernstein, 2012) with C compression and D finalization rounds: a keyed hash, so that
//! somebody who chooses the keys cannot choose where they land.

struct State([u64; 4]);

impl State {
    #[inline(always)]
    fn round(&mut self) {
        let [mut a, mut b, mut c, mut d] = self.0;
        a = a.wrapping_add(b);
        c = c.wrapping_add(d);
        b = b.rotate_left(13) ^ a;
        d = d.rotate_left(16) ^ c;
        a = a.rotate_left(32).wrapping_add(d);
        c = c.wrapping_add(b);
        d = d.rotate_left(21) ^ a;
        b = b.rotate_left(17) ^ c;
        self.0 = [a, b, c.rotate_left(32), d];
    }

    #[inline(always)]
    fn absorb<const C: usize>(&mut self, word: u64) {
        self.0[3] ^= word;
        for _ in 0..C {
            self.round();
        }
        self.0[0] ^= word;
    }
}

/// SipHash-C-D of `key` under the secret halves `k0` and `k1`.
#[inline]
pub(super) fn siphash<const C: usize, const D: usize>(k0: u64, k1: u64, key: &[u8]) -> u64 {
    // "somepseudorandomlygeneratedbytes", the constants of the paper.
    let mut state = State([
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ]);
    let mut words = key.chunks_exact(8);
    for word in &mut words {
        state.absorb::<C>(little_endian(word));
    }
    // The last word carries the length, so that trailing zero bytes count.
    state.absorb::<C>(little_endian(words.remainder()) | (key.len() as u64) << 56);
    state.0[2] ^= 0xff;
    for _ in 0..D {
        state.round();
    }
    state.0.iter().fold(0, |sum, word| sum ^ word)
}

#[inline(always)]
pub(super) fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}
