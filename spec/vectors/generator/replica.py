"""The messages of spec/replica.md, and the recipe of replica.json."""

import struct

import xxhash

from .hashes import MASK, sip_rounds, splitmix64

LINEAGE = bytes(range(16))
SECRET = bytes(range(16, 32))
HELLO, DELTA, DIGEST, CHUNKS, ACKNOWLEDGEMENT, MEMBER = range(1, 7)


def siphash24_128(secret, data):
    k0, k1 = struct.unpack("<QQ", secret)
    v = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for (word,) in struct.iter_unpack("<Q", padded):
        v0, v1, v2, v3 = sip_rounds(v[0], v[1], v[2], v[3] ^ word, 2)
        v = (v0 ^ word, v1, v2, v3)
    v = sip_rounds(v[0], v[1], v[2] ^ 0xEE, v[3], 4)
    low = v[0] ^ v[1] ^ v[2] ^ v[3]
    v = sip_rounds(v[0], v[1] ^ 0xDD, v[2], v[3], 4)
    return struct.pack("<QQ", low, v[0] ^ v[1] ^ v[2] ^ v[3])


def message(kind, body, secret=None, version=1, needs=1, flags=None, length=None, checksum=0):
    """The bytes; `checksum` is xored to the right one."""
    if flags is None:
        flags = 1 if secret else 0
    head = b"\x89BLR" + bytes([version, needs, kind, flags]) + LINEAGE
    head += struct.pack("<QQQII", 7, 3, 41, 2, len(body) if length is None else length)
    head += struct.pack("<Q", xxhash.xxh3_64_intdigest(head, xxhash.xxh3_64_intdigest(body)) ^ checksum)
    return head + body + (siphash24_128(secret, head + body) if secret else b"")


def positions_of(positions):
    return b"".join(struct.pack("<QQQ", *position) for position in positions)


def hello(kind, hash_id, state, seed, window, words, positions):
    head = struct.pack("<HHBBHQQ", kind, hash_id, state, len(words), len(positions), seed, window)
    return head + struct.pack(f"<{len(words)}Q", *words) + positions_of(positions)


def rice(hashes, low_bits):
    bits, following = [], 0
    for number in sorted(set(hashes)):
        gap = number - following
        bits += [1] * (gap >> low_bits) + [0] + [gap >> i & 1 for i in range(low_bits)]
        following = number + 1
    bits += [0] * (-len(bits) % 8)
    return bytes(sum(bit << i for i, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8))


def delta(window, hashes, low_bits=None, count=None, code=None):
    count = len(set(hashes)) if count is None else count
    low_bits = 64 - count.bit_length() if low_bits is None else low_bits
    code = rice(hashes, low_bits) if code is None else code
    return struct.pack("<QIIQ", window, count, len(code), low_bits) + code


def digest(window, request, chunks, first, newest, count, form, whole, contents, positions):
    head = struct.pack("<QQQQQIBBH", window, request, chunks, first, newest, count, form, whole, len(positions))
    return head + contents + positions_of(positions)


def chunks(window, request, total, entries):
    made = struct.pack("<QQQQ", window, request, total, len(entries))
    return made + b"".join(struct.pack("<QQ", chunk, mask) + lines for chunk, mask, lines in entries)


def acknowledgement(whole, positions):
    return struct.pack("<II", len(positions), whole) + positions_of(positions)


def member(ready, configurations):
    made = struct.pack("<II", len(configurations), ready)
    for generation, w, r, members in configurations:
        made += struct.pack("<IHHQ", generation, w, r, len(members)) + struct.pack(f"<{len(members)}Q", *members)
    return made


POSITIONS = [(1, 2, 3), (4, 5, MASK)]


def valid_rows():
    hashes = {name: [splitmix64(1000 * i + n) for n in range(count)] for i, (name, count) in enumerate((("one", 1), ("ten", 10), ("thousand", 1000)))}
    bodies = [("hello", HELLO, hello(4, 2, 3, 77, 5, [100, 8], POSITIONS)), ("a short hello", HELLO, hello(1, 1, 0, 0, 0, [], []))]
    bodies += [(f"a delta of {name}", DELTA, delta(6, numbers)) for name, numbers in hashes.items()]
    bodies += [("a delta of the ends", DELTA, delta(0, [0, MASK])), ("neighbours", DELTA, delta(0, [5, 6, 7, 8]))]
    bodies += [("other low bits", DELTA, delta(0, [3, 9], low_bits=0))]
    bodies += [("ask", DIGEST, digest(0, 9, 100, 0, 0, 50, 1, 0, b"", []))]
    bodies += [("estimator", DIGEST, digest(0, 9, 9000, 0, 0, 0, 2, 0, bytes(20480), []))]
    bodies += [("plain", DIGEST, digest(1, 9, 100, 7, 2, 2, 3, 1, bytes(range(16)), POSITIONS))]
    bodies += [("table", DIGEST, digest(0, 9, 100, 0, 0, 4, 4, 1, bytes(112), POSITIONS))]
    bodies += [("lines", DIGEST, digest(0, 9, 100, 0, 0, 1, 5, 0, struct.pack("<Q", 3) + bytes(range(256)) * 2, []))]
    bodies += [("chunks", CHUNKS, chunks(0, 9, 100, [(3, 0, b""), (4, 5, bytes(range(128)))]))]
    bodies += [("acknowledgement", ACKNOWLEDGEMENT, acknowledgement(1, POSITIONS))]
    bodies += [("member", MEMBER, member(0, [(1, 2, 2, [1, 2, 3])]))]
    bodies += [("two configurations", MEMBER, member(1, [(1, 2, 2, [1, 2, 3]), (2, 3, 3, [1, 2, 3, 4, 5])]))]
    for name, kind, body in bodies:
        for secret in (None, SECRET):
            rewritten = name not in ("other low bits",)
            yield {"name": name, "secret": secret.hex() if secret else None, "rewritten": rewritten, "hex": message(kind, body, secret).hex()}
    later = hello(4, 2, 3, 77, 5, [100, 8], POSITIONS) + struct.pack("<Q", 12345)
    yield {"name": "a hello of version 2 with one more field", "secret": None, "rewritten": False, "hex": message(HELLO, later, version=2).hex()}


