#!/usr/bin/env python3
"""Looks at the order of bit, entry and mark in the arm64 code of one add (src/replica/log.cc says why it matters):
the last three stores of an add are those of the log's slot (window, hash, turn), each a store-release, and every atomic
change of the filter's bits comes before them. `--self-test` proves that relaxed stores would be noticed.

usage: order.py ROOT [--self-test]     exits 77 without aarch64-linux-gnu-g++"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMPILER = "aarch64-linux-gnu-g++"


def code_of(root, log_header=None):
    """The instructions of logged_add, one a line."""
    with tempfile.TemporaryDirectory() as folder:
        includes = [f"-I{root}/include"]
        if log_header is not None:
            path = pathlib.Path(folder) / "bloomery/replica/log.h"
            path.parent.mkdir(parents=True)
            path.write_text(log_header)
            includes.insert(0, f"-I{folder}")
        command = [COMPILER, "-std=c++20", "-O2", "-march=armv8.1-a", "-S", "-o", "-", *includes, f"{root}/tests/replica/order.cc"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    body = re.search(r"^logged_add:\n(.*?)^\t\.cfi_endproc", text, re.MULTILINE | re.DOTALL)[1]
    return [line.strip() for line in body.splitlines() if line.startswith("\t") and not line.startswith("\t.")]


def problem_of(code):
    names = [line.split()[0] for line in code]
    releases = [i for i, name in enumerate(names) if name == "stlr"]
    bits = [i for i, name in enumerate(names) if re.match(r"(ldset|stset)", name)]
    heads = [i for i, name in enumerate(names) if re.match(r"(ldadd|stadd)", name)]
    if len(releases) != 3:
        return f"an add has {len(releases)} store-releases, not the three of a slot"
    if not bits or not heads:
        return "no atomic change of bits, or of the head of the log, was found"
    # Blocks of code are not laid out in the order they run in; the slot is written by straight code after the head.
    if not heads[-1] < releases[0] or any(name.startswith(("b.", "cb", "tb")) for name in names[heads[-1] : releases[-1]]):
        return "the slot is not written by straight code after its position was taken"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which(COMPILER) is None:
        print(f"{COMPILER} is missing: skipped")
        return 77
    if "--self-test" in sys.argv:
        header = (root / "include/bloomery/replica/log.h").read_text()
        assert header.count("std::memory_order_release") == 3
        relaxed = header.replace("turn.store(position + 1, std::memory_order_release)", "turn.store(position + 1, std::memory_order_relaxed)")
        assert problem_of(code_of(root, header)) is None, "the right order is reported"
        assert relaxed != header and problem_of(code_of(root, relaxed)) is not None, "a relaxed turn is not noticed"
        print("self-test: a relaxed store is noticed")
        return 0
    problem = problem_of(code_of(root))
    print(problem or "order: bits, head, then window, hash and turn, each released")
    return 1 if problem else 0


sys.exit(main())
