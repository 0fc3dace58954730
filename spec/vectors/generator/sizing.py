"""spec/sizing.md for classic: geometry, expected fill, predicted rate, estimated count, Wilson's interval."""

import math

from .ln import ln

LN2 = 0.6931471805599453
BINS = 4096
GRID = 256
LOCAL_FROM = 2**30  # from this m on the 32-bit halves of the hash are felt


def round_half_up(x):
    """Half away from zero, for x >= 0."""
    whole = math.floor(x)
    return whole + (x - whole >= 0.5)


def best_k(m, n):
    return min(30, max(1, round_half_up((m / n) * LN2)))


def geometry(n, fpr):
    m = math.ceil((-n * ln(fpr)) / (LN2 * LN2))
    return m, best_k(m, n)


def geometry_of_bits(n, bits_per_key):
    m = max(1, math.ceil(n * bits_per_key))
    return m, best_k(m, n)


def repeats(m, k):
    """(d, probability) for every d < k that a key's number of distinct indexes may be."""
    phi = lambda d: sum(1 for x in range(1, d + 1) if math.gcd(x, d) == 1)
    return [(d, phi(d) / m) for d in range(1, k) if m % d == 0]


def expected_fill(m, k, n):
    few = repeats(m, k)
    distinct = sum(p * d for d, p in few) + (1 - sum(p for _, p in few)) * k
    if distinct >= m:
        return 1.0 if n > 0 else 0.0
    return 1 - math.exp(n * math.log1p(-distinct / m))


def exact_pairs(m, k, bits):
    """How many of the m^2 pairs of residues a filter of m <= 1024 bits contains."""
    on = [bits[i // 8] >> i % 8 & 1 for i in range(m)]
    return sum(all(on[(a + i * b) % m] for i in range(k)) for a in range(m) for b in range(m))


def predicted_from_bits_set(m, k, s):
    if s == 0 or s == m:
        return s / m
    if m >= LOCAL_FROM:
        return local_rate(m, k, local_count(m, k, s))
    f = s / m
    n = -(m / k) * math.log1p(-f)

    def all_set(d):
        product = 1.0
        for i in range(d):
            product *= max(0, s - i) / (m - i)
        return product

    few = repeats(m, k)
    w = sum(p for _, p in few)
    rate = sum(p * all_set(d) for d, p in few)
    rate += (1 - w) * all_set(min(k, m))
    rate += (1 - w) * 2 * n / (m * m) * sum(f ** abs(j) - f**k for j in range(-(k - 1), k))
    return min(1.0, rate)


def predicted_from_plan(m, k, n):
    if m >= LOCAL_FROM:
        return local_rate(m, k, n)
    return predicted_from_bits_set(m, k, round_half_up(m * expected_fill(m, k, n)))


def estimated_count(m, k, s):
    """Unrounded; None when saturated."""
    if s == m:
        return None
    if m >= LOCAL_FROM:
        return local_count(m, k, s)
    return -(m / k) * math.log1p(-s / m)


# m >= 2^30: the density of index i is that of (U + i*V) * R wrapped around 1.
def ramp(i, t):
    if i == 0:
        return 1.0 if 0 <= t < 1 else 0.0
    if t < 1:
        return t / i
    if t < i:
        return 1 / i
    return (i + 1 - t) / i if t < i + 1 else 0.0


densities = {}


def density(m, k):
    if (m, k) not in densities:
        r = 2**32 / m
        span = min(1.0, k * r)
        table = []
        for j in range(BINS):
            x = span * (j + 0.5) / BINS
            total = 0.0
            for i in range(k):
                w = 0
                while (x + w) / r < i + 1:
                    total += ramp(i, (x + w) / r) / r
                    w += 1
            table.append(total)
        densities[m, k] = table
    return densities[m, k]


def local_fills(m, k, n):
    return [-math.expm1(-(n / m) * d) for d in density(m, k)]


def local_mean(m, k, n):
    return min(1.0, k * 2**32 / m) * sum(local_fills(m, k, n)) / BINS


def local_count(m, k, s):
    low, high = 0.0, 64.0 * m
    if s == 0:
        return low
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break  # further steps change nothing
        if local_mean(m, k, middle) < s / m:
            low = middle
        else:
            high = middle
    return high


def local_rate(m, k, n):
    fills = local_fills(m, k, n)
    fills.append(fills[-1])  # where rounding leads one bin too far
    r = 2**32 / m
    span = min(1.0, k * r)
    total = 0.0
    for a in range(GRID):
        u = (a + 0.5) / GRID
        for b in range(GRID):
            v = (b + 0.5) / GRID
            product = 1.0
            for i in range(k):
                product *= fills[int((u + i * v) * r % 1.0 * BINS / span)]
            total += product
    return total / (GRID * GRID)


def wilson(c, n):
    z = 1.959963984540054
    p = c / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return (0.0 if c == 0 else centre - half), (1.0 if c == n else centre + half)