def header_rows():
    body = acknowledgement(1, POSITIONS)
    good = message(ACKNOWLEDGEMENT, body)
    yield "magic", b"", "no bytes"
    yield "magic", b"\x88" + good[1:], "another magic"
    yield "length", good[:63], "cut in the header"
    yield "length", good[:-1], "a byte too few"
    yield "length", good + b"\0", "a byte too many"
    yield "version", message(ACKNOWLEDGEMENT, body, version=0, needs=0), "version 0"
    yield "version", message(ACKNOWLEDGEMENT, body, version=2, needs=2), "for readers of version 2"
    yield "version", message(ACKNOWLEDGEMENT, body, version=1, needs=2), "needs more than its version"
    yield "type", message(0, body), "type 0"
    yield "type", message(7, body), "type 7"
    yield "version", message(7, body, version=2, needs=2), "a message of version 2"
    yield "flags", message(ACKNOWLEDGEMENT, body, flags=2), "an unknown flag"
    yield "length", message(ACKNOWLEDGEMENT, body, length=2**32 - 1), "a body of 2^32 - 1 bytes"
    yield "checksum", message(ACKNOWLEDGEMENT, body, checksum=1), "a wrong checksum"
    yield "mac", message(ACKNOWLEDGEMENT, body, secret=SECRET), "a MAC, and no secret"
    yield "length", message(ACKNOWLEDGEMENT, body + b"\0"), "a byte behind the last field"


def body_rows():
    yield "state", HELLO, hello(4, 2, 4, 0, 0, [], [])
    yield "geometry", HELLO, hello(4, 2, 0, 0, 0, [1] * 9, [])
    yield "geometry", HELLO, hello(4, 2, 0, 0, 0, [1, 2], [])[:-1]
    yield "positions", HELLO, hello(4, 2, 0, 0, 0, [], [(1, 1, 1)])[:-1]
    yield "hashes", DELTA, delta(0, [], low_bits=0, count=0, code=b"")
    yield "hashes", DELTA, delta(0, [1], count=131073)
    yield "hashes", DELTA, delta(0, [1], low_bits=64)
    yield "hashes", DELTA, delta(0, [1, 2], count=3, low_bits=62)
    yield "hashes", DELTA, delta(0, [1, 2], code=rice([1, 2], 62) + b"\0")
    yield "hashes", DELTA, delta(0, [1], low_bits=3, code=b"\x82")
    yield "hashes", DELTA, delta(0, [1, 2], low_bits=63, code=b"\xff" * 16)
    yield "hashes", DELTA, delta(0, [MASK, 0], low_bits=62, code=rice([MASK], 62) + bytes(9))
    yield "form", DIGEST, digest(0, 1, 1, 0, 0, 0, 6, 0, b"", [])
    yield "count", DIGEST, digest(0, 1, 1, 0, 0, 65537, 3, 0, b"", [])
    yield "count", DIGEST, digest(0, 1, 1, 0, 0, 60001, 4, 0, b"", [])
    yield "count", DIGEST, digest(0, 1, 1, 0, 0, 257, 5, 0, b"", [])
    yield "contents", DIGEST, digest(0, 1, 1, 0, 0, 2, 3, 0, bytes(15), [])
    yield "contents", DIGEST, digest(0, 1, 1, 0, 0, 0, 2, 0, bytes(20479), [])
    yield "entries", CHUNKS, struct.pack("<QQQQ", 0, 1, 1, 257)
    yield "entries", CHUNKS, struct.pack("<QQQQ", 0, 1, 1, 1)
    yield "lines", CHUNKS, chunks(0, 1, 1, [(0, 3, bytes(127))])
    yield "positions", ACKNOWLEDGEMENT, struct.pack("<II", 1025, 0) + bytes(24 * 1025)
    yield "state", ACKNOWLEDGEMENT, struct.pack("<II", 0, 2)
    yield "configurations", MEMBER, struct.pack("<II", 0, 0)
    yield "configurations", MEMBER, struct.pack("<II", 3, 0)
    yield "members", MEMBER, member(0, [(1, 1, 1, [])])
    yield "members", MEMBER, member(0, [(1, 2, 2, [2, 1])])
    yield "members", MEMBER, member(0, [(1, 2, 2, [1, 1])])
    yield "generation", MEMBER, member(0, [(0, 2, 2, [1, 2])])
    yield "w", MEMBER, member(0, [(1, 1, 1, [1, 2])])
    yield "w", MEMBER, member(0, [(1, 3, 2, [1, 2])])
    yield "positions", ACKNOWLEDGEMENT, acknowledgement(0, [(1, 0, 1)])


def make():
    valid = list(valid_rows())
    refused = [{"field": field, "why": why, "hex": data.hex()} for field, data, why in header_rows()]
    refused += [{"field": field, "why": f"a body of type {kind}", "hex": message(kind, body).hex()} for field, kind, body in body_rows()]
    return {
        "_comment": "Messages of replicas (replica.md). valid: the bytes, the secret of the MAC or null, and whether a writer that is "
        "given what was read writes these very bytes. refused: the field that a reader without a secret names. "
        f"{len(valid)} valid, {len(refused)} refused.",
        "valid": valid,
        "refused": refused,
    }
