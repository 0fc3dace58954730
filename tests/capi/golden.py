#!/usr/bin/env python3
"""The golden data of spec/vectors through the C interface: hashes, files of every kind read and written to the byte, views
over their payloads, files that must be refused, tables.

usage: golden.py SOURCE LIBRARY
"""
import ctypes as c
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
from library import Failure, Geometry, Library, OpenOptions, Options, SaveOptions, SizeSpec, TableReadOptions, secret, sized, strings  # noqa: E402

SPEC = pathlib.Path(sys.argv[1]) / "spec"
VECTORS = SPEC / "vectors"
sys.path.insert(0, str(SPEC))
from reader_hashes import xxh3  # noqa: E402

C = Library(sys.argv[2])


def rows(name, section):
    return json.loads((VECTORS / f"{name}.json").read_text())[section]


def options_of(row):
    seed = int(row["seed"] or "0", 16)
    return sized(Options, hash=row["hash"].encode(), seed=seed, secret=secret(row["secret"]))


def hashes():
    data = json.loads((VECTORS / "hash.json").read_text())
    count = 0
    for name in ("fnv_splitmix", "xxh3", "xxh64", "siphash13", "siphash24"):
        keyed = name.startswith("sip")
        seeds = [None] if name == "fnv_splitmix" else [s["secret"] for s in data["secrets"]] if keyed else data["seeds"]
        for i, seed in enumerate(seeds):
            row = {"hash": name, "seed": None if keyed else seed, "secret": seed if keyed else None}
            filter = C.make("filter_with_capacity", b"block", c.c_uint64(10), c.c_double(0.01), c.byref(options_of(row)))
            for entry in [*data["rows"], *data["integers"]]:
                key = bytes.fromhex(entry["key_hex"]) if "key_hex" in entry else bytes(j % 251 for j in range(entry["length"]))
                hash = c.c_uint64()
                C.call("filter_hash", filter, key, c.c_size_t(len(key)), c.byref(hash))
                expected = entry[name] if isinstance(entry[name], str) else entry[name][i]
                assert f"{hash.value:016x}" == expected, (name, seed, entry)
                count += 1
            C.so.bloomery_filter_free(filter)
    return count


def encoded(filter, options):
    bytes_, length = c.c_void_p(), c.c_size_t()
    C.call("filter_encode", filter, options, c.byref(bytes_), c.byref(length))
    text = c.string_at(bytes_, length.value)
    C.so.bloomery_free(bytes_)
    return text


def answers(filter, word, count, maybe):
    names = [f"{word}{i}" for i in range(count)]
    return [name for name in names if C.so.bloomery_filter_contains(filter, name.encode(), c.c_size_t(len(name))) == maybe]


def written_again(row, geometry, keys):
    """The file that the same adds to a new filter of that geometry make."""
    options, size = options_of(row), sized(SizeSpec, geometry=c.pointer(geometry))
    filter = C.make("filter_with_size", row["kind"].encode(), c.c_uint64(max(row["keys"], 1)), c.byref(size), c.byref(options))
    C.call("filter_add_many", filter, c.byref(strings(keys)), 1)
    save = sized(SaveOptions, label=(row["label"] or "").encode() or None, keys=(row["key_type"] or "").encode() or None,
                 created=row["created"] or 0, chunks=row["chunk_bytes"] is not None)
    text = encoded(filter, c.byref(save))
    C.so.bloomery_filter_free(filter)
    return text


