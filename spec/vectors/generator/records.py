"""The records of spec/envelope.md, and the recipe of records.json."""

import xxhash

from .classic import Classic, numbered
from .envelope import MAGIC, put
from .hashes import MASK

LABEL, CREATED, KEYS, CHUNKS, LINEAGE = 1, 2, 3, 4, 5
FLAGS = {LABEL: 2, CREATED: 0, KEYS: 2, CHUNKS: 0}
LABELS = ["users", "x", "søren", "日本語", "🌸 of 2026", "a" * 255, "é" * 127]
KEY_TYPES = ["text", "bytes", "int", "parquet-int32", "user:Order", "u" * 255, "later"]


def u64(number):
    return number.to_bytes(8, "little")


def record(kind, contents, flags=None, padding=b"\0", length=None):
    """One record; padding is what the bytes up to a multiple of 8 are."""
    flags = FLAGS.get(kind, 0) if flags is None else flags
    length = len(contents) if length is None else length
    head = kind.to_bytes(2, "little") + flags.to_bytes(2, "little") + length.to_bytes(4, "little")
    return head + contents + padding * (-len(contents) % 8)


def chunk_record(payload, size=None):
    if size is None:
        size = 4096
        while 8 * (1 + -(-len(payload) // size)) > 524288:
            size *= 2
    pieces = [payload[at : at + size] for at in range(0, len(payload), size)]
    return u64(size) + b"".join(u64(xxhash.xxh3_64_intdigest(piece)) for piece in pieces)


class Base:
    """A classic filter with fnv_splitmix, and the envelopes around it."""

    def __init__(self, m, k, keys):
        built = Classic(m, k)
        for key in keys:
            built.add(key)
        self.m, self.k, self.count, self.payload = m, k, len(keys), bytes(built.bits)

    def file(self, area=b"", offset=None, signed=True, header_sum=None, payload=None, **fields):
        """area: the bytes behind the header; offset: where the payload begins, behind zeros."""
        payload = self.payload if payload is None else payload
        offset = -(-(128 + len(area)) // 64) * 64 if offset is None else offset
        data = bytearray(MAGIC + bytes(120)) + area + bytes(offset - 128 - len(area)) + payload
        values = {"version": 1, "kind": 1, "hash": 1, "count": self.count, "offset": offset, "length": len(payload)}
        values |= {"word0": self.m, "word1": self.k, "paysum": xxhash.xxh3_64_intdigest(payload)}
        for field, value in (values | fields).items():
            put(data, field, value)
        if signed:
            put(data, "headsum", xxhash.xxh3_64_intdigest(bytes(data[:120] + data[128:offset])))
        return bytes(data)


SMALL = Base(47, 7, numbered(b"key", 5))
LARGE = Base(8 * 4100, 7, numbered(b"key", 1000))  # a chunk and four bytes


def encoded(records, payload):
    """The area of records as JSON has them, in ascending order of type."""
    area = b""
    if records.get("label") is not None:
        area += record(LABEL, records["label"].encode())
    if records.get("created") is not None:
        area += record(CREATED, u64(records["created"]))
    if records.get("keys") is not None:
        area += record(KEYS, records["keys"].encode())
    if records.get("chunk_bytes") is not None:
        area += record(CHUNKS, chunk_record(payload, records["chunk_bytes"]))
    for other in records.get("unknown", []):
        area += record(other["type"], bytes.fromhex(other["hex"]), other["flags"])
    return area


def after_change(records):
    kept = {name: records[name] for name in ("label", "keys") if name in records}
    return kept | {"unknown": [other for other in records.get("unknown", []) if other["flags"] & 2]}


def row(name, base, records, data=None, offset=None, written=True):
    """written: whether a writer that is asked for these records, and for that offset, writes these very bytes."""
    area = encoded(records, base.payload)
    data = base.file(area, offset) if data is None else data
    at = int.from_bytes(data[32:40], "little")
    shown = {"label": None, "created": None, "keys": None, "chunk_bytes": None, "unknown": []} | records
    changed = base.file(encoded(after_change(records), base.payload), at)
    return {"name": name, "offset": at, **shown, "written": written, "hex": data.hex(), "changed_hex": changed.hex()}


def unknown(kind, flags, contents=b""):
    return {"type": kind, "flags": flags, "hex": contents.hex()}


def valid_rows():
    yield row("none", SMALL, {})
    for label in LABELS:
        yield row(f"label of {len(label.encode())} bytes", SMALL, {"label": label})
    for seconds in (0, 1, 1_700_000_000, 2**63, MASK):
        yield row(f"created {seconds}", SMALL, {"created": seconds})
    for keys in KEY_TYPES:
        yield row(f"keys {keys[:20]}", SMALL, {"keys": keys})
    every = {"label": "all", "created": 1_700_000_000, "keys": "int", "chunk_bytes": 4096}
    yield row("chunks of a short payload", SMALL, {"chunk_bytes": 4096})
    yield row("chunks: one whole, one of four bytes", LARGE, {"chunk_bytes": 4096})
    yield row("larger chunks than needed", LARGE, {"chunk_bytes": 8192})
    yield row("a chunk size far above the payload", SMALL, {"chunk_bytes": 2**63})
    yield row("all that are known", SMALL, every)
    yield row("all that are known, two chunks", LARGE, every)
    yield row("records that end at the payload", SMALL, {"label": "a" * 56})
    for offset in (192, 4096, 8192):
        yield row(f"no records, payload at {offset}", SMALL, {}, offset=offset)
    yield row("a label, payload at 4096", SMALL, {"label": "aligned"}, offset=4096)
    for kind in (LINEAGE, 6, 0x7FFF, 0xFFFF):
        yield row(f"unknown type {kind}, dropped after a change", SMALL, {"unknown": [unknown(kind, 0, b"gone")]})
        yield row(f"unknown type {kind}, kept", SMALL, {"unknown": [unknown(kind, 2, b"kept for later")]})
    yield row("unknown, empty, flags that may be ignored", SMALL, {"unknown": [unknown(77, 0xFF02)]})
    yield row("two unknown", SMALL, {"label": "x", "unknown": [unknown(9, 2, b"a"), unknown(500, 0, b"b")]})
    two = {"label": "z", "keys": "text"}
    backwards = record(KEYS, b"text") + record(LABEL, b"z")
    yield row("descending order", SMALL, two, SMALL.file(backwards), written=False)
    ignorable = record(LABEL, b"z", 0x8102)
    yield row("a label with flags that may be ignored", SMALL, {"label": "z"}, SMALL.file(ignorable), written=False)
    for flags in (0x0100, 0x8000, 0xFF00):
        yield row(f"flags {flags:#x} of the header", SMALL, {}, SMALL.file(flags=flags), written=False)


class Invalid:
    def __init__(self):
        self.rows = []

    def add(self, check, why, data):
        self.rows.append({"why": why, "check": check, "hex": data.hex()})

    def area(self, why, area, offset=None, check=4, base=SMALL):
        self.add(check, why, base.file(area, offset))


def edited(**fields):
    """A file without records and with other fields, its checksum that of bytes 0 to 119."""
    data = bytearray(SMALL.file())
    for field, value in fields.items():
        put(data, field, value)
    put(data, "headsum", xxhash.xxh3_64_intdigest(bytes(data[:120])))
    return bytes(data)


def offset_rows(d):
    for offset in (0, 1, 64, 127, 129, 160, 4096 + 32):
        data = bytearray(SMALL.file(offset=max(offset, 128)))
        put(data, "offset", offset)
        put(data, "headsum", xxhash.xxh3_64_intdigest(bytes(data[:120] + data[128 : max(offset, 128)])))
        d.add(3, f"payload offset {offset}", bytes(data))
    for offset in (192, 2**22, 2**22 + 64, 2**32 + 128, 2**63, MASK - 63):
        d.add(3, f"payload offset {offset}, behind the end of the file", edited(offset=offset))
    size = len(SMALL.payload)
    d.add(3, "payload offset 64, length 64 more: the sum is right", edited(offset=64, length=size + 64))
    d.add(3, "offset and length 2^63 more: the sum is right modulo 2^64", edited(offset=2**63 + 128, length=size + 2**63))
    good = SMALL.file(record(LABEL, b"users"))
    d.add(3, "a letter of the label changed, header checksum not", good[:136] + b"U" + good[137:])
    d.add(3, "a byte before the payload changed, header checksum not", good[:191] + b"\1" + good[192:])
    d.add(3, "header checksum of bytes 0 to 119 alone", bytes(good[:120] + u64(xxhash.xxh3_64_intdigest(good[:120])) + good[128:]))
    d.add(3, "cut within the records", good[:160])
    d.add(5, "cut at the payload", good[:192])
    d.add(5, "last byte missing", good[:-1])
    d.add(5, "one trailing byte", good + b"\0")
    for length in (0, 5, 7, MASK):
        d.add(5, f"payload length {length}", SMALL.file(record(LABEL, b"users"), length=length))
    flipped = bytearray(good)
    flipped[192] ^= 1
    d.add(7, "a payload bit flipped", bytes(flipped))


def record_rows(d):
    label = record(LABEL, b"users")
    for flags in (1, 2, 0x80, 0x81FF):
        d.add(4, f"flags {flags:#x} of the header", SMALL.file(label, flags=flags))
    d.area("two labels", label + record(LABEL, b"others"))
    d.area("an unknown type twice", record(99, b"", 2) + label + record(99, b"", 2))
    d.area("padding other than zero", record(LABEL, b"users", padding=b"\1"))
    d.area("the last byte of padding not zero", label[:-1] + b"\1")
    d.area("longer than the area", record(LABEL, b"users", length=57), 192)
    d.area("a record whose contents would begin at the payload", record(LABEL, b"a" * 48) + record(7, b"", 2, length=1))
    d.area("length 2^32 - 1", record(99, b"", 2, length=2**32 - 1))
    d.area("length 2^32 - 8", record(99, b"", 2, length=2**32 - 8))
    d.area("a byte behind the end of the list", label + bytes(8) + b"\1")
    d.area("the last byte before the payload not zero", label + bytes(192 - 128 - len(label) - 1) + b"\1")
    d.area("an end with flags", label + record(0, b"", 2))
    d.area("an end with a length", label + record(0, b"", 0, length=8))
    d.area("nothing but an end with a length", record(0, b"", 0, length=1))
    d.area("an unknown type that must be understood", record(99, b"", 1))
    d.area("the same that stays true", record(99, b"what", 3))
    d.area("lineage that must be understood", record(LINEAGE, bytes(16), 3))
    for flags in (4, 8, 0x10, 0x20, 0x40, 0x80, 0xFF86):
        d.area(f"an unknown type with flags {flags:#x}", record(99, b"", flags))
    for flags in (0, 1, 3, 6, 0x82):
        d.area(f"a label with flags {flags:#x}", record(LABEL, b"users", flags))
    for kind, contents in ((CREATED, u64(1)), (CHUNKS, chunk_record(SMALL.payload))):
        for flags in (1, 2, 3):
            d.area(f"type {kind} with flags {flags:#x}", record(kind, contents, flags))


def contents_rows(d):
    d.area("an empty label", record(LABEL, b""))
    d.area("a label of 256 bytes", record(LABEL, b"a" * 256))
    for text in (b"a\nb", b"\0", b"\x1b[31m", b"\x7f", b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
                 b"\xe2\x82", b"\x80", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xf8\x88\x80\x80\x80"):  # fmt: skip
        d.area(f"label {text.hex()}", record(LABEL, text))
    for size in (0, 7, 9, 16):
        d.area(f"created of {size} bytes", record(CREATED, bytes(size)))
    d.area("empty keys", record(KEYS, b""))
    d.area("keys of 256 bytes", record(KEYS, b"k" * 256))
    for text in (b"a b", b"text\0", b"t\xc3\xa9xt", b"\x7f", b" "):
        d.area(f"keys {text.hex()}", record(KEYS, text))
    d.area("chunks without a size", record(CHUNKS, b""))
    d.area("chunks cut off", record(CHUNKS, chunk_record(SMALL.payload)[:-1]))
    for size in (0, 1, 2048, 4095, 4097, 12288, MASK):
        d.area(f"chunks of {size} bytes", record(CHUNKS, u64(size) + bytes(8)))
    good = chunk_record(SMALL.payload)
    d.area("a chunk too few", record(CHUNKS, good[:-8]), check=5)
    d.area("a chunk too many", record(CHUNKS, good + bytes(8)), check=5)
    d.area("one sum for two chunks", record(CHUNKS, chunk_record(LARGE.payload)[:-8]), check=5, base=LARGE)


def invalid_rows():
    d = Invalid()
    offset_rows(d)
    record_rows(d)
    contents_rows(d)
    return d.rows


def merged_rows():
    """Records of two files, and of their union; null: refused."""
    kept, other = unknown(9, 2, b"a"), unknown(9, 2, b"b")
    cases = [({}, {}, {}), ({"label": "a"}, {"label": "a"}, {}), ({"created": 1}, {"created": 1}, {})]
    cases += [({"keys": "int"}, {"keys": "int"}, {"keys": "int"}), ({"keys": "int"}, {}, {}), ({}, {"keys": "int"}, {})]
    cases += [({"keys": "int"}, {"keys": "text"}, None), ({"keys": "user:a"}, {"keys": "user:b"}, None)]
    cases += [({"unknown": [kept]}, {"unknown": [kept]}, {"unknown": [kept]}), ({"unknown": [kept]}, {"unknown": [other]}, {})]
    cases += [({"unknown": [kept]}, {}, {}), ({}, {"unknown": [kept]}, {})]
    cases += [({"unknown": [unknown(9, 0)]}, {"unknown": [unknown(9, 0)]}, {})]
    cases += [({"unknown": [unknown(LINEAGE, 2, bytes(16))]}, {"unknown": [unknown(LINEAGE, 2, bytes(16))]}, {})]
    return [{"one": one, "other": two, "merged": result} for one, two, result in cases]


def make():
    valid, invalid = list(valid_rows()), invalid_rows()
    return {
        "_comment": "Golden data of the records of envelope.md, in envelopes of a classic filter with fnv_splitmix. valid: the "
        "whole file as hex and its records; chunk_bytes null = no record of chunks; unknown: records of types that readers "
        "keep as they are. written: whether a writer that is asked for these records and for a payload at that offset writes "
        "these very bytes. changed_hex: the same payload and key count as written by who changed the payload: without the "
        "records that do not stay true, the payload at the same offset. invalid: check is the number of the step of "
        "envelope.md's Reading list that fails first; checksums are right where a later step is meant. merged: the records of "
        f"two files and of their union; null = refused. {len(valid)} valid, {len(invalid)} invalid.",
        "valid": valid,
        "invalid": invalid,
        "merged": merged_rows(),
    }
