"""--json of every command, held to the table of spec/cli.md."""

import json
import pathlib
import re

from kit import cpp_promise, expect, expect_equal, promise

SPEC = pathlib.Path(__file__).resolve().parents[2] / "spec"
PAGE = SPEC / "cli.md"
TYPES = {"int": int, "real": float, "text": str, "bool": bool, "hex": str, "[]": list, "{}": dict}
WITHOUT = {"help", "completion", "man"}


def schema():
    """{command: [(field, type, may be null)]}"""
    table = re.search(r"^\| command \| lines \| fields \|\n\|[-|]+\n((?:\|.*\n)+)", PAGE.read_text(), re.MULTILINE)[1]
    found = {}
    for command, fields in re.findall(r"^\| `(.*)` \| .* \| (.*) \|$", table, re.MULTILINE):
        pairs = [field.split(" ") for field in fields.split(", ")]
        found[command] = [(name, kind.rstrip("?"), kind.endswith("?")) for name, kind in pairs]
    expect_equal(len(found), table.count("\n"), "rows")
    return found


def fields_of_some():
    """[(field, type, may be null)] of `inspect`, of files that have them, in their order."""
    table = re.search(r"^\| field \| line \| of \|\n\|[-|]+\n((?:\|.*\n)+)", PAGE.read_text(), re.MULTILINE)[1]
    found = re.findall(r"^\| `([a-z_]+)` (\w+) \|", table, re.MULTILINE)
    expect_equal(len(found), table.count("\n"), "rows of the fields of some files")
    return [(name, kind, False) for name, kind in found]


def check(command, fields, line):
    """The fields of the page, in their order, with values of their types."""
    value = json.loads(line)
    expect(b'": ' not in line and b', "' not in line, f"{command}: spaces in {line!r}")
    expect_equal(list(value), [name for name, _, _ in fields], f"{command}: fields")
    for name, kind, may_be_null in fields:
        if value[name] is None:
            expect(may_be_null, f"{command}: {name} is null")
            continue
        expect(type(value[name]) is TYPES[kind], f"{command}: {name} is {value[name]!r}, no {kind}")
        if kind == "hex":
            expect(re.fullmatch("[0-9a-f]+", value[name]) is not None, f"{command}: {name} is {value[name]!r}")


def shared_runs():
    """What all three commands have, of the files `block` and `one`."""
    return {
        "build": (["--kind", "block", "-o", "b", "one"], 0), "query": (["block", "one"], 1), "query --count": (["block", "one"], 0),
        "inspect": (["block"], 0), "hash": (["one"], 0),
    }  # fmt: skip


def runs(kit):
    """{command: (arguments, exit status)}: one run of each, which prints at least one line."""
    for kind in ("block", "counting", "quotient", "scalable"):
        kit.build(kind, None, "--kind", kind)
    kit.build("labelled", None, "--kind", "block", "--label", "x")
    kit.output("table", "build", "-q", "-o", "t", stdin=b"a\tb\nc\td\n")
    kit.write("one", b"key1\nelse\n")
    kit.write("lines", b"x\ty\n")
    return {
        **shared_runs(), "plan": (["-n", "1M"], 0), "build --kind iblt": (["--differences", "5", "-o", "i", "one"], 0), "verify": (["block", "t"], 1),
        "add": (["block", "one", "-o", "b2"], 0), "remove": (["counting", "one", "-o", "c2"], 1), "resize": (["quotient", "-o", "q2"], 0),
        "fold": (["scalable", kit.keys, "-o", "s2"], 0), "list": (["quotient"], 0), "merge": (["block", "block", "-o", "m"], 0),
        "convert": (["--kind", "classic", "counting", "-o", "v"], 0), "overlap": (["block", "block"], 0), "set-diff": (["one", kit.keys], 1),
        "iblt-size": (["--differences", "10"], 0), "table build": (["-o", "t2", "lines"], 0), "table get": (["t", "a"], 0), "table scan": (["t"], 0),
        "table stats": (["t"], 0), "table verify": (["t", "block"], 1), "table compact": (["-o", "t3", "t"], 0), "table refilter": (["t", "-o", "t4"], 0),
        "label": (["labelled"], 0), "secret": (["-o", "s"], 0), "demo": (["-n", "2k"], 0),
        "table bench": (["-n", "1000"], 0), "bench": (["--quick", "-n", "1k", "--kind", "block"], 0),
    }  # fmt: skip


@promise
def json_of_hash_build_query_and_inspect_is_as_the_page_says(kit):
    kit.build("block", None, "--kind", "block")
    kit.write("one", b"key1\nelse\n")
    check_runs(kit, schema(), shared_runs())


