"""bench: its rows, its options, and what it refuses. The figures themselves are not judged here."""

import json
import os
import subprocess

from kit import PATIENCE, cpp_promise, expect, expect_equal, popen

OPS = ["add", "add_many", "contains_present", "contains_absent", "contains_many_present", "contains_many_absent", "build"]
FIELDS = {"kind": str, "op": str, "n": int, "fpr_target": float, "bits_per_key": float, "fpr": float, "ns": float, "ceiling_ns": float,
          "isa": str, "threads": int, "pages": str, "keys": str, "latency_ns": float, "prefault_ms": float}  # fmt: skip


def measured(kit, *options):
    """The JSON of a quick run, which has to be all there is on standard output."""
    done = kit.run("bench", "--quick", "--json", *options, status=0)
    expect(done.stdout.count(b"\n") == 1 and done.stdout.endswith(b"\n"), f"not one line: {done.stdout[:200]!r}")
    return json.loads(done.stdout)


@cpp_promise
def bench_json_has_a_row_for_every_operation_of_every_filter(kit):
    value = measured(kit, "--n", "2k,1e4", "--kind", "classic,split,block")
    expect(isinstance(value["machine"]["cpu"], str) and isinstance(value["commit"], str), "machine and commit")
    expect_equal(value["quick"], True, "quick")
    for kind in ("classic", "split", "block"):
        for n in (2000, 10000):
            ops = [row["op"] for row in value["rows"] if (row["kind"], row["n"]) == (kind, n)]
            expect_equal(ops, OPS[:-1] if kind == "classic" else OPS, f"operations of {kind}, n = {n}")


@cpp_promise
def bench_rows_have_the_fields_of_their_types(kit):
    for row in measured(kit, "--n", "10k", "--fpr", "0.02")["rows"]:
        expect_equal({name: type(value) for name, value in row.items()}, FIELDS, f"fields of {row['op']}")
        expect_equal((row["fpr_target"], row["threads"], row["keys"]), (0.02, 1, "u64"), "what was asked for")
        expect(row["pages"] in ("huge", "small", "unknown"), f"pages are {row['pages']}")
        expect(0 < row["ceiling_ns"] < 1e4 and 0 < row["ns"] < 1e6, f"{row['ns']} and {row['ceiling_ns']} ns")
        expect(0.015 < row["fpr"] < 0.025, f"{row['fpr']} false positives")
        expect(8 < row["bits_per_key"] < 10, f"{row['bits_per_key']} bits per key")


@cpp_promise
def bench_of_strings_tells_what_the_hash_takes(kit):
    rows = measured(kit, "--n", "10k", "--keys", "string", "--kind", "classic,block")["rows"]
    expect_equal(len(rows), 13, "rows")
    for row in rows:
        expect(row["keys"] == "string" and 0 < row["hash_ns"] < 1e4, f"{row}")
        expect(0.005 < row["fpr"] < 0.015, f"{row['fpr']} false positives")


@cpp_promise
def bench_on_two_threads_says_which_rows_are_theirs(kit):
    value = measured(kit, "--n", "10k", "--threads", "2", "--kind", "classic,split")
    for row in value["rows"]:
        alone = row["op"] == "add" or (row["kind"], row["op"]) == ("classic", "add_many")
        expect_equal(row["threads"], 1 if alone else 2, f"threads of {row['kind']} {row['op']}")
    expect_equal([(s["kind"], s["n"], s["threads"]) for s in value["scaling"]], [("split", 10000, 2)], "scaling")
    expect(value["scaling"][0]["build"] > 0 and value["scaling"][0]["ceiling"] > 0, f"{value['scaling']}")


@cpp_promise
def bench_lists_and_forces_instruction_sets(kit):
    lines = kit.output("bench", "--isa", "list").decode().splitlines()
    names = [line.split()[0] for line in lines]
    expect_equal(names[0], "scalar", "the first")
    expect_equal([line for line in lines if line.endswith("  in use")], [f"{names[-1]}  in use"], "the one in use")
    for name in names:
        isas = {row["isa"] for row in measured(kit, "--isa", name, "--n", "1k", "--kind", "block")["rows"]}
        expect_equal(isas, {name}, "isa of the rows")
    kit.refused("bench", "--isa", "nonsense", names=["--isa", "nonsense", "scalar"])
    kit.refused("bench", "--isa", "", names=["--isa"])


