"""What two filters have in common by spec/overlap.md, and the recipe of overlap.json."""

import math

from . import partitioned
from .blocked import block_block, block_positions, split_block, split_positions
from .hashes import splitmix64
from .sizing import expected_fill

Z = 1.959963984540054


class Cells:
    """How a key of a filter touches its cells: u, and for each class of pairs its share and its u_t, as logarithms."""

    def __init__(self, cells, touched, pairs):
        self.cells, self.log_u = cells, math.log1p(-min(1.0, touched))
        self.pairs = [(1 / cells, -self.log_u)] + [(share, math.log1p(-both) - 2 * self.log_u) for share, both in pairs]

    def keys(self, used):
        return math.log1p(-used / self.cells) / self.log_u

    def log_variance(self, n):
        return math.fsum(share * math.expm1(n * ratio) for share, ratio in self.pairs)

    def variance(self, n):
        return self.log_variance(n) / self.log_u**2


def cells_of(kind, words):
    """The table of the page, by the chance that a key touches one cell, or one of two at least."""
    if kind in ("classic", "counting"):
        m, k = words[:2]
        one = expected_fill(m, k, 1)
        return Cells(m, one, [(1 - 1 / m, one + one * (m - one * m) / (m - 1))])
    if kind == "partitioned":
        s, k = words
        return Cells(k * s, 1 / s, [((s - 1) / (k * s), 2 / s)])
    blocks = words[0]
    if kind == "split":
        m, one = 256 * blocks, 1 / 32
        return Cells(m, one / blocks, [(31 / m, 2 * one / blocks), (224 / m, (2 * one - one**2) / blocks),
                                       (1 - 256 / m, 2 * one / blocks)])  # fmt: skip
    m, one, two = 512 * blocks, 1 - (511 / 512) ** words[1], 1 - (510 / 512) ** words[1]
    return Cells(m, one / blocks, [(511 / m, two / blocks), (1 - 512 / m, 2 * one / blocks)])


def end(value, bound, variance):
    """The furthest truth towards the bound that would have been off by 1.96 of its own standard deviations at most."""
    likely = lambda truth: abs(value - truth) <= Z * math.sqrt(max(0.0, variance(truth)))
    if likely(bound):
        return bound
    inside, outside = value, bound
    for _ in range(200):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if likely(middle) else (inside, middle)
    return inside


def interval(value, lowest, highest, variance):
    value = min(highest, max(lowest, value))
    return value, end(value, lowest, variance), end(value, highest, variance)


def whole(found):
    return found[0], math.floor(found[1] + 1e-6), math.ceil(found[2] - 1e-6)


def overlap(cells, used_a, used_b, used_all):
    """The five estimates, or the name of what does not tell."""
    if cells.log_u < -0.4:
        return "geometry"
    if cells.cells in (used_a, used_b, used_all) or cells.log_variance(cells.keys(used_all)) > 0.01:
        return "fill"
    v = cells.variance
    a, b, both = (cells.keys(used) for used in (used_a, used_b, used_all))
    sizes = [interval(n, 0, 2 * n + 1, v) for n in (a, b, both)]
    common_variance = lambda common: v(a + b - common) - v(a) - v(b) + 2 * v(common)
    common = interval(a + b - both, 0, min(sizes[0][2], sizes[1][2]), common_variance)
    if min(a, b) >= 1 and common[2] - common[1] > min(a, b) / 2:
        return "intersection"

    def jaccard_variance(jaccard):
        s = 1 + jaccard
        union = (a + b) / s
        return (v(a) + v(b) + 2 * v(a + b - union) + s * s * v(union) - 2 * s * (v(a) + v(b))) / union**2

    jaccard = interval((a + b) / both - 1, 0, 1, jaccard_variance) if both > 0 else (1, 1, 1)
    return [whole(found) for found in (*sizes, common)] + [jaccard]


def cells_in_use(kind, words, hashes):
    """The numbers of the cells."""
    used = set()
    for h in hashes:
        if kind in ("classic", "counting"):
            used |= {((h & 0xFFFFFFFF) + i * (h >> 32)) % words[0] for i in range(words[1])}
        elif kind == "partitioned":
            used |= set(partitioned.positions(h, *words))
        elif kind == "split":
            used |= {256 * split_block(h, words[0]) + p for p in split_positions(h)}
        else:
            used |= {512 * block_block(h, words[0]) + p for p in block_positions(h, words[1])}
    return used


# kind, geometry words, keys of a alone, of b alone, of both
CASES = [
    ("classic", [9586, 7], 600, 500, 400), ("classic", [9586, 7], 0, 0, 1000), ("classic", [9586, 7], 1000, 1000, 0),
    ("classic", [9586, 7], 0, 0, 0), ("classic", [9586, 7], 1000, 0, 0), ("classic", [30, 7], 1, 1, 1), ("classic", [10, 7], 1, 1, 1),
    ("classic", [9586, 7], 3500, 3500, 100), ("classic", [9586, 2], 3000, 3, 2), ("counting", [9586, 7, 4], 600, 500, 400),
    ("partitioned", [1370, 7], 600, 500, 400), ("partitioned", [1370, 7], 1500, 100, 50), ("split", [41], 600, 500, 400),
    ("split", [41], 2500, 2500, 10), ("split", [1], 20, 20, 10), ("block", [20, 6], 600, 500, 400), ("block", [20, 6], 0, 900, 100),
    ("block", [20, 6], 30000, 30000, 10000),
]  # fmt: skip


def row(kind, words, only_a, only_b, both):
    hashes = [splitmix64(i) for i in range(both + only_a + only_b)]
    a = cells_in_use(kind, words, hashes[: both + only_a])
    b = cells_in_use(kind, words, hashes[:both] + hashes[both + only_a :])
    found = overlap(cells_of(kind, words), len(a), len(b), len(a | b))
    sets = {"kind": kind, "words": words, "only_a": only_a, "only_b": only_b, "both": both}
    used = {"cells_a": len(a), "cells_b": len(b), "cells_all": len(a | b)}
    if isinstance(found, str):
        return sets | used | {"refused": found}
    return sets | used | {"refused": None} | dict(zip(("a", "b", "all", "common", "jaccard"), map(list, found)))


def make():
    return {
        "_comment": "What two filters have in common (overlap.md). Hash i is splitmix64(i); both filters have the first `both` of them, a "
        "the next only_a, b the only_b behind those. cells: in use in a, in b, in a or b. Each estimate is [value, low, high]; the ends "
        "of sizes are whole and exact, the other numbers hold to 9 digits, ends of jaccard to 6. refused: what does not tell.",
        "pairs": [row(*case) for case in CASES],
    }
