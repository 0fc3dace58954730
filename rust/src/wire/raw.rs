//! The raw classic file: k as u32, m as u64, the bits. No magic and no checksum, so the length is the main witness.

use super::{damaged, field, Contents, Format, Header};
use crate::any::AnyGeometry;
use crate::classic::{Geometry, MAX_K};
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{HashId, Hasher};
use crate::layout::KindGeometry;
use crate::prelude::*;
use crate::records::Records;

/// The bytes of a raw file before its bits.
pub const RAW_HEADER: usize = 12;

pub(super) fn parse(start: &[u8], file_bytes: u64) -> Result<Header> {
    if start.len() < RAW_HEADER || file_bytes < RAW_HEADER as u64 {
        return Err(damaged(
            "length",
            format!(
                "the file is {} bytes, a filter has at least {}: this is no filter file, or it was cut short",
                file_bytes, RAW_HEADER
            ),
        ));
    }
    let k = u32::from_le_bytes(field(start, 0));
    let m = u64::from_le_bytes(field(start, 4));
    if k == 0 || k > MAX_K {
        return Err(damaged(
            "k",
            format!(
                "k is {}, must be 1 to {}: this is no classic filter file, or it is damaged",
                k, MAX_K
            ),
        ));
    }
    if m == 0 {
        return Err(damaged(
            "m",
            "m is 0, must be at least 1: this is no classic filter file, or it is damaged",
        ));
    }
    let geometry = Geometry::new(m, k)?;
    let body = file_bytes - RAW_HEADER as u64;
    if body != geometry.payload_bytes() {
        return Err(damaged(
            "payload length",
            format!(
                "the bits are {} bytes, m = {} needs {}: the file was cut short or added to, or is no classic filter file",
                body,
                m,
                geometry.payload_bytes()
            ),
        ));
    }
    Ok(Header {
        format: Format::Raw,
        hash: Hasher::fnv_splitmix().spec(),
        key_count: None,
        geometry: geometry.into(),
        records: Records::default(),
        payload_offset: RAW_HEADER as u64,
        payload_checksum: 0,
    })
}

pub(super) fn encode(contents: &Contents<'_>) -> Result<Vec<u8>> {
    let refused = |field, message: String| {
        Err(Error::field(
            ErrorKind::InvalidArgument,
            field,
            message + ": write an envelope",
        ))
    };
    let geometry = match contents.geometry {
        AnyGeometry::Classic(geometry) => geometry,
        other => {
            let kind = other.kind();
            return refused("kind", format!("a {} filter has no raw file", kind));
        }
    };
    if !contents.said.records().is_empty() {
        return refused("records", "a raw file has no records".to_string());
    }
    let id = contents.hash.id;
    if id != HashId::FnvSplitmix {
        return refused(
            "hash",
            format!(
                "the hash is {}, a raw file is always fnv_splitmix",
                id.name()
            ),
        );
    }
    let mut header = Vec::with_capacity(RAW_HEADER);
    header.extend(geometry.k().to_le_bytes());
    header.extend(geometry.m().to_le_bytes());
    Ok(header)
}
