"""The recipe of blocked.json: places, payloads, sizes and files of split and block filters."""

from . import block_sizing
from .blocked import (
    BLOCK_NBLOCKS,
    BLOCK_PAYLOADS,
    HASHED,
    SPLIT_NBLOCKS,
    SPLIT_PAYLOADS,
    block_block,
    block_payload,
    block_positions,
    digest,
    payload,
    split_block,
    split_payload,
    split_positions,
)
from .classic import numbered
from .envelope import MAGIC, put, sign
from .hashes import HASHES, MASK, SECRETS, hex64, secret_id
from .sizing_rows import real

SIZED_N = [1, 2, 7, 63, 1000, 12345, 100003, 10**6, 3_000_000, 123_456_789, 10**9]
SPLIT_FPR = [0.5, 0.1, 0.01, 0.001, 1e-5]
BLOCK_FPR = [0.5, 0.01, 0.001, 1e-5, 6e-8]
# n, bits per key
BITS = [(1, 0.01), (1, 10.0), (1000, 9.5), (12345, 3.3), (10**6, 32.0), (10**9, 12.8)]
# kind, blocks, k, keys, hash, seed or secret, key count or None
FILES = [("split", 1, None, 5, "xxh64", 0, None), ("split", 3, None, 100, "xxh64", 7, None),
         ("split", 2, None, 40, "fnv_splitmix", None, None), ("split", 2, None, 40, "xxh3", MASK, None),
         ("split", 2, None, 40, "siphash13", SECRETS[0], None), ("split", 1, None, 0, "siphash24", SECRETS[1], None),
         ("block", 1, 1, 5, "xxh3", 0, None), ("block", 2, 16, 60, "xxh3", 0x0123456789ABCDEF, None),
         ("block", 3, 6, 100, "xxh64", 0, None), ("block", 2, 9, 30, "fnv_splitmix", None, None),
         ("block", 1, 7, 40, "siphash24", SECRETS[0], None), ("block", 1, 5, 9, "xxh3", 0, MASK)]  # fmt: skip
KINDS = {"split": 2, "block": 3}
# Kinds of the C++ library alone, by number.
OTHER_KINDS = {"counting": 4, "partitioned": 5, "scalable": 6, "stable": 7, "cuckoo": 8, "quotient": 9, "ribbon": 11, "iblt": 12}
BLOCK_BYTES = {"split": 32, "block": 64}


def places(kind, blocks, k, h):
    if kind == "split":
        return split_block(h, blocks), split_positions(h)
    return block_block(h, blocks), block_positions(h, k)


def file_of(kind, blocks, k, payload_bytes, hash_name, seed_field, key_count):
    data = bytearray(MAGIC + bytes(120)) + payload_bytes
    values = {"version": 1, "kind": KINDS[kind], "hash": HASHES[hash_name][0], "seed": seed_field, "count": key_count}
    values |= {"offset": 128, "length": len(payload_bytes), "word0": blocks, "word1": k or 0}
    for field, value in values.items():
        put(data, field, value)
    sign(data)
    return data


def file_row(kind, blocks, k, count, hash_name, seed, key_count):
    keyed = hash_name.startswith("siphash")
    seed_field = secret_id(seed) if keyed else seed or 0
    keys, size = numbered(b"key", count), BLOCK_BYTES[kind]

    def where(key):
        return places(kind, blocks, k, HASHES[hash_name][1](key, seed))

    built = payload(size, blocks, map(where, keys))

    def contains(key):
        block, positions = where(key)
        at = size * block
        return all(built[at + (p >> 3)] >> (p & 7) & 1 for p in positions)

    stored = count if key_count is None else key_count
    return {
        "kind": kind,
        "blocks": blocks,
        "k": k,
        "hash": hash_name,
        "seed": hex64(seed) if hash_name.startswith("xxh") else None,
        "secret": seed.hex() if keyed else None,
        "key_count": None if stored == MASK else stored,
        "keys": count,
        "maybes": [key.decode() for key in numbered(b"miss", 20) if contains(key)],
        "hex": file_of(kind, blocks, k, built, hash_name, seed_field, stored).hex(),
    }


