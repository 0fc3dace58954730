//! The ribbon filter, in the fewest bits of all kinds: a key is an equation over a window of slots. This crate reads
//! such filters.
//!
//! ```no_run
//! let seen = bloomery::ribbon::Filter::open("seen.blm", None)?; // an error, if it holds another kind
//! println!("{}", seen.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
mod map;
#[cfg(feature = "std")]
mod predict;

pub use geometry::{Geometry, MAX_COLUMNS, MAX_KEYS, MAX_SEED};

use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::{splitmix64, Hash};
use crate::layout::Layout;
use crate::sealed::Sealed;
use crate::words::{byte_at, mulhi, u64_at};
use geometry::PADDING;
use map::{Layer, LAYERS};

/// A ribbon filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Ribbon>;

/// A ribbon filter that owns its slots.
pub type Filter = BasicFilter<Ribbon>;

/// The layout of ribbon filters.
#[derive(Clone, Copy, Debug)]
pub struct Ribbon {
    geometry: Geometry,
    layers: [Layer; LAYERS],
    /// The first byte of the list.
    list: u64,
}

/// A bit in the same place of each byte.
const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// How many starts of a bucket pass their keys on, by the bucket's code.
const PASSED_ON: [u64; 4] = [0, 2, 5, 16];

/// Where a key is in the first layer.
fn place_of(hash: Hash, seed: u64) -> u64 {
    match seed {
        0 => hash.bits(),
        _ => splitmix64(hash.bits() ^ splitmix64(seed)),
    }
}

/// The fingerprint: column i has bit 8 (i mod 8) + i / 8.
fn fingerprint_of(coefficients: u64) -> u64 {
    let product = u128::from(coefficients) * 0x9fb2_1c65_1e98_df25;
    product as u64 ^ (product >> 64) as u64
}

/// The parity of each byte, in its lowest bit.
fn parities(mut bytes: u64) -> u64 {
    bytes ^= bytes >> 4;
    bytes ^= bytes >> 2;
    bytes ^= bytes >> 1;
    bytes & EACH_BYTE
}

/// Whether the window at this start solves the equation of a key with these coefficients.
fn solves(payload: &[u8], layer: &Layer, start: u64, coefficients: u64) -> bool {
    let columns = layer.columns_at(start);
    let window = layer.window(start);
    let fingerprint = fingerprint_of(coefficients);
    (0..(columns + 7) / 8).all(|eight| {
        let mut sum = 0;
        for group in 0..8 {
            let part = (coefficients >> (8 * group) & 0xff) * EACH_BYTE;
            sum ^= part & u64_at(payload, window + group * columns + 8 * eight);
        }
        let left = columns - 8 * eight;
        let mask = if left >= 8 {
            u64::MAX
        } else {
            (1 << (8 * left)) - 1
        };
        (parities(sum) ^ (fingerprint >> eight & EACH_BYTE)) & mask == 0
    })
}

impl Sealed for Ribbon {}

impl Layout for Ribbon {
    type Geometry = Geometry;
    const CELLS: &'static str = "slots";

    fn new(geometry: Geometry) -> Ribbon {
        let layers = geometry.layers();
        Ribbon {
            geometry,
            layers,
            list: layers.iter().map(Layer::bytes).sum(),
        }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        if u64_at(payload, payload.len() as u64 - PADDING) == 0 {
            return Ok(());
        }
        Err(Error::field(
            ErrorKind::Damaged,
            "padding",
            "a byte after the last key listed is not 0: the filter is damaged",
        ))
    }

    #[inline]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        let mut place = place_of(hash, self.geometry.seed());
        for layer in &self.layers {
            let coefficients = splitmix64(place);
            if layer.starts != 0 {
                let start = mulhi(place, layer.starts);
                let (byte, shift) = layer.code(start);
                let code = byte_at(payload, byte) >> shift & 3;
                if start % 16 >= PASSED_ON[usize::from(code)] {
                    return solves(payload, layer, start, coefficients);
                }
            }
            place = coefficients;
        }
        self.is_listed(payload, place)
    }

    fn cells_set(&self, _payload: &[u8]) -> u64 {
        self.geometry.keys()
    }

    fn retries(&self, _payload: &[u8]) -> Option<u64> {
        Some(self.geometry.seed())
    }
}

impl Ribbon {
    /// Whether this place is in the list, which ascends.
    fn is_listed(&self, payload: &[u8], place: u64) -> bool {
        let (mut low, mut high) = (0, self.geometry.listed());
        while low < high {
            let middle = low + (high - low) / 2;
            let listed = u64_at(payload, self.list + 8 * middle);
            if listed == place {
                return true;
            }
            if listed < place {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
