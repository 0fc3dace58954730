//! What must hold of every slot of a quotient filter: in a table that breaks a rule a lookup may miss a key that is there.

use super::geometry::BLOCK_SLOTS;
use super::Quotient;
use crate::error::{Error, ErrorKind, Result};
use crate::prelude::*;

impl Quotient {
    /// Follows all runs in order: each has an end, ascends and is where it belongs. Slots that no run takes are zero, and
    /// offsets and the count are right.
    pub(super) fn check_runs(self, payload: &[u8]) -> Result<()> {
        let mut walk = Walk {
            layout: self,
            payload,
            behind: 0,
            taken: 0,
        };
        for block in 0..self.geometry.blocks() {
            let first = BLOCK_SLOTS * block;
            if self.offset(payload, block) != walk.behind.max(first) - first {
                return Err(damaged("a wrong offset", first));
            }
            let mut left = self.occupied(payload, block);
            while left != 0 {
                walk.follow(first + u64::from(left.trailing_zeros()))?;
                left &= left - 1;
            }
        }
        walk.gaps_up_to(self.geometry.slots())?;
        if walk.taken != self.taken(payload) {
            return Err(damaged("a wrong count of taken slots", walk.behind));
        }
        Ok(())
    }
}

fn damaged(what: &str, slot: u64) -> Error {
    let message = format!(
        "there is {} at slot {}: the filter is damaged, build it again",
        what, slot
    );
    Error::field(ErrorKind::Damaged, "slots", message)
}

/// A way over the runs.
struct Walk<'a> {
    layout: Quotient,
    payload: &'a [u8],
    /// The slot behind the last run.
    behind: u64,
    taken: u64,
}

impl Walk<'_> {
    /// Goes over the run of a quotient.
    fn follow(&mut self, quotient: u64) -> Result<()> {
        self.gaps_up_to(quotient)?;
        let mut before = 0;
        loop {
            let slot = self.behind;
            if slot >= self.layout.geometry.slots() {
                return Err(damaged("a run without an end", quotient));
            }
            let remainder = self.layout.remainder(self.payload, slot);
            if remainder < before {
                return Err(damaged("a run out of order", slot));
            }
            before = remainder;
            self.behind += 1;
            self.taken += 1;
            if self.layout.is_end(self.payload, slot) {
                return Ok(());
            }
        }
    }

    fn gaps_up_to(&mut self, slot: u64) -> Result<()> {
        while self.behind < slot {
            let (layout, at) = (self.layout, self.behind);
            if layout.is_end(self.payload, at) || layout.remainder(self.payload, at) != 0 {
                return Err(damaged("something that belongs to no run", at));
            }
            self.behind += 1;
        }
        Ok(())
    }
}
