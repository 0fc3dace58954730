"""The envelope of spec/envelope.md, and the recipe of envelope.json."""

import hashlib

import xxhash

from .classic import Classic, numbered
from .hashes import HASHES, MASK, SECRETS, hex64, secret_id

MAGIC = bytes.fromhex("89424c4d0d0a1a0a")
UNKNOWN = MASK
ODD_LINES = [b"", b"\0", b"\r", b"a\r", b"\xff\xfe", "søren".encode(), b" ", b"\t", b"\0" * 9]
ODD_STRINGS = [b"", b"\n", b"\r\n", b"a\nb", b"\x80", bytes(range(1, 256))]  # for -0
# offset and size of each header field
FIELDS = {"version": (8, 2), "kind": (10, 2), "hash": (12, 2), "flags": (14, 2), "seed": (16, 8), "count": (24, 8),
          "offset": (32, 8), "length": (40, 8), "paysum": (112, 8), "headsum": (120, 8)}  # fmt: skip
FIELDS |= {f"word{i}": (48 + 8 * i, 8) for i in range(8)}


def put(data, field, value):
    at, size = FIELDS[field]
    data[at : at + size] = value.to_bytes(size, "little")


def sign(data):
    """Makes both checksums right for what data holds."""
    put(data, "paysum", xxhash.xxh3_64_intdigest(bytes(data[128:])))
    put(data, "headsum", xxhash.xxh3_64_intdigest(bytes(data[:120])))


def envelope(built, hash_name, seed_field, key_count):
    data = bytearray(MAGIC + bytes(120)) + built.bits
    values = {"version": 1, "kind": 1, "hash": HASHES[hash_name][0], "seed": seed_field, "count": key_count, "offset": 128}
    values |= {"length": len(built.bits), "word0": built.m, "word1": built.k}
    for field, value in values.items():
        put(data, field, value)
    sign(data)
    return bytes(data)


def valid_row(name, m, k, keys, hash_name="fnv_splitmix", seed=None, key_count=None):
    """seed: an integer for xxh3 and xxh64, a secret for siphash. key_count None: the number of keys."""
    keyed = hash_name.startswith("siphash")
    built = Classic(m, k, hash_name, seed)
    for key in keys:
        built.add(key)
    stored = len(keys) if key_count is None else key_count
    data = envelope(built, hash_name, secret_id(seed) if keyed else seed or 0, stored)
    return {
        "name": name,
        "hash": hash_name,
        "seed": hex64(seed) if hash_name.startswith("xxh") else None,
        "secret": seed.hex() if keyed else None,
        "secret_id": hex64(secret_id(seed)) if keyed else None,
        "m": m,
        "k": k,
        "key_count": None if stored == UNKNOWN else stored,
        "bits_set": built.bits_set(),
        "keys_hex": [key.hex() for key in keys],
        "absent": {key.decode(): built.contains(key) for key in numbered(b"miss", 20)},
        "sha256": hashlib.sha256(data).hexdigest(),
        "hex": data.hex(),
    }


def valid_rows():
    five = numbered(b"key", 5)
    yield valid_row("fnv_splitmix", 48, 7, five)
    for name in ("xxh3", "xxh64"):
        for seed in (0, 1, 0x0123456789ABCDEF, MASK):
            yield valid_row(f"{name}, seed {seed:#x}", 48, 7, five, name, seed)
    for name in ("siphash13", "siphash24"):
        for number, secret in enumerate(SECRETS):
            yield valid_row(f"{name}, secret {number}", 47, 7, five, name, secret)
    yield valid_row("no keys", 10, 7, [])
    yield valid_row("no keys, keyed hash", 10, 7, [], "siphash13", SECRETS[0])
    yield valid_row("key count unknown", 48, 7, five, key_count=UNKNOWN)
    yield valid_row("the largest key count that is one", 48, 7, five, key_count=UNKNOWN - 1)
    yield valid_row("the empty key alone", 10, 7, [b""], "xxh3", 0)
    for name, seed in (("fnv_splitmix", None), ("xxh3", 0), ("siphash24", SECRETS[0])):
        yield valid_row(f"keys with NUL and CR, {name}", 87, 7, ODD_LINES, name, seed)
        yield valid_row(f"keys with LF, {name}", 58, 7, ODD_STRINGS, name, seed)
    yield valid_row("a key added twice counts twice", 48, 7, five + five)
    yield valid_row("one bit, saturated", 1, 1, five)
    yield valid_row("k = 30", 1000, 30, five, "xxh64", 0)
    yield valid_row("100 keys", 959, 7, numbered(b"key", 100), "xxh3", 0)


