#!/usr/bin/env python3
"""A reader of filter files, written from the pages of this folder with the standard library alone: the proof that they
suffice. It is slow, and right: tests/reader holds it to the vectors.

    spec/reader.py verify FILE              is this a whole, undamaged filter?
    spec/reader.py contains FILE KEY ...    which of these keys may be in?

It reads raw classic files and envelopes of every filter kind. A keyed file needs --secret with 32 hexadecimal digits."""

import argparse
import sys

from reader_hashes import HASHES, MASK, secret_id, u32, u64, xxh3
from reader_kinds import Block, Broken, Classic, Counting, Cuckoo, Partitioned, Quotient, Scalable, Split, Stable
from reader_static import Fuse, Ribbon

KINDS = {1: Classic, 2: Split, 3: Block, 4: Counting, 5: Partitioned, 6: Scalable, 7: Stable, 8: Cuckoo, 9: Quotient, 10: Fuse,
         11: Ribbon}  # fmt: skip
MAGIC = bytes.fromhex("89424c4d0d0a1a0a")
MOST_OFFSET = 4 << 20
LEVELDB_TAGS = {0x11: Classic, 0x12: Split, 0x13: Block}
LABEL, CREATED, KEYS, CHUNKS, LINEAGE = 1, 2, 3, 4, 5
FLAGS = {LABEL: 2, CREATED: 0, KEYS: 2, CHUNKS: 0}


class Refused(Exception):
    """check: the number of the step of envelope.md's Reading list that failed; 0 for a raw file."""

    def __init__(self, check, why):
        super().__init__(why)
        self.check = check


def need(condition, check, why):
    if not condition:
        raise Refused(check, why)


def u16(data, at):
    return int.from_bytes(data[at : at + 2], "little")


