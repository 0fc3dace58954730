"""The filters of spec/leveldb.md, and the recipe of leveldb.json."""

from . import block_sizing, sizing
from .blocked import block_block, block_positions, split_block, split_positions
from .classic import Classic, numbered
from .hashes import HASHES

TAGS = {"classic": 0x11, "split": 0x12, "block": 0x13}
RATES = {"classic": [0.01, 0.0001], "split": [0.01, 0.001], "block": [0.01, 1e-6]}
COUNTS = [0, 1, 2, 19, 20, 33, 100, 1500]
ABSENT = 50


def classic_geometry(n, fpr):
    m, k = sizing.geometry(n, fpr)
    most, step = fpr * (0.8 if n < 20 else 0.95 if n < 1000 else 1), 1 + m // 1024
    while sizing.predicted_from_plan(m, k, n) > most:
        m += step
    return m, k


def bit_places(kind, n, fpr):
    """The bytes of the payload, the shape, and a function from key to the numbers of its bits."""
    if kind == "classic":
        m, k = classic_geometry(n, fpr)
        size = (m + 7) // 8
        return size, k + 32 * (8 * size - m), Classic(m, k).indexes
    if kind == "split":
        blocks = block_sizing.split_geometry(n, fpr)
        split_hash = lambda key: HASHES["xxh64"][1](key, 0)
        return 32 * blocks, 8, lambda key: [256 * split_block(split_hash(key), blocks) + p for p in split_positions(split_hash(key))]
    blocks, _ = block_sizing.geometry(n, fpr)
    k, block_hash = block_sizing.best_k(n, blocks), lambda key: HASHES["xxh3"][1](key, 0)
    return 64 * blocks, k, lambda key: [512 * block_block(block_hash(key), blocks) + p for p in block_positions(block_hash(key), k)]


def filter_row(kind, fpr, count):
    size, shape, places = bit_places(kind, max(1, count), fpr)
    data = bytearray(size)
    for key in numbered(b"key", count):
        for p in places(key):
            data[p >> 3] |= 1 << (p & 7)
    maybe = lambda key: all(data[p >> 3] >> (p & 7) & 1 for p in places(key))
    maybes = [key.decode() for key in numbered(b"miss", ABSENT) if maybe(key)]
    return {"kind": kind, "fpr": fpr, "keys": count, "maybes": maybes, "hex": data.hex() + f"{shape:02x}{TAGS[kind]:02x}"}


def unreadable(kind):
    """Bytes that answer "maybe" to every key: why, and the bytes. Their bits are all 0, so that a filter would deny."""
    size = {"classic": 10, "split": 32, "block": 64}[kind]
    shape = {"classic": 7, "split": 8, "block": 6}[kind]
    tail = lambda shape, tag=TAGS[kind]: bytes([shape, tag])
    yield "no bytes", b""
    yield "one byte", bytes(1)
    yield "a trailer alone", tail(shape)
    yield "the tag of another version", bytes(size) + tail(shape, TAGS[kind] + 16)
    yield "the tag of another kind", bytes(size) + tail(shape, 0x11 if kind != "classic" else 0x12)
    yield "a shape of 0", bytes(size) + tail(0)
    if kind == "classic":
        yield "k = 31", bytes(size) + tail(31)
    else:
        yield "a shape that is too large", bytes(size) + tail(17)
        yield "a byte too many", bytes(size + 1) + tail(shape)
        yield "a byte too few", bytes(size - 1) + tail(shape)


def make():
    return {
        "_comment": "Filters as they stand in a LevelDB table (leveldb.md): of the keys key0 .. key(keys-1) at that rate, and which of "
        "miss0 .. miss49 they take for present. maybe: bytes to which the policy of that kind answers 'maybe', whatever the key.",
        "filters": [filter_row(kind, fpr, n) for kind, rates in RATES.items() for fpr in rates for n in COUNTS],
        "maybe": [{"kind": kind, "why": why, "hex": data.hex()} for kind in TAGS for why, data in unreadable(kind)],
    }
