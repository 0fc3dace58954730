//! The eight numbers that fix a ribbon filter's layout.

use super::map::{Layer, LAYERS, SHARES};
use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most keys.
pub const MAX_KEYS: u64 = 1 << 48;
/// The most columns.
pub const MAX_COLUMNS: u32 = 32;
/// The largest seed.
pub const MAX_SEED: u64 = 3;

/// The bytes of 0 after the list, which let every load of eight be inside.
pub(super) const PADDING: u64 = 8;

/// Keys, columns, the share with a column less, the seed, and the keys that each layer passes on: always within their
/// bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    keys: u64,
    columns: u32,
    low_share: u64,
    seed: u64,
    bumped: [u64; LAYERS],
}

impl Geometry {
    /// The number of distinct keys.
    pub fn keys(self) -> u64 {
        self.keys
    }

    /// The bits of a fingerprint.
    pub fn columns(self) -> u32 {
        self.columns
    }

    /// How many attempts of the build failed.
    pub fn seed(self) -> u64 {
        self.seed
    }

    /// The keys that a layer passes on; the last one passes them to the list.
    pub(super) fn bumped(self, layer: usize) -> u64 {
        self.bumped[layer]
    }

    /// The keys after all layers.
    pub(super) fn listed(self) -> u64 {
        self.bumped[LAYERS - 1]
    }

    /// The keys that come to a layer.
    pub(super) fn keys_of(self, layer: usize) -> u64 {
        match layer {
            0 => self.keys,
            _ => self.bumped[layer - 1],
        }
    }

    /// The layers, with the place where each begins.
    pub(super) fn layers(self) -> [Layer; LAYERS] {
        let mut at = 0;
        let mut layers = [Layer::default(); LAYERS];
        for (i, layer) in layers.iter_mut().enumerate() {
            *layer = Layer::new(self.keys_of(i), i, self.columns, self.low_share, at);
            at += layer.bytes();
        }
        layers
    }
}

fn refused(field: &'static str, value: u64, rule: &str) -> Error {
    let message = format!("{} is {}, must be {}", field, value, rule);
    Error::field(ErrorKind::InvalidArgument, field, message)
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Ribbon;
    const FIELDS: &'static [&'static str] = &[
        "keys",
        "columns",
        "low_share",
        "seed",
        "bumped_1",
        "bumped_2",
        "bumped_3",
        "listed",
    ];

    fn values(&self) -> Words {
        let [one, two, three, listed] = self.bumped;
        [
            self.keys,
            u64::from(self.columns),
            self.low_share,
            self.seed,
            one,
            two,
            three,
            listed,
        ]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        let [keys, columns, low_share, seed, one, two, three, listed] = *values;
        if keys > MAX_KEYS {
            return Err(refused("keys", keys, "at most 2^48"));
        }
        if columns == 0 || columns > u64::from(MAX_COLUMNS) {
            return Err(refused("columns", columns, "1 to 32"));
        }
        if low_share >= SHARES || (columns == 1 && low_share != 0) {
            let rule = "below 65536, and 0 of a filter of one column";
            return Err(refused("low_share", low_share, rule));
        }
        if seed > MAX_SEED {
            return Err(refused("seed", seed, "at most 3"));
        }
        let geometry = Geometry {
            keys,
            columns: columns as u32,
            low_share,
            seed,
            bumped: [one, two, three, listed],
        };
        for i in 0..LAYERS {
            let (come, passed) = (geometry.keys_of(i), geometry.bumped[i]);
            let layer = Layer::new(come, i, geometry.columns, low_share, 0);
            if passed > come || come - passed > layer.slots() {
                let rule = "no more than the keys that come to its layer, and all for which that has no slot";
                return Err(refused(Geometry::FIELDS[4 + i], passed, rule));
            }
        }
        Ok(geometry)
    }

    fn payload_bytes(&self) -> u64 {
        let layers = self.layers();
        layers.iter().map(Layer::bytes).sum::<u64>() + 8 * self.listed() + PADDING
    }

    /// The slots of all layers, and the keys listed.
    fn cells(&self) -> u64 {
        let slots: u64 = self.layers().iter().map(Layer::slots).sum();
        (slots + self.listed()).max(1)
    }
}