class Damage:
    """Collects invalid files, each an edited copy of a good one: m = 47, k = 7, a padding bit, 6 payload bytes."""

    def __init__(self):
        built = Classic(47, 7)
        for key in numbered(b"key", 5):
            built.add(key)
        self.good = envelope(built, "fnv_splitmix", 0, 5)
        self.rows = []

    def add(self, check, why, data):
        self.rows.append({"why": why, "check": check, "hex": bytes(data).hex()})

    def edit(self, check, why, signed=True, payload=None, **fields):
        """A copy with other fields or another payload, and both checksums made right again unless signed is False."""
        data = bytearray(self.good if payload is None else self.good[:128] + payload)
        for field, value in fields.items():
            put(data, field, value)
        if signed:
            sign(data)
        self.add(check, why, data)


def invalid_rows():
    d = Damage()
    good, payload = d.good, d.good[128:]
    flipped = bytes([payload[0] ^ 1]) + payload[1:]
    padded = payload[:-1] + bytes([payload[-1] | 0x80])
    for size in (0, 1, 7, 8, 127):
        d.add(1, f"cut to {size} bytes", good[:size])
    d.add(1, "line ends changed to CR LF", good.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    d.add(1, "every LF became CR LF", good.replace(b"\n", b"\r\n"))
    d.add(1, "every CR LF became LF", good.replace(b"\r\n", b"\n"))
    d.add(1, "stopped at ^Z", good[: good.index(b"\x1a")])
    d.add(1, "bit 7 stripped from every byte", bytes(byte & 0x7F for byte in good))
    for i in range(8):
        d.add(1, f"byte {i} of the magic changed", good[:i] + bytes([good[i] ^ 0x20]) + good[i + 1 :])
    for version in (0, 2, 0xFFFF):
        d.edit(2, f"version {version}", version=version)
    d.edit(2, "version 2, whose header checksum may well be another", signed=False, version=2)
    d.edit(3, "header checksum wrong", signed=False, headsum=0)
    for field in ("kind", "hash", "flags", "seed", "count", "offset", "length", "word0", "word1", "word7", "paysum"):
        d.edit(3, f"{field} changed, header checksum not", signed=False, **{field: 0x1234})
    for kind in (0, 12, 0x7FFF, 0xFFFF):
        d.edit(4, f"kind {kind}", kind=kind)
    for hash_id in (0, 6, 0x0101, 0xFFFF):
        d.edit(4, f"hash id {hash_id}", hash=hash_id)
    for flags in (1, 0x80):
        d.edit(4, f"flags {flags:#x}", flags=flags)
    for seed in (1, 2**63):
        d.edit(4, f"fnv_splitmix with seed {seed:#x}", seed=seed)
    for length in (0, len(payload) - 1, len(payload) + 1, 2**32 + len(payload), 2**63, MASK - 127, MASK):
        d.edit(5, f"payload length {length}", length=length)
    d.add(5, "cut to 128 bytes", good[:128])
    d.add(5, "last byte missing", good[:-1])
    d.add(5, "one trailing byte", good + b"\0")
    d.add(5, "twice the same file", good + good)
    d.edit(6, "m = 0", word0=0)
    d.edit(6, "m = 0, no payload", word0=0, payload=b"", length=0)
    for k in (0, 31, 2**32 + 7, MASK):
        d.edit(6, f"k = {k}", word1=k)
    for m in (1, 40, 49, 2**32 + 47, 2**63, MASK - 7, MASK):
        d.edit(6, f"m = {m} does not fit the payload", word0=m)
    for m in (1, MASK - 6, MASK):
        d.edit(6, f"m = {m}, no payload", word0=m, payload=b"", length=0)
    for i in range(2, 8):
        d.edit(6, f"unused geometry word {i} set", **{f"word{i}": 1})
    d.edit(6, "bit set at m", payload=padded)
    d.edit(6, "m lowered to 41: bits set above it", word0=41, payload=payload[:-1] + b"\x02")
    unsigned = bytearray(good[:128] + padded)
    d.add(6, "bit set at m, and the payload checksum wrong", unsigned)
    d.add(7, "payload bit flipped", good[:128] + flipped)
    wrong = bytearray(good)
    put(wrong, "paysum", 0)
    put(wrong, "headsum", xxhash.xxh3_64_intdigest(bytes(wrong[:120])))
    d.add(7, "payload checksum wrong, header checksum right", wrong)
    return d.rows


def make():
    valid, invalid = list(valid_rows()), invalid_rows()
    return {
        "_comment": "Golden data of the envelope, kind classic. valid: the whole file as hex, the keys that were added (hex, "
        "in order), and what it answers for some absent keys (true = maybe). seed, secret and secret_id are hex; key_count "
        "null = unknown. invalid: check is the number of the step of envelope.md's Reading list that fails first; the "
        "checksums were made right again after each edit where a later step is meant. A file whose first byte is not 0x89 "
        f"is no envelope, and must be refused as a raw file too. {len(valid)} valid, {len(invalid)} invalid.",
        "valid": valid,
        "invalid": invalid,
    }
