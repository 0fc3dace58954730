"""The counting filter of spec/counting.md, and the recipe of counting.json."""

import xxhash

from .hashes import hex64, splitmix64
from .sizing import geometry, geometry_of_bits
from .sizing_rows import is_safe

SIZED = [(n, fpr, bits) for bits in (4, 32) for n in (1, 2, 10, 100, 1000, 12345, 10**6, 10**8) for fpr in (0.1, 0.01, 0.001)]
BITS_PER_KEY = [(1000, 16.0, 4), (1000, 40.0, 4), (12345, 35.0, 4), (10**6, 320.0, 32), (1, 0.5, 4), (7, 64.0, 32)]
# m, k, bits of a counter, keys added, of which so many are removed again
STREAMS = [(1, 1, 4, 1, 0), (1, 30, 32, 5, 2), (25, 4, 4, 4, 1), (25, 4, 32, 4, 4), (96, 7, 4, 10, 3), (9586, 7, 4, 1000, 400),
           (9586, 7, 32, 1000, 400), (9587, 7, 4, 3000, 3000), (64, 30, 4, 40, 20), (64, 30, 32, 40, 20)]  # fmt: skip
INDEXED = [(1, 3), (6, 7), (64, 30), (9586, 7), (2**33 + 1, 5)]  # m, k
HASHED = [0, 1, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 2**64 - 1, 2**63, 2**32 - 1]


def indexes(h, m, k):
    """Those of classic, each once."""
    h1, h2 = h % 2**32, h >> 32
    return set((h1 + i * h2) % m for i in range(k))


