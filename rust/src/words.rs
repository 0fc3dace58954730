//! Numbers in a payload, little-endian, and the product that spreads a hash over a range. A number outside the payload
//! reads as 0, which never happens in one of its geometry's length.

/// The N bytes from `at` on.
#[inline(always)]
pub(crate) fn bytes_at<const N: usize>(payload: &[u8], at: u64) -> [u8; N] {
    let mut bytes = [0; N];
    let at = at as usize;
    if let Some(source) = payload.get(at..at.wrapping_add(N)) {
        bytes.copy_from_slice(source);
    }
    bytes
}

#[inline(always)]
pub(crate) fn u16_at(payload: &[u8], at: u64) -> u16 {
    u16::from_le_bytes(bytes_at(payload, at))
}

#[inline(always)]
pub(crate) fn u32_at(payload: &[u8], at: u64) -> u32 {
    u32::from_le_bytes(bytes_at(payload, at))
}

#[inline(always)]
pub(crate) fn u64_at(payload: &[u8], at: u64) -> u64 {
    u64::from_le_bytes(bytes_at(payload, at))
}

/// The byte at `at`.
#[inline(always)]
pub(crate) fn byte_at(payload: &[u8], at: u64) -> u8 {
    payload.get(at as usize).copied().unwrap_or(0)
}

/// The high 64 bits of the 128-bit product.
#[inline(always)]
pub(crate) fn mulhi(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}
