"""Promises of the C++ command about all kinds."""

import json
import pathlib
import subprocess
import sys

from kit import cpp_promise, expect, expect_equal, promise

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from kinds import kinds  # noqa: E402


@cpp_promise
def every_kind_builds_queries_inspects_verifies_and_merges(kit):
    for kind in ("classic", "split", "block"):
        for part, lines in (("a", range(0, 500)), ("b", range(500, 1000))):
            kit.write("part", b"".join(b"key%d\n" % i for i in lines))
            kit.output("build", "--kind", kind, "--envelope", "-n", "1000", "-q", "-o", part, "part")
        kit.output("merge", "a", "b", "-o", "both")
        kit.output("build", "--kind", kind, "--envelope", "-n", "1000", "-q", "-o", "whole", kit.keys)
        expect_equal(kit.read("both"), kit.read("whole"), f"{kind}: merge of two halves")
        answers = kit.output("query", "both", kit.keys)
        expect(answers.count(b"maybe\t") == 1000, f"{kind}: a key is denied")
        kit.output("verify", "both")
        value = json.loads(kit.output("inspect", "--json", "both"))
        expect_equal((value["kind"], value["key_count"]), (kind, 1000), "inspect")
        expect(value["sampled_low"] * 0.9 < value["predicted_fpr"] < value["sampled_high"] * 1.1, f"{kind}: predicted and sampled rate differ")


STATIC = ("fuse", "ribbon")
ALL = tuple(kinds())
CAN_REMOVE = ("counting", "cuckoo", "quotient")


@cpp_promise
def every_kind_is_planned_built_asked_inspected_verified_and_added_to(kit):
    planned = {row["kind"]: row for row in json.loads(kit.output("plan", "-n", "1000", "--json"))["kinds"]}
    expect_equal(tuple(planned), ALL, "kinds of plan")
    kit.write("more", b"".join(b"more%d\n" % i for i in range(100)))
    for kind in (kind for kind in ALL if kind not in STATIC):
        kit.output("build", "--kind", kind, "--envelope", "-n", "1100", "-q", "-o", "f", kit.keys)
        expect(kit.output("query", "f", kit.keys).count(b"maybe\t") == 1000, f"{kind}: a key is denied")
        line = kit.output("add", "f", "more")
        expect_equal(line.split(b",")[:2], [f"f: {kind}".encode(), b" 1100 keys"], "add")
        expect(line.endswith(b": added 100\n"), f"add printed {line!r}")
        expect(kit.output("query", "f", "more").count(b"maybe\t") == 100, f"{kind}: a key that was added to the file is denied")
        kit.output("verify", "f")
        value = json.loads(kit.output("inspect", "--json", "f"))
        expect_equal((value["kind"], value["key_count"]), (kind, 1100), "inspect")
        names = ",".join(f"{name}={number}" for name, number in value["geometry"].items())
        if kind != "scalable":  # the links of a grown chain are in its payload
            kit.output("build", "--kind", kind, "--envelope", "--geometry", names, "-q", "-o", "g", kit.keys)
            expect_equal(json.loads(kit.output("inspect", "--json", "g"))["geometry"], value["geometry"], f"{kind}: geometry")


@cpp_promise
def static_kinds_are_built_of_all_their_keys_and_refuse_more(kit):
    kit.write("twice", kit.read(kit.keys) * 2)
    for kind in STATIC:
        kit.output("build", "--kind", kind, "-q", "-o", "f", kit.keys)
        expect(kit.output("query", "f", kit.keys).count(b"maybe\t") == 1000, f"{kind}: a key is denied")
        kit.output("verify", "f")
        value = json.loads(kit.output("inspect", "--json", "f"))
        expect_equal((value["kind"], value["key_count"], value["retries"]), (kind, 1000, 0), "inspect")
        kit.output("build", "--kind", kind, "-q", "-o", "g", "twice")
        expect_equal(kit.read("g"), kit.read("f"), f"{kind}: a file of keys that come twice")
        kit.refused("build", "--kind", kind, "-n", "1100", "-q", "-o", "h", kit.keys, names=["leave out -n"])
        kit.refused("build", "--kind", kind, "--geometry", "keys=5", "-q", "-o", "h", kit.keys, names=["follows from its keys"])
        kit.refused("add", "f", kit.keys, names=[f"{kind} filters cannot take more keys"])


@promise
def a_filter_made_of_all_its_keys_at_once_tells_its_bits_per_key(kit):
    shown = 0
    for row in json.loads((ROOT / "spec/vectors/kinds.json").read_text())["files"]:
        kit.write("f", bytes.fromhex(row["hex"]))
        value = json.loads(kit.output("inspect", "--json", "f"))
        text = dict((line[:16].rstrip(), line[16:]) for line in kit.output("inspect", "f").decode().splitlines())
        if row["kind"] not in STATIC or row["keys"] == 0:
            expect("bits_per_key" not in value and "bits per key" not in text, f"{row['kind']} of {row['keys']} keys has bits per key")
            continue
        wanted = "%.4g" % (8 * value["payload_bytes"] / row["keys"])
        expect_equal(value["bits_per_key"], float(wanted), f"{row['kind']}: JSON")  # where it stands, json_test.py looks
        labels = list(text)
        expect_equal(text["bits per key"], wanted, f"{row['kind']}: text")
        expect_equal(labels[labels.index("bits per key") - 1], "keys added", f"{row['kind']}: the line before")
        shown += 1
    expect(shown > 0, "no golden file of such a kind")


