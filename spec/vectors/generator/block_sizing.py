"""The sizing of split and block filters (their pages, False-positive rate, and sizing.md): doubles in the order that the
specification gives, so that every implementation finds the same number of blocks."""

import functools
import math
import struct

MAX_K = 16
MAX_BLOCKS = 2**56
MAX_SPLIT_BLOCKS = 2**28
LN2 = 0.6931471805599453
LN2_HIGH = 3048493539143 / 4398046511104
LN2_LOW = 5.497923018708371e-14
INVERSE_FACTORIALS = [1 / math.factorial(i) for i in range(1, 14)]
INVERSE_ODDS = [1 / odd for odd in range(3, 27, 2)]


def power(base, exponent):
    result = 1.0
    while exponent:
        if exponent % 2:
            result *= base
        exponent //= 2
        base *= base
    return result


def minus_log_of_rest(y):
    """-ln(1 - y)."""
    halvings = 0
    if y < 0.25:
        z = y / (2 - y)
    else:
        rest = 1 - y
        while rest < 0.7:
            rest *= 2
            halvings += 1
        z = (1 - rest) / (1 + rest)
    square = z * z
    total = 0.0
    for inverse in reversed(INVERSE_ODDS):
        total = total * square + inverse
    return halvings * LN2 + 2 * z * (1 + total * square)


def exp_of_minus(x):
    """e^-x."""
    halvings = math.floor(x / LN2 + 0.5)
    if halvings > 1021:
        return 0.0
    rest = (x - halvings * LN2_HIGH) - halvings * LN2_LOW
    total = 0.0
    for inverse in reversed(INVERSE_FACTORIALS):
        total = inverse - rest * total
    return math.ldexp(1 - rest * total, -halvings)


def untouched(n, blocks, miss):
    return exp_of_minus(n * minus_log_of_rest((1 - miss) / blocks))


def clamped(rate):
    return min(1.0, max(0.0, rate))


@functools.lru_cache(maxsize=None)
def block_constants(k):
    """The chance that k throws into 512 bits hit d distinct ones, and that a key misses s bits: lists by d and s."""
    chance = [1.0] + [0.0] * k
    for thrown in range(k):
        for d in range(thrown, -1, -1):
            chance[d + 1] += chance[d] * (1 - d / 512)
            chance[d] *= d / 512
    return chance, [power(1 - s / 512, k) for s in range(k + 1)]


def signed_sum(d, none):
    """Inclusion and exclusion over which of d bits are not set."""
    total = 0.0
    for s in range(d + 1):
        total += (-1) ** s * float(math.comb(d, s)) * none[s]
    return total


def fpr(n, blocks, k):
    n, blocks = float(n), float(blocks)
    chances, misses = block_constants(k)
    none = [untouched(n, blocks, miss) for miss in misses]
    rate = 0.0
    for d, chance in enumerate(chances):
        rate += chance * signed_sum(d, none)
    return clamped(rate + n / blocks / 2**32)


def split_fpr(n, blocks):
    n, blocks = float(n), float(blocks)
    none = [untouched(n, blocks, power(31 / 32, s)) for s in range(9)]
    return clamped(signed_sum(8, none) + n / blocks / 2**32)


def with_equal_low_bits(rate, set_bits, bits, blocks, miss):
    """The rate of a filter at hand, and of keys that share the block and the low 32 bits with one of those in it."""
    if set_bits == bits:
        return 1.0
    n = minus_log_of_rest(set_bits / bits) / minus_log_of_rest((1 - miss) / blocks)
    return clamped(rate + n / blocks / 2**32)


def split_fpr_at_hand(data):
    """From the bits of a payload: the mean over blocks of the product of the shares that are set in each word."""
    words = [word.bit_count() for (word,) in struct.iter_unpack("<I", data)]
    blocks = len(words) // 8
    products = float(sum(math.prod(words[8 * b : 8 * b + 8]) for b in range(blocks)))
    return with_equal_low_bits(products / 2**40 / blocks, sum(words), 256 * blocks, float(blocks), 31 / 32)


def fpr_at_hand(data, k):
    """From the bits of a payload: the mean over blocks of the share that is set, to the power of k."""
    counts = [int.from_bytes(data[at : at + 64], "little").bit_count() for at in range(0, len(data), 64)]
    total = 0.0
    for bits in range(1, 513):
        total += counts.count(bits) * power(bits / 512, k)
    blocks = len(counts)
    return with_equal_low_bits(total / blocks, sum(counts), 512 * blocks, float(blocks), power(511 / 512, k))


def fewest(target, limit, rate):
    """The fewest blocks, up to limit, whose rate meets the target; None when not even limit's does."""
    if rate(limit) > target:
        return None
    low, high = 1, limit
    while low < high:
        middle = low + (high - low) // 2
        if rate(middle) <= target:
            high = middle
        else:
            low = middle + 1
    return high


def split_geometry(n, target):
    return fewest(target, MAX_SPLIT_BLOCKS, lambda blocks: split_fpr(n, blocks))


@functools.lru_cache(maxsize=None)
def geometry(n, target):
    """(blocks, k): the fewest blocks, and the smallest k that does with them."""
    best, best_k = MAX_BLOCKS, 0
    for k in range(1, MAX_K + 1):
        limit = best - 1 if best_k else best
        found = fewest(target, limit, lambda blocks: fpr(n, blocks, k)) if limit else None
        if found is not None:
            best, best_k = found, k
    return best, best_k


def blocks_for_bits(n, bits_per_key, bits_per_block):
    return max(1, math.ceil(n * bits_per_key / bits_per_block))


def best_k(n, blocks):
    return min(range(1, MAX_K + 1), key=lambda k: (fpr(n, blocks, k), k))
