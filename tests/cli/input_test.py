"""Keys and numbers as people give them, and the answers and outputs they get."""

import hashlib
import json
import math
import select
import struct
import subprocess

from harness import numbered
from kit import EXAMPLE_SHA256, PATIENCE, cpp_promise, expect, expect_equal, popen, promise


def geometry(data):
    """(m, k) of a raw file."""
    k, m = struct.unpack("<IQ", data[:12])
    return m, k


@promise
def the_example_from_standard_input_has_its_1211_bytes(kit):
    for source in ([], ["-"]):
        kit.output("build", "-o", "f", *source, stdin=open(kit.keys, "rb").read())
        expect_equal(len(kit.read("f")), 1211, "size")
        expect_equal(hashlib.sha256(kit.read("f")).hexdigest(), EXAMPLE_SHA256, "sha256")


@promise
def build_tells_what_it_made_in_one_line_and_nothing_with_q(kit):
    line = kit.output("build", "-o", "f", kit.keys)
    expect_equal(line, b"f: classic, 1000 keys, 1211 bytes, 9.586 bits/key, predicted fpr 0.01037\n", "line")
    expect_equal(kit.output("build", "-q", "-o", "f", kit.keys), b"", "-q")


@promise
def empty_input_builds_the_filter_of_one_key(kit):
    data = kit.build("f", [])
    expect_equal(data.hex(), "070000000a000000000000000000", "file")
    expect_equal(kit.output("query", "f", stdin=b"key0\n", status=1), b"no\tkey0\n", "query")


@promise
def carriage_return_is_part_of_a_key(kit):
    kit.build("f", [b"a\r", b"b\r"], "--fpr", "1e-6")
    expect_equal(kit.output("query", "f", stdin=b"a\r\nb\r\n"), b"maybe\ta\r\nmaybe\tb\r\n", "with CR")
    expect_equal(kit.output("query", "f", stdin=b"a\n", status=1), b"no\ta\n", "without CR")


@promise
def with_0_keys_end_in_nul_and_may_hold_line_feeds(kit):
    kit.build("f", [b"a\nb", b"", b"c"], "--fpr", "1e-6", nul=True)
    expect_equal(kit.output("query", "-0", "f", stdin=b"a\nb\0\0c\0"), b"maybe\ta\nb\0maybe\t\0maybe\tc\0", "NUL at the end")
    expect_equal(kit.output("query", "-0", "f", stdin=b"c"), b"maybe\tc\0", "no NUL at the end")
    expect_equal(kit.output("query", "f", stdin=b"a\n", status=1), b"no\ta\n", "the half of a key")


@promise
def nul_in_a_line_is_a_byte_like_any_other(kit):
    kit.build("f", [b"a\0b"], "--fpr", "1e-6")
    expect_equal(kit.output("query", "f", stdin=b"a\0b\n"), b"maybe\ta\0b\n", "the key")
    expect_equal(kit.output("query", "f", stdin=b"a\0c\na\n", status=1), b"no\ta\0c\nno\ta\n", "others")


@promise
def an_empty_line_is_the_empty_key(kit):
    kit.build("f", [b"", b"x"], "--fpr", "1e-6")
    expect_equal(kit.output("query", "f", stdin=b"\nx\n\n"), b"maybe\t\nmaybe\tx\nmaybe\t\n", "query")
    counted = json.loads(kit.output("inspect", "--json", "f"))["geometry"]["m"]
    expect_equal(counted, math.ceil(2 * 13.815510557964274 / math.log(2) ** 2), "m of two keys")


@promise
def the_last_line_needs_no_line_feed(kit):
    kit.output("build", "-q", "-o", "with", stdin=b"a\nb\n")
    kit.output("build", "-q", "-o", "without", stdin=b"a\nb")
    expect_equal(kit.read("without"), kit.read("with"), "files")
    expect_equal(kit.output("query", "with", stdin=b"b"), b"maybe\tb\n", "query")