def files():
    kinds, made = set(), set()
    for row in rows("kinds", "files"):
        what, kind, file = (row["kind"], row["words"], row["hash"]), row["kind"], bytes.fromhex(row["hex"])
        opened = C.make("filter_decode", file, c.c_size_t(len(file)), c.byref(sized(OpenOptions, secret=secret(row["secret"]))))
        assert C.so.bloomery_filter_kind(opened).decode() == kind, what
        assert answers(opened, "key", row["keys"], False) == row["denied"], what
        assert answers(opened, "miss", 100, True) == row["maybes"], what
        assert encoded(opened, None) == file, what
        geometry = Geometry()
        C.call("filter_geometry", opened, c.byref(geometry))
        numbers = [geometry.numbers[i].value for i in range(geometry.count)]
        assert numbers == row["words"][:geometry.count], what
        view = C.make("filter_view", kind.encode(), c.byref(geometry), c.byref(options_of(row)),
                      c.c_void_p(C.so.bloomery_filter_payload(opened)), c.c_size_t(C.so.bloomery_filter_bytes(opened)))
        assert answers(view, "miss", 100, True) == row["maybes"], what
        C.so.bloomery_filter_free(view)
        C.so.bloomery_filter_free(opened)
        kinds.add(kind)
        if kind not in ("fuse", "ribbon", "scalable"):  # whose geometry follows from the keys
            assert written_again(row, geometry, [f"key{i}".encode() for i in range(row["keys"])]) == file, what
            made.add(kind)
    assert len(kinds) == 11 and len(made) == 8, (kinds, made)
    return len(rows("kinds", "files"))


def refused():
    count = 0
    for name in ("envelope", "records", "classic"):
        for row in rows(name, "invalid"):
            file = bytes.fromhex(row["hex"])
            try:
                C.make("filter_decode", file, c.c_size_t(len(file)), None)
            except Failure as failure:
                assert failure.code in (4, 5, 7), (row["why"], failure)
                count += 1
            else:
                raise AssertionError(f"{name}: opened: {row['why']}")
    return count


def wrong_sums(folder):
    """Mapped files of which one sum alone is wrong: that of the payload, or that of a chunk."""
    row = next(row for row in rows("records", "valid") if row["name"] == "all that are known, two chunks")
    offset, path = row["offset"], pathlib.Path(folder, "f.blm")
    whole, payload, chunk = (bytearray.fromhex(row["hex"]) for _ in range(3))
    payload[112] ^= 1
    chunk[offset + 4097] ^= 4
    chunk[112:120] = xxh3(bytes(chunk[offset:])).to_bytes(8, "little")
    for what, data in (("none", whole), ("payload", payload), ("chunk", chunk)):
        data[120:128] = xxh3(bytes(data[:120] + data[128:offset])).to_bytes(8, "little")
        path.write_bytes(data)
        mapped, message = C.make("filter_map", str(path).encode(), None), "none"
        try:
            C.call("filter_verify", mapped)
        except Failure as failure:
            message = str(failure)
        assert what in message, (what, message)
        assert C.so.bloomery_filter_is_verified(mapped) == (what == "none"), what
        C.so.bloomery_filter_free(mapped)
    return 2


def tables(folder):
    for row in rows("tables", "tables"):
        path = pathlib.Path(folder, "t.blt")
        path.write_bytes(bytes.fromhex(row["hex"]))
        table = C.make("table_open", str(path).encode(), c.byref(sized(TableReadOptions, secret=secret(row["secret"]))))
        walk, found = C.make("table_iterate", table), []
        C.so.bloomery_table_iterator_first(walk)
        while C.so.bloomery_table_iterator_valid(walk):
            entry = C.so.bloomery_table_iterator_entry(walk)
            found.append({"key": c.string_at(entry.key, entry.key_length).hex(),
                          "value": c.string_at(entry.value, entry.value_length).hex() if entry.value else "",
                          "sequence": entry.sequence, "deleted": entry.deleted})
            C.so.bloomery_table_iterator_next(walk)
        C.call("table_iterator_status", walk)
        assert found == row["entries"], row["name"]
        C.so.bloomery_table_iterator_free(walk)
        C.so.bloomery_table_free(table)
    return len(rows("tables", "tables"))


with tempfile.TemporaryDirectory() as folder:
    print(f"{hashes()} hashes, {files()} files, {refused()} refused, {wrong_sums(folder)} not verified, "
          f"{tables(folder)} tables: as spec/vectors says")
