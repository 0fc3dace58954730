#!/usr/bin/env python3
"""The names of the filter kinds, from the one list of them in include/bloomery/kind.h. Run, it prints them one a line.

usage: kinds.py [ROOT]
"""
import pathlib
import re
import sys


def kinds(root=pathlib.Path(__file__).resolve().parent.parent):
    return re.findall(r"^  KIND\(([a-z]+), \w+, \d+\)", (pathlib.Path(root) / "include/bloomery/kind.h").read_text(), re.MULTILINE)


if __name__ == "__main__":
    print("\n".join(kinds(*sys.argv[1:2])))
