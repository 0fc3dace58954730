"""table: entries in and out, odd input, what is refused, and that damage is told."""

import fcntl
import json
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import termios
import time

from kit import PATIENCE, cpp_promise, expect, expect_equal, popen, wait_for

KINDS = ("split", "block", "classic")


def build(kit, name, lines, *options, status=0):
    """A table called name from the bytes of its input."""
    return kit.run("table", "build", "-o", name, *options, "-", stdin=lines, status=status)


def tsv(pairs):
    return b"".join(key + b"\t" + value + b"\n" for key, value in pairs)


def some_pairs(count):
    return [(b"key%07d" % i, b"value %d" % (i * i)) for i in range(count)]


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


def odd_entries():
    """Keys and values of every kind of bytes, several versions, deletions: as JSON lines, in no order."""
    rng = random.Random(5)
    keys = ["", "\0", "a", "a\0", "a\tb", "a\nb", 'quote " and \\', "\u00e9\u4e2d\U0001f600", "\x7f", "a\r"]
    lines = [{"key": key, "value": f"{key} {i}", "sequence": 10 * i + 1} for i, key in enumerate(keys)]
    lines += [{"key": "a", "value": "", "sequence": 9_000_000_000_000_000_000}, {"key": "a", "sequence": 500, "deleted": True}]
    for i in range(300):
        raw = bytes(rng.randrange(256) for _ in range(rng.randrange(6)))
        lines.append({"key_hex": raw.hex(), "value_hex": (raw * 3).hex(), "sequence": 1000 + i})
    rng.shuffle(lines)
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


@cpp_promise
def a_table_gives_back_what_was_put_in(kit):
    pairs = some_pairs(3000)
    shuffled = random.Random(1).sample(pairs, len(pairs))
    for number, order in enumerate((pairs, shuffled, pairs[::-1])):
        build(kit, f"t{number}", tsv(order))
        expect_equal(kit.output("table", "scan", f"t{number}"), tsv(pairs), "scan")
        expect(kit.output("table", "verify", f"t{number}").startswith(b"t%d: sound: 3000 entries" % number), "verify")
    for key, value in pairs[::500]:
        expect_equal(kit.output("table", "get", "t1", key.decode()), value + b"\n", "get")


@cpp_promise
def table_build_takes_a_file_a_stream_or_a_dash(kit):
    data = tsv(some_pairs(10))
    kit.write("in", data)
    for name, args, stdin in (("a", ["in"], b""), ("b", [], data), ("c", ["-"], data)):
        kit.output("table", "build", "-q", "-o", name, *args, stdin=stdin)
        expect_equal(kit.read(name), kit.read("a"), name)
    line = kit.output("table", "build", "-o", "a", "in")
    expect(line.startswith(b"a: 10 entries, ") and b"filter block of 192 bytes" in line and line.count(b"\n") == 1, f"printed {line!r}")


@cpp_promise
def table_lines_are_taken_as_they_are(kit):
    build(kit, "t", b"\tempty key\nno value\t\na\tb\tc\ncr\r\tv\r\nnul\0\t\0\nlast\tline")
    for key, value in (("", b"empty key"), ("no value", b""), ("a", b"b\tc"), ("cr\r", b"v\r"), ("last", b"line")):
        expect_equal(kit.output("table", "get", "t", key), value + b"\n", repr(key))
    expect_equal(kit.output("table", "get", "t", "--key-file", "-", stdin=b"nul\0\n"), b"nul\0\t\0\n", "NUL")
    expect_equal(kit.output("table", "get", "t", "-0", "--key-file", "-", stdin=b"a\0last"), b"a\tb\tc\0last\tline\0", "-0")


@cpp_promise
def an_empty_input_is_an_empty_table(kit):
    for options in ([], ["--format", "jsonl"], ["--no-filter"], ["--all-versions"]):
        build(kit, "t", b"", *options)
        expect_equal(kit.output("table", "scan", "t"), b"", "scan")
        expect_equal(kit.output("table", "scan", "--reverse", "--prefix", "a", "t"), b"", "scan of a prefix")
        expect_equal(kit.output("table", "get", "t", "a", status=1), b"", "get")
        kit.run("table", "verify", "t", status=0)
        expect_equal(json.loads(kit.output("table", "stats", "--json", "t"))["entries"], 0, "entries")
        kit.output("table", "stats", "t")
        kit.output("table", "refilter", "-q", "t")


@cpp_promise
def of_a_key_the_later_line_is_the_newer(kit):
    for lines in (b"a\t1\na\t2\nb\t1\n", b"b\t0\na\t1\nb\t1\na\t2\n"):
        build(kit, "t", lines)
        expect_equal(kit.output("table", "scan", "t"), b"a\t2\nb\t1\n", "scan")
        build(kit, "all", lines, "--all-versions")
        entries = json_lines(kit.output("table", "scan", "--all-versions", "--format", "jsonl", "all"))
        expect_equal([entry["value"] for entry in entries if entry["key"] == "a"], ["2", "1"], "versions, newest first")
        expect_equal(kit.output("table", "scan", "all"), b"a\t2\nb\t1\n", "newest")
        expect_equal(kit.output("table", "scan", "--reverse", "all"), b"b\t1\na\t2\n", "newest, from the end")