@promise
def a_line_of_five_megabytes_is_a_key(kit):
    long = b"x" * 5_000_000
    kit.build("f", [long], "--fpr", "1e-6")
    expect(kit.output("query", "f", stdin=long + b"\n") == b"maybe\t" + long + b"\n", "the long key is echoed and found")
    expect(kit.output("query", "f", stdin=long[1:], status=1).startswith(b"no\tx"), "one byte less is another key")


@promise
def numbers_take_suffixes_and_exponents(kit):
    for text, n in (("10M", 10**7), ("1e3", 1000), ("2.5k", 2500), ("1k", 1000), ("7", 7), ("1.5e2", 150)):
        m = math.ceil(-n * math.log(0.01) / 0.6931471805599453**2)
        expect_equal(geometry(kit.build("f", [], "-n", text))[0], m, f"m of -n {text}")
    expect_equal(geometry(kit.build("f", [], "-m", "2k", "-k", "3")), (2000, 3), "-m 2k")


@promise
def query_exits_0_when_every_key_may_be_present_else_1(kit):
    kit.build("f")
    expect_equal(kit.output("query", "f", stdin=b"key0\nkey1\n", status=0), b"maybe\tkey0\nmaybe\tkey1\n", "both present")
    answers = kit.output("query", "f", stdin=b"key0\nmiss0\nkey1\n", status=1)
    expect_equal(answers, b"maybe\tkey0\nno\tmiss0\nmaybe\tkey1\n", "one absent")
    expect_equal(kit.output("query", "f", stdin=b"", status=0), b"", "no keys")


@promise
def no_present_key_is_denied(kit):
    keys = numbered(b"user/", 20000)
    for options in ([], ["--envelope"], ["--envelope", "--hash", "xxh3"], ["-n", "10"], ["-m", "1", "-k", "1"]):
        kit.build("f", keys, *options)
        answers = kit.output("query", "f", "f.keys")
        expect_equal(answers.count(b"maybe\t"), len(keys), f"maybe with {options}")


