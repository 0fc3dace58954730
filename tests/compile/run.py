#!/usr/bin/env python3
"""Programs that must not compile do not, and the compiler's message has the sentence that teaches. Each file of wrong/
names that sentence in its first line; right.cc compiles, so that nothing else is wrong with them. And success_path.cc
has no code of strings or memory in it: an error weighs nothing until there is one. And block.h brings none of the
heavy headers of the standard library along.

usage: run.py SOURCE COMPILER...    compilers that are missing are skipped by name; at least one must be there
"""
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(sys.argv[1])
HERE = SOURCE / "tests/compile"
COMPILERS = [compiler for compiler in sys.argv[2:] if shutil.which(compiler)]


def compile_with(compiler, file):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE / 'include'}", str(file)]
    return subprocess.run(command, capture_output=True, text=True)


def problem_of(compiler, file):
    """What is wrong with the compiler's answer, or None."""
    wanted = file.read_text().splitlines()[0].removeprefix("// says: ")
    answer = compile_with(compiler, file)
    if answer.returncode == 0:
        return "compiles"
    # The file's own first line may be quoted; the sentence has to come from elsewhere.
    told = [line for line in answer.stderr.splitlines() if "// says:" not in line]
    return None if any(wanted in line for line in told) else f"does not say '{wanted}':\n{answer.stderr[:1500]}"


def weight_of_success(compiler):
    """Calls on the way of a success that have no place there, or None."""
    command = [compiler, "-std=c++20", "-O2", "-S", "-o", "-", f"-I{SOURCE / 'include'}", str(HERE / "success_path.cc")]
    code = subprocess.run(command, capture_output=True, text=True)
    if code.returncode != 0:
        return code.stderr[:1500]
    calls = re.findall(r"^\s+(?:callq?|jmp|bl|b)\s+([_A-Za-z]\w*)", code.stdout, re.MULTILINE)
    names = subprocess.run(["c++filt"], input="\n".join(calls), capture_output=True, text=True, check=True).stdout.splitlines()
    heavy = sorted({name for name in names if re.search(r"basic_string|operator (new|delete)|keep_error|copy_error", name)})
    if not any("refusal" in name or "make_room" in name for name in names):
        return f"no way to a full filter among its calls: {names}"
    return f"calls {heavy}" if heavy else None


HEAVY = {"algorithm", "atomic", "functional", "iterator", "map", "memory", "ranges", "thread", "variant", "vector"}


def heavy_headers(compiler):
    """Headers that <bloomery/block.h> includes and must not: each adds a third of <string> or more, or None."""
    command = [compiler, "-std=c++20", "-M", f"-I{SOURCE / 'include'}", str(SOURCE / "include/bloomery/block.h")]
    rule = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = HEAVY & {pathlib.Path(name).name for name in rule.split() if "/c++/" in name and "/bits/" not in name}
    return f"includes {sorted(found)}" if found else None


failed = passed = 0
for compiler in COMPILERS:
    right = compile_with(compiler, HERE / "right.cc")
    checks = [("right.cc", None if right.returncode == 0 else right.stderr[:1500])]
    checks += [(file.name, problem_of(compiler, file)) for file in sorted((HERE / "wrong").glob("*.cc"))]
    checks.append(("success_path.cc", weight_of_success(compiler)))
    checks.append(("block.h", heavy_headers(compiler)))
    for name, problem in checks:
        failed += problem is not None
        passed += problem is None
        print(f"{'ok    ' if problem is None else 'FAILED'} {compiler} {name}{': ' + problem if problem else ''}")
for compiler in set(sys.argv[2:]) - set(COMPILERS):
    print(f"skipped {compiler}: not installed")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or passed == 0 else 0)
