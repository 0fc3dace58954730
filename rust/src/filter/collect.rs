//! Filters as collections: `extend`, and `collect` into a filter whose size nobody gave.

use super::BasicFilter;
use crate::hash::Hash;
use crate::key::Key;
use crate::layout::{Growing, GROUP};

impl<L: Growing, K: Key> Extend<K> for BasicFilter<L> {
    /// Adds all keys. The size stays what it is: past the number of keys that it was made for, the rate rises.
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        let hasher = self.hasher();
        let mut hashes = [Hash::default(); GROUP];
        let mut keys = keys.into_iter();
        loop {
            let mut count = 0;
            for (hash, key) in hashes.iter_mut().zip(&mut keys) {
                *hash = hasher.hash_key(key);
                count += 1;
            }
            self.add_hashes(&hashes[..count]);
            if count < GROUP {
                return;
            }
        }
    }
}
