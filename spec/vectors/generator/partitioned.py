"""The partitioned layout and its sizing, and the recipe of partitioned.json."""

import math

import xxhash

from .blocked import stream
from .hashes import hex64, splitmix64

SALTS = [splitmix64(i) | 1 for i in range(30)]
HASHED = [0, 1, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 2**64 - 1, 2**63, 2**32 - 1]
SLICES = [1, 7, 1000, 2**33, 2**58]
PAYLOADS = [(1, 10, 7), (100, 137, 7), (10000, 13695, 7), (10000, 14000, 10), (50, 3, 30)]  # keys, slice_bits, k
SIZED = [(n, p) for n in (1, 2, 10, 1000, 123456, 10**7, 10**10) for p in (0.5, 0.1, 0.01, 0.001, 1e-6, 1e-9)]


def positions(h, slice_bits, k):
    return [i * slice_bits + ((h * SALTS[i] % 2**64) * slice_bits >> 64) for i in range(k)]


def payload(count, slice_bits, k):
    data = bytearray((slice_bits * k + 7) // 8)
    for h in stream(count):
        for p in positions(h, slice_bits, k):
            data[p >> 3] |= 1 << (p & 7)
    return data


def digest(data):
    return {"bytes": len(data), "xxh3": hex64(xxhash.xxh3_64_intdigest(bytes(data)))}


def rate(n, slice_bits, k):
    fill = 1.0 if slice_bits == 1 else -math.expm1(n * math.log1p(-1 / slice_bits))
    return math.pow(fill, k)


def geometry(n, fpr):
    """The k with the fewest bits, the lowest of those, and the smallest slice that meets the rate."""
    best = None
    for k in range(1, 31):
        low, high = 1, 2**58 if best is None else (best[0] * best[1] - 1) // k
        if high < 1 or rate(n, high, k) > fpr:
            continue
        while low < high:
            middle = low + (high - low) // 2
            low, high = (low, middle) if rate(n, middle, k) <= fpr else (middle + 1, high)
        best = (high, k)
    return {"n": n, "fpr": fpr, "slice_bits": best[0], "k": best[1]}


def make():
    return {
        "_comment": "Golden data of the partitioned layout, over 64-bit hashes (hex). positions are bit numbers of the filter, "
        "for k = 30. 'stream' is [first, count]: splitmix64(first + i) for i in 0..count-1.",
        "positions": [
            {"hash": hex64(h), "slice_bits": s, "positions": [str(p) for p in positions(h, s, 30)]} for h in HASHED for s in SLICES
        ],
        "payloads": [
            {"stream": [1, count], "slice_bits": s, "k": k, **digest(payload(count, s, k))} for count, s, k in PAYLOADS
        ],
        "example": {"stream": [1, 3], "slice_bits": 10, "k": 7, "hex": payload(3, 10, 7).hex()},
        "sizing": [geometry(n, p) for n, p in SIZED],
    }
