"""The classic filter of spec/classic.md, and the recipe of classic.json."""

import hashlib

from .hashes import HASHES, fnv1a64, hex64, splitmix64
from .sizing import geometry

HASHED_KEYS = [b"", b"a", b"foobar", b"key0", b"key999", "søren".encode(), bytes(range(256)), b"\0", b"\0\0", b"x" * 1000]
MIXED = [0, 1, 0xDEADBEEF, 2**64 - 1]
SIZED = [(1, 0.5), (4, 0.05), (1000, 0.1), (1000, 0.01), (1000, 0.001), (10000, 0.01), (1000000, 0.01), (1000000, 0.05),
         (100000000, 0.001), (1000, 1e-12)]  # fmt: skip
FILTERS = [(1, 0.01), (4, 0.05), (100, 0.05), (1000, 0.01), (10000, 0.001)]


class Classic:
    def __init__(self, m, k, hash_name="fnv_splitmix", seed=None):
        self.m, self.k, self.seed = m, k, seed
        self.hash = HASHES[hash_name][1]
        self.bits = bytearray((m + 7) // 8)

    def indexes(self, key):
        h = self.hash(key, self.seed)
        h1, h2 = h & 0xFFFFFFFF, h >> 32
        return [(h1 + i * h2) % self.m for i in range(self.k)]

    def add(self, key):
        for i in self.indexes(key):
            self.bits[i // 8] |= 1 << i % 8

    def contains(self, key):
        return all(self.bits[i // 8] >> i % 8 & 1 for i in self.indexes(key))

    def bits_set(self):
        return int.from_bytes(self.bits, "little").bit_count()

    def raw_file(self):
        return raw_file(self.k, self.m, self.bits)


def raw_file(k, m, bits):
    return k.to_bytes(4, "little") + m.to_bytes(8, "little") + bytes(bits)


def numbered(word, count):
    return [b"%s%d" % (word, i) for i in range(count)]


def hash_row(key):
    fnv = fnv1a64(key)
    mix = hex64(splitmix64(fnv))
    return {"key_hex": key.hex(), "fnv1a64": hex64(fnv), "mix64": mix, "h1": mix[8:], "h2": mix[:8]}


def sizing_row(n, fpr):
    m, k = geometry(n, fpr)
    return {"n": n, "fpr": fpr, "m": m, "k": k}


def filter_row(n, fpr):
    m, k = geometry(n, fpr)
    built = Classic(m, k)
    for key in numbered(b"key", n):
        built.add(key)
    data = built.raw_file()
    row = {"n": n, "fpr": fpr, "keys": "key{i}", "m": m, "k": k, "bytes": len(data)}
    row["sha256"] = hashlib.sha256(data).hexdigest()
    row["bits_set"] = built.bits_set()
    if len(data) <= 100:
        row["hex"] = data.hex()
    maybe = [key.decode() for key in numbered(b"miss", 1000) if built.contains(key)]
    row["absent_that_answer_maybe"] = maybe[:20]
    row["maybe_count_of_1000_misses"] = len(maybe)
    return row


def invalid_rows(one_key, four_keys):
    """Damaged copies of two files: that of 1 key (k = 7, m = 10) and that of 4 keys (k = 4, m = 25)."""
    bits = one_key[12:]
    padded = bytearray(four_keys)
    padded[-1] |= 0x80
    rows = [
        (b"", "empty"),
        (one_key[:11], "shorter than the 12-byte header"),
        (one_key[:-1], "body shorter than ceil(m/8)"),
        (one_key + b"\0", "trailing byte"),
        (raw_file(0, 10, bits), "k = 0"),
        (raw_file(31, 10, bits), "k > 30"),
        (raw_file(7, 0, b""), "m = 0"),
        (raw_file(7, 2**64 - 1, bits), "m = 2^64-1: must be refused before any allocation"),
        (padded, "padding bit above m is set"),
    ]
    return [{"hex": data.hex(), "why": why} for data, why in rows]


def make():
    filters = [filter_row(n, fpr) for n, fpr in FILTERS]
    return {
        "_comment": "Golden data of the classic format. keys as hex; 'keys': 'key{i}' for i in 0..n-1, ASCII decimal. All "
        "integers are exact; hashes are hex of u64.",
        "hash": [hash_row(key) for key in HASHED_KEYS],
        "splitmix64": [{"x": hex64(x), "y": hex64(splitmix64(x))} for x in MIXED],
        "sizing": [sizing_row(n, fpr) for n, fpr in SIZED],
        "filters": filters,
        "invalid": invalid_rows(bytes.fromhex(filters[0]["hex"]), bytes.fromhex(filters[1]["hex"])),
    }