def half_of(kit):
    return kit.write("half", b"".join(b"key%d\n" % i for i in range(500)))


@cpp_promise
def every_kind_is_sized_by_bits_per_key_and_by_the_numbers_it_leaves_open(kit):
    for kind in ALL:
        kit.output("build", "--kind", kind, "--envelope", "--bits-per-key", "24", "-q", "-o", "f", kit.keys)
        expect(len(kit.read("f")) < 128 + 3 * 1000 + 400, f"{kind}: more than 24 bits per key")
    kit.output("build", "--kind", "counting", "-m", "9586", "-k", "7", "-q", "-o", "c", kit.keys)
    expect_equal(json.loads(kit.output("inspect", "--json", "c"))["geometry"], {"m": 9586, "k": 7, "counter_bits": 4}, "counting by -m and -k")
    kit.output("build", "--kind", "counting", "--geometry", "counter_bits=32", "--bits-per-key", "320", "-q", "-o", "c", kit.keys)
    expect_equal(json.loads(kit.output("inspect", "--json", "c"))["geometry"]["m"], 10000, "counters of 32 bits, by bits per key")


@cpp_promise
def keys_are_removed_from_files_of_kinds_that_can_and_refused_by_name_elsewhere(kit):
    half = half_of(kit)
    for kind in ALL:
        kit.output("build", "--kind", kind, "--envelope", "--fpr", "0.001", "-q", "-o", "f", kit.keys)
        if kind not in CAN_REMOVE:
            kit.refused("remove", "f", kit.write("none", b""), names=["cannot remove keys"])
            kit.refused("remove", "f", half, names=[f"{kind} filters cannot remove keys", "counting, cuckoo and quotient"])
            continue
        before = kit.read("f")
        done = kit.run("remove", "f", half, "-o", "less", status=0)
        expect(done.stderr.endswith(b": removed 500 of 500\n") and b" 500 keys" in done.stderr, f"remove printed {done.stderr!r}")
        expect_equal(done.stdout, b"", "standard output of a remove of keys that are there")
        expect_equal(kit.read("f"), before, "the file itself with -o")
        kit.output("remove", "-q", "f", half)
        expect_equal(kit.read("f"), kit.read("less"), "removed in place and to another file")
        answers = kit.output("query", "f", kit.keys, status=1).splitlines()
        expect(all(answer.startswith(b"maybe\t") for answer in answers[500:]), f"{kind}: a key still in is denied")
        expect(sum(answer.startswith(b"no\t") for answer in answers[:500]) > 480, f"{kind}: removed keys are still there")
        kit.write("absent", b"never added\n")
        expect_equal(kit.output("remove", "-q", "f", "absent", status=1), b"no\tnever added\n", "remove of an absent key")
        expect_equal(kit.read("f"), kit.read("less"), "after a key was refused")


@cpp_promise
def a_full_filter_refuses_and_the_file_is_as_it_was(kit):
    for kind in ("cuckoo", "quotient"):
        kit.write("few", b"".join(b"few%d\n" % i for i in range(100)))
        kit.output("build", "--kind", kind, "-q", "-o", "f", "few")
        kit.refused("add", "f", kit.keys, names=["f:", "full", "the file is as it was"])
        kit.refused("build", "--kind", kind, "-n", "100", "-o", "g", kit.keys, names=["full"])