@cpp_promise
def sequence_numbers_win_over_the_order_of_lines(kit):
    lines = b'{"key":"a","value":"old","sequence":3}\n{"key":"a","value":"new","sequence":9}\n{"key":"a","value":"x","sequence":5}\n'
    build(kit, "t", lines, "--format", "jsonl")
    expect_equal(kit.output("table", "get", "t", "a"), b"new\n", "get")
    build(kit, "t", b'{"key":"a","value":"v"}\n{"key":"a","deleted":true}\n', "--format", "jsonl")
    expect_equal(kit.output("table", "get", "t", "a", status=1), b"", "deleted")
    expect_equal(kit.output("table", "scan", "t"), b"", "scan of a deleted key")


@cpp_promise
def json_lines_of_scan_are_read_back_exactly(kit):
    build(kit, "t", odd_entries(), "--format", "jsonl", "--all-versions")
    text = kit.output("table", "scan", "--all-versions", "--format", "jsonl", "t")
    expect(text.count(b"\n") > 300 and b'"key_hex"' in text and b'"deleted":true' in text, "the odd ones are among them")
    shuffled = text.splitlines(keepends=True)
    random.Random(2).shuffle(shuffled)
    for lines in (text, b"".join(shuffled)):
        build(kit, "back", lines, "--format", "jsonl", "--all-versions")
        expect_equal(kit.read("back"), kit.read("t"), "the file")
    backwards = kit.output("table", "scan", "--all-versions", "--reverse", "--format", "jsonl", "t")
    expect_equal(backwards.splitlines(), text.splitlines()[::-1], "from the end")
    newest = kit.output("table", "scan", "--format", "jsonl", "t")
    expect_equal(kit.output("table", "scan", "--reverse", "--format", "jsonl", "t").splitlines(), newest.splitlines()[::-1], "newest, from the end")


@cpp_promise
def what_json_cannot_say_is_refused_with_its_line(kit):
    good = b'{"key":"a"}\n'
    for line, name in ((b"nonsense", "byte"), (b"[]", "object"), (b"7", "object"), (b"", "byte"), (b'{"value":"v"}', "'key'"), (b'{"key":7}', "string"),
                       (b'{"key":"a","other":1}', "unknown field 'other'"), (b'{"key":"a","sequence":-1}', "whole number"), (b'{"key":"a","sequence":1.5}', "whole number"),
                       (b'{"key":"a","sequence":"1"}', "whole number"), (b'{"key":"a","sequence":9223372036854775808}', "2^63"),
                       (b'{"key":"a","deleted":1}', "true or false"), (b'{"key":"a","deleted":true,"value":"v"}', "deleted"), (b'{"key":"a","key":"b"}', "twice"),
                       (b'{"key":"a","key_hex":"61"}', "twice"), (b'{"key_hex":"6"}', "hexadecimal"), (b'{"key_hex":"6x"}', "hexadecimal"),
                       (b'{"key":["a"]}', "string"), (b'{"key":{"a":1}}', "string"), (b'{"key":null}', "string"), (b'{"key":"\xff"}', "byte"),
                       (b'{"key":"a"} x', "byte"), (b'{"key":"a"', "byte")):  # fmt: skip
        kit.refused("table", "build", "--format", "jsonl", "-o", "t", stdin=good + line + b"\n" + good, names=["standard input", "line 2", name])


@cpp_promise
def a_line_without_a_tab_is_named(kit):
    kit.write("in", b"a\t1\nb\n")
    kit.refused("table", "build", "-o", "t", "in", names=["in: ", "line 2", "TAB"])
    kit.refused("table", "build", "-o", "t", stdin=b"a\t1\n\nb\t1\n", names=["line 2"])


@cpp_promise
def tsv_refuses_what_it_could_not_read_back(kit):
    for key, value in (("a\tb", ""), ("a\nb", ""), ("a", "x\ny")):
        build(kit, "t", json.dumps({"key": key, "value": value}).encode(), "--format", "jsonl")
        kit.refused("table", "scan", "t", names=["t: ", "jsonl"])
    kit.refused("table", "scan", "--all-versions", "t", names=["jsonl"])


