#!/usr/bin/env python3
"""bench/bars.py judges a bar by the median of several runs.

usage: bars.py SOURCE-FOLDER
"""

import json
import os
import subprocess
import sys
import tempfile


def run_file(folder, name, isa, bars):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"isa": isa, "bars": bars}, file)
    return path


def ratio(what, value, most):
    verdict = "met" if value <= most else "missed"
    return {"verdict": verdict, "bar": f"{what}: {value}x", "what": what, "ratio": value, "most": most}


def main(source):
    tool = [sys.executable, os.path.join(source, "bench", "bars.py")]

    def tell(*arguments):
        result = subprocess.run([*tool, *arguments], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout.splitlines(), result.stderr

    skipped = {"verdict": "skipped", "bar": "not here"}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        # One outlier each: the means of "steady" and of "shaky" are on the other side of their limits.
        for i, (steady, shaky) in enumerate([(1.0, 0.5), (1.05, 1.3), (9.0, 1.2)]):
            files.append(run_file(folder, f"{i}.json", "best", [ratio("steady", steady, 1.1), skipped,
                                                                ratio("shaky", shaky, 1.1)]))
            files.append(run_file(folder, f"{i}.json.avx2", "avx2", [ratio("steady", 2.0 + i, 2.5)]))
        code, lines, _ = tell(*files)
        assert code == 0, lines
        assert lines[0].split() == "met 1.05x, at most 1.10x (1.00 to 9.00, 3 runs) best: steady".split(), lines
        assert lines[1].split() == "missed 1.20x, at most 1.10x (0.50 to 1.30, 3 runs) best: shaky".split(), lines
        assert lines[2].split() == "missed 3.00x, at most 2.50x (2.00 to 4.00, 3 runs) avx2: steady".split(), lines
        assert lines[3:] == ["2 of 3 missed"], lines
        assert tell("--missed", *files)[1] == lines[1:], "--missed leaves out those that are met, and no others"

        wrong = run_file(folder, "wrong.json", "best", [{"verdict": "missed", "bar": "it answers otherwise"}])
        assert tell(files[0], wrong)[1][-2:] == ["missed  best: it answers otherwise", "1 of 3 missed"]
        twice = run_file(folder, "twice.json", "best", [ratio("steady", 1, 1.1)] * 2)
        assert "two bars of one name" in tell(twice)[2]
        other = run_file(folder, "other.json", "best", [ratio("steady", 1, 1.2)])
        assert "another limit" in tell(files[0], other)[2]
        assert tell()[2].startswith("usage"), "no files"
    print("bars of several runs are judged by their medians")


if __name__ == "__main__":
    main(sys.argv[1])
