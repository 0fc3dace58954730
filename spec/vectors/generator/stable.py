"""The stable filter (spec/stable.md), and the recipe of stable.json."""

import functools
import math
import struct

import xxhash

from .blocked import SALTS, stream
from .hashes import hex64
from .sizing_rows import real

CELLS, PHASES = 256, 32
MAX_K, MAX_DECREMENT = 16, 256
# Rates this close to a target may fall on either side of it in other doubles.
DOUBT = 1e-9
SIZED_N = [1, 19, 1000, 1_000_000, 10**12]
SIZED_FPR = [0.9, 0.5, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0001, 1e-5, 1e-6]
# lines, k, decrement, adds
PAYLOADS = [(1, 1, 1, 0), (1, 1, 1, 1), (1, 5, 27, 9), (1, 5, 27, 10), (1, 16, 256, 7), (2, 3, 255, 1000), (6, 5, 27, 2000),
            (84, 8, 43, 5000), (3, 4, 33, 77)]  # fmt: skip
# lines, k, decrement, further adds
FOUND = [(5274, 5, 27, g) for g in (0, 100_000, 105_000, 120_000, 149_000, 160_000)] + [(6, 8, 43, 90), (1, 5, 27, 1000)]
# lines, k, decrement, n
AFTER = [(5274, 5, 27, n) for n in (0, 20_000, 100_000, 10**6)] + [(1, 3, 13, 50), (10**6, 10, 65, 10**9)]


@functools.lru_cache(maxsize=None)
def distinct_chances(k):
    """chance[d]: that k throws into 256 cells hit d distinct ones."""
    chance = [1.0] + [0.0] * k
    for thrown in range(k):
        for d in range(thrown, -1, -1):
            chance[d + 1] += chance[d] * (1 - d / CELLS)
            chance[d] *= d / CELLS
    return chance


def line_rate(untouched, k, keys_per_line):
    """untouched(miss): the chance that no key in the window hit cells that a key of the line misses with that chance."""
    none = [untouched((1 - s / CELLS) ** k) for s in range(k + 1)]
    rate = 0.0
    for d, chance in enumerate(distinct_chances(k)):
        rate += chance * math.fsum((-1) ** s * math.comb(d, s) * none[s] for s in range(d + 1))
    return min(1.0, max(0.0, rate + keys_per_line / 2**32))


def rate_of_window(keys, lines, k):
    return line_rate(lambda miss: math.exp(keys * math.log1p(-(1 - miss) / lines)), k, keys / lines)


def mean(end, f):
    return math.fsum(f(end * (i + 0.5) / PHASES) for i in range(PHASES)) / PHASES


@functools.lru_cache(maxsize=None)
def plateau(k, decrement):
    """Of many lines."""

    def rate(u):
        keys = (2 + u) * CELLS / decrement
        return line_rate(lambda miss: math.exp(-keys * (1 - miss)), k, keys)

    return mean(1, rate)


def sized(n, fpr):
    """(lines, k, decrement), or None when doubles cannot be trusted to tell."""
    for decrement in range(1, MAX_DECREMENT + 1):
        rates = [plateau(k, decrement) for k in range(1, MAX_K + 1)]
        if any(abs(rate / fpr - 1) < DOUBT for rate in rates):
            return None
        for k, rate in enumerate(rates, 1):
            if rate <= fpr:
                return -(-n * decrement // 512), k, decrement
    return None


def window(lines, decrement, u):
    return (2 + u) * lines * CELLS / decrement + 0.5


def rate_after(lines, k, decrement, n):
    return mean(1, lambda u: rate_of_window(min(n, window(lines, decrement, u)), lines, k))


def found_after(lines, k, decrement, further):
    gone = min(1.0, max(0.0, (further - 0.5) * decrement / (lines * CELLS) - 2))
    return 1 - gone + gone * mean(gone, lambda u: rate_of_window(window(lines, decrement, u), lines, k))


class Stable:
    def __init__(self, lines, k, decrement):
        self.lines, self.k, self.decrement = lines, k, decrement
        self.hand = 0
        self.cells = [0] * (CELLS * lines)

    def cells_of(self, h):
        line = h * self.lines >> 64
        return [CELLS * line + ((h * salt & 0xFFFFFFFF) >> 24) for salt in SALTS[: self.k]]

    def seen_recently(self, h):
        return all(self.cells[c] for c in self.cells_of(h))

    def add(self, h):
        for _ in range(self.decrement):
            self.cells[self.hand] = max(0, self.cells[self.hand] - 1)
            self.hand = (self.hand + 1) % len(self.cells)
        for c in self.cells_of(h):
            self.cells[c] = 3

    def payload(self):
        packed = bytes(sum(self.cells[c + i] << 2 * i for i in range(4)) for c in range(0, len(self.cells), 4))
        return struct.pack("<Q", self.hand) + bytes(56) + packed


def sized_rows():
    for n in SIZED_N:
        for fpr in SIZED_FPR:
            words = sized(n, fpr)
            if words is not None:
                yield {"n": n, "fpr": fpr, "words": words}


def payload_row(lines, k, decrement, adds):
    made = Stable(lines, k, decrement)
    for h in stream(adds):
        made.add(h)
    seen = sum(made.seen_recently(h) for h in stream(adds))
    row = {"words": [lines, k, decrement], "stream": [1, adds], "seen_recently": seen, "hand": made.hand}
    return {**row, "xxh3": hex64(xxhash.xxh3_64_intdigest(made.payload()))}


def example():
    made = Stable(1, 5, 27)
    for h in stream(12):
        made.add(h)
    return {"words": [1, 5, 27], "stream": [1, 12], "hex": made.payload().hex()}


def make():
    rows = list(sized_rows())
    assert len(rows) >= 50
    return {
        "_comment": "Golden data of stable.md. 'words' are the geometry words of the envelope: lines, k, decrement. 'sized': (n, "
        "fpr) to geometry; no row changes when doubles are off by 1e-9 of the rate. 'payloads': filters to which stream(seed, n) "
        "was added, splitmix64(seed+i) for i in 0..n-1; seen_recently is how many of those are found at the end, xxh3 is XXH3-64 "
        "of the payload. 'found': the chance that a key is found after so many further adds. 'after': the false-positive rate "
        "after n adds. Rates as text are %.4g.",
        "sized": rows,
        "payloads": [payload_row(*row) for row in PAYLOADS],
        "found": [{"words": row[:3], "further": row[3], "chance": real(found_after(*row))} for row in FOUND],
        "after": [{"words": row[:3], "n": row[3], "fpr": real(rate_after(*row))} for row in AFTER],
        "example": example(),
    }