@promise
def query_answers_each_line_before_the_input_ends(kit):
    kit.build("f")
    with popen(kit, "query", "f", stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            for key, answer in ((b"key0\n", b"maybe\tkey0\n"), (b"miss0\n", b"no\tmiss0\n"), (b"key9\n", b"maybe\tkey9\n")):
                process.stdin.write(key)
                ready, _, _ = select.select([process.stdout], [], [], 10)
                expect(ready, f"no answer to {key!r} within 10 seconds")
                expect_equal(process.stdout.read(100), answer, "answer")
            process.stdin.close()
            expect_equal(process.wait(10), 1, "exit status")
        finally:
            process.kill()


@promise
def hash_prints_16_digits_a_tab_and_the_key(kit):
    expect_equal(kit.output("hash", stdin=b"key0\n\n"), b"cd7d447300bbe4a5\tkey0\nc3817c016ba4ff30\t\n", "fnv_splitmix")
    expect_equal(kit.output("hash", "-0", stdin=b"key0\0"), b"cd7d447300bbe4a5\tkey0\0", "-0")
    kit.write("secret", bytes(range(16)).hex().encode())
    sip = kit.output("hash", "--hash", "siphash24", "--secret", "secret", stdin=b"\n\0\n")
    expect_equal(sip, b"726fdb47dd0e0e31\t\n74f839c593dc67fd\t\0\n", "siphash24")


@promise
def inspect_json_is_one_line_of_json(kit):
    for options in ([], ["--envelope", "--hash", "xxh64", "--seed", "7"]):
        kit.build("f", None, *options)
        text = kit.output("inspect", "--json", "f")
        expect(text.count(b"\n") == 1 and text.endswith(b"\n") and b" " not in text, f"not one line without spaces: {text!r}")
        value = json.loads(text)
        expect_equal((value["kind"], value["geometry"]), ("classic", {"m": 9586, "k": 7}), "fields")
        expect_equal(len(value["fill_along"]), 64, "columns")


@promise
def a_new_file_replaces_the_old_one(kit):
    old = kit.build("f", [b"old"], "--fpr", "1e-6")
    new = kit.build("f", [b"new"], "--fpr", "1e-6")
    expect(old != new, "the file changed")
    expect_equal(kit.output("query", "f", stdin=b"new\nold\n", status=1), b"maybe\tnew\nno\told\n", "query")


def past_first_line(kit, path, *args):
    """Runs the command with a file on standard input whose first line has been read by somebody else."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1) != b"\n":
            pass
        with popen(kit, *args, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(args, process.returncode, out, err)


@promise
def a_standard_input_begins_where_it_stands(kit):
    rest = kit.build("rest", numbered(b"key", 1000)[1:])
    for options in ([], ["-n", "999"]):
        done = past_first_line(kit, kit.keys, "build", *options, "-q", "-o", "f", "-")
        expect_equal(done.returncode, 0, f"exit status with {options}")
        expect_equal(kit.read("f"), rest, f"the file with {options}")


@cpp_promise
def set_diff_and_iblts_begin_where_standard_input_stands(kit):
    done = past_first_line(kit, kit.keys, "set-diff", "-q", "-", kit.keys)
    expect_equal((done.returncode, done.stdout), (1, b"+\tkey0\n"), "set-diff")
    done = past_first_line(kit, kit.keys, "build", "--kind", "iblt", "--differences", "5", "-o", "f", "-")
    expect(done.stdout.startswith(b"f: iblt, 999 keys, "), done)


@promise
def a_stream_that_is_named_twice_is_counted_once(kit):
    once = kit.build("once")
    for names in (["-", "-"], ["-", "/dev/null", "-"]):
        with open(kit.keys, "rb") as file, popen(kit, "build", "-q", "-o", "f", *names, stdin=file) as process:
            expect_equal(process.wait(PATIENCE), 0, f"exit status of {names}")
        expect_equal(kit.read("f"), once, f"a file as {names}")
        kit.output("build", "-q", "-o", "f", *names, stdin=open(kit.keys, "rb").read())
        expect_equal(kit.read("f"), once, f"a pipe as {names}")


@promise
def bits_per_key_are_judged_by_the_keys_that_there_are(kit):
    """A fuse filter of a million keys needs 9.02 bits a key, and a larger one fewer."""
    line = kit.output("build", "--kind", "fuse", "--bits-per-key", "9.01", "-o", "f", stdin=b"".join(b"%d\n" % i for i in range(1_500_000)))
    expect(line.startswith(b"f: fuse, 1500000 keys, "), line)
    kit.refused("build", "--kind", "fuse", "--bits-per-key", "9.01", "-o", "g", kit.keys, names=["1000 keys"])
    for bits in ("0", "-1"):
        kit.refused("build", "--kind", "block", "--bits-per-key", bits, "-o", "g", kit.keys)


@cpp_promise
def options_that_contradict_each_other_are_refused_before_keys_are_read(kit):
    for options in (["--kind", "scalable", "--bits-per-key", "10", "--geometry", "growth=2"], ["--kind", "block", "--bits-per-key", "1e300"]):
        with popen(kit, "build", *options, "-o", "f", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            expect_equal(process.wait(PATIENCE), 2, f"{options}: exit status")  # while its keys have not ended


@cpp_promise
def bits_that_are_too_few_for_a_million_keys_may_do_for_these(kit):
    line = kit.output("build", "--kind", "quotient", "--bits-per-key", "5", "-o", "f", stdin=b"".join(b"%d\n" % i for i in range(970)))
    expect(line.startswith(b"f: quotient, 970 keys, "), line)
    kit.refused("build", "--kind", "quotient", "--bits-per-key", "2", "-o", "g", kit.keys, names=["bits per key"])
