//! How key bytes become 64 bits: the five hashes a file can name, with their seeds and secrets.

mod eight;
mod fnv;
mod secret;
mod sip;
#[cfg(test)]
mod tests;

use std::convert::TryFrom;

use xxhash_rust::xxh3::xxh3_64_with_seed;
use xxhash_rust::xxh64::xxh64;

pub use fnv::{fnv1a64, splitmix64};
pub use secret::Secret;

use crate::error::{Error, ErrorKind, Result};
use crate::key::Key;
use crate::prelude::*;
use sip::siphash;

/// The hash of a key: all that a filter looks at. A type of its own, so that a number is not taken for a hash.
///
/// ```
/// use bloomery::{Filter, Hash};
///
/// let mut seen = Filter::with_capacity(1_000, 0.01)?;
/// let hash = seen.hasher().hash_key("apple"); // once, for several filters
/// seen.add_hash(hash);
/// assert!(seen.contains_hash(hash) && seen.contains("apple"));
/// assert_eq!(Hash::new(hash.bits()), hash);
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hash(u64);

impl Hash {
    /// The hash with these bits.
    #[inline]
    pub const fn new(bits: u64) -> Hash {
        Hash(bits)
    }

    /// All 64 bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }
}

/// The hashes a file can name, numbered as they are stored.
///
/// ```
/// use bloomery::HashId;
///
/// assert_eq!(HashId::from_name("xxh3"), Some(HashId::Xxh3));
/// assert!(HashId::Siphash13.is_keyed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashId {
    /// FNV-1a, then the SplitMix64 finalizer; the only one in raw files.
    FnvSplitmix = 1,
    /// XXH3-64 with a seed.
    Xxh3 = 2,
    /// XXH64 with a seed.
    Xxh64 = 3,
    /// SipHash-1-3 with a secret.
    Siphash13 = 4,
    /// SipHash-2-4 with a secret.
    Siphash24 = 5,
}

impl HashId {
    /// Every hash, in the order of their numbers.
    pub const ALL: [HashId; 5] = [
        HashId::FnvSplitmix,
        HashId::Xxh3,
        HashId::Xxh64,
        HashId::Siphash13,
        HashId::Siphash24,
    ];

    /// The hash with this number in a file.
    pub fn from_number(number: u16) -> Option<HashId> {
        HashId::ALL.into_iter().find(|id| *id as u16 == number)
    }

    /// The hash with this name.
    pub fn from_name(name: &str) -> Option<HashId> {
        HashId::ALL.into_iter().find(|id| id.name() == name)
    }

    /// The name used on command lines and in output.
    pub fn name(self) -> &'static str {
        match self {
            HashId::FnvSplitmix => "fnv_splitmix",
            HashId::Xxh3 => "xxh3",
            HashId::Xxh64 => "xxh64",
            HashId::Siphash13 => "siphash13",
            HashId::Siphash24 => "siphash24",
        }
    }

    /// Whether it takes a seed.
    pub fn is_seeded(self) -> bool {
        matches!(self, HashId::Xxh3 | HashId::Xxh64)
    }

    /// Whether it takes a secret.
    pub fn is_keyed(self) -> bool {
        matches!(self, HashId::Siphash13 | HashId::Siphash24)
    }
}

/// What a file says of its hash: enough to compare filters, and, unless it is keyed, to hash keys.
///
/// ```
/// use bloomery::{ErrorKind, Hasher, Secret};
///
/// let secret = Secret::new([7; 16]);
/// let spec = Hasher::siphash13(&secret).spec(); // what a file stores
/// assert_eq!(spec.hasher(None).unwrap_err().kind(), ErrorKind::WrongSecret);
/// assert_eq!(spec.hasher(Some(&secret))?, Hasher::siphash13(&secret));
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashSpec {
    /// Which hash.
    pub id: HashId,
    /// The seed, or the identifier of the secret, or 0 where the hash takes neither.
    pub seed: u64,
}

impl HashSpec {
    /// The hasher this describes; a keyed one needs the secret it was made with, any other needs none.
    pub fn hasher(self, secret: Option<&Secret>) -> Result<Hasher> {
        let name = self.id.name();
        let wrong = |message| Err(Error::field(ErrorKind::WrongSecret, "secret", message));
        match secret {
            None if self.id.is_keyed() => wrong(format!(
                "the hash is {}, keyed with secret id {:#018x}: that secret is needed",
                name, self.seed
            )),
            Some(_) if !self.id.is_keyed() => {
                wrong(format!("the hash is {}, which takes no secret", name))
            }
            Some(secret) if secret.id() != self.seed => wrong(format!(
                "secret id is {:#018x}, this secret's is {:#018x}: it is not the one the filter was built with",
                self.seed,
                secret.id()
            )),
            Some(secret) => Ok(Hasher::with_secret(self.id, secret)),
            None => Ok(Hasher::with_seed(self.id, self.seed)),
        }
    }
}

