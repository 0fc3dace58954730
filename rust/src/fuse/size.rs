//! How many slots a fuse filter has, in whole numbers: tables that come from peeling random keys.

/// For 2^r keys: the binary logarithm of the window, and the slots beyond the number of keys.
type Row = (u32, u64);

const THREE: [Row; 22] = [
    (0, 2),
    (2, 9),
    (3, 16),
    (4, 25),
    (4, 27),
    (5, 40),
    (6, 68),
    (6, 76),
    (7, 116),
    (8, 190),
    (8, 338),
    (9, 640),
    (9, 1030),
    (10, 1900),
    (10, 3330),
    (11, 6100),
    (11, 11500),
    (12, 21000),
    (13, 37500),
    (13, 66450),
    (14, 131600),
    (14, 252000),
];

const FOUR: [Row; 22] = [
    (0, 3),
    (2, 11),
    (2, 12),
    (3, 18),
    (3, 22),
    (4, 32),
    (5, 41),
    (6, 70),
    (6, 115),
    (7, 205),
    (7, 330),
    (8, 570),
    (9, 1000),
    (9, 1600),
    (10, 2760),
    (10, 4600),
    (11, 8300),
    (12, 14000),
    (12, 23500),
    (13, 39900),
    (13, 76500),
    (13, 147000),
];

/// The last row: larger parts have as many slots per key as it says.
const LAST: u32 = 21;

/// The window and the slots of a part of so many keys, at most 2^48.
pub(super) fn window_and_slots(keys: u64, arity: u32) -> (u64, u64) {
    let n = keys.max(1);
    let r = 63 - n.leading_zeros();
    let table = if arity == 3 { &THREE } else { &FOUR };
    if r >= LAST {
        let (log, more) = table[LAST as usize];
        let log = match r {
            LAST => log,
            22 | 23 => 15,
            _ => 16,
        };
        let more = (u128::from(n) * u128::from(more)) >> LAST;
        return (1 << log, n + more as u64);
    }
    let (log, more) = table[r as usize];
    let (_, next) = table[r as usize + 1];
    let step = ((n - (1 << r)) * (next - more)) >> r;
    (1 << log, n + more + step)
}

/// The parts of so many keys.
pub(super) fn parts_for(keys: u64) -> u64 {
    if keys < 1_000_000 {
        return 1;
    }
    (keys >> 20).max(2)
}

/// The slots at the end of a part in which no key begins.
pub(super) fn gap(arity: u32, window: u64) -> u64 {
    let quarters = if arity == 3 { 3 } else { 5 };
    quarters * window / 4
}
