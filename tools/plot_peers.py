#!/usr/bin/env python3
"""Draws the README's picture, bits per key and nanoseconds beside other libraries, from a dated table of one run in
bench/results/. Same input, same bytes.

usage: plot_peers.py [--check] FOLDER RESULT.csv    --check writes nothing and exits 1 when FOLDER differs
"""
import csv
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from plot_bench import INK, SOFT, Svg, check, number, write  # noqa: E402

KEYS = "10000000"
# What is drawn, by its name in the table, with the name in the picture: filters of about 1 % over 64-bit integer keys.
DRAWN = [("bloomery block", "Bloomery block"), ("bloomery block, Hash", "  block, keys hashed before"),
         ("bloomery split", "Bloomery split"), ("bloomery fuse 1%", "Bloomery fuse (0.4 %)"),
         ("bloomery ribbon 1%", "Bloomery ribbon"), ("boost fast_multiblock32<8>", "Boost.Bloom multiblock32"),
         ("boost fast_multiblock64<8>", "Boost.Bloom multiblock64"), ("libfilter SimdBlockFilter", "libfilter, hashed before"),
         ("rocksdb FastLocalBloom", "RocksDB's, hashed before"), ("xor_singleheader fuse8", "xor_singleheader fuse8 (0.4 %)"),
         ("fastfilter cuckoo12 (0.2%)", "fastfilter cuckoo12 (0.2 %)")]
PANELS = [("bits_per_key", "bits per key"), ("one_absent", "ns, one call"), ("batch_absent", "ns per key, batch")]
OURS, THEIRS = "#cc4e14", "#9aa3ab"


def rows_of(path):
    lines = path.read_text().splitlines()
    rows = [row for row in csv.DictReader(line for line in lines if not line.startswith("#")) if row["what"] == "u64" and row["n"] == KEYS]
    found = {}
    for row in rows:  # the first of a name is the one at 1 %
        found.setdefault(row["contestant"], row)
    return [(label, found[name], name.startswith("bloomery")) for name, label in DRAWN]


def date_of(path):
    return re.match(r"\d{4}-\d\d-\d\d", path.name)[0]


def draw(path):
    rows, pitch, top = rows_of(path), 24, 108
    svg = Svg(860, top + pitch * len(rows) + 40, "Ten million 64-bit integers at about 1 %, absent keys asked",
              f"{date_of(path)}, one machine, one run, one thread: bench/results/{path.name}", "shorter is better")
    left, width, bar = 236, 200, 140
    for place, (column, title) in enumerate(PANELS):
        start = left + place * width
        most = max(float(row[column]) for _, row, _ in rows if row[column])
        svg.text(start, top - 16, title, weight=600)
        for i, (label, row, ours) in enumerate(rows):
            y = top + i * pitch
            if place == 0:
                svg.text(left - 12, y + 13, label, colour=INK if ours else SOFT, anchor="end", weight=600 if ours else 400)
            if not row[column]:
                svg.text(start, y + 13, "has none", colour=SOFT, size=11.5)
                continue
            value = float(row[column])
            svg.rect(start, y + 2, bar * value / most, 15, OURS if ours else THEIRS, radius=2)
            svg.text(start + bar * value / most + 5, y + 13, number(value), size=11.5, colour=SOFT)
    return {"peers.svg": svg.render()}


def main(args):
    checking = "--check" in args
    args = [arg for arg in args if arg != "--check"]
    if len(args) != 2:
        print(__doc__.rstrip(), file=sys.stderr)
        return 2
    folder, pictures = pathlib.Path(args[0]), draw(pathlib.Path(args[1]))
    return check(folder, pictures) if checking else write(folder, pictures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
