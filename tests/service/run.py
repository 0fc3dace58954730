#!/usr/bin/env python3
"""Runs examples/service.cc as an operator would, and holds docs/operations/ to what it prints. What needs promtool
(Debian: prometheus) is skipped by name without it.

usage: run.py SOURCE SERVICE [TEXT]     TEXT: only the tests whose name has it
"""
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
import deploy_test  # noqa: E402,F401
import documents_test  # noqa: E402,F401
import load_test  # noqa: E402,F401
import prometheus_test  # noqa: E402,F401
import service_test  # noqa: E402,F401
from kit import PROMISES, Skipped  # noqa: E402


def result(test):
    """The outcome, and the reason."""
    with tempfile.TemporaryDirectory(prefix="bloomery-service-") as folder:
        try:
            test(pathlib.Path(folder))
        except Skipped as reason:
            return "skipped", f": {reason}"
        except Exception as problem:  # a test that breaks has failed, and the others still run
            return "FAILED", f": {type(problem).__name__}: {problem}"
    return "ok", ""


counts = {"ok": 0, "FAILED": 0, "skipped": 0}
for test in PROMISES:
    if sys.argv[3:] and sys.argv[3] not in test.__name__:
        continue
    outcome, why = result(test)
    counts[outcome] += 1
    print(f"{outcome:7} {test.__name__}{why}", flush=True)
print(f"{counts['ok']} passed, {counts['FAILED']} failed, {counts['skipped']} skipped")
sys.exit(1 if counts["FAILED"] or not counts["ok"] else 0)
