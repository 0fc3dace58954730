"""The iblt and its strata estimator (spec/iblt.md), and the recipe of iblt.json."""

import pathlib
import re

import xxhash

from .classic import numbered
from .envelope import MAGIC, UNKNOWN, put, sign
from .hashes import HASHES, MASK, SECRETS, hex64, secret_id, splitmix64

STEP = 0x9E3779B97F4A7C15
WORDS = ("cells", "key_bytes", "value_bytes", "variable", "strata")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "iblt.md"
SIZED = [0, 1, 2, 3, 7, 9, 10, 11, 12, 100, 101, 129, 131, 999, 1000, 1001, 1299, 5000, 24_999, 25_000, 25_001, 10**6, 10**9, 2**38]
BAD_GEOMETRY = [("cells", (0, 8, 0, 0, 0)), ("cells", (6, 8, 0, 0, 0)), ("cells", (2**40 + 4, 8, 0, 0, 0)), ("cells", (2**64 - 4, 8, 0, 0, 0)),
                ("key_bytes", (4, 0, 0, 0, 0)), ("key_bytes", (4, 65, 0, 0, 0)), ("key_bytes", (4, 1, 0, 1, 0)), ("key_bytes", (4, 2**32 + 8, 0, 0, 0)),
                ("value_bytes", (4, 8, 65, 0, 0)), ("variable", (4, 8, 0, 2, 0)), ("strata", (4, 8, 0, 0, 65)), ("strata", (4, 16, 0, 0, 1)),
                ("strata", (4, 8, 1, 0, 1)), ("strata", (4, 8, 0, 1, 1))]  # fmt: skip


def places(h, cells):
    part = cells // 4
    return [i * part + (splitmix64((h + (i + 1) * STEP) & MASK) * part >> 64) for i in range(4)], splitmix64(h)


class Iblt:
    def __init__(self, geometry, hash_name="xxh3", seed=0):
        self.geometry, self.hash_name, self.seed = geometry, hash_name, seed
        self.cells, self.key_bytes, self.value_bytes, self.variable, _ = geometry
        self.table = [(0, 0, 0)] * self.cells  # count, sum of checksums, xor of items as a number
        self.items = 0

    def item(self, key, value):
        stored = (bytes([len(key)]) + key).ljust(self.key_bytes, b"\0") if self.variable else key
        assert len(stored) == self.key_bytes and len(value) == self.value_bytes
        return stored + value

    def hashed(self, item):
        return places(HASHES[self.hash_name][1](item, self.seed), self.cells)

    def put(self, item, sign):
        where, check = self.hashed(item)
        for cell in where:
            self.put_in(cell, item, sign, check)

    def put_in(self, cell, item, sign, check):
        count, checks, items = self.table[cell]
        self.table[cell] = ((count + sign) % 2**32, (checks + sign * check) & MASK, items ^ int.from_bytes(item, "little"))

    def add(self, key, value=b""):
        self.put(self.item(key, value), 1)
        self.items += 1

    def remove(self, key, value=b""):
        self.put(self.item(key, value), -1)
        self.items -= 1

    def subtract(self, other):
        pairs = zip(self.table, other.table)
        self.table = [((a[0] - b[0]) % 2**32, (a[1] - b[1]) & MASK, a[2] ^ b[2]) for a, b in pairs]
        self.items = UNKNOWN

    def payload(self):
        width = self.key_bytes + self.value_bytes
        return b"".join(count.to_bytes(4, "little") + checks.to_bytes(8, "little") + items.to_bytes(width, "little") for count, checks, items in self.table)

    def key_of(self, item):
        """The key of an item; None of bytes that are none."""
        key = item[: self.key_bytes]
        if not self.variable:
            return key
        if key[0] >= self.key_bytes or any(key[1 + key[0] :]):
            return None
        return key[1 : 1 + key[0]]

    def pure(self, cell):
        """The item of a cell and its sign, or None."""
        count, checks, items = self.table[cell]
        if count not in (1, 2**32 - 1):
            return None
        item, sign = items.to_bytes(self.key_bytes + self.value_bytes, "little"), 1 if count == 1 else -1
        where, check = self.hashed(item)
        good = self.key_of(item) is not None and cell in where and checks == sign * check & MASK
        return (item, sign) if good else None

    def list(self):
        """{item: sign} and whether that is all; leaves what is left."""
        listed, again = {}, True
        while again:
            again = False
            for cell in range(self.cells):
                found = self.pure(cell)
                if found is None:
                    continue
                assert found[0] not in listed, "only of bytes that no adding makes"
                listed[found[0]] = found[1]
                self.put(found[0], -found[1])
                again = True
        return listed, not any(any(cell) for cell in self.table)