@cpp_promise
def what_only_some_kinds_can_do_they_do(kit):
    kit.output("build", "--kind", "quotient", "-q", "-o", "q", kit.keys)
    listed = kit.output("list", "q")
    expect(len(listed.splitlines()) in range(990, 1001), "fingerprints of 1000 keys")
    expect_equal(sorted(listed.splitlines(), key=lambda line: int(line.split()[0], 16)), listed.splitlines(), "in order")
    kit.output("resize", "-q", "q", "-o", "r")
    expect_equal(kit.output("list", "r"), listed, "fingerprints of the resized filter")
    kit.output("build", "--kind", "scalable", "-n", "10", "-q", "-o", "s", kit.keys)
    links = json.loads(kit.output("inspect", "--json", "s"))["geometry"]["links"]
    expect(links > 3, f"{links} links")
    kit.refused("fold", "s", half_of(kit), names=["s:", "keys, and 500 were offered"])
    kit.refused("fold", "s", "/dev/null", names=["0 were offered"])
    expect(kit.output("fold", "s", kit.keys).endswith(b": folded %d links into one\n" % links), "fold tells what it did")
    expect_equal(json.loads(kit.output("inspect", "--json", "s"))["geometry"]["links"], 1, "links after fold")
    expect_equal(kit.output("query", "s", kit.keys).count(b"maybe\t"), 1000, "keys after fold")
    kit.output("build", "--kind", "counting", "--hash", "fnv_splitmix", "-q", "-o", "c", kit.keys)
    kit.output("convert", "--kind", "classic", "--to", "raw", "c", "-o", "k")
    kit.output("build", "--kind", "classic", "-q", "-o", "wanted", kit.keys)
    expect_equal(kit.read("k"), kit.read("wanted"), "counting as classic")
    kit.output("build", "--kind", "counting", "--geometry", "counter_bits=32", "-q", "-o", "c32", kit.keys)
    expect_equal(json.loads(kit.output("inspect", "--json", "c32"))["geometry"]["counter_bits"], 32, "counter_bits")
    kit.output("build", "--kind", "block", "-q", "-o", "b", kit.keys)
    for command, *names in (("resize", "be resized", "quotient"), ("list", "list what is in them", "quotient"), ("fold", "be folded", "scalable")):
        kit.refused(command, "b", names=["block filters cannot", *names])
    kit.refused("convert", "--kind", "classic", "b", "-o", "x", names=["block filters cannot become classic"])
    kit.refused("merge", "s", "s", "-o", "x", names=["scalable filters cannot be merged"])
    kit.refused("build", "--kind", "block", "--geometry", "buckets=3", "-o", "x", kit.keys, names=["have no buckets"])
    kit.refused("build", "--kind", "block", "--geometry", "blocks", "-o", "x", kit.keys, names=["blocks"])


@cpp_promise
def a_filter_that_forgets_says_so(kit):
    kit.output("build", "--kind", "stable", "-n", "1000", "-q", "-o", "f", kit.keys)
    kit.write("absent", b"".join(b"other%d\n" % i for i in range(1000)))
    answers = kit.output("query", "f", "absent", status=1).splitlines()
    expect(all(answer.startswith((b"unseen\t", b"maybe\t")) for answer in answers), "answers of a stable filter")
    expect(b"forgets" in kit.output("inspect", "f"), "inspect says that it forgets")


@promise
def block_is_the_default_kind(kit):
    line = kit.output("build", "--kind", "block", "-o", "explicit", kit.keys)
    expect(b": block, 1000 keys" in line, f"printed {line!r}")
    subprocess.run([kit.command.path, "build", "-q", "-o", "default", str(kit.keys)], cwd=kit.folder, check=True)
    expect_equal(kit.read("default"), kit.read("explicit"), "default kind")


@cpp_promise
def a_forced_instruction_set_answers_the_same_or_is_refused(kit):
    kit.output("build", "--kind", "block", "-q", "-o", "f", kit.keys)
    wanted = kit.output("query", "f", kit.keys)
    for isa, status in (("scalar", 0), ("nonsense", 2)):
        environment = {"BLOOMERY_ISA": isa}
        done = subprocess.run([kit.command.path, "query", "f", str(kit.keys)], cwd=kit.folder, env=environment, capture_output=True)
        expect_equal(done.returncode, status, f"exit status with {isa}")
        if status == 0:
            expect_equal(done.stdout, wanted, f"answers of {isa}")
        else:
            expect(b"scalar" in done.stderr and done.stderr.count(b"\n") == 1, f"printed {done.stderr!r}")


@cpp_promise
def what_a_kind_cannot_do_is_refused_by_name(kit):
    kit.refused("build", "--kind", "split", "--fpr", "1e-6", "-o", "f", kit.keys, names=["'block'"])
    kit.refused("build", "--kind", "block", "--fpr", "1e-9", "-o", "f", kit.keys, names=["5e-08"])
    kit.refused("build", "--kind", "block", "-m", "100", "-k", "3", "-o", "f", kit.keys, names=["have no m", "blocks and k"])
    kit.refused("build", "--kind", "split", "--blocks", "0", "-o", "f", kit.keys, names=["blocks"])
    kit.refused("build", "--kind", "block", "--blocks", "0", "-k", "6", "-o", "f", kit.keys, names=["blocks"])
    kit.refused("build", "--kind", "block", "--blocks", "1152921504606846976", "-k", "6", "-o", "f", kit.keys, names=["blocks"])
    kit.refused("build", "--kind", "classic", "--blocks", "5", "-o", "f", kit.keys, names=["have no blocks", "m and k"])
    kit.output("build", "--kind", "block", "-q", "-o", "b", kit.keys)
    kit.output("build", "--kind", "split", "-q", "-o", "s", kit.keys)
    kit.refused("merge", "b", "s", "-o", "f", names=["kinds"])
    kit.refused("convert", "--to", "raw", "b", "-o", "f", names=["classic"])
    kit.output("build", "--kind", "block", "--blocks", "30", "-k", "6", "-q", "-o", "c", kit.keys)
    kit.refused("merge", "b", "c", "-o", "f", names=["blocks = 20", "blocks = 30"])
