//! What the readers of records share: a number of some bytes, and the refusal of a damaged record.

use crate::error::{Error, ErrorKind};
use crate::prelude::*;

pub(super) fn refused(kind: u16, why: &str) -> Error {
    let message = format!("the record of type {} {}: the file is damaged", kind, why);
    Error::field(ErrorKind::Damaged, "records", message)
}

pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |n, byte| n << 8 | u64::from(*byte))
}
