//! SHA-256 (FIPS 180-4), to compare files with the digests of the golden data. Its constants are computed from
//! their definition: the fractional parts of square and cube roots of the first primes.

fn primes() -> impl Iterator<Item = u64> {
    (2..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0))
}

/// The first 32 bits of the fractional part of the `degree`-th root of `n`, in integers.
fn root_bits(n: u64, degree: u32) -> u32 {
    let target = u128::from(n) << (32 * degree);
    let (mut low, mut high) = (0u128, 1 << 36);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle.pow(degree) <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    low as u32
}

pub fn hex(data: &[u8]) -> String {
    let k: Vec<u32> = primes().take(64).map(|p| root_bits(p, 3)).collect();
    let mut state: Vec<u32> = primes().take(8).map(|p| root_bits(p, 2)).collect();
    let mut padded = data.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8 + 63) / 64 * 64 - 8, 0);
    padded.extend((data.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut w: Vec<u32> = block
            .chunks_exact(4)
            .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        for i in 16..64 {
            let (a, b) = (w[i - 15], w[i - 2]);
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            let sum = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]);
            w.push(sum.wrapping_add(s1));
        }
        let mut v = state.clone();
        for i in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = [s1, choice, k[i], w[i]]
                .iter()
                .fold(v[7], |sum, x| sum.wrapping_add(*x));
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0).wrapping_add(majority);
        }
        for (sum, x) in state.iter_mut().zip(v) {
            *sum = sum.wrapping_add(x);
        }
    }
    state.iter().map(|word| format!("{:08x}", word)).collect()
}
