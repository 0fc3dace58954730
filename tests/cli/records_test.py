"""What commands do with the records of envelopes: kept, dropped or refused as spec/envelope.md says."""

import itertools
import json
import pathlib
import struct
import sys

from kit import cpp_promise, expect, expect_equal, promise

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "spec"))
import reader  # noqa: E402
import reader_hashes  # noqa: E402


def rows(section):
    return json.loads((ROOT / "spec/vectors/records.json").read_text())[section]


def types(kit, name):
    return {kind: contents for kind, (_, contents) in reader.File(kit.read(name)).records.items()}


@cpp_promise
def an_add_keeps_the_records_that_stay_true(kit):
    kit.write("one", b"key0\n")
    for row in rows("valid"):
        kit.write("f", bytes.fromhex(row["hex"]))
        kit.output("add", "-q", "--keys", "text", "--force", "f", "one")
        wanted = reader.File(bytes.fromhex(row["changed_hex"]))
        got = reader.File(kit.read("f"))
        expect_equal(got.records, wanted.records, row["name"])
        expect_equal(got.data[32:40], wanted.data[32:40], row["name"] + ": payload offset")
        expect(got.contains(b"key0"), row["name"])


@cpp_promise
def a_merge_keeps_what_all_inputs_have_and_drops_the_label(kit):
    valid = {row["name"]: bytes.fromhex(row["hex"]) for row in rows("valid")}
    kit.write("int", valid["all that are known"])
    kit.write("text", valid["keys text"])
    kit.write("none", valid["none"])
    kit.output("merge", "int", "int", "-o", "both")
    expect_equal(types(kit, "both"), {reader.KEYS: b"int"}, "two of one type")
    kit.output("merge", "int", "none", "-o", "both")
    expect_equal(types(kit, "both"), {}, "one that does not say")
    expect_equal(len(kit.read("both")), len(kit.read("none")), "a payload at 128 again")
    done = kit.run("merge", "int", "text", "-o", "refused")
    expect_equal(done.returncode, 2, "two types of keys")
    expect(b"text: the keys of this filter are of the type 'text', not 'int'" in done.stderr, done.stderr)


@cpp_promise
def a_merge_of_two_types_of_keys_is_refused_in_every_order(kit):
    valid = {row["name"]: bytes.fromhex(row["hex"]) for row in rows("valid")}
    for name, row in (("int", "all that are known"), ("text", "keys text"), ("none", "none")):
        kit.write(name, valid[row])
    for order in itertools.permutations(("int", "text", "none")):
        kit.refused("merge", *order, "-o", "merged", names=["the keys of this filter are of the type"])
    kit.output("merge", "none", "int", "none", "int", "-o", "merged")
    expect_equal(types(kit, "merged"), {}, "of one type and of none")


@promise
def verify_names_the_damaged_chunk(kit):
    row = next(row for row in rows("valid") if row["name"] == "all that are known, two chunks")
    data = bytearray.fromhex(row["hex"])
    kit.write("f", bytes(data))
    kit.output("verify", "f")
    data[row["offset"] + 4097] ^= 4
    kit.write("f", bytes(data))
    done = kit.run("verify", "f")
    expect_equal(done.returncode, 1, "a flipped bit")
    expect(b"chunk 1 of 2, bytes 4096 to 4099 of the payload" in done.stderr, done.stderr)


def with_sums(data, payload=True):
    """The file with the sums of its payload and of its header set right, or of its header alone, and no sum of a chunk."""
    offset = int.from_bytes(data[32:40], "little")
    if payload:
        data[112:120] = reader_hashes.xxh3(bytes(data[offset:])).to_bytes(8, "little")
    data[120:128] = reader_hashes.xxh3(bytes(data[:120] + data[128:offset])).to_bytes(8, "little")
    return bytes(data)


