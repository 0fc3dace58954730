#!/usr/bin/env python3
"""The shared library exports the API and what the inline code of public headers calls, and nothing else: every symbol
is of the version's namespace, none of a private layer, and each one of detail:: is used in a header other than where it
is declared. Prints those with the headers that need them.

usage: exported.py LIBRARY INCLUDE       INCLUDE: the folder that holds bloomery/
       exported.py --self-test           prove that a symbol too many is noticed
"""
import pathlib
import re
import subprocess
import sys

PRIVATE = "any|format|io|kernel|mem|metrics|sizing|table"


def symbols_of(library):
    listing = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return [line.split(" ", 2)[2] for line in listing.splitlines()]


def plain(symbol):
    """Without template arguments, parameters, and what says that it is a table of types."""
    symbol = re.sub(r"^(typeinfo name|typeinfo|vtable|TLS init function|TLS wrapper function|guard variable) for ", "", symbol)
    depth, out = 0, ""
    for character in symbol.replace("operator<", "operator_").replace("operator()", "operator_"):
        if character == "(" and depth == 0:
            break
        depth += (character == "<") - (character == ">")
        if depth == 0 and character != ">":
            out += character
    return out.split(" ")[-1]


def uses_of(name, headers):
    """The headers whose code names it, declarations of the library's own functions left out."""
    found = []
    for path, text in headers.items():
        text = re.sub(r"//[^\n]*", "", text)
        text = re.sub(r"BLOOMERY_API[^;{]*[;{]", "", text)
        if re.search(rf"\b{re.escape(name)}\b", text):
            found.append(path)
    return found


def check(symbols, headers):
    """The problems, and which headers need which symbols of detail."""
    problems, needed = [], {}
    for symbol in symbols:
        name = plain(symbol)
        if not re.match(r"bloomery::v\d+::", name):
            problems.append(f"not of the version's namespace: {symbol}")
        elif re.match(rf"bloomery::v\d+::({PRIVATE})::", name):
            problems.append(f"of a private layer: {symbol}")
        elif re.match(r"bloomery::v\d+::detail::", name):
            parts = name.split("::")[3:]
            wanted = parts[-2] if len(parts) > 1 and parts[-1].lstrip("~") == parts[-2] else parts[-1]
            users = uses_of(wanted, headers)
            if users:
                needed["::".join(parts)] = users
            else:
                problems.append(f"of detail, and no header needs it: {symbol}")
    return problems, needed


def self_test():
    headers = {"a.h": "BLOOMERY_API void used();\nBLOOMERY_API void idle();\ninline void f() { detail::used(); }"}
    assert check(["bloomery::v1::detail::used()", "bloomery::v1::A::b(int)"], headers) == ([], {"used": ["a.h"]})
    for wrong in ("bloomery::v1::detail::idle()", "bloomery::A::b()", "bloomery::v1::io::read(int)", "other()",
                  "void bloomery::v1::detail::t<int>(int)"):
        assert check([wrong], headers)[0], wrong
    print("ok")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    include = pathlib.Path(sys.argv[2])
    headers = {str(path.relative_to(include)): path.read_text() for path in sorted(include.rglob("*.h"))}
    symbols = symbols_of(sys.argv[1])
    problems, needed = check(symbols, headers)
    for name, users in sorted(needed.items()):
        print(f"{name}: {', '.join(users)}")
    print("\n".join(sorted(set(problems))) or f"{len(symbols)} symbols, of detail:: {len(needed)}, all needed")
    sys.exit(1 if problems else 0)


main()
