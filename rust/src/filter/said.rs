//! What a filter's file says beside the filter, kept from reading to writing.

use crate::error::{Error, ErrorKind, Result};
use crate::prelude::*;
use crate::records::Records;

/// Payloads begin at a multiple of this, at most at [`MAX_OFFSET`].
pub(crate) const OFFSET_UNIT: u64 = 64;
pub(crate) const MAX_OFFSET: u64 = 4 << 20;

/// The records of a filter, and where the payload of its file began.
#[derive(Clone)]
pub struct Said {
    records: Records,
    offset: u64,
    /// That place is a multiple of this power of two.
    alignment: u64,
    /// Whether records that are true of the payload as it was read are gone already.
    dropped: bool,
}

impl Default for Said {
    fn default() -> Said {
        Said::new(Records::default(), 0)
    }
}

impl Said {
    pub(crate) fn new(records: Records, offset: u64) -> Said {
        Said {
            dropped: records.is_empty(),
            records,
            offset,
            alignment: OFFSET_UNIT,
        }
    }

    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    pub(crate) fn records_mut(&mut self) -> &mut Records {
        self.dropped = false;
        &mut self.records
    }

    /// Where the payload is to begin when what is before it ends at `end`: never before where it was.
    pub(crate) fn offset_behind(&self, end: u64) -> u64 {
        let least = self.offset.max(end);
        (least + self.alignment - 1) & !(self.alignment - 1)
    }

    pub(crate) fn align(&mut self, bytes: u64) -> Result<()> {
        if !bytes.is_power_of_two() || !(OFFSET_UNIT..=MAX_OFFSET).contains(&bytes) {
            let rule = format!("a power of two from {} to {}", OFFSET_UNIT, MAX_OFFSET);
            let message = format!("the alignment is {}, must be {}", bytes, rule);
            return Err(Error::field(
                ErrorKind::InvalidArgument,
                "alignment",
                message,
            ));
        }
        self.alignment = bytes;
        Ok(())
    }

    /// The payload changes: drops what is not true of it any more.
    #[inline(always)]
    pub(crate) fn changed(&mut self) {
        if !self.dropped && !self.records.is_empty() {
            self.drop_changed();
        }
    }

    #[cold]
    fn drop_changed(&mut self) {
        self.records.drop_changed();
        self.dropped = true;
    }
}
