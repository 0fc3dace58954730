"""Promises of the C++ command about the filters of Parquet columns (spec/parquet.md)."""

import hashlib
import json
import pathlib

from kit import cpp_promise, expect, expect_equal

VECTORS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "spec/vectors/parquet.json").read_text())
PARQUET = ("--kind", "split", "--parquet")


def lines_of(row):
    if "lines" in row:
        return row["lines"]
    return [row["pattern"].replace("{}", str(i)) for i in range(row["count"])]


def key_lines(kit, name, lines):
    return kit.write(name, "".join(line + "\n" for line in lines).encode())


@cpp_promise
def parquet_files_are_those_of_the_vectors_and_answer(kit):
    for row in VECTORS["filters"]:
        lines, typed = lines_of(row), ("--key-type", row["key_type"])
        keys = key_lines(kit, "lines", lines)
        printed = kit.output("build", *PARQUET, *typed, "--blocks", row["num_bytes"] // 32, "-o", "f", keys)
        expect(f"f: split, {len(lines)} keys, {row['bytes']} bytes, ".encode() in printed, f"{row['name']}: {printed!r}")
        expect_equal(hashlib.sha256(kit.read("f")).hexdigest(), row["sha256"], row["name"])
        for more in ((), ("--no-verify",)):
            answers = kit.output("query", "--parquet", *typed, *more, "f", keys)
            expect_equal(answers, "".join(f"maybe\t{line}\n" for line in lines).encode(), row["name"])


@cpp_promise
def parquet_sizes_are_the_smallest_power_of_two_that_will_do(kit):
    for count, options, wanted in ((1000, (), 2048), (1000, ("--fpr", "0.4"), 512), (1, ("-q",), 32), (0, (), 32),
                                   (1000, ("--bits-per-key", "9"), 2048), (1000, ("-n", "90k"), 131072)):  # fmt: skip
        keys = key_lines(kit, "lines", [str(i) for i in range(count)])
        kit.output("build", *PARQUET, *options, "-o", "f", keys)
        value = json.loads(kit.output("inspect", "--parquet", "--json", "f"))
        expect_equal(value["payload_bytes"], wanted, f"{count} keys, {options}")
        expect_equal((value["kind"], value["format"], value["version"], value["hash"], value["key_count"]),
                     ("split", "parquet", None, "xxh64", None), "inspect")  # fmt: skip
    expect(b"format          parquet\n" in kit.output("inspect", "--parquet", "f"), "inspect names the format")


@cpp_promise
def more_than_parquet_readers_take_is_refused_with_what_to_do(kit):
    kit.refused("build", *PARQUET, "-n", "200M", "--fpr", "0.001", "-o", "f", kit.keys, names=["128 MiB", "row group"])
    kit.refused("build", *PARQUET, "-n", "100M", "--bits-per-key", "20", "-o", "f", kit.keys, names=["128 MiB"])
    kit.refused("build", *PARQUET, "--blocks", "8388608", "-o", "f", kit.keys, names=["4194304"])
    kit.refused("build", *PARQUET, "--blocks", "5", "-o", "f", kit.keys, names=["give 8"])
    kit.refused("build", *PARQUET, "--fpr", "1e-6", "-o", "f", kit.keys, names=["1e-05"])


@cpp_promise
def a_line_that_is_no_such_number_is_named_and_nothing_is_written(kit):
    kit.write("f", b"as it was")
    bad = {
        "int32": ["", "x", "1.0", "2147483648", "-2147483649", "+1", " 1", "1 ", "1\r", "0x10", "1e3", "--1", "-"],
        "int64": ["", "9223372036854775808", "-9223372036854775809", "1.5", "ten"],
        "double": ["", "nan", "inf", "-infinity", "1e999", "1,5", "0x1p3", "1.5 ", "+1", "."],
    }
    for key_type, lines in bad.items():
        for line in lines:
            keys = key_lines(kit, "lines", ["1", "2", line, "3"])
            kit.refused("build", *PARQUET, "--key-type", key_type, "-o", "f", keys, names=["lines", "line 3", key_type])
    # far down, past the first block that is read
    keys = key_lines(kit, "lines", [str(i) for i in range(100000)] + ["oops"])
    kit.refused("build", *PARQUET, "--key-type", "int64", "-o", "f", keys, names=["line 100001", "oops"])
    kit.refused("build", *PARQUET, "--key-type", "int64", "-o", "f", stdin=b"1\nx\n", names=["standard input", "line 2"])
    kit.output("build", *PARQUET, "--key-type", "int64", "-q", "-o", "good", stdin=b"1\n")
    kit.refused("query", "--parquet", "--key-type", "int64", "good", stdin=b"1\nx\n", names=["line 2"])


@cpp_promise
def options_that_no_column_knows_are_refused(kit):
    kit.refused("build", "--kind", "block", "--parquet", "-o", "f", kit.keys, names=["--kind split"])
    kit.refused("build", "--kind", "classic", "--parquet", "-o", "f", kit.keys, names=["--kind split"])
    kit.refused("build", *PARQUET, "--envelope", "-o", "f", kit.keys, names=["--envelope"])
    kit.refused("build", *PARQUET, "--hash", "xxh3", "-o", "f", kit.keys, names=["xxh64"])
    kit.refused("build", *PARQUET, "--seed", "1", "-o", "f", kit.keys, names=["seed 0"])
    kit.refused("build", *PARQUET, "--key-type", "int96", "-o", "f", kit.keys, names=["int96", "int64"])
    kit.refused("build", *PARQUET, "-m", "100", "-k", "3", "-o", "f", kit.keys, names=["have no m", "blocks"])
    kit.refused("build", "--kind", "split", "--key-type", "int64", "-o", "f", kit.keys, names=["--parquet"])


@cpp_promise
def the_reader_is_told_and_does_not_guess(kit):
    kit.output("build", *PARQUET, "-q", "-o", "parquet", kit.keys)
    kit.output("build", "--kind", "split", "-q", "-o", "envelope", kit.keys)
    kit.output("build", "--kind", "classic", "-m", "80000", "-k", "21", "-q", "-o", "raw", kit.keys)  # starts with the same byte
    kit.refused("query", "parquet", kit.keys, names=["--parquet"])
    kit.refused("inspect", "parquet", names=["--parquet"])
    kit.refused("query", "--parquet", "raw", kit.keys)
    kit.refused("inspect", "--parquet", "envelope", names=["leave out --parquet"])
    kit.refused("query", "--key-type", "int64", "envelope", kit.keys, names=["--parquet"])
    kit.run("verify", "parquet", status=1)
    kit.run("verify", "--parquet", "raw", status=1)
    expect(b"Parquet filter has no checksum" in kit.output("verify", "--parquet", "parquet"), "verify tells what it could not check")
    for name in ("raw", "envelope"):
        kit.output("query", name, kit.keys)


@cpp_promise
def invalid_parquet_files_are_refused(kit):
    for row in VECTORS["invalid"]:
        kit.write("f", bytes.fromhex(row["hex"]))
        kit.refused("query", "--parquet", "f", kit.keys, names=["f: "])
        kit.run("verify", "--parquet", "f", status=1)