@cpp_promise
def every_json_line_is_as_the_page_says(kit):
    page, commands = schema(), runs(kit)
    expect_equal(set(page), set(commands), "commands")
    check_runs(kit, page, commands)


def check_some(kit, file, wanted, what):
    """inspect shows the fields of every file, then these alone, in the order of the page."""
    fields = schema()["inspect"] + [field for field in fields_of_some() if field[0] in wanted]
    check(f"inspect of {what}", fields, kit.output("inspect", "--json", file))


@promise
def inspect_shows_of_each_golden_file_the_fields_that_are_its_own(kit):
    shown = set()
    for number, row in enumerate(json.loads((SPEC / "vectors/kinds.json").read_text())["files"]):
        kit.write("f", bytes.fromhex(row["hex"]))
        records = {"label": row["label"], "created": row["created"], "keys": row["key_type"], "chunk_bytes": row["chunk_bytes"]}
        wanted = {name for name, value in records.items() if value is not None}
        if row["kind"] in ("fuse", "ribbon"):
            wanted |= {"retries", "bits_per_key"} if row["keys"] else {"retries"}
        check_some(kit, "f", wanted, f"golden file {number}, {row['kind']}")
        shown |= wanted
    for row in json.loads((SPEC / "vectors/records.json").read_text())["valid"]:
        kit.write("f", bytes.fromhex(row["hex"]))
        wanted = {name for name in ("label", "created", "keys", "chunk_bytes") if row[name] is not None}
        check_some(kit, "f", wanted, f"golden file with records, {row['name']}")
        shown |= wanted
    expect_equal(shown, {name for name, _, _ in fields_of_some()}, "fields that some golden file has")


@cpp_promise
def inspect_of_a_ribbon_filter_with_a_label_has_the_fields_of_both(kit):
    kit.build("r", None, "--kind", "ribbon", "--label", "x", "--chunks")
    check_some(kit, "r", {"retries", "label", "chunk_bytes", "bits_per_key"}, "a ribbon filter with a label")


def check_runs(kit, page, commands):
    for command, (args, status) in commands.items():
        lines = kit.output(*command.split(), "--json", *args, status=status).splitlines()
        expect(lines, f"{command}: no line")
        for line in lines:
            check(command, page[command], line)


@cpp_promise
def every_command_takes_json(kit):
    def below(*group):
        listed = kit.output(*group, "--help").decode().split("\nCommands:\n")[1].split("\n\n")[0]
        return [" ".join([*group, line.split()[0]]) for line in listed.splitlines() if line[2] != " "]

    others = {"table", "replica", "push", "pull"}  # tests/streams and tests/server run what needs a server
    commands = set(below()) - others | set(below("table"))
    without = {command for command in commands if "\n  --json " not in kit.output(*command.split(), "--help").decode()}
    expect_equal(without, WITHOUT, "commands without --json")
    expect_equal({command.split(" --")[0] for command in schema()}, commands - WITHOUT, "commands of the page")


@promise
def bytes_that_are_no_text_are_hexadecimal_digits(kit):
    kit.build("f", [b"\xff", b"a\"b"], "--kind", "block")
    lines = kit.output("query", "--json", "f", stdin=b"\xff\na\"b\n").splitlines()
    expect_equal(lines, [b'{"key_hex":"ff","answer":"maybe"}', b'{"key":"a\\"b","answer":"maybe"}'], "lines")


@promise
def inspect_takes_many_files(kit):
    kit.build("f", None, "--kind", "block")
    kit.build("g", None, "--kind", "split")
    one = kit.output("inspect", "f")
    expect_equal(kit.output("inspect", "f", "g"), b"file            f\n" + one + b"\nfile            g\n" + kit.output("inspect", "g"), "text")
    lines = kit.output("inspect", "--json", "f", "g").splitlines()
    expect_equal([json.loads(line).pop("file") for line in lines], ["f", "g"], "files")
    expect_equal(lines[0].replace(b'"file":"f",', b""), kit.output("inspect", "--json", "f").strip(), "the rest")
    done = kit.run("inspect", "f", "missing", "g", status=2)
    expect(b"missing" in done.stderr, f"{done}")
    expect_equal(done.stdout, b"file            f\n" + one + b"\nfile            missing\n\nfile            g\n" + kit.output("inspect", "g"), "a file that is not there")


@promise
def verify_takes_many_files(kit):
    kit.build("f", None, "--kind", "block")
    found = [json.loads(line) for line in kit.output("verify", "--json", "f", kit.keys, "missing", status=2).splitlines()]
    expect_equal([row["sound"] for row in found], [True, False, None], "verdicts")
