#!/usr/bin/env python3
"""Why the rates of a scalable filter fall by a tenth from link to link (spec/scalable.md): what chains that start at
1,000 keys take, for several series, in times the bytes of one block filter that was sized right.

The three columns of each n: when n keys are in; when the newest link is full; right after the next one was begun.

usage: scalable_series.py [FPR]
"""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "spec" / "vectors"))
from generator import block_sizing  # noqa: E402

FIRST, GROWTH = 1000, 2
COUNTS = [10**3, 10**4, 10**5, 10**6, 10**7, 10**8]


def falling(ratio):
    return lambda i: (1 - ratio) * ratio**i


# The share of the target that link i may take; over all i they add up to 1 at most.
SERIES = {
    "x 1/2, the usual": falling(0.5),
    "x 0.80": falling(0.80),
    "x 0.85": falling(0.85),
    "x 0.90": falling(0.90),
    "x 0.93": falling(0.93),
    "x 0.95": falling(0.95),
    "6/pi^2 / (i+1)^2": lambda i: 0.6079 / (i + 1) ** 2,
    "9 / (i+9)(i+10)": lambda i: 9 / ((i + 9) * (i + 10)),
    "1/20, twenty links": lambda i: 1 / 20 if i < 20 else 0,
}


def blocks(n, rate):
    return block_sizing.geometry(n, rate)[0]


def chain(n, fpr, share):
    """(blocks of all links, of the next one, keys they take) when n keys are in."""
    total, room, capacity, i = 0, 0, FIRST, 0
    while room < n:
        total += blocks(capacity, fpr * share(i))
        room += capacity
        capacity *= GROWTH
        i += 1
    return total, blocks(capacity, fpr * share(i)), room


def main():
    fpr = float(sys.argv[1]) if len(sys.argv) > 1 else 0.01
    print(f"fpr {fpr:g}, first link {FIRST} keys, growth x{GROWTH}; bytes in times those of one block filter")
    print(f"{'share of link i':20}" + "".join(f"{n:>20,}" for n in COUNTS))
    for name, share in SERIES.items():
        row = f"{name:20}"
        for n in COUNTS:
            total, following, room = chain(n, fpr, share)
            full = blocks(room, fpr)
            row += f"{total / blocks(n, fpr):8.2f}{total / full:6.2f}{(total + following) / full:6.2f}"
        print(row)


if __name__ == "__main__":
    main()
