#!/usr/bin/env python3
"""Every batch loop of the library holds prefetch instructions. A compiler may drop them without a word: a function that
does nothing else counts as one without effect, and then a loop is right and half as fast.

    tests/prefetch/run.py FOLDER [--self-test]      FOLDER has the library's objects, by the paths of their sources, or a
                                                    folder of them at once
"""
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from kinds import kinds  # noqa: E402

# The loops, by the source file they are in: functions whose name matches must reach a prefetch. The file batch.cc of a
# kind that is not named here has the loop contains_many.
LOOPS = {
    "core/hash/fnv_splitmix.cc": ["fnv_splitmix_many"],
    "core/hash/hasher.cc": ["Hasher::hash_many"],
    "core/hash/xxh3.cc": ["xxh3_many<std::span<.*>"],
    "core/hash/xxh64.cc": ["xxh64_many(?!.*lambda)<std::span<.*>"],
    "kernel/scalar.cc": ["split_contains", "block_contains", "split_add", "block_add", "ribbon_matches_scalar"],
    "kernel/avx2.cc": ["split_contains", "block_contains", "split_add", "block_add", "hash_integers<.*Xxh3>"],
    "kernel/avx2_cuckoo.cc": ["avx2_cuckoo_contains"],
    "kernel/avx2_ribbon.cc": ["avx2_ribbon_matches"],
    "kernel/avx512.cc": ["split_contains", "block_contains", "split_add", "block_add_steps<.*>",
                         "hash_integers<.*Xxh3>"],
    "kernel/avx512_cuckoo.cc": ["avx512_cuckoo_contains"],
    "kernel/avx512_ribbon.cc": ["avx512_ribbon_matches"],
    "kernel/avx512vbmi.cc": ["contains<.*>", "add<.*>"],
    "kernel/neon.cc": ["split_contains", "block_contains", "split_add", "block_add"],
    "kinds/classic/batch.cc": ["contains_far<.*>", "add_far"],
    "kinds/counting/batch.cc": ["contains_far<.*>", "add_far<.*>", "counting_remove_many"],
    "kinds/cuckoo/batch.cc": ["CuckooLayout::contains_many", "CuckooLayout::place_many"],
    "kinds/partitioned/layout.cc": ["partitioned_contains_many", "partitioned_add_many"],
    "kinds/quotient/batch.cc": ["QuotientLayout::contains_run", "QuotientLayout::place_many"],
    "kinds/ribbon/batch.cc": ["ribbon_contains_by"],
    "kinds/stable/layout.cc": ["StableLayout::contains_many", "StableLayout::add_many"],
    "kernel/avx2_shared.cc": ["avx2_block_add_shared"],
    "kernel/scalar_shared.cc": ["block_add_shared_scalar"],
    "live/shared_counting.cc": ["contains_far<.*>"],
}
for kind in kinds():
    LOOPS.setdefault(f"kinds/{kind}/batch.cc", [f"{kind.capitalize()}Layout::contains_many"])
PREFETCH = re.compile(r"\b(prefetch\w*|prfm)\b")


def object_of(folder, file):
    """The object of a source file, or that of the several that it was compiled with, whichever is newer; None where it
    was not compiled."""
    found = list(pathlib.Path(folder).glob(f"bloomery*_objects.dir/src/{file}.o"))
    for together in pathlib.Path(folder).glob("bloomery*_objects.dir/Unity/**/*.cxx"):
        compiled = together.with_name(together.name + ".o")
        if f'/src/{file}"' in together.read_text() and compiled.exists():
            found.append(compiled)
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def functions(folder):
    """{source file: {function: its instructions}}"""
    files = {}
    for file in LOOPS:
        compiled = object_of(folder, file)
        if compiled is None:
            continue
        names, body = files.setdefault(file, {}), None
        text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", compiled], check=True, capture_output=True, text=True).stdout
        for line in text.splitlines():
            if start := re.match(r"[0-9a-f]+ <(.*)>:$", line):
                body = names.setdefault(start[1], [])
            elif body is not None and line.strip():
                body.append(line)
    return files


def prefetches(names, function, seen):
    """Whether it, or a function of the same file that it calls, prefetches."""
    if function in seen or function not in names:
        return False
    seen.add(function)
    for line in names[function]:
        if PREFETCH.search(line):
            return True
        called = re.search(r"\b(?:call|jmp|bl|b)q?\s+[0-9a-f]+ <(.*?)(?:\+0x[0-9a-f]+)?>$", line)
        if called and prefetches(names, called[1], seen):
            return True
    return False


def check(files):
    problems, looked_at = [], 0
    for file, loops in LOOPS.items():
        names = files.get(file, {})
        if not names or all(len(body) < 50 for body in names.values()):
            continue  # not for this machine
        for loop in loops:
            found = [name for name in names if re.search(r"(^|[:\s])" + loop + r"\(", name)]
            if not found:
                problems.append(f"{file}: no function {loop}: tell {sys.argv[0]} its new name")
            looked_at += len(found)
            problems += [f"{file}: no prefetch in {name}" for name in found if not prefetches(names, name, set())]
    return problems, looked_at


def main():
    files = functions(sys.argv[1])
    if "--self-test" in sys.argv:
        for names in files.values():
            for body in names.values():
                body[:] = [line for line in body if not PREFETCH.search(line)]
    problems, looked_at = check(files)
    if "--self-test" in sys.argv:
        print(f"without its prefetches {len(problems)} of {looked_at} loops are reported")
        return 0 if looked_at > 0 and len(problems) == looked_at else 1
    print("\n".join(problems) or f"{looked_at} loops prefetch")
    return 1 if problems or looked_at == 0 else 0


sys.exit(main())
