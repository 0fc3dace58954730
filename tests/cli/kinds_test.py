"""Promises of the C++ command about the kinds split and block."""

import json
import subprocess

from kit import cpp_promise, expect, expect_equal


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


@cpp_promise
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
    kit.refused("build", "--kind", "block", "-m", "100", "-k", "3", "-o", "f", kit.keys, names=["--blocks"])
    kit.refused("build", "--kind", "split", "--blocks", "0", "-o", "f", kit.keys, names=["blocks"])
    kit.refused("build", "--kind", "block", "--blocks", "0", "-k", "6", "-o", "f", kit.keys, names=["blocks"])
    kit.refused("build", "--kind", "block", "--blocks", "1152921504606846976", "-k", "6", "-o", "f", kit.keys, names=["blocks"])
    kit.refused("build", "--kind", "classic", "--blocks", "5", "-o", "f", kit.keys, names=["-m"])
    kit.output("build", "--kind", "block", "-q", "-o", "b", kit.keys)
    kit.output("build", "--kind", "split", "-q", "-o", "s", kit.keys)
    kit.refused("merge", "b", "s", "-o", "f", names=["kinds"])
    kit.refused("convert", "--to", "raw", "b", "-o", "f", names=["classic"])
    kit.output("build", "--kind", "block", "--blocks", "30", "-k", "6", "-q", "-o", "c", kit.keys)
    kit.refused("merge", "b", "c", "-o", "f", names=["blocks = 20", "blocks = 30"])
