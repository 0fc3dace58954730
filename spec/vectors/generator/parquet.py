"""Parquet's split-block Bloom filter (spec/parquet.md), and the recipe of parquet.json."""

import hashlib
import struct

import xxhash

from .blocked import payload, split_block, split_positions

I32, STRUCT = 5, 12  # types of the compact protocol
HEADER_SIZES = [32 << i for i in range(23)]  # 32 bytes to 128 MiB
PLAIN = {"bytes": None, "int32": "<i", "int64": "<q", "double": "<d"}


def varint(x):
    out = bytearray()
    while x >= 0x80:
        out.append(x & 0x7F | 0x80)
        x >>= 7
    return bytes(out) + bytes([x])


def zigzag(x):
    return 2 * x if x >= 0 else -2 * x - 1


def thrift(*fields):
    """A struct of the compact protocol: fields are (number, type, encoded value), in order."""
    out, before = b"", 0
    for number, kind, value in fields:
        out += bytes([(number - before) << 4 | kind]) + value
        before = number
    return out + b"\0"


def member(number):
    """A union whose member of that number is an empty struct."""
    return thrift((number, STRUCT, thrift()))


def header(num_bytes, algorithm=1, hashing=1, compression=1):
    return thrift(
        (1, I32, varint(zigzag(num_bytes))),
        (2, STRUCT, member(algorithm)),
        (3, STRUCT, member(hashing)),
        (4, STRUCT, member(compression)),
    )


def plain(key_type, line):
    layout = PLAIN[key_type]
    if layout is None:
        return line.encode()
    return struct.pack(layout, float(line) if key_type == "double" else int(line))


def bits(values, num_bytes):
    hashes = [xxhash.xxh64_intdigest(value) for value in values]
    blocks = num_bytes // 32
    return bytes(payload(32, blocks, ((split_block(h, blocks), split_positions(h)) for h in hashes)))


def filter_row(name, key_type, lines, num_bytes, said):
    """said: how the row tells its lines."""
    data = header(num_bytes) + bits([plain(key_type, line) for line in lines], num_bytes)
    row = {"name": name, "key_type": key_type, "num_bytes": num_bytes, "bytes": len(data), **said}
    row["sha256"] = hashlib.sha256(data).hexdigest()
    if len(data) < 200:
        row["hex"] = data.hex()
    return row


def listed(name, key_type, lines, num_bytes):
    return filter_row(name, key_type, lines, num_bytes, {"lines": lines})


def numbered(name, key_type, pattern, count, num_bytes):
    """The lines are the pattern with {} replaced by 0 .. count-1."""
    lines = [pattern.replace("{}", str(i)) for i in range(count)]
    return filter_row(name, key_type, lines, num_bytes, {"pattern": pattern, "count": count})


def filters():
    yield listed("no keys", "bytes", [], 32)
    yield listed("three words", "bytes", ["alpha", "beta", "gamma"], 32)
    yield listed("ten int64, as Spark writes them", "int64", [str(i) for i in range(10)], 32)
    yield listed("the same as int32", "int32", [str(i) for i in range(10)], 32)
    yield listed("the same as double", "double", [str(i) for i in range(10)], 32)
    yield listed("the same as bytes", "bytes", [str(i) for i in range(10)], 32)
    yield listed("the ends of int32", "int32", ["-2147483648", "-1", "0", "2147483647"], 64)
    yield listed("the ends of int64", "int64", ["-9223372036854775808", "-1", "0", "9223372036854775807"], 64)
    doubles = ["0", "-0", "0.1", "-1.5e3", "5e-324", "1.7976931348623157e308", "2.2250738585072014e-308", "1e23"]
    yield listed("doubles that are hard to read", "double", doubles, 128)
    yield listed("the empty key", "bytes", [""], 64)
    for key_type, pattern in (("bytes", "key{}"), ("int32", "{}"), ("int64", "{}"), ("double", "{}.5")):
        yield numbered(f"a thousand {key_type}", key_type, pattern, 1000, 2048)


def invalid():
    """name, bytes, and the field that the error is about"""
    good, body = header(32), bytes(32)
    for length in range(len(good)):
        yield f"cut off after {length} bytes", good[:length], None
    yield "one byte short", good + body[:-1], "numBytes"
    yield "one byte too many", good + body + b"\0", "numBytes"
    yield "one block too many", good + bytes(64), "numBytes"
    for size in (0, 8, 31, 33, -32, 2**31 - 1, -(2**31)):
        yield f"numBytes {size}", header(size) + bytes(max(0, min(size, 64))), "numBytes"
    for field, row in (("algorithm", (2, 1, 1)), ("hash", (1, 2, 1)), ("compression", (1, 1, 15))):
        yield f"unknown {field}", header(32, *row) + body, field
    for at in range(len(good)):
        for value in (0xFF, good[at] ^ 0x08):
            yield f"byte {at} is {value}", good[:at] + bytes([value]) + good[at + 1 :] + body, None
    yield "a varint of six bytes", b"\x15\xc0\x80\x80\x80\x80\x00" + good[2:] + body, "numBytes"
    yield "a varint of 33 bits", b"\x15\xc0\x80\x80\x80\x10" + good[2:] + body, "numBytes"
    yield "a varint that is longer than it must be", b"\x15\xc0\x00" + good[2:] + body, "numBytes"
    yield "an empty union", b"\x15\x40\x1c\x00" + good[6:] + body, "algorithm"
    yield "a union of an i32", b"\x15\x40\x1c\x15\x02\x00" + good[6:] + body, "algorithm"
    yield "a fifth field", good[:-1] + b"\x15\x02\x00" + body, "header"
    yield "the fields in another order", thrift((2, STRUCT, member(1))) + body, "numBytes"
    yield "an envelope", bytes.fromhex("89424c4d0d0a1a0a") + bytes(152), "header"


def make():
    return {
        "_comment": "Golden data of spec/parquet.md. 'headers': the header before num_bytes bytes of bits. 'filters': the file "
        "that `build --kind split --parquet --key-type KEY_TYPE --blocks NUM_BYTES/32` makes of 'lines', or of 'pattern' with "
        "{} replaced by 0 .. count-1. 'invalid': refused, with an error about 'field' when that is not null.",
        "headers": [{"num_bytes": size, "hex": header(size).hex()} for size in HEADER_SIZES],
        "filters": list(filters()),
        "invalid": [{"why": why, "hex": data.hex(), "field": field} for why, data, field in invalid()],
    }
