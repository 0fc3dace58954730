"""What commands do with the records of envelopes: kept, dropped or refused as spec/envelope.md says."""

import itertools
import json
import pathlib
import sys

from kit import cpp_promise, expect, expect_equal, promise

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "spec"))
import reader  # noqa: E402


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
