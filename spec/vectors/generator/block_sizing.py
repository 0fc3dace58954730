"""The sizing of block filters (spec/block.md, False-positive rate), in doubles; the recipes that use it keep only rows
that do not change when a logarithm or a power is off by a few units in the last place."""

import functools
import math

MAX_K = 16
MAX_BLOCKS = 2**56


@functools.lru_cache(maxsize=None)
def distinct_chances(k):
    """chance[d]: that k throws into 512 bits hit d distinct ones."""
    chance = [1.0] + [0.0] * k
    for thrown in range(k):
        for d in range(thrown, -1, -1):
            chance[d + 1] += chance[d] * (1 - d / 512)
            chance[d] *= d / 512
    return chance


def fpr(n, blocks, k):
    none = [math.exp(n * math.log1p(-(1 - (1 - s / 512) ** k) / blocks)) for s in range(k + 1)]
    rate = 0.0
    for d, chance in enumerate(distinct_chances(k)):
        rate += chance * math.fsum((-1) ** s * math.comb(d, s) * none[s] for s in range(d + 1))
    return min(1.0, max(0.0, rate + n / blocks / 2**32))


def fewest(n, target, k, limit):
    """The fewest blocks, up to limit, with which k bits meet the target; None when even limit does not."""
    if fpr(n, limit, k) > target:
        return None
    low, high = 1, limit
    while low < high:
        middle = (low + high) // 2
        if fpr(n, middle, k) <= target:
            high = middle
        else:
            low = middle + 1
    return high


@functools.lru_cache(maxsize=None)
def geometry(n, target):
    """(blocks, k): the fewest blocks, and the smallest k that does with them."""
    best, best_k = MAX_BLOCKS, 0
    for k in range(1, MAX_K + 1):
        found = fewest(n, target, k, best - 1 if best_k else best) if best > 1 or not best_k else None
        if found is not None:
            best, best_k = found, k
    return best, best_k
