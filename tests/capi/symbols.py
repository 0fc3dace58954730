#!/usr/bin/env python3
"""The library exports what capi/symbols.txt lists, the headers declare the same, tests/capi/nulls_test.c gives NULL to every
function that takes a pointer, comments say what NULL does where no rule does, and builds without tables or live filters
(capi/no_*.cc) have their functions too. A name that goes, or comes without a line in the list, is noticed.

usage: symbols.py SOURCE LIBRARY
       symbols.py --self-test
"""
import pathlib
import re
import subprocess
import sys


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1].split("@")[0] for line in lines.splitlines()]
    return [name for name in names if not re.fullmatch(r"BLOOMERY_C_\d+", name)]  # the name of the version itself


def declared(text):
    """Names of functions with whether they take a pointer."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = {}
    for words in re.findall(r"^BLOOMERY_C_(?:API|CHECKED)\s([^;]*);", text, re.MULTILINE):
        name = re.search(r"(\w+)\((.*)\)$", words, re.DOTALL)
        found[name[1]] = "*" in name[2] or "hook" in name[2]
    return found


def problems(listed, library, header, nulls):
    found = [f"exported, and not in the list: {name}" for name in library if name not in listed]
    found += [f"in the list, and not exported: {name}" for name in listed if name not in library]
    found += [f"declared, and not in the list: {name}" for name in header if name not in listed]
    found += [f"in the list, and not declared: {name}" for name in listed if name not in header]
    found += [f"never given NULL in tests/capi/nulls_test.c: {name}" for name, takes in header.items()
              if takes and not re.search(rf"\b{name}\([^;]*NULL", nulls)]
    return found


def silent(text):
    """Functions whose comment says nothing of NULL, though no rule of bloomery/c.h says it for them: errors and _free have
    one. A comment is that of all declarations up to the next comment."""
    found, comment = [], ""
    for words in re.findall(r"/\*.*?\*/|^BLOOMERY_C_API\s[^;]*;", text, re.MULTILINE | re.DOTALL):
        if words.startswith("/*"):
            comment = words
        elif "NULL" not in comment:
            found += [f"{name}: its comment does not say what NULL does" for name, takes in declared(words).items()
                      if takes and not name.endswith("_free")]
    return found


def missing(header, without):
    """The functions of a header that its stand-in lacks."""
    return [f"declared, and not refused in a build without it: {name}" for name in declared(header) if not re.search(rf"\b{name}\(", without)]


def self_test():
    header = declared("/* x */\nBLOOMERY_C_API void bloomery_a(void);\nBLOOMERY_C_CHECKED bool\nbloomery_b(const int* x,\n  int y);\n")
    assert header == {"bloomery_a": False, "bloomery_b": True}, header
    names, nulls = ["bloomery_a", "bloomery_b"], "bloomery_b(NULL, 1);"
    assert problems(names, names, header, nulls) == []
    for wrong in ((names[:1], names, header, nulls), (names, names[:1], header, nulls), (names, [*names, "_ZN1aC1Ev"], header, nulls),
                  (names, names, declared(""), nulls), (names, names, header, "bloomery_b(&x, 1);")):
        assert problems(*wrong), wrong
    assert missing("BLOOMERY_C_API void bloomery_a(void);\n", "void bloomery_ab() {}") and not missing("", "")
    assert silent("/* Looks. */\nBLOOMERY_C_API bool bloomery_a(const int* x);\n") and not silent(
        "/* Looks; false of NULL. */\nBLOOMERY_C_API bool bloomery_a(const int* x);\nBLOOMERY_C_API bool bloomery_b(int* x);\n"
        "/* Ends. */\nBLOOMERY_C_API void bloomery_c_free(int* x);\nBLOOMERY_C_API int bloomery_d(void);\n")
    print("ok")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    source = pathlib.Path(sys.argv[1])
    header, found = {}, []
    for path in sorted((source / "include/bloomery/c").glob("*.h")):
        header |= declared(path.read_text())
        found += silent(path.read_text())
    listed = (source / "capi/symbols.txt").read_text().split()
    found += problems(listed, exported(sys.argv[2]), header, (source / "tests/capi/nulls_test.c").read_text())
    for part, stand_in in (("table", "table"), ("live", "live"), ("rotating", "live")):
        found += missing((source / f"include/bloomery/c/{part}.h").read_text(), (source / f"capi/no_{stand_in}.cc").read_text())
    if listed != sorted(listed):
        found.append("capi/symbols.txt is not sorted")
    print("\n".join(found) or f"{len(listed)} functions, exported, declared and given NULL")
    sys.exit(1 if found else 0)


main()
