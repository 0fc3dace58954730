#!/usr/bin/env python3
"""Holds spec/reader.py, which was written from the pages of spec/ alone, to the golden data. Needs the standard library
alone. Prints one line, or what differs."""

import json
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "spec"))
import reader  # noqa: E402
import reader_hashes  # noqa: E402

wrong, checked = [], 0


def expect(what, got, wanted):
    global checked
    checked += 1
    if got != wanted:
        wrong.append(f"{what}: {got} instead of {wanted}")


def vectors(name, section):
    rows = json.loads((ROOT / "spec/vectors" / f"{name}.json").read_text())[section]
    assert rows, f"{name}.json: {section} is empty"
    return rows


def opened(row):
    return reader.File(bytes.fromhex(row["hex"]), bytes.fromhex(row["secret"]) if row.get("secret") else None)


def refused(data):
    """The number of the check that refuses it, or None."""
    try:
        reader.File(data)
    except reader.Refused as error:
        return error.check
    return None


def hashes_are_those_of_the_specification():
    seeds = [int(seed, 16) for seed in vectors("hash", "seeds")]
    secrets = [bytes.fromhex(row["secret"]) for row in vectors("hash", "secrets")]
    for row in vectors("hash", "rows"):
        key = bytes(i % 251 for i in range(row["length"]))
        for name, function in reader_hashes.HASHES.values():
            by = [None] if name == "fnv_splitmix" else seeds if name.startswith("xxh") else secrets
            got = [f"{function(key, one):016x}" for one in by]
            expect(f"{name} of {len(key)} bytes", got if len(by) > 1 else got[0], row[name])


def every_kind_answers():
    for row in vectors("kinds", "files"):
        file, what = opened(row), f"{row['kind']} {row['words']} {row['hash']}"
        expect(f"{what}, denied", [f"key{i}" for i in range(row["keys"]) if not file.contains(b"key%d" % i)], row["denied"])
        expect(f"{what}, maybes", [f"miss{i}" for i in range(100) if file.contains(b"miss%d" % i)], row["maybes"])
        expect(f"{what}, chunks", file.damaged_chunks(), [])
    expect("kinds", {row["kind"] for row in vectors("kinds", "files")}, {kind.__name__.lower() for kind in reader.KINDS.values()})


def envelopes_open_and_answer():
    for row in vectors("envelope", "valid"):
        file = opened(row)
        expect(row["name"], file.key_count, row["key_count"])
        expect(row["name"], all(file.contains(bytes.fromhex(key)) for key in row["keys_hex"]), True)
        expect(row["name"], {key: file.contains(key.encode()) for key in row["absent"]}, row["absent"])
    for row in vectors("blocked", "files"):
        file = opened(row)
        expect(row["kind"], [f"miss{i}" for i in range(20) if file.contains(b"miss%d" % i)], row["maybes"])


def every_filter_of_leveldb_answers():
    kinds = {"classic": reader.Classic, "split": reader.Split, "block": reader.Block}
    for row in vectors("leveldb", "filters"):
        kind, data, what = kinds[row["kind"]], bytes.fromhex(row["hex"]), f"LevelDB, {row['keys']} keys in {row['kind']} at {row['fpr']}"
        expect(what, all(reader.leveldb_maybe(kind, data, b"key%d" % i) for i in range(row["keys"])), True)
        expect(what, [f"miss{i}" for i in range(50) if reader.leveldb_maybe(kind, data, b"miss%d" % i)], row["maybes"])
    for row in vectors("leveldb", "maybe"):
        answers = [reader.leveldb_maybe(kinds[row["kind"]], bytes.fromhex(row["hex"]), b"miss%d" % i) for i in range(10)]
        expect(f"LevelDB, {row['kind']}: {row['why']}", answers, [True] * 10)


def records_are_read():
    for row in vectors("records", "valid"):
        file = opened(row)
        known = {reader.LABEL: row["label"] and row["label"].encode(), reader.KEYS: row["keys"] and row["keys"].encode()}
        known[reader.CREATED] = None if row["created"] is None else row["created"].to_bytes(8, "little")
        for kind, contents in known.items():
            expect(f"{row['name']}, record {kind}", file.records.get(kind, (0, None))[1], contents)
        expect(f"{row['name']}, chunks", reader.CHUNKS in file.records, row["chunk_bytes"] is not None)
        others = [(kind, *found) for kind, found in sorted(file.records.items()) if kind > reader.CHUNKS]
        expect(row["name"], others, [(one["type"], one["flags"], bytes.fromhex(one["hex"])) for one in row["unknown"]])
        expect(f"{row['name']}, damaged", file.damaged_chunks(), [])
        expect(f"{row['name']}, after a change", refused(bytes.fromhex(row["changed_hex"])), None)


def what_is_invalid_is_refused_by_the_right_check():
    for name in ("envelope", "records", "classic"):
        for row in vectors(name, "invalid"):
            data = bytes.fromhex(row["hex"])
            expect(f"{name}: {row['why']}", refused(data), row["check"] if data[:1] == reader.MAGIC[:1] else 0)
    for row in vectors("blocked", "invalid"):
        expect(f"blocked: {row['why']}", refused(bytes.fromhex(row["hex"])) is not None, True)


def every_flip_and_every_cut_is_noticed():
    row = max((row for row in vectors("records", "valid") if len(row["hex"]) < 800), key=lambda row: len(row["hex"]))
    good = bytes.fromhex(row["hex"])
    for bit in range(8 * len(good)):
        data = bytearray(good)
        data[bit // 8] ^= 1 << bit % 8
        expect(f"bit {bit} of {row['name']}", refused(bytes(data)) is not None, True)
    for size in range(len(good)):
        expect(f"{row['name']} cut to {size}", refused(good[:size]) is not None, True)


CHECKS = [check for name, check in list(globals().items()) if callable(check) and name.startswith(("hashes_", "every_", "envelopes_", "records_", "what_"))]
for check in CHECKS:
    check()
print("\n".join(wrong[:20]) if wrong else f"{checked} answers of spec/reader.py are those of the golden data")
sys.exit(1 if wrong or checked < 2000 else 0)
