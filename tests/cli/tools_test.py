"""verify, merge, convert and plan: what the C++ command has beyond its siblings."""

import json

from harness import numbered
from kit import cpp_promise, expect, expect_equal

FIRST, SECOND = numbered(b"key", 1000)[:500], numbered(b"key", 1000)[500:]


@cpp_promise
def verify_exits_0_on_a_good_file(kit):
    kit.build("raw")
    kit.build("envelope", None, "--envelope", "--hash", "xxh3")
    kit.run("verify", "raw", status=0)
    kit.run("verify", "envelope", status=0)


@cpp_promise
def verify_exits_1_on_a_damaged_or_foreign_file(kit):
    data = kit.build("f", None, "--envelope")
    damaged = {"flipped": data[:-1] + bytes([data[-1] ^ 1]), "longer": data + b"\0", "shorter": data[:-1], "empty": b"",
               "text": b"no filter\n", "zeros": bytes(4096)}  # fmt: skip
    for name, content in damaged.items():
        kit.run("verify", kit.write(name, content), status=1)


@cpp_promise
def verify_exits_2_when_there_is_no_file(kit):
    kit.refused("verify", "no-such-file", names=["no-such-file"])


@cpp_promise
def a_merge_is_the_filter_of_all_the_keys(kit):
    for options in ([], ["--envelope", "--hash", "xxh3", "--seed", "9"]):
        kit.build("a", FIRST, "-n", "1000", *options)
        kit.build("b", SECOND, "-n", "1000", *options)
        both = kit.build("both", None, "-n", "1000", *options)
        kit.output("merge", "a", "b", "-o", "c")
        expect_equal(kit.output("query", "c", kit.keys).count(b"maybe\t"), 1000, "keys found")
        expect_equal(kit.read("c")[128 if options else 0 :], both[128 if options else 0 :], "bits")


@cpp_promise
def merging_different_geometries_is_refused_and_names_both(kit):
    kit.build("a", FIRST, "-m", "5000", "-k", "7")
    kit.build("b", SECOND, "-m", "6000", "-k", "7")
    kit.build("old")
    kit.refused("merge", "a", "b", "-o", "c", names=["5000", "6000"])
    kit.refused("merge", "a", "b", "-o", "old", names=["5000", "6000"])


@cpp_promise
def merging_different_hashes_is_refused(kit):
    shape = ["-m", "5000", "-k", "7", "--envelope", "--hash"]
    kit.build("a", FIRST, *shape, "xxh3")
    kit.build("b", SECOND, *shape, "xxh64")
    kit.build("c", SECOND, *shape, "xxh3", "--seed", "1")
    kit.refused("merge", "a", "b", "-o", "d", names=["xxh3", "xxh64"])
    kit.refused("merge", "a", "c", "-o", "d")
    kit.refused("merge", "a", "no-such-file", "-o", "d", names=["no-such-file"])


@cpp_promise
def converting_to_an_envelope_and_back_gives_the_same_bytes(kit):
    raw = kit.build("raw")
    kit.output("convert", "--to", "envelope", "raw", "-o", "envelope")
    expect_equal(kit.read("envelope")[:8].hex(), "89424c4d0d0a1a0a", "magic")
    expect_equal(json.loads(kit.output("inspect", "--json", "envelope"))["key_count"], None, "key count, which raw files lack")
    kit.output("convert", "--to", "raw", "envelope", "-o", "back")
    expect(kit.read("back") == raw, "the bytes came back")
    expect_equal(kit.output("query", "envelope", kit.keys).count(b"maybe\t"), 1000, "keys found")


@cpp_promise
def what_a_raw_file_cannot_hold_is_not_converted(kit):
    kit.build("f", None, "--envelope", "--hash", "xxh3")
    kit.refused("convert", "--to", "raw", "f", "-o", "g", names=["xxh3"])
    kit.refused("convert", "--to", "bogus", "f", "-o", "g", names=["bogus"])
    kit.refused("convert", "--to", "raw", "no-such-file", "-o", "g", names=["no-such-file"])


def rows_of(value):
    """Every object inside a JSON value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from rows_of(item)


@cpp_promise
def plan_has_a_row_for_classic(kit):
    text = kit.output("plan", "-n", "1M", "--fpr", "0.01", "--json")
    rows = [row for row in rows_of(json.loads(text)) if row.get("kind") == "classic"]
    expect_equal(len(rows), 1, "classic rows")
    expect(b"classic" in kit.output("plan", "-n", "1M", "--fpr", "0.01"), "the table names classic")


@cpp_promise
def plan_refuses_what_build_refuses(kit):
    for options in ("-n 0 --fpr 0.01", "-n 1M --fpr 0", "-n 1M --fpr nan", "-n 1M --fpr 2"):
        kit.refused("plan", *options.split())