@cpp_promise
def get_exits_0_when_all_are_there_else_1(kit):
    build(kit, "t", b"a\t1\nb\t2\n[x]\t3\n{}\t4\na,b\t5\n-d\t6\n")
    expect_equal(kit.output("table", "get", "t", "a"), b"1\n", "one")
    expect_equal(kit.output("table", "get", "t", "b", "a"), b"b\t2\na\t1\n", "several")
    expect_equal(kit.output("table", "get", "t", "b", "no", "a", status=1), b"b\t2\na\t1\n", "one of them absent")
    expect_equal(kit.output("table", "get", "t", "no", status=1), b"", "absent")
    expect_equal(kit.output("table", "get", "t", "--key-file", "-", stdin=b"a\n"), b"a\t1\n", "a file of one")
    expect_equal(kit.output("table", "get", "t", "[x]", "{}", "a,b"), b"[x]\t3\n{}\t4\na,b\t5\n", "brackets and commas are parts of keys")
    expect_equal(kit.output("table", "get", "--", "t", "-d"), b"6\n", "a key that looks like an option")
    for options in ([], ["--no-filter"]):
        expect_equal(kit.output("table", "get", *options, "t", "a", "no", status=1), b"a\t1\n", f"{options}")
    done = kit.run("table", "get", "--stats", "t", "a", "no", status=1)
    expect(done.stderr.startswith(b"asked for 2: the filter denied 1 and passed 1, of which 1 are there"), f"stats: {done.stderr!r}")
    done = kit.run("table", "get", "--stats", "--no-filter", "t", "a", "no", status=1)
    expect(b"without a filter" in done.stderr, f"stats: {done.stderr!r}")
    kit.refused("table", "get", "t", names=["KEY", "--key-file"])
    kit.refused("table", "get", "t", "a", "--key-file", "-", names=["--key-file"])
    kit.refused("table", "get", "t", "--key-file", "no-such-file", names=["no-such-file"])


@cpp_promise
def scan_takes_ranges_prefixes_and_limits(kit):
    keys = ["", "a", "aa", "ab", "b", "ba", "c"]
    build(kit, "t", tsv([(key.encode(), b"v") for key in keys]))

    def scanned(*options):
        return [line.split(b"\t")[0].decode() for line in kit.output("table", "scan", "t", *options).splitlines()]

    for options, wanted in ((["--from", "ab"], keys[3:]), (["--to", "b"], keys[:4]), (["--from", "a", "--to", "b"], keys[1:4]), (["--from", "b", "--to", "a"], []),
                            (["--prefix", "a"], keys[1:4]), (["--prefix", "b"], keys[4:6]), (["--prefix", ""], keys), (["--prefix", "x"], []),
                            (["--prefix", "a", "--from", "aa"], keys[2:4]), (["--prefix", "a", "--to", "ab"], keys[1:3]), (["--from", "bb"], keys[6:]),
                            (["--from", "zz"], []), (["--to", "zz"], keys), (["--to", ""], [])):  # fmt: skip
        expect_equal(scanned(*options), wanted, f"{options}")
        expect_equal(scanned(*options, "--reverse"), wanted[::-1], f"{options} --reverse")
        expect_equal(scanned(*options, "--limit", "2"), wanted[:2], f"{options} --limit 2")
        expect_equal(scanned(*options, "--limit", "2", "--reverse"), wanted[::-1][:2], f"{options} --limit 2 --reverse")
    expect_equal(scanned("--limit", "0"), [], "--limit 0")
    kit.refused("table", "scan", "t", "--limit", "x", names=["limit"])
    kit.refused("table", "scan", "t", "--format", "x", names=["tsv", "jsonl"])


@cpp_promise
def a_prefix_of_the_last_bytes_has_an_end(kit):
    lines = b"".join(b'{"key_hex":"%s"}\n' % key for key in (b"61ff", b"61ffff", b"62", b"ff", b"ffff", b"ffff01"))
    build(kit, "t", lines, "--format", "jsonl")

    def count(prefix):
        return kit.output("table", "scan", "--format", "jsonl", "--prefix", prefix, "t").count(b"\n")

    # os.fsdecode gives the bytes to the command as they are.
    expect_equal([count(os.fsdecode(bytes.fromhex(p))) for p in ("61ff", "61", "ff", "ffff")], [2, 2, 3, 2], "entries")


@cpp_promise
def a_table_sorts_in_the_memory_it_is_given(kit):
    pairs = some_pairs(20000)
    kit.write("in", tsv(random.Random(3).sample(pairs, len(pairs))))
    kit.output("table", "build", "-q", "-o", "much", "in")
    for memory in ("64k", "65536", "1000G", "9007199254740992"):
        done = kit.run("table", "build", "-q", "--memory", memory, "-o", "t", "in")
        if memory == "64k":  # less than it needs
            kit.check_refusal(done, "--memory 64k", ["memory", "65536"])
            continue
        expect_equal(done.returncode, 0, f"--memory {memory}: {done.stderr!r}")
        expect(kit.read("t") == kit.read("much"), f"the table of --memory {memory} is another")
    for memory in ("0", "1", "x", "-1", "1.5"):
        kit.refused("table", "build", "--memory", memory, "-o", "u", "in", names=["memory"])


@cpp_promise
def only_what_is_out_of_order_needs_the_temporary_folder(kit):
    kit.output("table", "build", "--help")  # from here a build without tables is skipped
    pairs = some_pairs(20000)

    def run(lines):
        environment = {**os.environ, "TMPDIR": str(kit.folder / "missing")}
        argv = [kit.command.path, "table", "build", "-q", "--memory", "65536", "-o", "t"]
        return subprocess.run(argv, input=lines, cwd=kit.folder, env=environment, capture_output=True)

    expect_equal(run(tsv(pairs)).returncode, 0, "in order")
    before = kit.snapshot()
    kit.check_refusal(run(tsv(pairs[1:] + pairs[:1])), "out of order", ["TMPDIR"])
    expect_equal(kit.snapshot(), before, "folder")


