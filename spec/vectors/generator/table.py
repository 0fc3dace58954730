"""The table of spec/table.md, and the recipe of tables.json. The tools that make the fuzzers' corpus use it, too."""

import struct

import xxhash

from .classic import numbered
from .hashes import HASHES, SECRETS, secret_id
from .kinds import NUMBERS, file_of, files

TRAILER = 9  # of a block: compression and checksum


def varint(x):
    return bytes([x]) if x < 0x80 else bytes([x & 0x7F | 0x80]) + varint(x >> 7)


def contents(entries, per_restart, most_shared=2**32):
    """Of a block of a table: entries are (key, value, tag). Keys share at most so many bytes with the one before."""
    out, restarts, last = b"", [], b""
    for i, (key, value, tag) in enumerate(entries):
        shared = 0
        if i % per_restart == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(last), most_shared) and key[shared] == last[shared]:
                shared += 1
        out += varint(shared) + varint(len(key) - shared) + varint(len(value)) + varint(tag) + key[shared:] + value
        last = key
    return out + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))


def packed(data, compression):
    """Compressed in the simplest way there is, which makes it longer: LZ4 literals, or a raw block of Zstandard."""
    if compression == 1:
        more = len(data) - 15
        literals = b"\xf0" + b"\xff" * (more // 255) + bytes([more % 255]) if more >= 0 else bytes([len(data) << 4])
        return varint(len(data)) + literals + data
    length = b"\x60" + struct.pack("<H", len(data) - 256) if len(data) >= 256 else bytes([0x20, len(data)])
    return varint(len(data)) + bytes.fromhex("28b52ffd") + length + struct.pack("<I", len(data) << 3 | 1)[:3] + data


class TableFile:
    def __init__(self):
        self.data = b""

    def block(self, data, compression=0):
        stored = (packed(data, compression) if compression else data) + bytes([compression])
        handle = (len(self.data), len(stored) - 1)
        self.data += stored + struct.pack("<Q", xxhash.xxh3_64_intdigest(stored, seed=handle[0]))
        return handle


def table(entries, per_block, per_restart, compression, envelope, most_shared=2**32, separator=lambda last, following: last):
    """spec/table.md; entries are (key, value, tag) in order; separator(last key of a block, first of the next or None)."""
    file, top, index_bytes = TableFile(), [], 0
    blocks = [entries[i : i + per_block] for i in range(0, len(entries), per_block)]
    for some in (blocks[:2], blocks[2:]):  # two index blocks
        index = []
        for block in some:
            number = blocks.index(block) + 1
            key = separator(block[-1][0], blocks[number][0][0] if number < len(blocks) else None)
            handle = file.block(contents(block, per_restart, most_shared), compression)
            index.append((key, b"".join(map(varint, handle)), 0))
        if index:
            handle = file.block(contents(index, 1))
            index_bytes += handle[1] + TRAILER
            top.append((index[-1][0], b"".join(map(varint, handle)), 0))
    footer = list(file.block(contents(top, 1)) if top else (0, 0))
    index_bytes += footer[1] + TRAILER if top else 0
    if envelope:
        file.data += bytes(-len(file.data) % 128)
    footer += file.block(envelope) if envelope else (0, 0)
    footer += file.block(contents(properties(entries, len(blocks), index_bytes, envelope), 1))
    end = struct.pack("<7QII", *footer, len(file.data) + 80, 1, 0)
    return file.data + end + struct.pack("<Q", xxhash.xxh3_64_intdigest(end)) + bytes.fromhex("89424c4d540d0a1a")


def properties(entries, blocks, index_bytes, envelope):
    keys, sequences = sorted({key for key, _, _ in entries}), [tag >> 1 for _, _, tag in entries] or [0]
    numbers = {b"blocks": blocks, b"deleted": sum(tag % 2 for _, _, tag in entries), b"entries": len(entries)}
    numbers |= {b"index_bytes": index_bytes, b"keys": len(keys), b"key_bytes": sum(len(key) for key, _, _ in entries)}
    numbers |= {b"value_bytes": sum(len(value) for _, value, _ in entries)}
    numbers |= {b"max_sequence": max(sequences), b"min_sequence": min(sequences)}
    named = {name: b"%d" % value for name, value in numbers.items()}
    if envelope:
        kind = next(name for name, number in NUMBERS.items() if number == int.from_bytes(envelope[10:12], "little"))
        named |= {b"filter.bytes": b"%d" % len(envelope), b"filter.kind": kind.encode(), b"filter.partitions": b"0"}
    named |= {b"largest": keys[-1], b"smallest": keys[0]} if keys else {}
    return [(name, value, 0) for name, value in sorted(named.items())]


def shortest(last, following):
    """The shortest key that is not less than the last of a block, and less than the first of the next."""
    if following is None:
        return last
    for size in range(len(last)):
        for cut in (last[: size + 1], following[: size + 1]):
            if last <= cut < following:
                return cut
    return last


def some_entries():
    """(key, value, tag) in order: several versions of some keys, tombstones, empty and long ones."""
    keys = sorted(numbered(b"key", 34) + [b"", b"\0", b"a", b"ab" * 100, b"\xff", b"\xff\xff"])
    for i, key in enumerate(keys):
        for version in range(1 + i % 3 // 2):
            deleted = i % 7 == 3 and version == 0
            yield key, b"" if deleted else b"value of " + key[:20] + b"!" * (i % 5), 2 * (1000 + i - version) + deleted


def filter_of(kind, keys, hash_name, seed):
    hashes = [HASHES[hash_name][1](key, seed) for key in keys]
    name, words, payload, _ = next(file for file in files(hashes) if file[0] == kind)
    return file_of(name, words, payload, hash_name, secret_id(seed) if hash_name.startswith("siphash") else seed, len(keys), {})


def row(name, entries, *args, secret=None, **more):
    shown = [{"key": key.hex(), "value": value.hex(), "sequence": tag >> 1, "deleted": tag % 2 == 1} for key, value, tag in entries]
    return {"name": name, "secret": secret, "entries": shown, "hex": table(entries, *args, **more).hex()}


def rows():
    entries = list(some_entries())
    keys = sorted({key for key, _, _ in entries})
    yield row("no entries", [], 1, 1, 0, None)
    yield row("one entry", entries[3:4], 1, 1, 0, None)
    for per_block, per_restart in ((1, 1), (7, 3), (100, 16)):
        yield row(f"{per_block} entries a block, {per_restart} a restart", entries, per_block, per_restart, 0, None)
    yield row("compression 1, literals alone", entries, 7, 16, 1, None)
    yield row("compression 2, raw blocks", entries, 7, 16, 2, None)
    for most in (0, 1, 3):
        yield row(f"keys that share at most {most} bytes", entries, 20, 16, 0, None, most_shared=most)
    for kind in ("split", "block", "cuckoo", "fuse", "ribbon"):
        yield row(f"filter {kind}", entries, 7, 16, 0, filter_of(kind, keys, "xxh3", 0))
    yield row("keyed filter", entries, 7, 16, 0, filter_of("block", keys, "siphash13", SECRETS[0]), secret=SECRETS[0].hex())
    yield row("short separators", entries, 3, 16, 0, filter_of("block", keys, "xxh3", 0), separator=shortest)


def make():
    return {
        "_comment": "Golden tables: the whole file as hex, and its entries in order, keys and values as hex. secret: of the filter's "
        "hash, as hex; without it a reader reads without the filter. The property filter.fpr is left out.",
        "tables": list(rows()),
    }