class File:
    """kind: a class of reader_kinds; records: {type: (flags, contents)}; key_count None: unknown."""

    def __init__(self, data, secret=None):
        self.data, self.secret = data, secret
        self.records, self.key_count, self.hash_id, self.seed = {}, None, 1, 0
        if data[:1] == MAGIC[:1]:
            self.read_envelope()
        else:
            self.read_raw()

    def read_raw(self):
        need(len(self.data) >= 12, 0, "shorter than the header of a raw classic file")
        self.take_payload(Classic, [u64(self.data, 4), u32(self.data, 0)] + [0] * 6, 12, 0)

    def read_envelope(self):
        data = self.data
        need(len(data) >= 128 and data[:8] == MAGIC, 1, "128 bytes and the magic")
        need(u16(data, 8) == 1, 2, f"version {u16(data, 8)}")
        offset = u64(data, 32)
        need(offset % 64 == 0 and 128 <= offset <= MOST_OFFSET and offset <= len(data), 3, f"payload offset {offset}")
        need(xxh3(data[:120] + data[128:offset]) == u64(data, 120), 3, "header checksum")
        self.read_identity()
        self.read_records(data[128:offset])
        need(u64(data, 40) == len(data) - offset, 5, "payload length")
        self.check_chunks(len(data) - offset)
        self.take_payload(KINDS[u16(data, 10)], [u64(data, 48 + 8 * i) for i in range(8)], offset, 6)
        need(xxh3(data[offset:]) == u64(data, 112), 7, "payload checksum")

    def read_identity(self):
        data = self.data
        self.hash_id, self.seed = u16(data, 12), u64(data, 16)
        need(u16(data, 10) in KINDS, 4, f"kind {u16(data, 10)}")
        need(self.hash_id in HASHES, 4, f"hash {self.hash_id}")
        need(u16(data, 14) & 0xFF == 0, 4, f"flags {u16(data, 14)}")
        need(self.hash_id != 1 or self.seed == 0, 4, "fnv_splitmix takes no seed")
        count = u64(data, 24)
        self.key_count = None if count == MASK else count

    def read_records(self, area):
        at = 0
        while at < len(area) and u16(area, at):
            kind, flags, length = u16(area, at), u16(area, at + 2), u32(area, at + 4)
            end = at + 8 + -(-length // 8) * 8
            need(end <= len(area), 4, f"record {kind} leaves its place")
            need(not any(area[at + 8 + length : end]), 4, f"padding behind record {kind}")
            need(kind not in self.records, 4, f"record {kind} comes twice")
            need(flags & 0xFC == 0, 4, f"flags {flags} of record {kind}")
            self.records[kind] = (flags, area[at + 8 : at + 8 + length])
            self.check_record(kind, flags & 0xFF, self.records[kind][1])
            at = end
        need(not any(area[at:]), 4, "zeros from the end of the list to the payload")

    def check_record(self, kind, flags, contents):
        if kind not in FLAGS:
            need(flags & 1 == 0, 4, f"record {kind} must be understood")
            return
        need(flags == FLAGS[kind], 4, f"flags {flags} of record {kind}")
        if kind == LABEL:
            need(1 <= len(contents) <= 255 and all(byte >= 0x20 and byte != 0x7F for byte in contents), 4, "label")
            try:
                contents.decode()
            except UnicodeDecodeError:
                raise Refused(4, "label is no UTF-8") from None
        elif kind == CREATED:
            need(len(contents) == 8, 4, "created is a u64")
        elif kind == KEYS:
            need(1 <= len(contents) <= 255 and all(0x21 <= byte <= 0x7E for byte in contents), 4, "keys")
        else:
            size = u64(contents, 0) if len(contents) >= 8 and len(contents) % 8 == 0 else 0
            need(size >= 4096 and size & size - 1 == 0, 4, "chunks of 4096 * 2^j bytes")

    def check_chunks(self, payload_bytes):
        if CHUNKS in self.records:
            contents = self.records[CHUNKS][1]
            need(len(contents) == 8 * (1 + -(-payload_bytes // u64(contents, 0))), 5, "a sum for each chunk")

    def take_payload(self, kind, words, offset, check):
        try:
            self.filter = kind(words)
            size = self.filter.size()
            need(size == len(self.data) - offset, check, f"the geometry takes {size} bytes")
            self.filter.data = self.data[offset:]
            self.filter.check()
        except Broken as rule:
            raise Refused(check, str(rule)) from None

    def damaged_chunks(self):
        """Numbers of the chunks that differ from their sums."""
        if CHUNKS not in self.records:
            return []
        contents, payload = self.records[CHUNKS][1], self.filter.data
        size = u64(contents, 0)
        count = len(contents) // 8 - 1
        return [i for i in range(count) if xxh3(payload[i * size : (i + 1) * size]) != u64(contents, 8 + 8 * i)]

    def contains(self, key):
        name, function = HASHES[self.hash_id]
        if name.startswith("siphash"):
            need(self.secret is not None and secret_id(self.secret) == self.seed, 0, "the secret of the file is needed")
        return self.filter.contains(function(key, self.secret if name.startswith("siphash") else self.seed))


def leveldb_maybe(kind, data, key):
    """Whether the policy of that kind (leveldb.md) answers "maybe" to a key, by the bytes of a filter in a LevelDB table."""
    if len(data) < 2 or LEVELDB_TAGS.get(data[-1]) is not kind:
        return True
    payload, shape = data[:-2], data[-2]
    words = {Classic: [8 * len(payload) - (shape >> 5), shape & 31], Split: [len(payload) // 32], Block: [len(payload) // 64, shape]}[kind]
    try:
        found = kind(words + [0] * (8 - len(words)))
        if found.size() != len(payload) or kind is Split and shape != 8:
            return True
    except Broken:
        return True
    found.data = payload
    return found.contains(HASHES[{Classic: 1, Split: 3, Block: 2}[kind]][1](key, 0))


def main():
    parser = argparse.ArgumentParser(description="Read a filter file by its specification alone.")
    parser.add_argument("--secret", type=bytes.fromhex, help="32 hexadecimal digits")
    parser.add_argument("command", choices=["verify", "contains"])
    parser.add_argument("file")
    parser.add_argument("keys", nargs="*")
    asked = parser.parse_args()
    try:
        with open(asked.file, "rb") as source:
            file = File(source.read(), asked.secret)
        need(not file.damaged_chunks(), 7, f"chunks {file.damaged_chunks()}")
        answers = [file.contains(key.encode()) for key in asked.keys]
    except (OSError, Refused) as error:
        print(f"{asked.file}: {error}", file=sys.stderr)
        return 2
    for key, maybe in zip(asked.keys, answers):
        print("maybe" if maybe else "no", key, sep="\t")
    return 0 if all(answers) else 1


if __name__ == "__main__":
    sys.exit(main())