@cpp_promise
def every_filter_finds_every_key(kit):
    pairs = some_pairs(2000)
    absent = b"".join(b"miss%d\n" % i for i in range(2000))
    kit.write("keys", b"".join(key + b"\n" for key, _ in pairs))
    kit.write("secret", b"00112233445566778899aabbccddeeff\n")
    for options in (["--kind", "split"], ["--kind", "block", "--fpr", "0.001"], ["--kind", "classic", "--bits-per-key", "12"], ["--no-filter"],
                    ["--bits-per-key", "0"], ["--hash", "xxh3", "--seed", "7"], ["--hash", "siphash13", "--secret", "secret"], ["--filter-partition", "1024"],
                    ["--compression", "lz4"], ["--compression", "zstd"], ["--block-size", "100"], ["--restart-interval", "1"]):  # fmt: skip
        build(kit, "t", tsv(pairs), "-q", *options)
        secret = options[-2:] if "--secret" in options else []
        expect_equal(kit.output("table", "get", *secret, "--key-file", "keys", "t"), tsv(pairs), f"{options}")
        done = kit.run("table", "get", *secret, "--stats", "--key-file", "-", "t", stdin=absent, status=1)
        expect_equal(done.stdout, b"", f"absent keys, {options}")
        without = "--no-filter" in options or "0" in options
        expect((b"without a filter" in done.stderr) == without, f"{options}: {done.stderr!r}")
        kit.run("table", "verify", *secret, "t", status=0)
        found = json.loads(kit.output("table", "stats", "--json", *secret, "t"))["filter"]
        expect((found is None) == without, f"{options}: {found}")
        if not without:
            expect(abs(found["sampled_fpr"] - found["designed_fpr"]) < 0.3 * found["designed_fpr"], f"{options}: {found}")


@cpp_promise
def a_keyed_filter_needs_its_secret_only_to_be_used(kit):
    kit.write("secret", b"00112233445566778899aabbccddeeff\n")
    build(kit, "t", b"a\t1\n", "--hash", "siphash24", "--secret", "secret")
    done = kit.run("table", "get", "t", "a", status=0)
    expect(done.stdout == b"1\n" and b"secret" in done.stderr, f"{done.stderr!r}")
    done = kit.run("table", "verify", "t", status=2)
    expect(b"secret" in done.stderr, f"{done.stderr!r}")
    kit.refused("table", "build", "--hash", "siphash24", "-o", "u", stdin=b"", names=["--secret"])


@cpp_promise
def stats_tell_what_a_table_is(kit):
    build(kit, "t", tsv(some_pairs(1000)))
    value = json.loads(kit.output("table", "stats", "--json", "t"))
    expect_equal((value["entries"], value["keys"], value["deleted"], value["smallest"], value["largest"]), (1000, 1000, 0, "key0000000", "key0000999"), "counts")
    expect_equal((value["min_sequence"], value["max_sequence"], value["key_bytes"]), (1, 1000, 10000), "sums")
    expect_equal(value["file_bytes"], len(kit.read("t")), "bytes")
    expect_equal(value["filter"]["kind"], "block", "kind")
    expect(value["blocks"] > 2 and 0.01 < value["filter"]["share"] < 0.2, f"{value}")
    text = kit.output("table", "stats", "t").decode()
    for word in ("entries", "largest key", "blocks", "filter", "bits/key", "designed fpr", "sampled fpr"):
        expect(word in text, f"no {word!r} in {text}")
    build(kit, "t", b'{"key_hex":"ff00"}\n', "--format", "jsonl")
    value = json.loads(kit.output("table", "stats", "--json", "t"))
    expect_equal((value["smallest_hex"], value["largest_hex"]), ("ff00", "ff00"), "binary keys")


def checked_bytes(kit, name):
    """Where a flipped bit is damage: not in the gap before the filter, nor in its trailer, which its own checksums make needless."""
    data = kit.read(name)
    start = data.rindex(b"\x89BLM\r\n\x1a\n")
    end = start + json.loads(kit.output("table", "stats", "--json", name))["filter"]["bytes"]
    return [*range(start - 127), *range(start, end), *range(end + 9, len(data))]


