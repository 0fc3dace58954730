//! The sums of a payload's chunks, by which damage is found and placed.

use super::fields::{number, refused};
use super::Records;
use crate::error::{Error, ErrorKind, Result};
use crate::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

/// The type of the record of sums.
pub(super) const CHUNKS: u16 = 4;

const SMALLEST_CHUNK: u64 = 4096;
/// The bytes of a record of chunks, at most, as writers make it.
const MOST_SUMS: u64 = 1 << 19;

/// The chunk size of a record of chunks, where its length and size make sense.
pub(super) fn size_of(contents: &[u8]) -> Option<u64> {
    if contents.len() < 8 || contents.len() % 8 != 0 {
        return None;
    }
    let size = number(&contents[..8]);
    let power = size >= SMALLEST_CHUNK && size.is_power_of_two();
    Some(size).filter(|_| power)
}

fn sums(payload: &[u8], size: u64) -> impl Iterator<Item = u64> + '_ {
    payload
        .chunks(usize::try_from(size).unwrap_or(usize::MAX))
        .map(xxh3_64)
}

/// The contents of the record for this payload: the size of a chunk, and the sums.
pub(super) fn contents_for(payload: &[u8]) -> Vec<u8> {
    let mut size = SMALLEST_CHUNK;
    while 8 * (2 + (payload.len() as u64).saturating_sub(1) / size) > MOST_SUMS {
        size *= 2;
    }
    core::iter::once(size)
        .chain(sums(payload, size))
        .flat_map(u64::to_le_bytes)
        .collect()
}

impl Records {
    /// Refuses sums of chunks that do not fit a payload of this length.
    pub(crate) fn check_length(&self, payload: u64) -> Result<()> {
        let (size, contents) = match (self.chunk_bytes(), self.find(CHUNKS)) {
            (Some(size), Some(contents)) => (size, contents),
            _ => return Ok(()),
        };
        let count = payload / size + u64::from(payload % size != 0);
        if contents.len() as u64 != 8 * (1 + count) {
            return Err(refused(CHUNKS, "does not fit the payload"));
        }
        Ok(())
    }

    /// Compares the sums of the chunks, where there are some, and names the first that differs.
    pub(crate) fn verify(&self, payload: &[u8]) -> Result<()> {
        let (size, contents) = match (self.chunk_bytes(), self.find(CHUNKS)) {
            (Some(size), Some(contents)) => (size, contents),
            _ => return Ok(()),
        };
        let stored = contents[8..].chunks_exact(8).map(number);
        for (i, (stored, sum)) in (0..).zip(stored.zip(sums(payload, size))) {
            if stored != sum {
                let first = i * size;
                let message = format!(
                    "chunk {} of {}, bytes {} to {} of the payload, is damaged: build the filter again",
                    i,
                    contents.len() / 8 - 1,
                    first,
                    (first + size).min(payload.len() as u64) - 1
                );
                return Err(Error::field(ErrorKind::Damaged, "chunks", message));
            }
        }
        Ok(())
    }
}
