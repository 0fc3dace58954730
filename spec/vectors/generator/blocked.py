"""The split and block layouts."""

import hashlib

from .hashes import splitmix64

# The first eight are those of Parquet's split-block Bloom filter.
SALTS = [0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31,
         0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F, 0x165667B1, 0xD3A2646D, 0xFD7046C5, 0xB55A4F09]  # fmt: skip
HASHED = [0, 1, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 2**64 - 1, 2**63, 2**32 - 1]
SPLIT_NBLOCKS = [1, 7, 1000, 2**31]
BLOCK_NBLOCKS = [1, 7, 1000, 2**28, 2**33]
SPLIT_PAYLOADS = [(1, 1), (30, 1), (100, 5), (1000, 1), (10000, 411)]  # keys, nblocks
# keys, nblocks, k
BLOCK_PAYLOADS = [(1, 1, 1), (10, 1, 16), (100, 3, 6), (5000, 1, 8), (10000, 194, 6), (10000, 305, 9), (10000, 400, 16)]


def split_block(h, nblocks):
    return (h >> 32) * nblocks >> 32


def split_positions(h):
    return [32 * i + ((h * salt & 0xFFFFFFFF) >> 27) for i, salt in enumerate(SALTS[:8])]


def block_block(h, nblocks):
    return h * nblocks >> 64


def block_positions(h, k):
    return [(h * salt & 0xFFFFFFFF) >> 23 for salt in SALTS[:k]]


def stream(count):
    return [splitmix64(1 + i) for i in range(count)]


def payload(block_bytes, nblocks, places):
    """The payload with every (block, positions) of places set."""
    data = bytearray(block_bytes * nblocks)
    for block, positions in places:
        for p in positions:
            data[block * block_bytes + (p >> 3)] |= 1 << (p & 7)
    return data


def split_payload(count, nblocks):
    return payload(32, nblocks, ((split_block(h, nblocks), split_positions(h)) for h in stream(count)))


def block_payload(count, nblocks, k):
    return payload(64, nblocks, ((block_block(h, nblocks), block_positions(h, k)) for h in stream(count)))


def digest(data):
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