/// Hashes keys. Small, immutable, and safe to share between threads.
///
/// ```
/// use bloomery::{block, Hasher, Secret};
///
/// let keyed = Hasher::siphash13(&Secret::new([7; 16]));
/// let mut seen = block::Filter::new(block::Geometry::new(100, 6)?, keyed)?;
/// seen.add("apple");
/// assert!(seen.contains("apple"));
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hasher {
    spec: HashSpec,
    secret: (u64, u64),
}

impl Hasher {
    /// `fnv_splitmix`, the default.
    pub fn fnv_splitmix() -> Hasher {
        Hasher::with_seed(HashId::FnvSplitmix, 0)
    }

    /// `xxh3` with this seed.
    pub fn xxh3(seed: u64) -> Hasher {
        Hasher::with_seed(HashId::Xxh3, seed)
    }

    /// `xxh64` with this seed.
    pub fn xxh64(seed: u64) -> Hasher {
        Hasher::with_seed(HashId::Xxh64, seed)
    }

    /// `siphash13` with this secret.
    pub fn siphash13(secret: &Secret) -> Hasher {
        Hasher::with_secret(HashId::Siphash13, secret)
    }

    /// `siphash24` with this secret.
    pub fn siphash24(secret: &Secret) -> Hasher {
        Hasher::with_secret(HashId::Siphash24, secret)
    }

    fn with_seed(id: HashId, seed: u64) -> Hasher {
        if id == HashId::FnvSplitmix {
            fnv::check_once();
        }
        Hasher {
            spec: HashSpec { id, seed },
            secret: (0, 0),
        }
    }

    fn with_secret(id: HashId, secret: &Secret) -> Hasher {
        Hasher {
            spec: HashSpec {
                id,
                seed: secret.id(),
            },
            secret: secret.halves(),
        }
    }

    /// Which hash this is, as a file would say it.
    pub fn spec(&self) -> HashSpec {
        self.spec
    }

    /// The hash of a key.
    #[inline]
    pub fn hash(&self, key: &[u8]) -> Hash {
        // What is short enough is inlined into the caller, where the length of the key may be known.
        match (self.spec.id, <[u8; 8]>::try_from(key)) {
            (HashId::FnvSplitmix, _) => fnv::fnv_splitmix(key),
            (HashId::Xxh3, Ok(key)) => eight::xxh3(u64::from_le_bytes(key), self.spec.seed),
            (HashId::Xxh64, Ok(key)) => eight::xxh64(u64::from_le_bytes(key), self.spec.seed),
            _ => self.hash_other(key),
        }
    }

    fn hash_other(&self, key: &[u8]) -> Hash {
        let (k0, k1) = self.secret;
        Hash(match self.spec.id {
            HashId::FnvSplitmix => fnv::fnv_splitmix(key).bits(),
            HashId::Xxh3 => xxh3_64_with_seed(key, self.spec.seed),
            HashId::Xxh64 => xxh64(key, self.spec.seed),
            HashId::Siphash13 => siphash::<1, 3>(k0, k1, key),
            HashId::Siphash24 => siphash::<2, 4>(k0, k1, key),
        })
    }

    /// The hash of a key of any sort.
    #[inline]
    pub fn hash_key(&self, key: impl Key) -> Hash {
        key.with_bytes(|bytes| self.hash(bytes))
    }

    /// Hashes `keys` into `out`, as many as the shorter of the two holds.
    #[inline]
    pub fn hash_many<K: Key>(&self, keys: &[K], out: &mut [Hash]) {
        let count = keys.len().min(out.len());
        let (keys, out) = (&keys[..count], &mut out[..count]);
        if self.spec.id == HashId::FnvSplitmix {
            return fnv_many(keys, out);
        }
        // Once for all keys, so that the loops have no branch.
        match self.spec.id {
            HashId::Xxh3 => hash_all(Hasher::xxh3(self.spec.seed), keys, out),
            HashId::Xxh64 => hash_all(Hasher::xxh64(self.spec.seed), keys, out),
            _ => hash_all(*self, keys, out),
        }
    }
}

#[inline(always)]
fn hash_all<K: Key>(hasher: Hasher, keys: &[K], out: &mut [Hash]) {
    for (key, out) in keys.iter().zip(out) {
        *out = hasher.hash_key(key);
    }
}

fn fnv_many<K: Key>(keys: &[K], out: &mut [Hash]) {
    let mut groups = keys.chunks_exact(4);
    let mut outs = out.chunks_exact_mut(4);
    for (keys, out) in (&mut groups).zip(&mut outs) {
        keys[0].with_bytes(|a| {
            keys[1].with_bytes(|b| {
                keys[2].with_bytes(|c| {
                    keys[3].with_bytes(|d| fnv::fnv_splitmix_four([a, b, c, d], out))
                })
            })
        });
    }
    for (key, out) in groups.remainder().iter().zip(outs.into_remainder()) {
        *out = key.with_bytes(fnv::fnv_splitmix);
    }
}

impl std::fmt::Debug for Hasher {
    // Not derived: the secret must not end up in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hasher").field("spec", &self.spec).finish()
    }
}
