#!/usr/bin/env python3
"""The bars of several runs of bloomery_bench: of each the median of its ratio, met or missed.

usage: bars.py [--missed] RUN.json...     --missed prints only the bars that are missed

Takes the files that `bloomery_bench --bars --json RUN.json` writes, those of other instruction sets (RUN.json.avx2)
too. A bar is judged by its median over the runs: one run on a shared machine says little. What a run noticed that is no
ratio, such as a wrong answer, is printed as it is and counts as missed.
"""

import json
import statistics
import sys


def read(path):
    """The bars of one file: {(instruction set, what): bar}, and sentences of those that are missed without a ratio."""
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    bars, wrong = {}, []
    for bar in run["bars"]:
        if "what" not in bar:
            if bar["verdict"] == "missed":
                wrong.append(f"{run['isa']}: {bar['bar']}")
            continue
        name = (run["isa"], bar["what"])
        if name in bars:
            sys.exit(f"bars.py: {path} has two bars of one name: {bar['what']}")
        bars[name] = bar
    return bars, wrong


def collect(paths):
    """Each bar with its ratios: {(instruction set, what): (most, [ratio, ..])}, and the sentences without a ratio."""
    ratios, all_wrong = {}, []
    for path in paths:
        bars, wrong = read(path)
        all_wrong += wrong
        for name, bar in bars.items():
            most, some = ratios.setdefault(name, (bar["most"], []))
            if most != bar["most"]:
                sys.exit(f"bars.py: {path} has another limit of: {bar['what']}")
            some.append(bar["ratio"])
    return ratios, all_wrong


def main(arguments):
    only_missed = "--missed" in arguments
    paths = [argument for argument in arguments if argument != "--missed"]
    if not paths or any(path.startswith("-") for path in paths):
        sys.exit(__doc__.split("\n\n")[1])
    ratios, wrong = collect(paths)
    missed = 0
    for (isa, what), (most, some) in ratios.items():
        median = statistics.median(some)
        met = median <= most
        missed += not met
        if met and only_missed:
            continue
        print(f"{'met' if met else 'missed':7} {median:5.2f}x, at most {most:.2f}x "
              f"({min(some):.2f} to {max(some):.2f}, {len(some)} runs)  {isa}: {what}")
    for sentence in wrong:
        print(f"missed  {sentence}")
    print(f"{missed + len(wrong)} of {len(ratios) + len(wrong)} missed")


if __name__ == "__main__":
    main(sys.argv[1:])
