#!/usr/bin/python3
"""Makes every file of golden data in this folder, or those that are named. `generate.py` writes them; `generate.py
--check` writes nothing, names the files that are not byte for byte what it makes, and exits 1 when there are any.

It calls none of the project's implementations: the package `generator` beside it is one of its own, written from the
specification. Needs Python 3.11 and python3-xxhash."""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
try:
    import xxhash  # noqa: F401
except ImportError:
    sys.exit(f"generate.py: {sys.executable} has no xxhash: install python3-xxhash and run ./generate.py, which takes /usr/bin/python3")
from generator import blocked_rows, classic, cli, counting, cuckoo, envelope, fuse, hashes, parquet, partitioned  # noqa: E402
from generator import iblt, kinds, leveldb, ln, overlap, quotient, records, replica, ribbon, scalable, sizing_rows, stable, table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def spread(value):
    """JSON with every value on a line of its own."""
    return json.dumps(value, indent=1)


def by_row(value):
    """JSON with every row on a line of its own."""
    lines = []
    for name, section in value.items():
        if isinstance(section, list):
            rows = ",\n".join("  " + json.dumps(row) for row in section)
            lines.append(f" {json.dumps(name)}: [\n{rows}\n ]")
        else:
            lines.append(f" {json.dumps(name)}: {json.dumps(section)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


RECIPES = {
    "hash.json": (hashes.make, by_row),
    "sizing.json": (sizing_rows.make, by_row),
    "ln.json": (ln.make, by_row),
    "classic.json": (classic.make, spread),
    "blocked.json": (blocked_rows.make, by_row),
    "counting.json": (counting.make, by_row),
    "partitioned.json": (partitioned.make, by_row),
    "scalable.json": (scalable.make, by_row),
    "stable.json": (stable.make, by_row),
    "cuckoo.json": (cuckoo.make, by_row),
    "fuse.json": (fuse.make, by_row),
    "quotient.json": (quotient.make, by_row),
    "ribbon.json": (ribbon.make, by_row),
    "iblt.json": (iblt.make, by_row),
    "envelope.json": (envelope.make, by_row),
    "records.json": (records.make, by_row),
    "kinds.json": (kinds.make, by_row),
    "parquet.json": (parquet.make, by_row),
    "leveldb.json": (leveldb.make, by_row),
    "overlap.json": (overlap.make, by_row),
    "tables.json": (table.make, by_row),
    "replica.json": (replica.make, by_row),
    "cli.json": (cli.make, by_row),
}


def main():
    parser = argparse.ArgumentParser(description="Make the golden data, or check it.")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 when a file differs")
    parser.add_argument("names", nargs="*", metavar="NAME", help="records.json and the like; all of them where none is named")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in RECIPES]
    if unknown:
        parser.error(f"no recipe makes {unknown[0]}: choose from {', '.join(RECIPES)}")
    check = options.check
    bad = [path.name for path in sorted(HERE.glob("*.json")) if path.name not in RECIPES]
    for name in bad:
        print(f"{name}: no recipe makes this file")
    for name, (make, layout) in RECIPES.items():
        if options.names and name not in options.names:
            continue
        path, text = HERE / name, layout(make())
        old = path.read_bytes() if path.exists() else None
        if old == text.encode():
            continue
        if check:
            bad.append(name)
            print(f"{name}: {'missing' if old is None else 'differs from what generate.py makes'}")
        else:
            path.write_text(text)
            print(f"{name}: written, {len(text)} bytes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
