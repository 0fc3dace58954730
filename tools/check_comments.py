#!/usr/bin/env python3
"""Fails when a comment names a file that is not there, or has a measured figure without the result it comes from.

A measured figure is a time ("2.3 ms"), a share of one ("a third longer", "4 % slower") or a multiple ("twice as fast").
The same comment must name a file of bench/results, docs, spec or tools, or a benchmark that prints the figure; tests,
which compare figures of their own, and programs that measure are left out. A file is known by the end of its path.

usage: check_comments.py             check every source of the repository
       check_comments.py --self-test prove that both are noticed
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ("*.h", "*.cc", "*.c", "*.rs", "*.go", "*.py", "*.sh", "*.cmake")
COMMENT = re.compile(r"(?:^|\s)(?://[/!]?|#|/\*+|\*)(?:\s+|$)(.*)$")
PATH = re.compile(r"(?<![\w/.<*$-])((?:[\w-]+/)*[\w-]+\.(?:h|cc|md|py|sh|rs|go|cmake|json))\b")
SHARE = r"(?:twice|half|(?:two|three|four|five|\d+(?:\.\d+)?) times|(?:an?|two|three) (?:half|third|quarter|fifth|sixth|eighth|tenth)s?)"
FIGURE = re.compile(r"(?<![\w.^])\d[\d.,]* ?(?:ns|us|ms|nanoseconds|microseconds|milliseconds)\b"
                    rf"|(?:\d ?%|\b{SHARE}) (?:of the time|faster|slower|longer|sooner|quicker)\b"
                    rf"|\b{SHARE} as (?:fast|slow|slowly|long) (?:as|again)\b|\btwice as (?:fast|slow|slowly)\b", re.IGNORECASE)
ORIGIN = re.compile(r"bench/results|docs/|spec/|tools/\w|bloomery_bench|make bench")
# Here figures are settings, or what is being measured.
NO_FIGURES = re.compile(r"^(bench|tests|fuzz|examples|tools|cmake|python/(bench|tests)|rust/(tests|examples))/|_test\.|/tests\.rs$|^cli/replica")
STANDS_FOR_ANY = re.compile(r"\b(NAME|KIND)\.")


def comments(text):
    """(line, words) of each run of comment lines, and of each comment behind code."""
    first, words = 0, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        found = COMMENT.search(line)
        alone = found and not line[:found.start()].strip()
        if words and not alone:
            yield first, " ".join(words)
            words = []
        if found and not words:
            first = number
        if found:
            words.append(found[1])
        if found and not alone:
            yield first, " ".join(words)
            words = []


def problems(path, text, known):
    for line, words in comments(text):
        for name in PATH.findall(words):
            if name not in known and not STANDS_FOR_ANY.search(name):
                yield f"{path}:{line}: a comment names {name}, which is not there"
        figure = FIGURE.search(words)
        if figure and not ORIGIN.search(words) and not NO_FIGURES.search(path):
            yield f"{path}:{line}: '{figure[0]}' in a comment names no result: link the dated one, or leave the figure out"


def files(*patterns):
    """Those that git has or would take, and that are there."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        print("skipped: this is no clone of the repository")
        sys.exit(77)
    return sorted({path for path in listed.stdout.split("\n") if path and (ROOT / path).is_file()})


def self_test():
    for wrong in ("// See kinds/gone.h.\n", "int a;  // one a turn is 4 % slower\n", "# It takes\n# 2.3 ms.\n", "// twice as fast\n"):
        assert len(list(problems("src/a.cc", wrong, {"a.h"}))) == 1, wrong
    for right in ("// See a.h.\n", "// 4 % slower (bench/results/x.md).\n", "int a = 2;\n", "// at 1 % of all keys\n"):
        assert not list(problems("src/a.cc", right, {"a.h", "x.md", "bench/results/x.md"})), right
    print("ok")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    known = {"/".join(path.split("/")[i:]) for path in files() for i in range(path.count("/") + 1)}
    wrong = [problem for path in files(*SOURCES) for problem in problems(path, (ROOT / path).read_text(), known)]
    print("\n".join(wrong) or "comments: files are there, figures have their results")
    sys.exit(1 if wrong else 0)


main()