def invalid_rows():
    """Files of right checksums that break a rule of their kind."""
    split = file_of("split", 2, None, bytes(64), "xxh64", 0, 0)
    block = file_of("block", 2, 6, bytes(128), "xxh3", 0, 0)
    edits = [("split of 0 blocks", split, {"word0": 0}, 0), ("split of 2^28 + 1 blocks", split, {"word0": 2**28 + 1}, 64)]
    edits += [("split of more blocks than the payload has", split, {"word0": 3}, 64), ("split with k", split, {"word1": 8}, 64)]
    edits += [("block of 0 blocks", block, {"word0": 0}, 0), ("block of 2^56 + 1 blocks", block, {"word0": 2**56 + 1}, 128)]
    edits += [("block of fewer blocks than the payload has", block, {"word0": 1}, 128), ("block with k = 0", block, {"word1": 0}, 128)]
    edits += [("block with k = 17", block, {"word1": 17}, 128), ("block with k = 2^32 + 6", block, {"word1": 2**32 + 6}, 128)]
    edits += [("block with a third word", block, {"word2": 1}, 128), ("block of 2^58 blocks, 2^64 bytes", block, {"word0": 2**58}, 0)]
    for why, good, fields, length in edits:
        data = bytearray(good[: 128 + length])
        for field, value in (fields | {"length": length}).items():
            put(data, field, value)
        sign(data)
        yield {"why": why, "hex": data.hex()}


def other_kinds():
    """A good file but for its kind, which Rust and Go refuse by name."""
    for name, number in OTHER_KINDS.items():
        data = file_of("block", 1, 6, bytes(64), "xxh3", 0, 0)
        put(data, "kind", number)
        sign(data)
        yield {"kind": name, "hex": data.hex()}


def block_row(n, fpr):
    blocks, k = block_sizing.geometry(n, fpr)
    return {"n": n, "fpr": fpr, "blocks": blocks, "k": k}


def bits_row(n, bits):
    blocks = block_sizing.blocks_for_bits(n, bits, 512)
    split = block_sizing.blocks_for_bits(n, bits, 256)
    k = block_sizing.best_k(n, blocks)
    return {"n": n, "bits_per_key": bits, "split_blocks": split if split <= 2**28 else None, "blocks": blocks, "k": k}


def split_payload_row(count, n):
    data = split_payload(count, n)
    rate = real(block_sizing.split_fpr_at_hand(data))
    return {"stream": [1, count], "nblocks": n, **digest(data), "predicted_fpr": rate}


def block_payload_row(count, n, k):
    data = block_payload(count, n, k)
    rate = real(block_sizing.fpr_at_hand(data, k))
    return {"stream": [1, count], "nblocks": n, "k": k, **digest(data), "predicted_fpr": rate}


def make():
    return {
        "_comment": "Golden data of the split and block layouts, over 64-bit hashes (hex). positions are bit numbers inside "
        "the block; bit p lives in byte p>>3, bit p&7 of the block. 'stream(seed,n)' is splitmix64(seed+i) for i in "
        "0..n-1, splitmix64 as in classic.json; predicted_fpr is that of the payload's bits, as %.4g. split_sizing, block_sizing and bits_per_key: what sizing.md makes of n; blocks null: "
        "refused. files: envelopes of the keys key0 .. and which of miss0 .. miss19 answer maybe; seed and secret are hex, key_count "
        "null = unknown. invalid: files to be refused by step 6 of envelope.md. other_kinds: files that Rust and Go refuse, naming the kind.",
        "split": [
            {"hash": hex64(h), "nblocks": n, "block": split_block(h, n), "positions": split_positions(h)}
            for h in HASHED
            for n in SPLIT_NBLOCKS
        ],
        "block": [
            {"hash": hex64(h), "nblocks": n, "block": block_block(h, n), "positions_k16": block_positions(h, 16)}
            for h in HASHED
            for n in BLOCK_NBLOCKS
        ],
        "split_payloads": [split_payload_row(*row) for row in SPLIT_PAYLOADS],
        "block_payloads": [block_payload_row(*row) for row in BLOCK_PAYLOADS],
        "split_example": {"stream": [1, 3], "nblocks": 1, "hex": split_payload(3, 1).hex()},
        "block_example": {"stream": [1, 3], "nblocks": 1, "k": 6, "hex": block_payload(3, 1, 6).hex()},
        "split_sizing": [
            {"n": n, "fpr": fpr, "blocks": block_sizing.split_geometry(n, fpr)} for n in SIZED_N for fpr in SPLIT_FPR
        ],
        "block_sizing": [block_row(n, fpr) for n in SIZED_N for fpr in BLOCK_FPR],
        "bits_per_key": [bits_row(n, bits) for n, bits in BITS],
        "files": [file_row(*row) for row in FILES],
        "invalid": list(invalid_rows()),
        "other_kinds": list(other_kinds()),
    }
