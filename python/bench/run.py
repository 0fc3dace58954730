"""Measures the Python package beside C++, beside a set, and beside other packages; prints each bar, met or missed.

A missed bar is a result, not a failure. Both sides of a ratio take turns in one run, and the best of their rounds counts.
usage: run.py [--keys N] [--rounds R] [--cpp PROGRAM]     PROGRAM is bench.cc, compiled
"""

import argparse
import subprocess
import sys
import time

import numpy as np

import bloomery
from bloomery import Filter

BARS = []


def best(rounds, keys, work):
    """The best of several rounds, in nanoseconds of this thread's CPU time per key."""
    least = float("inf")
    for _ in range(rounds):
        start = time.thread_time_ns()
        work()
        least = min(least, (time.thread_time_ns() - start) / keys)
    return least


def bar(what, ours, theirs, most):
    ratio = ours / theirs
    BARS.append((what, ratio, most))
    print(f"{what:58} {ours:8.2f} ns {theirs:8.2f} ns {ratio:6.2f}x  {'met' if ratio <= most else 'missed'} (at most {most}x)")


class Cpp:
    """bench.cc, which measures a round whenever it is asked."""

    def __init__(self, program, keys):
        self.process = subprocess.Popen([program, str(keys)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def round(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().split()
        if not words:
            raise SystemExit(f"{self.process.args[0]} ended with {self.process.wait()}")
        return dict(zip(words[::2], map(float, words[1::2])))

    def close(self):
        self.process.communicate()


def strings_of_arrow(count):
    """The array, or None without pyarrow."""
    try:
        import pyarrow as pa
    except ImportError:
        print("pyarrow is not installed: no figures of Arrow")
        return None
    return pa.array([f"user:{2 * i}" for i in range(count)])


def beside_cpp(arguments):
    """Turns of C++ and Python, which do the same in the same order, after a round that does not count."""
    count = arguments.keys
    keys = np.arange(count)
    asked = 2 * keys
    filter = Filter.build(keys, 0.01)
    work = {"build": lambda: Filter.build(keys, 0.01), "contains": lambda: filter.contains(asked)}
    texts = strings_of_arrow(count)
    if texts is not None:
        strings = Filter.build(texts, 0.01)
        work["strings"] = lambda: strings.contains(texts)
    for call in work.values():
        call()
    cpp = Cpp(arguments.cpp, count)
    cpp.round()
    ours, theirs = dict.fromkeys(work, float("inf")), dict.fromkeys(work, float("inf"))
    for _ in range(arguments.rounds):
        found = {name: best(1, count, call) for name, call in work.items()}
        beside = cpp.round()
        for name in work:
            ours[name] = min(ours[name], found[name])
            theirs[name] = min(theirs[name], beside[name])
    cpp.close()
    million = f"{count / 1e6:g}M"
    bar(f"contains of {million} int64 in NumPy, beside C++", ours["contains"], theirs["contains"], 1.1)
    if texts is not None:
        bar(f"contains of {million} strings in Arrow, beside C++", ours["strings"], theirs["strings"], 1.15)
    bar(f"Filter.build of {million} int64, beside C++", ours["build"], theirs["build"], 1.1)


def single_calls(rounds):
    """`key in filter` beside `key in set`: the loop around it costs both the same."""
    count = min(1_000_000, ARGUMENTS.keys)
    order = np.random.default_rng(1).permutation(count)
    for name, keys, most in (("int", order.tolist(), 1.5), ("str", [f"user:{i}" for i in order], 2.0)):
        filter, there = Filter.build(keys, 0.01), set(keys)
        asked = [keys[i] for i in np.random.default_rng(2).permutation(count)]

        def loop(container):
            for key in asked:
                key in container  # noqa: B015

        ours = theirs = float("inf")
        for _ in range(rounds):
            ours = min(ours, best(1, count, lambda: loop(filter)))
            theirs = min(theirs, best(1, count, lambda: loop(there)))
        bar(f"key in filter, beside key in set, {name}, {count:,} keys", ours, theirs, most)


def others(rounds):
    """Packages that are installed, by the calls that they have: the same keys, the same rate."""
    count = min(1_000_000, ARGUMENTS.keys)
    keys = [f"user:{i}" for i in range(count)]
    rows = []

    def row(name, make, add_all, ask):
        filter = make()
        adding = best(1, count, lambda: add_all(filter))
        asking = best(rounds, count, lambda: ask(filter))
        rows.append((name, adding, asking))

    def one_by_one(filter):
        for key in keys:
            key in filter  # noqa: B015

    row("bloomery, update and contains of a list", lambda: Filter(count), lambda f: f.update(keys), lambda f: f.contains(keys))
    row("bloomery, update, then key in f", lambda: Filter(count), lambda f: f.update(keys), one_by_one)
    try:
        from rbloom import Bloom

        row("rbloom, update, then key in f", lambda: Bloom(count, 0.01), lambda f: f.update(keys), one_by_one)
    except ImportError:
        print("rbloom is not installed")
    try:
        from pybloomfilter import BloomFilter

        row("pybloomfiltermmap3, update, then key in f", lambda: BloomFilter(count, 0.01), lambda f: f.update(keys), one_by_one)
    except ImportError:
        print("pybloomfiltermmap3 is not installed")
    try:
        from fastbloom_rs import BloomFilter as FastBloom

        row("fastbloom-rs, add_str_batch, contains_str_batch", lambda: FastBloom(count, 0.01),
            lambda f: f.add_str_batch(keys), lambda f: f.contains_str_batch(keys))  # fmt: skip
    except (ImportError, AttributeError) as error:
        print(f"fastbloom-rs is left out: {error}")
    print(f"\n{count:,} strings at 1 %: {'':24} {'add':>10} {'ask':>10}")
    for name, adding, asking in rows:
        print(f"{name:50} {adding:7.1f} ns {asking:7.1f} ns")


def main():
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, bloomery {bloomery.__version__}\n")
    print(f"{'nanoseconds of CPU time per key':58} {'here':>11} {'beside':>11}")
    if ARGUMENTS.cpp:
        beside_cpp(ARGUMENTS)
    single_calls(ARGUMENTS.rounds)
    others(ARGUMENTS.rounds)
    met = sum(ratio <= most for _, ratio, most in BARS)
    print(f"\n{met} of {len(BARS)} bars met")


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--keys", type=int, default=10_000_000)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--cpp", default="")
ARGUMENTS = parser.parse_args()
main()
