#!/usr/bin/env python3
"""Draws the plots of docs/choosing.md as SVG from what tools/choosing_data.py measured. Same input, same bytes.

  bits.svg    bits per key against the rate asked for, beside the information limit
  lookup.svg  ns of a lookup of an absent key against n, beside the memory ceiling
  past.svg    the rate of filters that got more keys than they were made for
  build.svg   ns per key of making a filter

usage: plot_choosing.py [--check] FOLDER RESULT.json    --check writes nothing and exits 1 when FOLDER differs
"""
import json
import math
import pathlib
import sys

sys.dont_write_bytecode = True
from plot_bench import CEILING, GRID, SOFT, Result, Svg, check, count, number, spread, ticks, write  # noqa: E402

KINDS = {"fuse": "#5a3fc0", "ribbon": "#b3368b", "block": "#cc4e14", "split": "#1f6fb2", "classic": "#2c7a3f", "partitioned": "#86780c",
         "cuckoo": "#c02a3c", "quotient": "#0b7d86", "counting": "#8d5a2b", "scalable": "#3b4fa3", "stable": "#55616b"}
MADE_AT_ONCE = "build"  # else keys are added
GAP = 17  # between the names of two lines


class Axis:
    """Values to places between two ends, and the values that get a tick."""

    def __init__(self, low, high, marks, text, log=True):
        self.low, self.high, self.marks, self.text, self.log = low, high, marks, text, log

    def at(self, value, start, end):
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return start + (end - start) * share


def percent(rate):
    return f"{100 * rate:.12g} %"


def panel(svg, left, right, names, series, x, y, dots=True):
    """Lines of (x, y) with their names and last values at the right; names: of the panel, of the x and of the y axis.
    A series is (name, colour, points, text of its last value)."""
    longest = max(len(f"{name} {last}") for name, _, _, last in series)
    top, bottom, edge = 112, svg.size[1] - 62, right - 15 - round(7.3 * longest)
    svg.text(left - 8, top - 20, names[2], colour=SOFT, anchor="end", size=11.5)
    svg.text(left, top - 20, names[0], weight=600)
    for mark in y.marks:
        height = y.at(mark, bottom, top)
        svg.line(left, height, edge, height, GRID)
        svg.text(left - 8, height + 4, y.text(mark), colour=SOFT, anchor="end")
    for mark in x.marks:
        across = x.at(mark, left + 10, edge - 10)
        svg.line(across, bottom, across, bottom + 5, SOFT)
        svg.text(across, bottom + 24, x.text(mark), colour=SOFT, anchor="middle")
    svg.text((left + edge) / 2, bottom + 46, names[1], colour=SOFT, anchor="middle")
    svg.line(left, bottom, edge, bottom, SOFT)
    placed = [[(x.at(px, left + 10, edge - 10), y.at(py, bottom, top)) for px, py in points] for _, _, points, _ in series]
    labelled = spread([line[-1][1] for line in placed], GAP, top, bottom)
    # What all are held to comes last, on top of what reaches it.
    for (name, colour, _, last), points, height in sorted(zip(series, placed, labelled), key=lambda one: one[0][1] == CEILING):
        svg.path(points, colour, 2.5 if colour == CEILING else 1.8, "5 4" if colour == CEILING else "none")
        for px, py in points if colour != CEILING and dots else []:
            svg.dot(px, py, colour)
        svg.line(points[-1][0] + 5, points[-1][1], edge + 6, height, colour, 0.7)
        svg.text(edge + 10, height + 4, f"{name} {last}", colour=SOFT if colour == CEILING else colour,
                 weight=400 if colour == CEILING else 600)


def enclosing(series):
    values = [y for _, _, points, _ in series for _, y in points]
    marks = ticks(min(values), max(values))
    return Axis(marks[0], marks[-1], marks, lambda mark: f"{mark:g}")


def bits_plot(data):
    rows = data["bits"]
    series = [("limit", CEILING, [(row["fpr"], row["least"]) for row in rows])]
    for kind, colour in KINDS.items():
        points = [(row["fpr"], row["kinds"][kind]) for row in rows if kind in row["kinds"]]
        if points:
            series.append((kind, colour, points))
    at = min((row["fpr"] for row in rows), key=lambda rate: abs(rate - 0.01))
    series = [(name, colour, points, f"{dict(points)[at]:.1f}") for name, colour, points in series]
    svg = Svg(860, 520, "Bits per key", f"for {count(data['planned_keys'])} keys, as bloomery plan computes it",
              "limit: log2(1/rate), which nothing beats")
    marks = [10.0**e for e in range(-1, -7, -1)]
    x = Axis(rows[0]["fpr"], rows[-1]["fpr"], [mark for mark in marks if mark >= rows[-1]["fpr"]], percent)
    panel(svg, 88, 836, ("", "false-positive rate asked for; the figure at a name is that at 1 %", "bits per key"),
          series, x, enclosing(series), dots=False)
    return svg.render()


