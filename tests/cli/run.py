#!/usr/bin/python3
"""Black-box tests of the command on odd input.

    run.py build/bloomery [--shared] [--only TEXT]

--shared leaves out what only the C++ command promises, so that the Rust and Go commands can be tried too. A cpp_promise
that one of them keeps already is named in `bloomery-rs.promises` or `bloomery-go.promises`, a line each; when both name
it, it becomes a `promise`. What a build cannot do, one without tables or with sanitizers, is skipped by name."""

import argparse
import os
import pathlib
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import bench_test  # noqa: E402,F401
import damage_test  # noqa: E402,F401
import iblt_test  # noqa: E402,F401
import input_test  # noqa: E402,F401
import json_test  # noqa: E402,F401
import kinds_test  # noqa: E402,F401
import label_test  # noqa: E402,F401
import lines_test  # noqa: E402,F401
import numbers_test  # noqa: E402,F401
import output_test  # noqa: E402,F401
import parquet_test  # noqa: E402,F401
import picture_test  # noqa: E402,F401
import records_test  # noqa: E402,F401
import refused_test  # noqa: E402,F401
import secret_test  # noqa: E402,F401
import spelling_test  # noqa: E402,F401
import streams_test  # noqa: E402,F401
import table_test  # noqa: E402,F401
import terminal_test  # noqa: E402,F401
import tools_test  # noqa: E402,F401
import words_test  # noqa: E402,F401
import writers_test  # noqa: E402,F401
from kit import PROMISES, Skipped, fresh_kit  # noqa: E402


def kept_beyond_shared(command):
    """Names of the cpp_promises that this sibling's command keeps, from the file of its name."""
    listed = pathlib.Path(__file__).with_name(os.path.basename(command) + ".promises")
    names = set(listed.read_text().split()) if listed.exists() else set()
    unknown = names - {test.__name__ for test, shared in PROMISES if not shared}
    if unknown:
        sys.exit(f"run.py: {listed.name} names no cpp_promise: {', '.join(sorted(unknown))}")
    return names


def take_signals():
    """A shell has SIGINT ignored in what runs behind it, and nohup SIGHUP. Commands would inherit that; a handler they do not."""
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def main():
    take_signals()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--only", default="", metavar="TEXT", help="run the tests whose name has this in it")
    options = parser.parse_args()
    if not os.access(options.command, os.X_OK):
        sys.exit(f"run.py: {options.command}: no such command")
    passed = failed = skipped = 0
    kept = kept_beyond_shared(options.command) if options.shared else set()
    for test, shared in PROMISES:
        if options.only not in test.__name__ or (
            options.shared and not shared and test.__name__ not in kept
        ):
            continue
        with fresh_kit(options.command) as kit:
            try:
                test(kit)
            except Skipped as reason:
                skipped += 1
                print(f"skipped {test.__name__}: {reason}")
            except Exception as problem:  # a test that breaks has failed, and the others still run
                failed += 1
                print(f"FAILED {test.__name__}: {type(problem).__name__}: {problem}")
            else:
                passed += 1
                print(f"ok     {test.__name__}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
