#!/usr/bin/env python3
"""Measures what docs/choosing.md shows, and writes it to one file for tools/plot_choosing.py.

Three sources: `bloomery plan --json` over many rates (bits per key, computed), `bloomery bench --json` of every kind (lookup
and build) and `bloomery_bench --only past` (the rate past capacity).

usage: choosing_data.py [--quick] [--n 10k,..] BUILD OUT.json      BUILD: the folder of bloomery and bloomery_bench
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

PLANNED_KEYS = 10_000_000
RATES = [m * 10.0**e for e in range(-1, -5, -1) for m in (1, 0.7, 0.5, 0.3, 0.2)] + [1e-5]
SIZES, QUICK_SIZES = "10k,100k,1M,10M,100M", "10k,100k,1M"


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def bits(bloomery):
    """A row a rate: what no filter can beat, and bits per key of each kind that can do it."""
    for rate in RATES:
        plan = json.loads(run(bloomery, "plan", "-n", PLANNED_KEYS, "--fpr", f"{rate:.6g}", "--json"))
        yield {"fpr": plan["fpr"], "least": plan["least_bits_per_key"],
               "kinds": {row["kind"]: row["bits_per_key"] for row in plan["kinds"] if row["possible"]}}


def past(bench, quick):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "past.json"
        run(bench, "--only", "past", "--json", out, *(["--quick"] if quick else []))
        figures = json.loads(out.read_text())["figures"]
    rates = [{"kind": f["who"], "fill": float(f["operation"]), "fpr": f["rate"]} for f in figures if f["question"] == "past"]
    full = {f["who"]: f["times"] for f in figures if f["question"] == "full"}
    return {"n": figures[0]["n"], "rates": rates, "full": full}


def measured(bloomery, quick, sizes):
    kinds = [row["kind"] for row in json.loads(run(bloomery, "plan", "-n", "1M", "--json"))["kinds"] if row["kind"] != "stable"]
    sizes = sizes or (QUICK_SIZES if quick else SIZES)
    return json.loads(run(bloomery, "bench", "--json", "--kind", ",".join(kinds), "--n", sizes, *(["--quick"] if quick else [])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--n", metavar="SIZES", help=f"numbers of keys, with commas (default {SIZES})")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    args = parser.parse_args()
    bloomery, bench, quick = args.build / "bloomery", args.build / "bloomery_bench", args.quick
    data = measured(bloomery, quick, args.n)
    wanted = ("kind", "op", "n", "ns", "ceiling_ns", "bits_per_key", "fpr", "threads")
    found = {"machine": data["machine"], "commit": data["commit"], "quick": quick,
             "date": datetime.date.today().isoformat(), "planned_keys": PLANNED_KEYS, "bits": list(bits(bloomery)),
             "rows": [{name: row[name] for name in wanted} for row in data["rows"]], "past": past(bench, quick)}
    # A line for each list item, so that a new run shows as lines in a diff.
    text = json.dumps(found)
    for start in ('{"fpr"', '{"kind"'):
        text = text.replace(start, "\n" + start)
    args.out.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