def envelope(geometry, payload, hash_name, seed, items):
    data = bytearray(MAGIC + bytes(120)) + payload
    stored = secret_id(seed) if hash_name.startswith("siphash") else seed
    values = {"version": 1, "kind": 12, "hash": HASHES[hash_name][0], "seed": stored, "count": items, "offset": 128, "length": len(payload)}
    values |= {f"word{i}": word for i, word in enumerate(geometry)}
    for field, value in values.items():
        put(data, field, value)
    sign(data)
    return bytes(data)


def shown(data):
    return {"bytes": len(data)} | ({"hex": data.hex()} if len(data) <= 1000 else {"xxh3": hex64(xxhash.xxh3_64_intdigest(data))})


def file_row(name, geometry, added, removed=(), hash_name="xxh3", seed=0):
    """added and removed: keys, or (key, value)."""
    table = Iblt(geometry, hash_name, seed)
    pairs = [[pair if isinstance(pair, tuple) else (pair, b"") for pair in side] for side in (added, removed)]
    for key, value in pairs[0]:
        table.add(key, value)
    for key, value in pairs[1]:
        table.remove(key, value)
    data = envelope(geometry, table.payload(), hash_name, seed, table.items if table.items >= 0 else UNKNOWN)
    listed, complete = table.list()
    keyed = hash_name.startswith("siphash")
    row = {"name": name} | dict(zip(WORDS, geometry)) | {"hash": hash_name, "seed": None if keyed else hex64(seed), "secret": seed.hex() if keyed else None}
    row |= {"added": [[key.hex(), value.hex()] for key, value in pairs[0]], "removed": [[key.hex(), value.hex()] for key, value in pairs[1]]}
    found = sorted([table.key_of(item).hex(), item[table.key_bytes :].hex(), sign] for item, sign in listed.items())
    return row | {"listed": found, "complete": complete} | shown(data)


def file_rows():
    ten = numbered(b"key", 10)
    eight = [splitmix64(i).to_bytes(8, "little") for i in range(40)]
    yield file_row("nothing", (4, 1, 0, 0, 0), [])
    yield file_row("one key, four cells", (4, 8, 0, 0, 0), eight[:1])
    yield file_row("ten keys of fixed width", (64, 8, 0, 0, 0), eight[:10])
    yield file_row("more removed than added", (40, 8, 0, 0, 0), eight[:2], eight[2:5])
    yield file_row("keys of any length", (64, 16, 0, 1, 0), ten)
    yield file_row("the empty key, NUL, and the longest there can be", (40, 64, 0, 1, 0), [b"", b"\0", b"\0\0", b"z" * 63])
    yield file_row("keys and values", (40, 4, 3, 0, 0), [(b"key%d" % i, b"%03d" % i) for i in range(3)])
    yield file_row("a key with two values", (40, 4, 3, 0, 0), [(b"key1", b"old")], [(b"key1", b"new")])
    yield file_row("widest items", (24, 64, 64, 0, 0), [(bytes(range(64)), bytes(range(64, 128)))])
    yield file_row("added twice", (40, 8, 0, 0, 0), eight[:1] * 2 + eight[1:2])
    yield file_row("too many for its cells", (16, 8, 0, 0, 0), eight)
    yield file_row("twenty keys of 32 bytes", (92, 32, 0, 1, 0), numbered(b"k", 20))
    for name, seed in (("fnv_splitmix", 0), ("xxh3", MASK), ("xxh64", 1), ("siphash13", SECRETS[0]), ("siphash24", SECRETS[1])):
        yield file_row(name, (28, 8, 0, 0, 0), eight[:2], hash_name=name, seed=seed)


