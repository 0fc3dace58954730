//! Filters as values of serde: the bytes of their envelope.
//!
//! A filter whose hash is keyed can be serialized, and is read by [`AnyFilter::decode`] with its secret: serde has no
//! way to hand one over.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{self, Serialize, Serializer};

use super::Format;
use crate::any::{expect_kind, AnyFilter, AnyGeometry, OfKind};
use crate::filter::BasicFilter;
use crate::layout::Layout;
use crate::prelude::*;

impl Serialize for AnyFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = self.encode(Format::Envelope).map_err(ser::Error::custom)?;
        serializer.serialize_bytes(&file)
    }
}

impl<L: Layout> Serialize for BasicFilter<L>
where
    BasicFilter<L>: OfKind,
    AnyGeometry: From<L::Geometry>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = self.encode(Format::Envelope).map_err(ser::Error::custom)?;
        serializer.serialize_bytes(&file)
    }
}

/// Takes bytes, or, of formats that have none, a list of numbers.
struct File;

impl<'de> Visitor<'de> for File {
    type Value = AnyFilter;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a filter's envelope")
    }

    fn visit_bytes<E: de::Error>(self, file: &[u8]) -> Result<AnyFilter, E> {
        AnyFilter::decode(file, None).map_err(de::Error::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<AnyFilter, A::Error> {
        // Whatever length is claimed, no more memory is taken than there are numbers.
        let mut file = Vec::new();
        while let Some(byte) = list.next_element()? {
            file.push(byte);
        }
        self.visit_bytes(&file)
    }
}

impl<'de> Deserialize<'de> for AnyFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AnyFilter, D::Error> {
        deserializer.deserialize_bytes(File)
    }
}

impl<'de, L: Layout> Deserialize<'de> for BasicFilter<L>
where
    BasicFilter<L>: OfKind,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BasicFilter<L>, D::Error> {
        expect_kind(AnyFilter::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}