@cpp_promise
def verify_tells_damage_from_what_it_cannot_read(kit):
    build(kit, "t", tsv(some_pairs(300)))
    data = kit.read("t")
    for at in checked_bytes(kit, "t")[::97]:
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        done = kit.run("table", "verify", kit.write("bad", bytes(flipped)), status=1)
        expect(done.stderr.startswith(b"bloomery: ") and b"bad: " in done.stderr and done.stdout == b"", f"byte {at}: {done.stderr!r}")
        # What is still read is right; what is not is an error.
        done = kit.run("table", "scan", "bad")
        expect(done.returncode == 2 or done.stdout == tsv(some_pairs(300)), f"byte {at}: a wrong scan")
        done = kit.run("table", "get", "bad", "key0000150")
        expect(done.returncode == 2 or done.stdout == b"value 22500\n", f"byte {at}: exit status {done.returncode}, {done.stdout!r}")
    for name, content in (("cut", data[:-1]), ("longer", data + b"\0"), ("empty", b""), ("text", b"no table\n" * 50), ("half", data[: len(data) // 2])):
        kit.run("table", "verify", kit.write(name, content), status=1)
        for command in ("stats", "scan", "refilter"):
            kit.refused("table", command, name, names=[name])
        kit.refused("table", "get", name, "key0000001", names=[name])
        kit.refused("table", "compact", "-o", "new", name, names=[name])
    kit.run("table", "verify", "t", "cut", "t", status=1)
    kit.refused("table", "verify", "no-such-file", names=["no-such-file"])
    kit.run("table", "verify", "cut", "no-such-file", status=2)


@cpp_promise
def tables_are_no_filters_and_the_other_way_round(kit):
    build(kit, "t", b"a\t1\n")
    kit.build("f", None, "--envelope")
    kit.run("verify", "t", status=1)
    kit.run("table", "verify", "f", status=1)


@cpp_promise
def refilter_changes_only_the_filter(kit):
    pairs = some_pairs(2000)
    build(kit, "t", tsv(pairs))
    original = kit.read("t")
    kit.output("table", "refilter", "-q", "--kind", "block", "--fpr", "0.001", "-o", "u", "t")
    expect(kit.read("t") == original, "the table stays as it was")
    found = json.loads(kit.output("table", "stats", "--json", "u"))["filter"]
    expect(found["kind"] == "block" and 0.0007 < found["designed_fpr"] < 0.0011, f"{found}")
    expect_equal(kit.output("table", "scan", "u"), tsv(pairs), "entries")
    kit.output("table", "refilter", "-q", "--no-filter", "u")
    expect_equal(json.loads(kit.output("table", "stats", "--json", "u"))["filter"], None, "no filter")
    line = kit.output("table", "refilter", "u")
    expect(line.startswith(b"u: 2000 entries, "), f"{line!r}")
    expect(kit.read("u") == original, "the same filter again")


@cpp_promise
def refilter_repairs_a_damaged_filter(kit):
    build(kit, "t", tsv(some_pairs(2000)))
    original = kit.read("t")
    start = original.rindex(b"\x89BLM\r\n\x1a\n") + 200  # in the bits of the envelope
    kit.write("t", original[:start] + bytes([original[start] ^ 1]) + original[start + 1 :])
    done = kit.run("table", "get", "t", "key0000007", status=0)
    expect(done.stdout == b"value 49\n" and b"filter" in done.stderr, f"{done.stderr!r}")
    kit.run("table", "verify", "t", status=1)
    kit.output("table", "refilter", "-q", "t")
    expect(kit.read("t") == original, "repaired")


@cpp_promise
def compact_keeps_the_newest_of_every_key(kit):
    build(kit, "old", b'{"key":"a","value":"1","sequence":1}\n{"key":"b","value":"1","sequence":2}\n{"key":"c","value":"1","sequence":3}\n', "--format", "jsonl")
    build(kit, "new", b'{"key":"b","deleted":true,"sequence":9}\n{"key":"c","value":"2","sequence":8}\n', "--format", "jsonl")
    kit.output("table", "compact", "-q", "-o", "both", "new", "old")
    expect_equal(kit.output("table", "scan", "both"), b"a\t1\nc\t2\n", "scan")
    expect_equal(len(json_lines(kit.output("table", "scan", "--all-versions", "--format", "jsonl", "both"))), 3, "the deletion is kept")
    kit.output("table", "compact", "-q", "--last-level", "--kind", "block", "-o", "last", "new", "old")
    value = json.loads(kit.output("table", "stats", "--json", "last"))
    expect_equal((value["entries"], value["deleted"], value["filter"]["kind"]), (2, 0, "block"), "the deletion is gone")
    for name in ("both", "new"):
        kit.refused("table", "compact", "-o", name, "new", "old", names=[name])
    build(kit, "gone", b'{"key":"a","deleted":true}\n', "--format", "jsonl")
    line = kit.output("table", "compact", "--last-level", "-o", "nothing", "gone")
    expect(line.startswith(b"nothing: 0 entries"), f"{line!r}")
    for name in ("both", "nothing"):
        kit.refused("table", "compact", "--last-level", "-o", name, "gone", names=[name])


@cpp_promise
def compact_leaves_a_table_that_appears_meanwhile(kit):
    build(kit, "in", tsv(some_pairs(20000)))
    before = kit.snapshot()
    with popen(kit, "table", "compact", "-q", "--rate", "300k", "-o", "out", "in", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(kit.snapshot()) > len(before), "the temporary file")
        build(kit, "out", b"precious\tdata\n")
        err = process.communicate(timeout=PATIENCE)[1]
    expect(process.returncode == 2 and b"out: is there already" in err, f"{process.returncode}, {err!r}")
    expect_equal(kit.output("table", "scan", "out"), b"precious\tdata\n", "the other table")
    expect_equal(sorted(kit.snapshot()), sorted([*before, "out"]), "files")


@cpp_promise
def compact_splits_at_a_size(kit):
    pairs = some_pairs(5000)
    build(kit, "t", tsv(pairs))
    kit.output("table", "compact", "-q", "--split", "40k", "--rate", "1G", "-o", "out.blt", "t")
    names = sorted(name for name in kit.snapshot() if name.startswith("out"))
    expect(len(names) > 2 and names[0] == "out-000001.blt" and names[1] == "out-000002.blt", f"{names}")
    expect_equal(b"".join(kit.output("table", "scan", name) for name in names), tsv(pairs), "all of them")
    kit.refused("table", "compact", "--split", "40k", "-o", "out.blt", "t", names=["out-000001.blt"])
    for option in ("--split", "--rate"):
        for bad in ("0", "x"):
            kit.refused("table", "compact", option, bad, "-o", "u", "t", names=[option[2:]])


@cpp_promise
def impossible_tables_are_refused(kit):
    build(kit, "t", b"a\t1\n")
    kit.write("in", b"b\t1\n")
    for options, name in ((["--fpr", "2"], "false-positive"), (["--fpr", "0"], "false-positive"), (["--fpr", "nan"], "fpr"), (["--fpr", "x"], "fpr"), (["--bits-per-key", "x"], "bits per key"),
                          (["--bits-per-key", "-1"], "bits per key"), (["--fpr", "0.01", "--bits-per-key", "9"], "exclude"), (["--no-filter", "--fpr", "0.1"], "--no-filter"),
                          (["--kind", "cuckoo"], "cuckoo"), (["--hash", "md5"], "md5"), (["--compression", "gzip"], "gzip"), (["--block-size", "1"], "64"),
                          (["--block-size", "x"], "block size"), (["--restart-interval", "0"], "0"), (["--restart-interval", "5G"], "2^32"), (["--format", "xml"], "xml"),
                          (["--expect", "x"], "expect"), (["--filter-partition", "x"], "partition")):  # fmt: skip
        kit.refused("table", "build", *options, "-o", "t", "in", names=[name])
        if options[0] in ("--fpr", "--kind", "--hash"):
            kit.refused("table", "refilter", *options, "t", names=[name])


@cpp_promise
def table_files_that_are_none_are_refused(kit):
    (kit.folder / "folder").mkdir()
    kit.write("in", b"b\t1\n")
    kit.refused("table", "build", "-o", "t", "no-such-file", names=["no-such-file"])
    kit.refused("table", "build", "-o", "t", "folder", names=["folder"])
    kit.refused("table", "build", "-o", "folder", "in", names=["folder"])
    kit.refused("table", "build", "-o", "none/such", "in", names=["none/such"])
    kit.refused("table", "build", "-o", "in", "in", names=["in: ", "itself"])
    os.symlink("in", kit.folder / "link")
    kit.refused("table", "build", "-o", "link", "in", names=["itself"])
    for command in (["get", "folder", "a"], ["scan", "folder"], ["stats", "folder"], ["verify", "folder"], ["refilter", "folder"], ["compact", "-o", "t", "folder"]):
        kit.refused("table", *command, names=["folder"])
    kit.refused("table", "bogus", names=["bogus", "bloomery table --help"])
    kit.refused("table", "build", "in", names=["--output"])


def limited(kit, limit, *args):
    """Runs it where no file may be larger than limit bytes, which stands for a full disk."""
    set_limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    with popen(kit, *args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=set_limit) as process:
        out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess([], process.returncode, out, err)


@cpp_promise
def a_full_disk_leaves_the_old_table_and_no_other(kit):
    pairs = some_pairs(5000)
    kit.write("sorted", tsv(pairs))
    kit.write("unsorted", tsv(pairs[1:] + pairs[:1]))
    build(kit, "big", tsv(pairs))
    build(kit, "t", b"old\ttable\n")
    before = kit.snapshot()
    for args in (["build", "-o", "t", "sorted"], ["build", "-o", "t", "unsorted"], ["build", "--memory", "65536", "-o", "t", "unsorted"], ["build", "-o", "new", "sorted"],
                 ["compact", "-o", "new", "big"], ["compact", "--split", "20k", "-o", "new", "big"], ["refilter", "big"], ["refilter", "-o", "t", "big"]):  # fmt: skip
        kit.check_refusal(limited(kit, 8192, "table", *args), f"{args} with a file-size limit", ["File too large"])
        expect(kit.snapshot() == before, f"{args}: the folder holds {sorted(kit.snapshot())}")


@cpp_promise
def a_table_to_a_full_or_closed_output_is_an_error(kit):
    build(kit, "t", tsv(some_pairs(5000)))
    kit.write("keys", b"".join(key + b"\n" for key, _ in some_pairs(5000)))
    for args in (["scan", "t"], ["get", "t", "key0000001"], ["get", "--key-file", "keys", "t"], ["stats", "t"], ["stats", "--json", "t"], ["verify", "t"]):
        with open("/dev/full", "wb") as full, popen(kit, "table", *args, stdout=full, stderr=subprocess.PIPE) as process:
            err = process.communicate(timeout=PATIENCE)[1]
        kit.check_refusal(subprocess.CompletedProcess([], process.returncode, b"", err), f"{args} to a full device")
    with popen(kit, "table", "scan", "t", stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1)) as process:
        err = process.communicate(timeout=PATIENCE)[1]
    kit.check_refusal(subprocess.CompletedProcess([], process.returncode, b"", err), "scan to a closed output")


@cpp_promise
def a_signal_leaves_nothing_half_written(kit):
    build(kit, "t", b"old\ttable\n")
    kit.write("some", tsv(some_pairs(20000)))
    before = kit.snapshot()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with popen(kit, "table", "build", "-o", "t", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(before["some"])
            process.stdin.flush()
            wait_for(lambda: waits_for_input(process), "waiting for more")
            expect(len(kit.snapshot()) > len(before), "there is no temporary file")
            process.send_signal(number)
            process.wait(PATIENCE)
            expect_equal(process.returncode, -number, "ended by")
        expect_equal(kit.snapshot(), before, f"folder after signal {number}")
    build(kit, "big", tsv(some_pairs(60000)))
    before = kit.snapshot()
    with popen(kit, "table", "compact", "--rate", "100k", "-o", "new", "big", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(kit.snapshot()) > len(before), "the temporary file")
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        expect_equal(process.returncode, -signal.SIGINT, "compact ended by")
    expect_equal(kit.snapshot(), before, "folder after a compaction that was ended")
    # Few entries, which are large, and a pace that would take minutes.
    build(kit, "large", b"".join(b"key%04d\t%s\n" % (i, b"v" * 10000) for i in range(1000)))
    before = kit.snapshot()
    for rate in ("1M", "100"):
        with popen(kit, "table", "compact", "--rate", rate, "-o", "new", "large", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            wait_for(lambda: len(kit.snapshot()) > len(before), "the temporary file")
            time.sleep(0.3)
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
            expect_equal(process.returncode, -signal.SIGTERM, f"compact at {rate} ended by")
            expect(time.monotonic() - start < 5, f"compact at {rate} ended {time.monotonic() - start:.1f} s after the signal")
        expect_equal(kit.snapshot(), before, f"folder after a compaction at {rate} that was ended")


def waits_for_input(process):
    """Whether it has read all that was written to it, and sleeps."""
    unread = fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, struct.pack("i", 0))
    state = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return struct.unpack("i", unread)[0] == 0 and state == "S"


@cpp_promise
def table_bench_measures_and_cleans_up(kit):
    kit.output("table", "bench", "--help")  # from here a build without tables is skipped
    environment = {**os.environ, "TMPDIR": str(kit.folder)}
    before = kit.snapshot()
    for options in ([], ["--json"]):
        argv = [kit.command.path, "table", "bench", "--n", "2k", "--value-bytes", "10", *options]
        done = subprocess.run(argv, cwd=kit.folder, env=environment, capture_output=True)
        expect_equal((done.returncode, done.stderr), (0, b""), f"{options}")
        ops = ["build", "get_absent", "get_absent_no_filter", "get_present", "multi_get_64_absent", "scan", "hash"]
        if options:
            value = json.loads(done.stdout)
            expect_equal([row["op"] for row in value["rows"]], ops, "rows")
            expect(all(row["ns"] > 0 for row in value["rows"]) and value["ceiling_ns"] > 0, f"{value}")
            expect_equal((value["n"], value["value_bytes"]), (2000, 10), "what was asked for")
        else:
            expect(all(f"\n{op} ".encode() in done.stdout or f"  {op} ".encode() in done.stdout for op in ops), f"{done.stdout}")
    expect_equal(kit.snapshot(), before, "folder")
    for options in ("--n 0", "--n 10", "--n x", "--value-bytes x", "--value-bytes 1G"):
        kit.refused("table", "bench", *options.split(), names=[options.split()[0][2:5]])


@cpp_promise
def the_default_hash_of_a_table_is_that_of_the_library(kit):
    for kind, default in (("split", "xxh3"), ("block", "xxh3"), ("classic", "fnv_splitmix")):
        for name, options in (("default", []), ("same", ["--hash", default]), ("other", ["--hash", "xxh64"])):
            build(kit, name, tsv(some_pairs(100)), "--kind", kind, *options)
        expect(kit.read("default") == kit.read("same"), f"the hash of {kind} is not {default}")
        expect(kit.read("default") != kit.read("other"), f"the hash of {kind} makes no difference")


@cpp_promise
def a_filter_of_prefixes_is_made_and_asked(kit):
    lines = b"".join(b"user%d:%d\tvalue\n" % (user, i) for user in range(0, 100, 2) for i in range(20))
    for option, name in (("6", "fixed"), (":", "through")):
        kit.output("table", "build", "--prefix", option, "-q", "-o", "t", stdin=lines)
        stats = json.loads(kit.output("table", "stats", "--json", "t"))
        expect(stats["prefixes"] > 0 and stats["prefix"] != "", f"{stats}")
        expect("\nprefixes " in kit.output("table", "stats", "t").decode(), "the line of stats")
        kit.output("table", "build", "-q", "-o", "plain", stdin=lines)
        for prefix in ("user10:", "user11:", "user1", "nobody", ""):
            expect_equal(kit.output("table", "scan", "--prefix", prefix, "t"), kit.output("table", "scan", "--prefix", prefix, "plain"), f"scan of {prefix}")
    for wrong in ("0", "ab", "1001", "-1"):
        kit.refused("table", "build", f"--prefix={wrong}", "-o", "x", stdin=lines, names=["--prefix"])


@cpp_promise
def entries_that_end_in_cr_are_warned_of_with_the_option_that_strips(kit):
    warned = kit.run("table", "build", "-q", "-o", "t", stdin=b"a\tb\r\n", status=0).stderr
    expect(b"1 of 1 line ended in CR, which was taken for a part of the value" in warned and b"--crlf" in warned, f"{warned!r}")
    expect_equal(kit.output("table", "get", "t", "a"), b"b\r\n", "the CR is kept")
    expect_equal(kit.run("table", "build", "--crlf", "-q", "-o", "t", stdin=b"a\tb\r\n", status=0).stderr, b"", "no warning")
    expect_equal(kit.output("table", "get", "t", "a"), b"b\n", "the CR is stripped")
    lines = b'{"key":"a","value":"b"}\r\n'
    expect_equal(kit.run("table", "build", "--format", "jsonl", "-q", "-o", "t", stdin=lines, status=0).stderr, b"", "white space of JSON")
    expect_equal(kit.output("table", "get", "t", "a"), b"b\n", "the value")


@cpp_promise
def a_table_of_prefixes_alone_may_have_no_filter_by_its_bits(kit):
    kit.output("table", "build", "-q", "--prefix", "2", "--bits-per-key", "0", "-o", "t", stdin=b"aa1\t1\nbb1\t2\n")
    kit.output("table", "build", "-q", "--prefix", "2", "--no-filter", "-o", "u", stdin=b"aa1\t1\nbb1\t2\n")
    expect_equal(kit.read("t"), kit.read("u"), "the same by another word")
    kit.output("table", "refilter", "-q", "--prefix", "2", "--bits-per-key", "0", "t")
    expect_equal(kit.read("t"), kit.read("u"), "the same again")


@cpp_promise
def a_filter_of_prefixes_alone_is_keyed_as_asked(kit):
    lines = b"aa1\t1\nbb1\t2\n"
    kit.write("secret", b"000102030405060708090a0b0c0d0e0f\n")
    keyed = ["--hash", "siphash13", "--secret", "secret"]
    kit.output("table", "build", "-q", "--prefix", "2", "--no-filter", "-o", "plain", stdin=lines)
    for hasher in (keyed, ["--hash", "xxh64"], ["--seed", "7"]):
        for name, words in (("t", ["--bits-per-key", "0"]), ("u", ["--no-filter"])):
            kit.output("table", "build", "-q", "--prefix", "2", *words, *hasher, "-o", name, stdin=lines)
            expect(kit.read(name) != kit.read("plain"), f"{hasher} makes no difference with {words}")
            expect_equal(kit.output("table", "scan", "--prefix", "aa", name), b"aa1\t1\n", "scan")
        expect_equal(kit.read("t"), kit.read("u"), f"the same by another word, {hasher}")


@cpp_promise
def options_of_a_filter_that_is_not_made_are_refused(kit):
    kit.write("secret", b"000102030405060708090a0b0c0d0e0f\n")
    build(kit, "t", b"aa1\t1\n")
    for words in (["--no-filter"], ["--bits-per-key", "0"]):
        for prefix in ([], ["--prefix", "2"]):
            for options in (["--kind", "split"], ["--filter-partition", "4k"], ["--fpr", "0.1"],
                            *([["--hash", "xxh64"], ["--seed", "7"], ["--secret", "secret"], ["--hash", "siphash13", "--secret", "secret"]] if not prefix else [])):  # fmt: skip
                kit.refused("table", "build", *words, *prefix, *options, "-o", "u", stdin=b"aa1\t1\n", names=[options[0]])
                kit.refused("table", "refilter", *words, *prefix, *options, "t", names=[options[0]])
                kit.refused("table", "compact", *words, *prefix, *options, "-o", "u", "t", names=[options[0]])
        kit.refused("table", "build", *words, "--prefix", "2", "--secret", "secret", "-o", "u", stdin=b"aa1\t1\n", names=["--secret"])


def run_within(kit, seconds, *args):
    """Runs what might wait for ever."""
    with popen(kit, *args, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(args, process.returncode, out, err)


@cpp_promise
def compact_does_not_wait_for_a_fifo(kit):
    build(kit, "t", b"a\t1\n")
    os.mkfifo(kit.folder / "pipe")
    done = run_within(kit, 20, "table", "compact", "-o", "u", "t", "pipe")
    expect(done.returncode == 2 and b"pipe: is no regular file" in done.stderr, f"{done}")
    os.unlink(kit.folder / "pipe")


@cpp_promise
def compact_with_compression_keeps_to_its_rate_and_ends(kit):
    pairs = some_pairs(60000)
    build(kit, "t", tsv(pairs))
    for compression in ("lz4", "zstd"):
        done = run_within(kit, 60, "table", "compact", "-q", "--compression", compression, "--rate", "10M", "-o", compression, "t")
        expect_equal((done.returncode, done.stderr), (0, b""), f"compact with {compression}")
        expect_equal(kit.output("table", "scan", compression), tsv(pairs), "the entries")