def circle_row():
    """One cell says that a key is there, the others of that key are empty."""
    geometry, key = (16, 8, 0, 0, 0), (7).to_bytes(8, "little")
    table = Iblt(geometry)
    where, check = table.hashed(key)
    table.put_in(where[0], key, 1, check)
    return {"name": "goes round in circles"} | dict(zip(WORDS, geometry)) | {"payload": table.payload().hex(), "most_listed": 1}


def stratum_of(h, strata):
    return min((h & -h).bit_length() - 1 if h else 64, strata - 1)


def estimator_row(keys, geometry=(128, 8, 0, 0, 8)):
    strata = [Iblt((*geometry[:4], 0)) for _ in range(geometry[4])]
    for key in keys:
        h = HASHES["xxh3"][1](key, 0)
        strata[stratum_of(h, len(strata))].add(h.to_bytes(8, "little"))
    data = envelope(geometry, b"".join(table.payload() for table in strata), "xxh3", 0, len(keys))
    return dict(zip(WORDS, geometry)) | {"keys": len(keys), "in_strata": [table.items for table in strata]} | shown(data)


def page_rows():
    """The table of the page, so that page and code cannot part."""
    rows = re.findall(r"^\| (\d+) \| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    return [(int(d), int(cells)) for d, cells in rows]


def cells_for(d, rows):
    d = max(d, 1)
    if d in dict(rows):
        return dict(rows)[d]
    before = max(row for row in rows if row[0] < d)
    after = [row[1] for row in rows if row[0] > d]
    cells = min([d * before[1] // before[0] + 1, *after])
    return -(-cells // 4) * 4


def make():
    rows = page_rows()
    assert len(rows) > 30 and all(a[0] < b[0] and a[1] < b[1] for a, b in zip(rows, rows[1:]))
    sizing = [{"differences": d, "cells": cells_for(d, rows)} for d in sorted({*SIZED, *(d for d, _ in rows)})]
    return {
        "_comment": "Golden data of iblt.md. places: the four cells of a 64-bit hash (hex), and its checksum. files: a table to which the "
        "items 'added' (key, value; hex) were added, and from which those 'removed' were removed, as a file, in hex or as its XXH3-64 with seed 0; "
        "'listed' is what it lists (key, value, sign), in order, and 'complete' whether that is all. hostile: a payload that no adding "
        "makes; at most most_listed items may come of it, and it is not complete. estimators: files of strata estimators of the keys "
        "key0, key1, ..; in_strata: how many of them each stratum has. sizing: cells for so many differences, by the table of the "
        "page. bad_geometry: words that are refused, and the field that is to blame.",
        "places": [{"hash": hex64(h), "cells": cells, "places": places(h, cells)[0], "check": hex64(places(h, cells)[1])}
                   for h in (0, 1, MASK, splitmix64(1), splitmix64(2)) for cells in (4, 8, 64, 1372, 2**20, 2**40)],  # fmt: skip
        "files": list(file_rows()),
        "hostile": [circle_row()],
        "estimators": [estimator_row([]), estimator_row(numbered(b"key", 1000)), estimator_row(numbered(b"key", 3), (8, 8, 0, 0, 2))],
        "sizing": sizing,
        "bad_geometry": [{"field": field} | dict(zip(WORDS, words)) for field, words in BAD_GEOMETRY],
    }
