//! Where the codes and windows of a layer are.

/// A key that no layer keeps is listed.
pub(super) const LAYERS: usize = 4;

/// What `low_share` is counted in.
pub(super) const SHARES: u64 = 65536;

/// The groups of a window, of eight slots each.
const WINDOW_GROUPS: u64 = 8;
/// Groups after the last start of a stretch, in which no key starts.
const GAP: u64 = WINDOW_GROUPS - 1;
/// No window crosses a multiple of so many starts.
const SEGMENT: u64 = 8192;
/// So many keys get no layer of their own.
const FEW_KEYS: u64 = 6;
/// Up to so many keys a layer has slots to spare.
const ROOMY_UP_TO: u64 = 500;
/// Layers of fewer starts have no cut.
const CUT_FROM: u64 = 256;

/// One layer: its starts, those of them with a column less, and where it begins in the payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layer {
    /// In how many groups a key can start; 0: there is no such layer.
    pub(super) starts: u64,
    /// Starts below have a column less.
    pub(super) cut: u64,
    columns: u64,
    at: u64,
}

impl Layer {
    /// The layer with this number, to which so many keys come, that begins at byte `at`.
    pub(super) fn new(keys: u64, number: usize, columns: u32, low_share: u64, at: u64) -> Layer {
        let slots = match keys {
            0..=FEW_KEYS => {
                return Layer {
                    at,
                    ..Layer::default()
                }
            }
            _ if keys <= ROOMY_UP_TO || number == LAYERS - 1 => keys + keys / 12 + 12,
            _ => keys - keys / 21,
        };
        let groups = (slots + 7) / 8;
        Layer::of_starts(groups.saturating_sub(GAP).max(1), columns, low_share, at)
    }

    pub(super) fn of_starts(starts: u64, columns: u32, low_share: u64, at: u64) -> Layer {
        let low = (u128::from(starts) * u128::from(low_share) / u128::from(SHARES)) as u64;
        Layer {
            starts,
            cut: if starts >= CUT_FROM { low / 64 * 64 } else { 0 },
            columns: u64::from(columns),
            at,
        }
    }

    fn codes(&self) -> u64 {
        (self.starts + 63) / 64
    }

    /// The bytes of a group at this start.
    pub(super) fn columns_at(&self, start: u64) -> u64 {
        self.columns - u64::from(start < self.cut)
    }

    /// The first byte of a window in the payload.
    pub(super) fn window(&self, start: u64) -> u64 {
        let group = |start: u64| start + GAP * (start / SEGMENT);
        let first = self.at + self.codes();
        if start < self.cut {
            return first + group(start) * (self.columns - 1);
        }
        if self.cut == 0 {
            return first + group(start) * self.columns;
        }
        let low = (group(self.cut) + GAP) * (self.columns - 1);
        first + low + (group(start) - group(self.cut)) * self.columns
    }

    /// The byte and the shift of the code of this start's bucket.
    pub(super) fn code(&self, start: u64) -> (u64, u64) {
        let bucket = start / 16;
        (self.at + bucket / 4, 2 * (bucket % 4))
    }

    pub(super) fn bytes(&self) -> u64 {
        match self.starts {
            0 => 0,
            starts => self.window(starts - 1) + WINDOW_GROUPS * self.columns - self.at,
        }
    }

    pub(super) fn slots(&self) -> u64 {
        if self.starts == 0 {
            return 0;
        }
        let last = self.starts - 1;
        let groups = last + GAP * (last / SEGMENT) + WINDOW_GROUPS;
        8 * (groups + if self.cut > 0 { GAP } else { 0 })
    }
}
