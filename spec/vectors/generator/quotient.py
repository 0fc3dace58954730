"""The quotient layout and its sizing, and the recipe of quotient.json."""

import decimal
import fractions

import xxhash

from .blocked import HASHED, stream
from .hashes import hex64

decimal.getcontext().prec = 60
MOST_BITS = 56
GEOMETRIES = [(1, 1), (1, 56), (5, 2), (6, 7), (7, 7), (8, 7), (9, 3), (10, 13), (13, 8), (14, 8), (15, 8), (20, 7), (21, 6),
              (32, 32), (48, 16), (56, 8)]  # fmt: skip
REFUSED = [(0, 7), (63, 1), (64, 1), (57, 1), (10, 0), (10, 57), (10, 64), (33, 32), (56, 9), (2**64 - 1, 1), (2**63, 2**63)]
# q, r, hashes of the stream, and how often each is added: 1 + (its number mod copies)
PAYLOADS = [(1, 1, 1, 1), (1, 56, 1, 1), (3, 5, 5, 2), (5, 2, 30, 1), (6, 7, 60, 1), (6, 7, 20, 3), (8, 9, 243, 1), (9, 1, 480, 1),
            (10, 13, 972, 1), (8, 56, 240, 1), (11, 6, 900, 3), (14, 8, 15564, 1), (16, 7, 30000, 1)]  # fmt: skip
SIZED = [(n, fpr) for n in (1, 2, 15, 16, 30, 31, 60, 61, 100, 243, 1000, 10**5, 996147, 996148, 10**6, 10**7, 10**9, 10**12)
         for fpr in (0.5, 0.01, 0.001, 1e-6)] + [(1, 1e-19), (1000, 1e-16), (10**15, 0.01)]  # fmt: skip
BITS_PER_KEY = [(1, 272.0), (1, 500.0), (100, 20.0), (1000, 12.5), (996147, 9.75), (996147, 10.5), (10**6, 17.5), (10**7, 100.0)]


def capacity(q):
    return 2**q * 19 // 20


def blocks(q):
    return 1 if q <= 5 else 2 ** (q - 6) + min(5, max(1, (q - 5) // 2))


def payload_bytes(q, r):
    return blocks(q) * (18 + 8 * r) + 8


def fingerprint(h, q, r):
    return h >> (64 - q - r)


def payload(q, r, fingerprints):
    """The bytes of these fingerprints: slot after slot is found from the sorted list, then written as one big number a field."""
    slots = 64 * blocks(q)
    occupied, ends, remainders, offsets = set(), set(), {}, []
    slot, last = -1, None
    behind = {}  # block -> the slot behind the runs of the quotients of that block
    for f in sorted(fingerprints):
        x, rem = f >> r, f % 2**r
        if x == last:
            ends.remove(slot)
            slot += 1
        else:
            slot = max(slot + 1, x)
        occupied.add(x)
        ends.add(slot)
        remainders[slot] = rem
        behind[x // 64] = slot + 1
        last = x
        assert slot < slots
    reach = 0
    for b in range(slots // 64):
        offsets.append(max(0, reach - 64 * b))
        reach = behind.get(b, reach)
    data = bytearray()
    for b in range(slots // 64):
        here = range(64 * b, 64 * b + 64)
        data += offsets[b].to_bytes(2, "little")
        data += sum(1 << s % 64 for s in here if s in occupied).to_bytes(8, "little")
        data += sum(1 << s % 64 for s in here if s in ends).to_bytes(8, "little")
        data += sum(remainders.get(s, 0) << s % 64 * r for s in here).to_bytes(8 * r, "little")
    data += len(fingerprints).to_bytes(8, "little")
    assert len(data) == payload_bytes(q, r) and len(fingerprints) <= capacity(q)
    return data


def added(q, r, count, copies):
    return [fingerprint(h, q, r) for i, h in enumerate(stream(count)) for _ in range(1 + i % copies)]


def rate(n, p):
    """1 - (1 - 2^-p)^n"""
    return 1 - (n * (1 - decimal.Decimal(2) ** -p).ln()).exp()


def sized(n, fpr):
    p = next(p for p in range(2, 65) if rate(n, p) <= decimal.Decimal(fpr))
    for near in (p - 1, p):  # the last digits of a logarithm decide nothing
        assert abs(rate(n, near) / decimal.Decimal(fpr) - 1) > decimal.Decimal("1e-9") or n == 1
    fitting = [(q, max(1, p - q)) for q in range(1, MOST_BITS + 1) if capacity(q) >= n and p - q <= MOST_BITS]
    return min((g for g in fitting if sum(g) <= 64), key=lambda g: (payload_bytes(*g), g[0]))


def sized_by_bits(n, bits):
    room = n * fractions.Fraction(bits)
    fitting = [(q, r) for q in range(1, MOST_BITS + 1) for r in range(1, MOST_BITS + 1)
               if capacity(q) >= n and q + r <= 64 and 8 * payload_bytes(q, r) <= room]  # fmt: skip
    return max(fitting, key=lambda g: (sum(g), -g[0]))


def digest(data):
    return {"bytes": len(data), "xxh3": hex64(xxhash.xxh3_64_intdigest(bytes(data)))}


def names(q, r):
    return {"quotient_bits": q, "remainder_bits": r}


def make():
    return {
        "_comment": "Golden data of quotient.md, over 64-bit hashes (hex). 'stream' is as in blocked.json; its i-th hash is "
        "added 1 + i mod copies times. 'sizing' and 'bits_per_key': the geometry for n keys; no row hangs on the last digits "
        "of a logarithm. 'refused': geometries that are none.",
        "fingerprints": [
            {"hash": hex64(h), **names(q, r), "quotient": fingerprint(h, q, r) >> r, "remainder": fingerprint(h, q, r) % 2**r}
            for h in HASHED
            for q, r in [(1, 1), (5, 2), (21, 6), (32, 32), (56, 8), (8, 56)]
        ],
        "geometry": [
            {**names(q, r), "capacity": capacity(q), "slots": 64 * blocks(q), "bytes": payload_bytes(q, r)} for q, r in GEOMETRIES
        ],
        "refused": [names(q, r) for q, r in REFUSED],
        "payloads": [
            {"stream": [1, count], "copies": copies, **names(q, r), **digest(payload(q, r, added(q, r, count, copies)))}
            for q, r, count, copies in PAYLOADS
        ],
        "example": {"stream": [1, 5], "copies": 2, **names(3, 5), "hex": payload(3, 5, added(3, 5, 5, 2)).hex()},
        "sizing": [{"n": n, "fpr": fpr, **names(*sized(n, fpr))} for n, fpr in SIZED],
        "bits_per_key": [{"n": n, "bits_per_key": bits, **names(*sized_by_bits(n, bits))} for n, bits in BITS_PER_KEY],
    }
