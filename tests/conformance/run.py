#!/usr/bin/python3
"""Holds the C++, Rust and Go commands to the specification and to each other: every command writes every filter, every
command reads what every command wrote, and each byte of file and output has to be the same.

    run.py --bin cpp=build/bloomery --bin rust=build/bloomery-rs --bin go=build/bloomery-go [--soak]
    run.py --bin cpp=build/bloomery --self-test      shows that the matrix goes red when a command is wrong

A command that is not given is named as skipped. --soak, or BLOOMERY_SOAK in the environment, adds
filters of 10^7 keys and of more than 2^32 bits."""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import matrix  # noqa: E402
import sabotage  # noqa: E402
from cases import all_cases  # noqa: E402
from harness import Command, Report  # noqa: E402

NAMES = {"cpp": "bloomery", "rust": "bloomery-rs", "go": "bloomery-go"}


def commands(given):
    """{label: Command} from the --bin options; ends the program on a wrong one."""
    found = {}
    for option in given:
        label, _, path = option.partition("=")
        if label not in NAMES or not pathlib.Path(path).is_file():
            sys.exit(f"run.py: --bin {option}: wanted {', '.join(NAMES)}, then =, then an existing file")
        found[label] = Command(path, NAMES[label])
    if not found:
        sys.exit("run.py: no --bin given, so there is nothing to test")
    return found


def quick_folder(soak):
    """Memory, where `build` need not wait for a disk thousands of times; None, the usual place, where there is little of it."""
    memory = pathlib.Path("/dev/shm")
    if soak or not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < 48 << 20:
        return None
    return memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", action="append", default=[], metavar="LABEL=PATH")
    parser.add_argument("--soak", action="store_true", default="BLOOMERY_SOAK" in os.environ)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    bins = commands(options.bin)
    with tempfile.TemporaryDirectory(prefix="bloomery-conformance-", dir=quick_folder(options.soak)) as folder:
        if options.self_test:
            return sabotage.self_test(bins, pathlib.Path(folder))
        report = Report()
        matrix.run(bins, all_cases(options.soak), report, pathlib.Path(folder))
    report.print_groups()
    for label in NAMES:
        if label not in bins:
            print(f"skipped: {label} (no --bin {label}=PATH)")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
