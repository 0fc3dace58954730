#!/usr/bin/env python3
"""Files compiled for different instruction sets in one program: neither runs the other's code, whichever copy of an
inline function the linker keeps. The same program runs on an emulated CPU without AVX.

    tests/isa/run.py COMPILER LIBRARY [--self-test]     --self-test takes the instruction set out of the names: must fail

Exits with 77 where the machine is not x86-64 or has no emulator (Debian: qemu-user-static).
"""
import itertools
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
AVX512 = ["-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mbmi2"]
EMULATOR = ["qemu-x86_64-static", "-cpu", "Nehalem"]


def run(*command):
    subprocess.run([str(part) for part in command], check=True)


def check(compiler, library, include, work):
    for level, first in itertools.product(("-O0", "-O2"), ("any", "avx512")):
        compile_ = [compiler, "-std=c++20", level, "-I", include, "-c"]
        run(*compile_, HERE / "main.cc", "-o", work / "main.o")
        run(*compile_, "-DASK=ask_any", "-DADD=add_any", HERE / "asks.cc", "-o", work / "any.o")
        run(*compile_, *AVX512, "-DASK=ask_avx512", "-DADD=add_avx512", HERE / "asks.cc", "-o", work / "avx512.o")
        order = [work / "any.o", work / "avx512.o"]
        if first == "avx512":
            order.reverse()
        run(compiler, *order, work / "main.o", library, "-pthread", "-static", "-o", work / "program")
        run(*EMULATOR, work / "program", "any")
        if "avx512dq" in pathlib.Path("/proc/cpuinfo").read_text():
            run(work / "program", "avx512")
        print(f"{level}, {first} first: right")


def main():
    compiler, library = sys.argv[1:3]
    if platform.machine() != "x86_64" or not shutil.which(EMULATOR[0]):
        print("skipped: needs x86-64 and Debian's qemu-user-static")
        sys.exit(77)
    include = HERE.parents[1] / "include"
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if "--self-test" not in sys.argv:
            return check(compiler, library, include, work)
        shutil.copytree(include, work / "include")
        tag = work / "include/bloomery/detail/compiled_for.h"
        tag.write_text('#pragma once\n#include "bloomery/export.h"\nnamespace BLOOMERY_NAMESPACE::detail { constexpr unsigned kCompiledFor = 0; }\n')
        try:
            check(compiler, library, work / "include", work)
        except subprocess.CalledProcessError as error:
            if error.cmd[0] == EMULATOR[0]:
                return print(f"noticed: {error}")
            raise
        sys.exit("a function without its instruction set in its name was not noticed")


main()