@promise
def verify_compares_the_sums_of_chunks_also_where_that_of_the_payload_is_right(kit):
    row = next(row for row in rows("valid") if row["name"] == "all that are known, two chunks")
    data = bytearray.fromhex(row["hex"])
    data[row["offset"] + 4097] ^= 4
    kit.write("f", with_sums(data))
    expect(kit.run("query", "f", "--key", "1").returncode != 2, "a query, which does not compare them")
    verdict = json.loads(kit.run("verify", "--json", "f", status=1).stdout)
    expect_equal(verdict["sound"], False, verdict)
    expect("chunk 1 of 2, bytes 4096 to 4099 of the payload" in verdict["verdict"], verdict)


@promise
def verify_compares_the_sum_of_the_payload_also_where_those_of_chunks_are_right(kit):
    row = next(row for row in rows("valid") if row["name"] == "all that are known, two chunks")
    data = bytearray.fromhex(row["hex"])
    data[112] ^= 1
    kit.write("f", with_sums(data, payload=False))
    verdict = json.loads(kit.run("verify", "--json", "f", status=1).stdout)
    expect_equal(verdict["sound"], False, verdict)
    expect("payload" in verdict["verdict"] and "checksum" in verdict["verdict"], verdict)


def with_chunks(data):
    """The file, which has no records, with sums of chunks of 4096 bytes."""
    payload = bytes(data[128:])
    sums = [reader_hashes.xxh3(payload[at : at + 4096]) for at in range(0, len(payload), 4096)]
    record = struct.pack(f"<HHI{1 + len(sums)}Q", reader.CHUNKS, 0, 8 * (1 + len(sums)), 4096, *sums)
    record += bytes(-len(record) % 64)
    start = bytearray(data[:128])
    start[32:40] = (128 + len(record)).to_bytes(8, "little")
    return with_sums(start + record + payload)


@cpp_promise
def verify_compares_the_sums_of_chunks_of_an_iblt(kit):
    kit.write("keys", b"a\nb\n")
    for options in (["--differences", "100"], ["--estimator"]):
        kit.output("build", "--kind", "iblt", *options, "-q", "-o", "plain", "keys")
        whole = with_chunks(kit.read("plain"))
        kit.write("f", whole)
        chunks = -(-(len(kit.read("plain")) - 128) // 4096)
        expect(f"chunks          {chunks} of 4096 bytes\n".encode() in kit.output("inspect", "f"), "the record")
        expect(b"sound" in kit.output("verify", "f"), "as it was written")
        damaged = bytearray(whole)
        damaged[int.from_bytes(whole[32:40], "little") + 4097] ^= 4
        where = f"chunk 1 of {chunks}, bytes 4096 to 8191 of the payload".encode()
        for what, data in (("a flipped bit", bytes(damaged)), ("the sum of the payload is right", with_sums(damaged))):
            kit.write("f", data)
            expect(where in kit.run("verify", "f", status=1).stderr, f"{what}, {options}")
        kit.output("inspect", "f")  # which opens it, and compares no sum of a chunk


@promise
def verify_follows_the_runs_of_a_quotient_filter(kit):
    files = json.loads((ROOT / "spec/vectors/kinds.json").read_text())["files"]
    row = next(row for row in files if row["kind"] == "quotient" and row["keys"] and not row["chunk_bytes"])
    kit.write("f", bytes.fromhex(row["hex"]))
    kit.output("verify", "f")
    whole = bytearray.fromhex(row["hex"])
    offset = int.from_bytes(whole[32:40], "little")
    # A wrong offset of a block, ends of runs where none is, remainders out of order, a wrong count.
    for what, at, wrong in (("offset", 0, [9]), ("ends", 10, [255] * 8), ("remainders", 18, [255, 0, 85] * 18), ("taken", 148, [5])):
        data = bytearray(whole)
        data[offset + at : offset + at + len(wrong)] = wrong
        kit.write("f", with_sums(data))
        done = kit.run("verify", "--json", "f")
        expect_equal((done.returncode, json.loads(done.stdout)["sound"]), (1, False), what)