@cpp_promise
def bench_isa_wins_over_the_variable_whose_errors_stay(kit):
    def run(isa, *options):
        environment = {**os.environ, "BLOOMERY_ISA": isa}
        return subprocess.run([kit.command.path, "bench", *options], cwd=kit.folder, env=environment, capture_output=True)

    done = run("scalar", "--isa", "list")
    expect(b"scalar  in use\n" in done.stdout and done.stdout.count(b"in use") == 1, f"printed {done.stdout!r}")
    best = done.stdout.decode().splitlines()[-1].split()[0]
    rows = json.loads(run("scalar", "--isa", best, "--quick", "--json", "--n", "1k").stdout)["rows"]
    expect_equal({row["isa"] for row in rows}, {best}, "isa of the rows")
    kit.check_refusal(run("nonsense", "--isa", "list"), "BLOOMERY_ISA=nonsense", ["BLOOMERY_ISA", "nonsense"])


@cpp_promise
def bench_counters_are_numbers_or_one_line_that_says_why_not(kit):
    done = kit.run("bench", "--quick", "--json", "--counters", "--n", "10k", "--kind", "block", status=0)
    rows = {row["op"]: row for row in json.loads(done.stdout)["rows"]}
    expect_equal(sorted(rows), sorted(OPS), "operations")
    counted = ("contains_absent", "contains_many_absent")
    for op, row in rows.items():
        for name in ("cache_misses", "tlb_misses"):
            wanted = float if op in counted and not done.stderr else type(None)
            expect_equal(type(row[name]), wanted, f"{name} of {op}")
    if done.stderr:
        expect(done.stderr.count(b"\n") == 1 and b"perf_event_paranoid" in done.stderr, f"printed {done.stderr!r}")


@cpp_promise
def bench_for_people_is_a_table_per_filter(kit):
    text = kit.output("bench", "--quick", "--n", "10k").decode()
    for kind in ("split", "block"):
        expect(f"\n{kind}, n = 10k, " in text, f"no headline of {kind}: {text}")
    for word in ("Quick", "bits per key", "false positives", "pages", "prefault", "latency", "ceiling", "ratio", "blocks "):
        expect(word in text, f"no word of '{word}': {text}")
    for op in OPS:
        expect_equal(text.count(f"\n  {op} "), 2, f"rows of {op}")


@cpp_promise
def bench_refuses_what_makes_no_sense(kit):
    for options, name in (("--n 0", "n is 0"), ("--n abc", "abc"), ("--n 1k,", "''"), ("--n 10", "1000"), ("--kind iblt", "iblt"), ("--kind stable", "forget"), ("--kind block,", "''"),
                          ("--fpr 2", "2"), ("--fpr nan", "nan"), ("--kind split --fpr 1e-6", "'block'"), ("--kind block --fpr 1e-9", "5e-08"),
                          ("--threads 0", "--threads"), ("--threads x", "--threads"), ("--threads 257", "256"), ("--keys x", "u64"),
                          ("--bogus", "bogus"), ("surplus", "surplus")):  # fmt: skip
        kit.refused("bench", "--quick", *options.split(), names=[name])
    for option in ("--n", "--kind", "--keys", "--fpr", "--threads"):
        kit.refused("bench", "--quick", option, "")
    kit.refused("bench", "--n", "1k", "--kind", "block,iblt", names=["iblt"])  # before anything is measured


@cpp_promise
def bench_refuses_a_filter_that_memory_cannot_hold(kit):
    kit.refused("bench", "--kind", "block", "--n", "1000G", "--fpr", "1e-7", names=["bytes", "available"])


@cpp_promise
def bench_notices_output_that_cannot_be_written(kit):
    for options in ([], ["--json"]):
        with open("/dev/full", "wb") as full:
            with popen(kit, "bench", "--quick", "--n", "1k", *options, stdout=full, stderr=subprocess.PIPE) as process:
                err = process.communicate(timeout=PATIENCE)[1]
        done = subprocess.CompletedProcess([], process.returncode, b"", err)
        kit.check_refusal(done, "bench to a full device")