def rows_of(data, choose):
    """Lines of (n, ns) of each kind, of the operation that choose() picks from those it has."""
    series = []
    for kind, colour in KINDS.items():
        rows = [row for row in data["rows"] if row["kind"] == kind and row["threads"] == 1 and row["ns"]]
        op = choose({row["op"] for row in rows})
        points = sorted((row["n"], row["ns"]) for row in rows if row["op"] == op)
        if points:
            series.append((kind, colour, points, number(points[-1][1])))
    return series


def ceiling_of(data, op):
    """At each n the lowest ceiling of the kinds: that of the smallest filter."""
    lowest = {}
    for row in data["rows"]:
        if row["op"] == op and row["ceiling_ns"]:
            lowest[row["n"]] = min(lowest.get(row["n"], math.inf), row["ceiling_ns"])
    points = sorted(lowest.items())
    return ("ceiling", CEILING, points, number(points[-1][1]))


def sizes(series):
    ns = sorted({n for _, _, points, _ in series for n, _ in points})
    return Axis(ns[0], ns[-1] if len(ns) > 1 else 2 * ns[0], ns, count)


def where(data):
    # The head of plot_bench's pictures, for the same machines.
    return Result.head(data["machine"], data["date"], data["commit"]) + (", quick and noisy" if data["quick"] else "")


def lookup_plot(data):
    svg = Svg(1080, 480, "Lookups of absent keys", where(data), "ceiling: one random 64-byte line per key")
    panels = {"contains_absent": "one key a call", "contains_many_absent": "in a batch"}
    found = {op: [ceiling_of(data, op), *rows_of(data, lambda ops, op=op: op)] for op in panels}
    y = enclosing([line for series in found.values() for line in series])
    for (op, series), left, right in zip(found.items(), (88, 610), (540, 1062)):
        panel(svg, left, right, (panels[op], "n, keys in the filter", "ns per key"), series, sizes(series), y)
    return svg.render()


def build_plot(data):
    series = rows_of(data, lambda ops: MADE_AT_ONCE if MADE_AT_ONCE in ops else "add_many")
    series = [ceiling_of(data, "add_many"), *series]
    svg = Svg(860, 520, "Making a filter", where(data), "of all keys at once, or by adding them in batches")
    panel(svg, 88, 836, ("", "n, keys in the filter; one thread", "ns per key"), series, sizes(series), enclosing(series))
    return svg.render()


def past_plot(data):
    series = []
    for kind, colour in KINDS.items():
        points = [(row["fill"], row["fpr"]) for row in data["past"]["rates"] if row["kind"] == kind]
        full = data["past"]["full"].get(kind)
        if points:
            series.append((kind, colour, points, f"full at {full:.2f}" if full else percent(float(f"{points[-1][1]:.2g}"))))
    fills = [x for _, _, points, _ in series for x, _ in points]
    series.insert(0, ("asked for", CEILING, [(min(fills), 0.01), (max(fills), 0.01)], "1 %"))
    svg = Svg(860, 520, "Filled past capacity", f"made for {count(data['past']['n'])} keys at 1 %", "kinds made of all keys at once take no more")
    low = min(y for _, _, points, _ in series for _, y in points)
    y = Axis(10.0**math.floor(math.log10(low)), 1, [10.0**e for e in range(math.floor(math.log10(low)), 1)], percent)
    x = Axis(0, 4, [0, 1, 2, 3, 4], lambda mark: f"{mark}x", log=False)
    panel(svg, 98, 836, ("", "keys added, as a multiple of the capacity", "false positives"), series, x, y)
    return svg.render()


def main(args):
    checking = "--check" in args
    args = [arg for arg in args if arg != "--check"]
    if len(args) != 2 or args[0].startswith("-"):
        print(__doc__.rstrip(), file=sys.stderr)
        return 2
    data = json.loads(pathlib.Path(args[1]).read_text())
    pictures = {"bits.svg": bits_plot(data), "lookup.svg": lookup_plot(data), "past.svg": past_plot(data), "build.svg": build_plot(data)}
    return check(pathlib.Path(args[0]), pictures) if checking else write(pathlib.Path(args[0]), pictures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
