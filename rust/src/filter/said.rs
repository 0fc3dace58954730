//! What a filter's file says beside the filter, kept from reading to writing.

use crate::records::Records;

/// The records of a filter, and where the payload of its file began.
#[derive(Clone, Default)]
pub struct Said {
    records: Records,
    offset: u64,
    /// Whether records that are true of the payload as it was read are gone already.
    dropped: bool,
}

impl Said {
    pub(crate) fn new(records: Records, offset: u64) -> Said {
        Said {
            dropped: records.is_empty(),
            records,
            offset,
        }
    }

    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    pub(crate) fn records_mut(&mut self) -> &mut Records {
        self.dropped = false;
        &mut self.records
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
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
