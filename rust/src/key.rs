//! What a key is: bytes. Text is its UTF-8 bytes, an integer its 8 bytes, little-endian, two's complement; the same in
//! every language, so that a filter built in one answers in another.

use crate::prelude::*;

use alloc::borrow::Cow;
use std::hash::{Hash, Hasher};

/// What filters are asked about.
///
/// | key | bytes |
/// |---|---|
/// | `str`, `String` | the UTF-8 bytes |
/// | `[u8]`, `[u8; N]`, `Vec<u8>` | themselves |
/// | `u8` to `u64`, `i8` to `i64`, `usize`, `isize` | 8, little-endian, two's complement, sign-extended |
/// | references, `Box`, `Cow` | those of what is inside |
///
/// `42u8` and `42i64` are the same key; `42` and `"42"` are not. A type of your own is a key when it says which bytes
/// it stands for:
///
/// ```
/// use bloomery::{Filter, Key};
///
/// struct UserId(u32);
///
/// impl Key for UserId {
///     fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
///         self.0.with_bytes(use_bytes)
///     }
/// }
///
/// let mut seen = Filter::with_capacity(1_000, 0.01)?;
/// seen.add(UserId(7));
/// assert!(seen.contains(7u64));
/// # Ok::<(), bloomery::Error>(())
/// ```
pub trait Key {
    /// Calls `use_bytes` with the bytes of the key.
    fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R;
}

macro_rules! bytes_are_keys {
    ($($key:ty: $bytes:ident),*) => {$(
        impl Key for $key {
            #[inline(always)]
            fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
                use_bytes(self.$bytes())
            }
        }
    )*};
}

bytes_are_keys!(str: as_bytes, String: as_bytes, Vec<u8>: as_slice);

impl Key for [u8] {
    #[inline(always)]
    fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        use_bytes(self)
    }
}

impl<const N: usize> Key for [u8; N] {
    #[inline(always)]
    fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        use_bytes(self)
    }
}

macro_rules! integers_are_keys {
    ($($integer:ty),*) => {$(
        impl Key for $integer {
            #[inline(always)]
            fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
                // A signed number is sign-extended by the cast, an unsigned one filled up with zeros.
                use_bytes(&(*self as u64).to_le_bytes())
            }
        }
    )*};
}

integers_are_keys!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

macro_rules! holders_are_keys {
    ($($holder:ty),*) => {$(
        impl<K: Key + ?Sized> Key for $holder {
            #[inline(always)]
            fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
                (**self).with_bytes(use_bytes)
            }
        }
    )*};
}

holders_are_keys!(&K, &mut K, Box<K>);

impl<K: Key + ToOwned + ?Sized> Key for Cow<'_, K> {
    #[inline(always)]
    fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        (**self).with_bytes(use_bytes)
    }
}

/// The bridge for types that have [`std::hash::Hash`]: the key is what they write into a hasher.
///
/// Integers are written little-endian, `usize` as 8 bytes. What a derived `Hash` writes is not promised to stay the
/// same from one release of Rust to the next, and no other language knows it: use this for filters that live and die
/// with a program, and [`Key`] for those that are stored.
///
/// ```
/// use bloomery::{ByHash, Filter};
///
/// #[derive(Hash)]
/// enum Event { Click { x: u16, y: u16 }, Key(char) }
///
/// let mut seen = Filter::with_capacity(1_000, 0.01)?;
/// seen.add(ByHash(&Event::Click { x: 1, y: 2 }));
/// assert!(seen.contains(ByHash(&Event::Click { x: 1, y: 2 })));
/// assert!(!seen.contains(ByHash(&Event::Key('x'))));
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByHash<T>(pub T);

impl<T: Hash> Key for ByHash<T> {
    fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        let mut written = Written::default();
        self.0.hash(&mut written);
        use_bytes(&written.0)
    }
}

/// Collects what a value writes, the same on every machine.
#[derive(Default)]
struct Written(Vec<u8>);

macro_rules! write_little_endian {
    ($($name:ident: $integer:ty as $wide:ty),*) => {$(
        fn $name(&mut self, number: $integer) {
            self.write(&(number as $wide).to_le_bytes());
        }
    )*};
}

impl Hasher for Written {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    // Signed numbers are written by way of these.
    write_little_endian!(
        write_u8: u8 as u8,
        write_u16: u16 as u16,
        write_u32: u32 as u32,
        write_u64: u64 as u64,
        write_u128: u128 as u128,
        write_usize: usize as u64
    );

    /// Nobody asks: the bytes are the result.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(key: impl Key) -> Vec<u8> {
        key.with_bytes(<[u8]>::to_vec)
    }

    #[test]
    fn an_integer_is_eight_bytes_whatever_its_width() {
        assert_eq!(bytes(42u64), [42, 0, 0, 0, 0, 0, 0, 0]);
        let same = [bytes(42u8), bytes(42u16), bytes(42u32), bytes(42usize)];
        assert!(same.iter().all(|key| *key == bytes(42u64)));
        let minus = [bytes(-2i8), bytes(-2i16), bytes(-2i32), bytes(-2isize)];
        assert!(minus.iter().all(|key| *key == bytes(-2i64)));
        assert_eq!(bytes(-2i64), [254, 255, 255, 255, 255, 255, 255, 255]);
        assert_eq!(bytes(u64::MAX), bytes(-1i32));
    }

    #[test]
    fn text_and_bytes_are_themselves() {
        let text = "käse";
        for key in [
            bytes(text),
            bytes(text),
            bytes(text.to_string()),
            bytes(text.as_bytes()),
            bytes(text.as_bytes().to_vec()),
            bytes(Cow::Borrowed(text)),
            bytes(Box::new(text)),
        ] {
            assert_eq!(key, text.as_bytes());
        }
        assert_eq!(bytes(b"abc"), b"abc");
        assert_ne!(bytes("42"), bytes(42));
    }

    #[test]
    fn what_a_value_writes_is_its_key() {
        assert_eq!(bytes(ByHash(0x0102u16)), [2, 1]);
        assert_eq!(bytes(ByHash(-1i16)), [255, 255]);
        assert_eq!(bytes(ByHash(3usize)), [3, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes(ByHash((1u8, true))), [1, 1]);
        assert_ne!(bytes(ByHash("ab")), bytes(ByHash("a")));
    }
}
