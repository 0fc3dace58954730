#!/usr/bin/env python3
"""Runs the tests that reach the most code of the module, built with ASan and UBSan, inside a server that was not: the
sanitizer's runtime is preloaded. Where that is not there or the server does not start with it, the test is skipped.

usage: asan.py MODULE SERVER COMPILER
"""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TESTS = "bf.,cf.,blm.,hostile,random,flipped,copies,replicas_hold,restarts,every_kind_merges,a_change_meanwhile,replicated_once"


def runtime_of(compiler):
    """The shared runtime of the compiler's AddressSanitizer."""
    for name in ("libclang_rt.asan-x86_64.so", "libclang_rt.asan-aarch64.so", "libasan.so"):
        found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
        if os.path.isabs(found) and os.path.exists(found):
            return os.path.realpath(found)
    return None


def main():
    module, server, compiler = sys.argv[1:4]
    if not pathlib.Path(server).exists():
        print(f"skipped: {pathlib.Path(server).name} is not there (tools/servers.sh fetches it)")
        return 77
    runtime = runtime_of(compiler)
    given = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:handle_segv=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    if runtime is None or subprocess.run([server, "--version"], env={**given, "LD_PRELOAD": runtime}, capture_output=True).returncode != 0:
        print("skipped: the server does not run with the sanitizer's runtime preloaded")
        return 77
    return subprocess.run([sys.executable, str(HERE / "run.py"), module, server, "--only", TESTS], env={**given, "BLOOMERY_PRELOAD": runtime}).returncode


sys.exit(main())
