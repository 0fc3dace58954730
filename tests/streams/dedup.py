#!/usr/bin/env python3
"""Runs examples/dedup.cc against a server of its own: no event may be lost, and the store must have saved some.

usage: dedup.py DEDUP SERVER
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
if len(sys.argv) != 3:
    sys.exit(__doc__)
from kit import Server  # noqa: E402

if not os.access(sys.argv[2], os.X_OK):
    print(f"skipped: there is no {sys.argv[2]}")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="bloomery-dedup-") as folder:
    server = Server(sys.argv[2], pathlib.Path(folder) / "server")
    try:
        done = subprocess.run([sys.argv[1], server.url], capture_output=True, text=True, timeout=600)
    finally:
        server.kill()
print(done.stdout, done.stderr, sep="", end="")
forwarded, lost, dropped = map(int, re.search(r"forwarded (\d+), lost (\d+), dropped (\d+)", done.stdout).groups())
twice = int(re.search(r"forwarded twice (\d+)", done.stdout)[1])
saved = int(re.search(r"without the store (\d+) would", done.stdout)[1])
good = done.returncode == 0 and lost == 0 and dropped > 0 and saved > 0 and forwarded + twice + dropped == 2 * forwarded
print("ok" if good else "FAILED")
sys.exit(0 if good else 1)
