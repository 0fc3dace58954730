"""The recipe of kinds.json: a file of every kind, with and without records."""

import xxhash

from . import blocked, fuse, partitioned, quotient, ribbon
from .classic import numbered
from .counting import Counting
from .cuckoo import Cuckoo
from .envelope import MAGIC, put
from .hashes import HASHES, SECRETS, hex64, secret_id
from .records import encoded
from .scalable import Scalable
from .stable import Stable

NUMBERS = {"classic": 1, "split": 2, "block": 3, "counting": 4, "partitioned": 5, "scalable": 6, "stable": 7, "cuckoo": 8,
           "quotient": 9, "fuse": 10, "ribbon": 11}  # fmt: skip
PRESENT, MANY, ABSENT = 40, 2300, 100
RECORDS = {"label": "every kind", "created": 1_700_000_000, "keys": "text", "chunk_bytes": 4096}


def with_bits(places, size):
    """Payload and contains of a kind whose keys are bits: places(hash) are their numbers."""

    def build(hashes):
        data = bytearray(size)
        for h in hashes:
            for p in places(h):
                data[p >> 3] |= 1 << (p & 7)
        return bytes(data), lambda h: all(data[p >> 3] >> (p & 7) & 1 for p in places(h))

    return build


def added_to(filter, contains):
    """The same of a class of this package that takes hashes one by one."""

    def build(hashes):
        for h in hashes:
            assert filter.add(h) is not False or isinstance(filter, Counting)
        return bytes(filter.payload()), lambda h: contains(filter, h)

    return build


def quotient_of(q, r):
    def build(hashes):
        prints = [quotient.fingerprint(h, q, r) for h in hashes]
        return bytes(quotient.payload(q, r, prints)), lambda h: quotient.fingerprint(h, q, r) in prints

    return build


def ribbon_contains(words, data, h):
    if words[0] == 0:
        return False
    x, at = ribbon.place(h, words[3]), 0
    for layer in ribbon.layers_of(words):
        c = ribbon.splitmix64(x)
        if layer.starts:
            start = x * layer.starts >> 64
            code = data[at + start // 64] >> 2 * (start // ribbon.BUCKET % 4) & 3
            if start % ribbon.BUCKET >= ribbon.BUMPED_STARTS[code]:
                columns, window = layer.columns_at(start), at + layer.offset(start)
                sums = [sum((data[window + columns * g + i] & c >> 8 * g & 255).bit_count() for g in range(8)) & 1
                        for i in range(columns)]  # fmt: skip
                return sums == [ribbon.column_bit(ribbon.fingerprint(c), i) for i in range(columns)]
            at += layer.size()
        x = c
    return x.to_bytes(8, "little") in [data[at + 8 * i : at + 8 * i + 8] for i in range(words[7])]


def files(hashes):
    """(kind, words, payload, contains) of each kind, of these hashes."""

    def of(kind, words, build):
        payload, contains = build(hashes)
        return kind, words, payload, contains

    if len(hashes) > PRESENT:  # layers, and a cut
        words, payload = ribbon.build(hashes, 7, 18350)
        yield "ribbon", words, payload, lambda h: ribbon_contains(words, payload, h)
        return
    yield of("classic", [401, 7], with_bits(lambda h: [((h & 0xFFFFFFFF) + i * (h >> 32)) % 401 for i in range(7)], 51))
    yield of("split", [3], with_bits(lambda h: [256 * blocked.split_block(h, 3) + p for p in blocked.split_positions(h)], 96))
    yield of("block", [2, 6], with_bits(lambda h: [512 * blocked.block_block(h, 2) + p for p in blocked.block_positions(h, 6)], 128))
    for bits in (4, 32):
        yield of("counting", [201, 5, bits], added_to(Counting(201, 5, bits), lambda f, h: f.count(h) > 0))
    yield of("partitioned", [59, 7], with_bits(lambda h: partitioned.positions(h, 59, 7), 52))
    chain = Scalable(5, 0.01, 2)
    built = added_to(chain, lambda f, h: any(link.contains(h) for link in f.links))
    payload, contains = built(hashes)
    yield "scalable", chain.words(), payload, contains
    yield of("stable", [3, 5, 17], added_to(Stable(3, 5, 17), Stable.seen_recently))
    for bits in (8, 12, 16):
        holds = lambda f, h: any(f.places(h)[0] in f.table[bucket] for bucket in f.places(h)[1])  # noqa: E731
        yield of("cuckoo", [14, bits], added_to(Cuckoo(14, bits), holds))
    for q, r in ((6, 7), (7, 3)):
        yield of("quotient", [q, r], quotient_of(q, r))
    for arity, bits in ((3, 8), (4, 16)):
        geometry, payload, _, _ = fuse.build(hashes, arity, bits)
        yield "fuse", list(geometry.values()), payload, lambda h, g=geometry, p=payload: fuse.contains(h, g, p)
    for columns, low_share in ((7, 18350), (3, 0)):
        words, payload = ribbon.build(hashes, columns, low_share)
        yield "ribbon", words, payload, lambda h, w=words, p=payload: ribbon_contains(w, p, h)


def file_of(kind, words, payload, hash_name, seed_field, count, records):
    area = encoded(records, payload)
    offset = -(-(128 + len(area)) // 64) * 64
    data = bytearray(MAGIC + bytes(120)) + area + bytes(offset - 128 - len(area)) + payload
    values = {"version": 1, "kind": NUMBERS[kind], "hash": HASHES[hash_name][0], "seed": seed_field, "count": count}
    values |= {"offset": offset, "length": len(payload), "paysum": xxhash.xxh3_64_intdigest(payload)}
    values |= {f"word{i}": word for i, word in enumerate(words)}
    for field, value in values.items():
        put(data, field, value)
    put(data, "headsum", xxhash.xxh3_64_intdigest(bytes(data[:120] + data[128:offset])))
    return bytes(data)


def rows():
    present, absent = numbered(b"key", MANY), numbered(b"miss", ABSENT)
    cases = [("xxh3", 0, PRESENT, {}), ("siphash24", SECRETS[0], PRESENT, RECORDS), ("xxh64", 5, 0, {}), ("fnv_splitmix", None, MANY, {})]
    for hash_name, seed, count, records in cases:
        keyed = hash_name.startswith("siphash")

        def hash_of(key):
            return HASHES[hash_name][1](key, seed)

        for kind, words, payload, contains in files([hash_of(key) for key in present[:count]]):
            answers = [key.decode() for key in absent if contains(hash_of(key))]
            assert all(contains(hash_of(key)) for key in present[:count]) or kind == "stable"
            seed_field = secret_id(seed) if keyed else seed or 0
            data = file_of(kind, words, payload, hash_name, seed_field, count, records)
            yield {"kind": kind, "hash": hash_name, "seed": hex64(seed) if hash_name.startswith("xxh") else None, "secret": seed.hex() if keyed else None,
                   "words": words, "keys": count, "denied": [key.decode() for key in present[:count] if not contains(hash_of(key))],
                   "maybes": answers, **{"label": None, "created": None, "chunk_bytes": None, "key_type": None},
                   **({"key_type": records["keys"]} if records else {}),
                   **{name: value for name, value in records.items() if name != "keys"}, "hex": data.hex()}  # fmt: skip


def make():
    return {
        "_comment": "Golden files of every filter kind. Of each the keys key0 .. key(keys-1) were added in that order; denied are "
        "those of them that it denies (stable forgets), maybes those of miss0 .. miss99 that it takes for present. words are "
        "the geometry words. label, created, key_type (the record keys) and chunk_bytes: its records, null = none.",
        "files": list(rows()),
    }
