#!/usr/bin/env python3
"""Files compiled for different instruction sets in one program: neither runs the other's code, whichever copy of an
inline function the linker keeps. asks.cc uses what every kind has inline, and what threads share.

    tests/isa/run.py code COMPILER                  looks at the machine code of asks.cc for AVX-512: a function of the
                                                    library that the linker may give to other files, and that not every
                                                    x86-64 can run, has the instruction set in its name
    tests/isa/run.py run COMPILER LIVE LIBRARY      runs the program on an emulated CPU without AVX, and on this one;
                                                    LIVE is the library of live filters
        --self-test                                 takes the instruction set out of names: must be noticed

Exits with 77 where the machine is not x86-64, and where `run` has no emulator (Debian: qemu-user-static).
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from machine_code import forgotten

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
AVX512 = ["-march=x86-64-v4"]
EMULATOR = ["qemu-x86_64-static", "-cpu", "Nehalem"]
# Prints the instruction set in both forms that it has in names.
TAGGED = """#include "bloomery/detail/compiled_for.h"
template <unsigned> void a_template();
BLOOMERY_PER_ISA void no_template();
void both() { a_template<bloomery::detail::kCompiledFor>(), no_template(); }
"""


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def compile_(compiler, include, level, source, to, *flags):
    run(compiler, "-std=c++20", level, "-I", include, *flags, "-c", HERE / source, "-o", to)


def names_of(variant):
    return [f"-DADD=add_{variant}", f"-DASK=ask_{variant}"]


def tags(compiler, work):
    """What the names of functions for AVX-512 contain: of templates, and of others."""
    (work / "tagged.cc").write_text(TAGGED)
    run(compiler, "-std=c++20", *AVX512, "-I", INCLUDE, "-c", work / "tagged.cc", "-o", work / "tagged.o")
    names = run("nm", work / "tagged.o", stdout=subprocess.PIPE, text=True).stdout
    return [re.search(r"a_templateI(Lj[1-9]\d*E)E", names)[1], re.search(r"no_template(B\d+isa[01]+)v", names)[1]]


def check_code(compiler, include, work, levels):
    """Returns the forgotten functions of all levels: {mangled name: (level, instruction)}."""
    all_found, names = {}, tags(compiler, work)
    for level in levels:
        compile_(compiler, include, level, "asks.cc", work / "avx512.o", *AVX512, *names_of("avx512"))
        found, tagged = forgotten(work / "avx512.o", names)
        if tagged < 20:
            sys.exit(f"{level}: only {tagged} functions have the instruction set in their names; is this check blind?")
        all_found.update({name: (level, instruction) for name, instruction in found.items()})
        print(f"{level}: {tagged} functions have the instruction set in their names, {len(found)} should", flush=True)
    return all_found


def check_program(compiler, include, libraries, work):
    # Not -O0: there functions of the standard library, whose names are not ours, move views and hashers by vectors.
    compile_(compiler, include, "-O2", "main.cc", work / "main.o")
    compile_(compiler, include, "-O2", "asks.cc", work / "any.o", *names_of("any"))
    compile_(compiler, include, "-O2", "asks.cc", work / "avx512.o", *AVX512, *names_of("avx512"))
    for first, second in (("any", "avx512"), ("avx512", "any")):
        objects = [work / f"{first}.o", work / f"{second}.o", work / "main.o"]
        run(compiler, *objects, *libraries, "-pthread", "-static", "-o", work / "program")
        run(*EMULATOR, work / "program", "any")
        if "avx512dq" in pathlib.Path("/proc/cpuinfo").read_text():
            run(work / "program", "avx512")
        print(f"{first} first: right", flush=True)


def readable(name):
    return run("c++filt", name, stdout=subprocess.PIPE, text=True).stdout.strip()


def copy_with(work, *changes):
    """A copy of the headers with changes: (file, old text, new text)."""
    include = work / "include"
    shutil.copytree(INCLUDE, include)
    for file, old, new in changes:
        text = (include / file).read_text()
        if old not in text:
            sys.exit(f"self-test: {file} has no {old!r}")
        (include / file).write_text(text.replace(old, new))
    return include


def test_code(compiler, work):
    """Forgets one function of each sort."""
    include = copy_with(
        work,
        ("bloomery/detail/quotient_slots.h", "BLOOMERY_PER_ISA bool run_contains", "bool run_contains"),
        ("bloomery/detail/classic_probe.h", "unsigned kIsa = kCompiledFor>\ninline bool cells_contain", "unsigned kIsa = 0>\ninline bool cells_contain"),
    )
    found = " ".join(readable(name) for name in check_code(compiler, include, work, ["-O2"]))
    for function in ("QuotientSlots::run_contains(", "detail::cells_contain<"):
        if function not in found:
            sys.exit(f"not noticed: {function} without its instruction set in its name; noticed: {found or 'nothing'}")
    print("noticed: both")


def test_program(compiler, libraries, work):
    include = copy_with(work, ("bloomery/detail/compiled_for.h", "USE(__", "USE(not__"))
    try:
        check_program(compiler, include, libraries, work)
    except subprocess.CalledProcessError as error:
        if error.cmd[0] == EMULATOR[0]:
            return print(f"noticed: {error}")
        raise
    sys.exit("functions without their instruction set in their names were not noticed")


def main():
    self_test = "--self-test" in sys.argv
    what, compiler, *libraries = (argument for argument in sys.argv[1:] if argument != "--self-test")
    if platform.machine() != "x86_64":
        print("skipped: not x86-64")
        sys.exit(77)
    if what == "run" and not shutil.which(EMULATOR[0]):
        print("skipped: no qemu-x86_64-static (Debian: qemu-user-static)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if what == "run":
            return test_program(compiler, libraries, work) if self_test else check_program(compiler, INCLUDE, libraries, work)
        if self_test:
            return test_code(compiler, work)
        for name, (level, instruction) in (found := check_code(compiler, INCLUDE, work, ["-O0", "-O2", "-O3"])).items():
            print(f"no instruction set in its name: {readable(name)}\n    at {level}: {instruction}", file=sys.stderr)
        sys.exit(1 if found else 0)


main()