class Counting:
    def __init__(self, m, k, counter_bits):
        self.m, self.k, self.counter_bits = m, k, counter_bits
        self.most = 2**counter_bits - 1
        self.counters = [0] * m

    def indexes(self, h):
        return indexes(h, self.m, self.k)

    def count(self, h):
        return min(self.counters[i] for i in self.indexes(h))

    def change(self, h, by):
        for i in self.indexes(h):
            if self.counters[i] != self.most:
                self.counters[i] += by

    def add(self, h):
        fresh = self.count(h) == 0
        self.change(h, 1)
        return fresh

    def remove(self, h):
        if self.count(h) == 0:
            return False
        self.change(h, -1)
        return True

    def combined(self, other, rule):
        out = Counting(self.m, self.k, self.counter_bits)
        out.counters = [min(self.most, rule(a, b)) for a, b in zip(self.counters, other.counters)]
        return out

    def payload(self):
        if self.counter_bits == 32:
            return b"".join(c.to_bytes(4, "little") for c in self.counters)
        pairs = zip(self.counters[::2], self.counters[1::2] + [0] * (self.m % 2))
        return bytes(low | high << 4 for low, high in pairs)

    def classic_bits(self):
        return sum(1 << i for i, c in enumerate(self.counters) if c).to_bytes((self.m + 7) // 8, "little")

    def shown(self):
        data = self.payload()
        row = {"bytes": len(data), "xxh3": hex64(xxhash.xxh3_64_intdigest(data)), "counters_set": self.m - self.counters.count(0)}
        return {**row, "hex": data.hex()} if len(data) <= 300 else row

    def words(self):
        return {"m": self.m, "k": self.k, "counter_bits": self.counter_bits}


def stream(first, count):
    return [splitmix64(first + i) for i in range(count)]


def of_stream(m, k, bits, first, count):
    filter = Counting(m, k, bits)
    for h in stream(first, count):
        filter.add(h)
    return filter


def sizing_row(n, fpr, bits):
    m, k = geometry(n, fpr)
    assert is_safe(n, fpr, m, k)
    return {"n": n, "fpr": fpr, "counter_bits": bits, "m": m, "k": k, "bytes": (m * bits + 7) // 8}


def bits_row(n, bits_per_key, bits):
    m, k = geometry_of_bits(n, bits_per_key / bits)
    return {"n": n, "bits_per_key": bits_per_key, "counter_bits": bits, "m": m, "k": k}


def indexes_row(h, m, k):
    return {"hash": hex64(h), "m": m, "k": k, "counters": sorted(indexes(h, m, k))}


def stream_row(m, k, bits, added, removed):
    filter = of_stream(m, k, bits, 1, added)
    assert all(filter.remove(h) for h in stream(1, removed))
    row = {**filter.words(), "added": [1, added], "removed": [1, removed], **filter.shown()}
    row["counts"] = [filter.count(h) for h in stream(1, 8)]
    return {**row, "classic_xxh3": hex64(xxhash.xxh3_64_intdigest(filter.classic_bits()))}


def program_row(m, k, bits, steps):
    """steps: (what, hash, times). Each answer is that of the last time."""
    filter, shown = Counting(m, k, bits), []
    for what, h, times in steps:
        for _ in range(times):
            answer = filter.add(h) if what == "add" else filter.remove(h)
        shown.append({"do": what, "hash": hex64(h), "times": times, "answer": answer, "count": filter.count(h)})
    return {**filter.words(), "steps": shown, **filter.shown()}


def program_rows():
    a, b, still = 0x0123456789ABCDEF, 0xFEDCBA9876543210, 5 << 32 | 3  # still: with m = 5 its indexes are all 3
    yield program_row(25, 4, 4, [("add", a, 3), ("add", b, 1), ("remove", a, 2), ("remove", a, 1), ("remove", a, 1)])
    yield program_row(25, 4, 4, [("add", a, 14), ("remove", a, 14), ("add", a, 15), ("remove", a, 20), ("add", b, 16)])
    yield program_row(25, 4, 32, [("add", a, 20), ("remove", a, 19), ("remove", a, 1), ("remove", a, 1)])
    for bits in (4, 32):
        yield program_row(5, 7, bits, [("add", still, 2), ("remove", still, 1), ("remove", still, 2), ("remove", a, 1)])


def combined_rows():
    for m, k, bits, mine, theirs in [(96, 7, 4, 20, 15), (97, 7, 4, 120, 90), (33, 5, 32, 20, 15)]:
        one, other = of_stream(m, k, bits, 1, mine), of_stream(m, k, bits, 11, theirs)
        row = {**one.words(), "mine": [1, mine], "theirs": [11, theirs]}
        row["merged_hex"] = one.combined(other, lambda a, b: a + b).payload().hex()
        yield {**row, "intersected_hex": one.combined(other, min).payload().hex()}


INVALID = [
    ((0, 4, 4), "", "m = 0"),
    ((2**63, 4, 4), "00", "m above 2^58: must be refused before any allocation"),
    ((2**62, 4, 32), "00", "m above 2^58: 4 * m bytes would wrap to 0"),
    ((2, 0, 4), "00", "k = 0"),
    ((2, 31, 4), "00", "k > 30"),
    ((2, 4, 0), "00", "counters of no bits"),
    ((2, 4, 5), "0000", "counters of neither 4 nor 32 bits"),
    ((2, 4, 2**32 + 4), "00", "the width is a 64-bit number"),
    ((3, 4, 4), "00", "payload too short"),
    ((3, 4, 4), "000000", "payload too long"),
    ((3, 4, 4), "1111", "half a byte after the last counter is not 0"),
    ((3, 4, 32), "0000", "payload of another width"),
]


def make():
    return {
        "_comment": "Golden data of the counting filter, over 64-bit hashes (hex). 'sizing', 'bits_per_key': m and k of classic. "
        "'indexes': the counters of a hash, each once. 'streams': stream [first, n] is splitmix64(first + i) for i in 0..n-1, as "
        "in classic.json; those of 'added' are added, then those of 'removed' removed; counts: of the first 8 hashes; xxh3: "
        "XXH3-64, seed 0, of the payload; classic_xxh3: of the bits of the classic filter that to_classic makes. 'programs': "
        "steps in order, each done so many times; answer: what the last time returned (add: whether a counter was 0); count: "
        "after the step. 'combined': payloads of the sum and of the minimum. 'invalid': geometry words and a payload that are refused.",
        "sizing": [sizing_row(*row) for row in SIZED],
        "bits_per_key": [bits_row(*row) for row in BITS_PER_KEY],
        "indexes": [indexes_row(h, m, k) for h in HASHED for m, k in INDEXED],
        "streams": [stream_row(*row) for row in STREAMS],
        "programs": list(program_rows()),
        "combined": list(combined_rows()),
        "invalid": [{"words": list(words), "payload_hex": payload, "why": why} for words, payload, why in INVALID],
    }
