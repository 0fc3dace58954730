"""How lines spell keys (spec/keys.md): --keys, what a file says of its keys, and labels."""

import json
import pathlib
import sys

from kit import cpp_promise, expect, expect_equal, promise

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "spec"))
import reader  # noqa: E402

INTEGERS = {b"42": 42, b"-1": 2**64 - 1, b"18446744073709551615": 2**64 - 1, b"0": 0, b"-9223372036854775808": 2**63}


@promise
def integers_are_eight_bytes_in_every_front(kit):
    kit.write("keys", b"".join(line + b"\n" for line in INTEGERS))
    kit.output("build", "--kind", "block", "-q", "--keys", "int", "-o", "f", "keys")
    file = reader.File(kit.read("f"))
    for line, number in INTEGERS.items():
        expect(file.contains(number.to_bytes(8, "little")), line)
    expect_equal(file.records[reader.KEYS][1], b"int", "the record")
    done = kit.run("query", "f", stdin=b"42\n43\n")
    expect_equal(done.stdout, b"maybe\t42\nno\t43\n", "as the file says")
    done = kit.run("query", "f", "--keys", "text", stdin=b"42\n")
    expect_equal(done.returncode, 2, "another type")
    expect(b"--force" in done.stderr, done.stderr)
    done = kit.run("query", "f", "--keys", "text", "--force", stdin=b"42\n")
    expect_equal(done.stdout, b"no\t42\n", "asked anyway")


@cpp_promise
def keys_are_added_as_the_file_says(kit):
    kit.output("build", "--kind", "block", "-q", "--keys", "int", "-o", "f", stdin=b"42\n")
    kit.write("more", b"7\n")
    kit.output("add", "-q", "f", "more")
    expect_equal(kit.run("query", "f", stdin=b"7\n").stdout, b"maybe\t7\n", "added as the file says")


@promise
def bytes_are_spelled_in_hex_and_base64(kit):
    kit.write("keys", b"00ff\n\nC0de\n")
    kit.output("build", "--kind", "block", "-q", "--keys", "hex", "-o", "f", "keys")
    file = reader.File(kit.read("f"))
    for key in (b"\x00\xff", b"", b"\xc0\xde"):
        expect(file.contains(key), key)
    expect_equal(file.records[reader.KEYS][1], b"bytes", "the record")
    expect_equal(kit.run("query", "f", stdin=b"00FF\n").stdout, b"maybe\t00FF\n", "hex unless it is said otherwise")
    expect_equal(kit.run("query", "f", "--keys", "base64", stdin=b"AP8=\n").stdout, b"maybe\tAP8=\n", "base64")
    hashed = kit.output("hash", "--keys", "hex", stdin=b"6162\n").split(b"\t")[0]
    expect_equal(hashed, kit.output("hash", stdin=b"ab\n").split(b"\t")[0], "hash of the bytes, not of the digits")


@cpp_promise
def keys_of_a_table_are_spelled_as_told(kit):
    kit.write("lines", b'{"key_hex":"2a00000000000000","value":"int"}\n{"key_hex":"00ff","value":"bytes"}\n{"key":"42","value":"text"}\n')
    kit.output("table", "build", "-q", "--format", "jsonl", "-o", "t", "lines")
    for spelling, key, value in (("int", "42", b"int"), ("hex", "00FF", b"bytes"), ("base64", "AP8=", b"bytes"), ("text", "42", b"text")):
        expect_equal(kit.output("table", "get", "t", "--keys", spelling, key), value + b"\n", spelling)
    expect_equal(kit.output("table", "get", "t", "42"), b"text\n", "text unless told")
    kit.write("keys", b"42\r\n7\r\n")
    got = kit.output("table", "get", "t", "--keys", "int", "--crlf", "--key-file", "keys", status=1)
    expect_equal(got, b"42\tint\n", "the line, not the key")
    warned = kit.run("table", "get", "t", "--key-file", "keys", status=1).stderr
    expect(b"2 of 2 lines ended in CR" in warned and b"--crlf" in warned, f"{warned!r}")
    kit.refused("table", "get", "t", "--keys", "int", "x", names=["'x'", "a whole number"])


@cpp_promise
def a_parquet_type_in_the_record_spells_its_values(kit):
    valid = {row["name"]: bytes.fromhex(row["hex"]) for row in json.loads((ROOT / "spec/vectors/records.json").read_text())["valid"]}
    names = [name for name in valid if "parquet" in name]
    for name in names:
        kit.write("f", valid[name])
        kind = json.loads(kit.output("inspect", "--json", "f"))["keys"]
        done = kit.run("query", "f", stdin=b"x\n")
        good = kind == "parquet-bytes"
        expect_equal(done.returncode == 2, not good, f"{kind}: {done}")
        expect(kit.run("query", "f", stdin=b"42\n").returncode in (0, 1), f"{kind}: a number")


@promise
def a_parquet_type_is_spelled_or_refused_by_a_command_that_names_one_which_does(kit):
    valid = {row["name"]: bytes.fromhex(row["hex"]) for row in json.loads((ROOT / "spec/vectors/records.json").read_text())["valid"]}
    kit.write("f", valid["keys parquet-int32"])
    expect_equal(json.loads(kit.output("inspect", "--json", "f"))["keys"], "parquet-int32", "the type is shown")
    if kit.command.name == "bloomery":
        expect(kit.run("query", "f", "--key", "42").returncode in (0, 1), "a number")
    else:
        kit.refused("query", "f", "--key", "42", names=["'parquet-int32'", "`bloomery query`"])
    kit.refused("query", "f", "--keys", "int", "--key", "42", names=["'parquet-int32'", "'int'"])
    expect(kit.run("query", "f", "--keys", "int", "--force", "--key", "42").returncode in (0, 1), "asked anyway")
    kit.write("f", valid["keys later"])
    kit.refused("query", "f", "--key", "42", names=["'later'", "no line can spell"])


@promise
def a_line_that_spells_no_key_is_refused_with_its_number(kit):
    for spelling, lines in (("int", b"1\n+2\n"), ("int", b"1\n18446744073709551616\n"), ("hex", b"00\n0\n"), ("base64", b"AP8=\nAP8\n")):
        done = kit.run("build", "--keys", spelling, "-o", "refused", "-", stdin=lines)
        expect_equal(done.returncode, 2, lines)
        expect(b"line 2" in done.stderr and not (kit.folder / "refused").exists(), done.stderr)
    done = kit.run("build", "--keys", "roman", "-o", "refused", "-", stdin=b"")
    expect(done.returncode == 2 and b"text, int, hex or base64" in done.stderr, done.stderr)


@promise
def a_label_is_kept_and_shown(kit):
    kit.output("build", "--kind", "block", "-q", "--label", "users of 2026", "--keys", "text", "-o", "f", "-", stdin=b"a\n")
    shown = kit.output("inspect", "f").decode()
    expect("label           users of 2026\n" in shown and "keys are        text\n" in shown, shown)
    inspected = json.loads(kit.output("inspect", "--json", "f"))
    expect_equal((inspected["label"], inspected["keys"]), ("users of 2026", "text"), "as JSON")
    expect_equal(inspected["file_bytes"], len(kit.read("f")), "its size")
    kit.output("build", "--kind", "block", "-q", "-o", "plain", "-", stdin=b"a\n")
    expect_equal(reader.File(kit.read("plain")).records, {}, "no record unless it is asked for")
    done = kit.run("build", "--kind", "classic", "--label", "x", "-o", "refused", "-", stdin=b"")
    expect(done.returncode == 2 and b"--envelope" in done.stderr, done.stderr)
