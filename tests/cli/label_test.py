"""What a file says of itself beside its bits, by the command: label, chunks, alignment."""

import json
import pathlib
import sys

from kit import cpp_promise, expect, expect_equal

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "spec"))
import reader  # noqa: E402


def records(kit, name):
    return {kind: contents for kind, (_, contents) in reader.File(kit.read(name)).records.items()}


def offset(kit, name):
    return int.from_bytes(kit.read(name)[32:40], "little")


@cpp_promise
def a_label_is_shown_set_and_removed(kit):
    plain = kit.build("f", None, "--kind", "block", "--keys", "text")
    expect_equal(kit.output("label", "f", status=1), b"", "no label yet")
    expect_equal(kit.output("label", "f", "users, Malmö"), b"", "setting it prints nothing")
    expect_equal(kit.output("label", "f").decode(), "users, Malmö\n", "the label")
    expect_equal(records(kit, "f"), {reader.KEYS: b"text", reader.LABEL: "users, Malmö".encode()}, "other records stay")
    expect_equal(kit.output("query", "--count", "f", kit.keys), b"1000\n", "and so do the bits")
    expect_equal(json.loads(kit.output("label", "--json", "f", "b")), {"file": "f", "label": "b"}, "as JSON")
    expect_equal(kit.output("label", "f"), b"b\n", "another one")
    kit.output("label", "--remove", "f")
    expect_equal(kit.read("f")[offset(kit, "f") :], plain[int.from_bytes(plain[32:40], "little") :], "the payload")
    expect_equal(records(kit, "f"), {reader.KEYS: b"text"}, "removed")
    expect_equal(kit.output("label", "--json", "f", status=1), b'{"file":"f","label":null}\n', "none, as JSON")


@cpp_promise
def a_label_that_cannot_be_is_refused(kit):
    kit.build("f", None, "--kind", "block")
    kit.build("raw")
    for text in ("x" * 256, "two\nlines"):
        kit.refused("label", "f", text, names=["label"])
        kit.refused("build", "--kind", "block", "--label", text, "-o", "g", "no-such-keys", names=["label"])  # before a key is read
    kit.refused("label", "raw", "x", names=["raw", "only an envelope"])
    kit.refused("label", "f", "x", "--remove", names=["--remove", "see 'bloomery label --help'"])
    kit.refused("label", "no-such-file", names=["no-such-file"])


@cpp_promise
def a_damaged_file_stays_damaged_with_a_label(kit):
    data = bytearray(kit.build("f", None, "--kind", "block"))
    data[-1] ^= 1
    kit.write("f", bytes(data))
    kit.output("label", "f", "x")
    expect(b"damaged" in kit.run("verify", "f", status=1).stderr, "the damage is not papered over")


@cpp_promise
def a_keyed_file_gets_a_label_without_its_secret(kit):
    kit.write("secret", b"00112233445566778899aabbccddeeff\n")
    kit.build("f", None, "--kind", "block", "--hash", "siphash13", "--secret", "secret")
    kit.output("label", "f", "x")
    expect_equal(kit.output("label", "f"), b"x\n", "shown without it")
    expect_equal(kit.output("query", "--secret", "secret", "--count", "f", kit.keys), b"1000\n", "keys")


@cpp_promise
def an_iblt_has_a_label_too(kit):
    kit.output("build", "--kind", "iblt", "--differences", "5", "--label", "first", "-q", "-o", "i", kit.keys)
    expect_equal(kit.output("label", "i"), b"first\n", "the label")
    kit.output("label", "i", "x")
    expect_equal(json.loads(kit.output("inspect", "--json", "i"))["label"], "x", "another one")
    expect(b"label           x\n" in kit.output("inspect", "i"), "shown")
    kit.output("verify", "i")


@cpp_promise
def a_payload_begins_where_it_was_told_to(kit):
    for size, bytes_ in (("64", 64), ("4096", 4096), ("64k", 65536), ("2M", 2**21), ("4M", 2**22)):
        kit.output("build", "--kind", "block", "-q", "--align", size, "-o", "f", kit.keys)
        expect_equal(offset(kit, "f") % bytes_, 0, f"offset with --align {size}")
        expect(offset(kit, "f") < max(bytes_, 128) + 64, f"no further than need be: {offset(kit, 'f')}")
        expect_equal(kit.output("query", "--count", "f", kit.keys), b"1000\n", "keys")
        kit.output("label", "f", "x")
        expect_equal(offset(kit, "f") % bytes_, 0, f"offset after a label with --align {size}")
    for size in ("3M", "32", "8M", "2.5k", "1e6", "2G", "x", "0"):
        kit.refused("build", "--kind", "block", "--align", size, "-o", "g", "no-such-keys", names=["align"])
    kit.refused("build", "--kind", "classic", "--align", "2M", "-o", "g", kit.keys, names=["--align", "--envelope"])


@cpp_promise
def verify_names_the_damaged_chunk_of_a_file_that_was_built_with_chunks(kit):
    data = bytearray(kit.build("f", None, "--kind", "block", "--chunks", "-n", "20k"))
    start, payload = offset(kit, "f"), len(data) - offset(kit, "f")
    inspected = json.loads(kit.output("inspect", "--json", "f"))
    chunk = inspected["chunk_bytes"]
    chunks = -(-payload // chunk)
    expect(chunks > 3, f"{chunks} chunks")
    expect(f"chunks          {chunks} of {chunk} bytes\n".encode() in kit.output("inspect", "f"), "inspect shows them")
    expect(b"sound" in kit.output("verify", "f"), "sound")
    data[start + 2 * chunk + 5] ^= 1
    kit.write("g", bytes(data))
    where = f"chunk 2 of {chunks}, bytes {2 * chunk} to {3 * chunk - 1} of the payload".encode()
    expect(where in kit.run("verify", "g", status=1).stderr, "the chunk")
    # A range is judged by its own chunks.
    expect(b"sound" in kit.output("verify", "--range", f"0:{2 * chunk}", "g"), "the chunks before")
    expect(b"sound" in kit.output("verify", "--range", f"{3 * chunk}:{payload - 3 * chunk}", "g"), "the chunks behind")
    for bad in (f"{2 * chunk}:1", f"0:{payload}", f"{3 * chunk - 1}:2"):
        expect(where in kit.run("verify", "--range", bad, "g", status=1).stderr, f"the chunk, by the range {bad}")
    expect_equal(json.loads(kit.output("verify", "--json", "--range", "0:1", "g"))["sound"], True, "as JSON")


@cpp_promise
def a_range_that_cannot_be_judged_is_an_error(kit):
    kit.build("f", None, "--kind", "block", "--chunks")
    kit.build("plain", None, "--kind", "block")
    kit.refused("verify", "--range", "0:1", "plain", names=["plain", "--chunks"])
    kit.refused("verify", "--range", "0:1G", "f", names=["f", "ends behind the payload"])
    for text in ("5", ":", "1:", ":1", "-1:5", "0:1:2", "a:b"):
        kit.refused("verify", f"--range={text}", "f", names=["--range", "OFFSET:BYTES", "see 'bloomery verify --help'"])
