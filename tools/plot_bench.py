#!/usr/bin/env python3
"""Draws results of `bloomery bench --json` as SVG, for docs/performance.md. Same input, same bytes.

Of each file NAME.json it writes, where the file has the figures:
  NAME-lookup.svg  ns per key of contains_many of absent keys against n
  NAME-add.svg     the same of add_many and of build
  NAME-ratio.svg   each operation as a multiple of the ceiling
A date at the front of NAME is left out, so that links stay when a machine is measured again.

usage: plot_bench.py [--check] FOLDER RESULT.json...    --check writes nothing and exits 1 when FOLDER differs
"""
import json
import math
import pathlib
import re
import sys
from xml.sax.saxutils import escape

KINDS = {"split": "#1f6fb2", "block": "#cc4e14"}
OPERATIONS = ["contains_many_absent", "contains_many_present", "contains_absent", "contains_present", "add_many", "add",
              "build"]
CEILING_IS = "ceiling: one random 64-byte line per key"
INK, SOFT, GRID, CEILING, PAPER = "#222222", "#666666", "#e4e4e1", "#8f8f8f", "#fcfcfa"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def number(value):
    """Three digits at most, as the tables print them."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def count(n):
    for unit, name in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if n >= unit and n % unit == 0:
            return f"{n // unit}{name}"
    return f"{n:,}"


class Svg:
    """A page of paper, a title, a remark to its right and a line below; every coordinate is rounded to a tenth."""

    def __init__(self, width, height, title, below, remark=""):
        self.size, self.lines = (width, height), []
        self.rect(0, 0, width, height, PAPER, radius=6)
        self.title = f"{title}. {below}"
        self.text(24, 34, title, size=17, weight=600)
        self.text(24, 55, below, size=12.5, colour=SOFT)
        if remark:
            self.text(width - 24, 34, remark, size=12.5, colour=SOFT, anchor="end")

    def add(self, tag, inside=None, **attributes):
        written = "".join(f' {name.replace("_", "-")}="{value:.1f}"' if isinstance(value, float) else
                          f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        self.lines.append(f"<{tag}{written}/>" if inside is None else f"<{tag}{written}>{escape(inside)}</{tag}>")

    def rect(self, x, y, width, height, colour, radius=0):
        self.add("rect", x=float(x), y=float(y), width=float(width), height=float(height), rx=radius, fill=colour)

    def line(self, x1, y1, x2, y2, colour, width=1.0):
        self.add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=colour, stroke_width=float(width))

    def path(self, points, colour, width, dash="none"):
        self.add("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), fill="none", stroke=colour,
                 stroke_width=float(width), stroke_linejoin="round", stroke_dasharray=dash)

    def dot(self, x, y, colour):
        self.add("circle", cx=float(x), cy=float(y), r=3.5, fill=colour, stroke=PAPER, stroke_width=1.5)

    def text(self, x, y, text, size=12.5, colour=INK, anchor="start", weight=400):
        self.add("text", text, x=float(x), y=float(y), font_size=float(size), fill=colour, text_anchor=anchor,
                 font_weight=weight)

    def render(self):
        width, height = self.size
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                f'role="img" font-family="{FONT}">\n<title>{escape(self.title)}</title>\n')
        return head + "\n".join(self.lines) + "\n</svg>\n"


class Result:
    """One file of figures: who was measured when, and rows by kind, operation, n and threads. Strings are left out:
    their hash is in the figure and not in the ceiling. Of several instruction sets the first is the one in use."""

    def __init__(self, path):
        read = json.loads(path.read_text())
        machine = read["machine"] if isinstance(read["machine"], dict) else {"cpu": read["machine"]}
        self.name = re.sub(r"^\d{4}-\d\d-\d\d-", "", path.stem)
        in_name = re.match(r"\d{4}-\d\d-\d\d", path.stem)
        date = read.get("date") or machine.get("date") or (in_name[0] if in_name else "no date")
        self.machine = self.head(machine, date, read.get("commit", "unknown"))
        self.rows = {}
        for row in read["rows"]:
            if row["kind"] in KINDS and row["ns"] and row.get("keys") != "string":
                self.rows.setdefault((row["kind"], row["op"], row["n"], row.get("threads") or 1), row)

    @staticmethod
    def head(machine, date, commit):
        """Who was measured when, in a line."""
        cpu = re.sub(r"\((R|TM)\)", "", machine.get("name") or machine.get("cpu") or "unknown machine")
        cores = f", {machine['cores']} cores" if "cores" in machine else ""
        return f"{' '.join(cpu.split())}{cores} · {date[:10]} · commit {commit}"

    def of(self, *operations):
        return {key: row for key, row in self.rows.items() if key[1] in operations}

    def series(self, operation):
        """A line of (n, ns) for each kind and number of threads, and the ceilings: at each n the lowest of the kinds."""
        lines, lowest = {}, {}
        for (kind, _, n, threads), row in sorted(self.of(operation).items()):
            lines.setdefault((list(KINDS).index(kind), threads, kind), []).append((n, row["ns"]))
            if row.get("ceiling_ns"):
                of_threads = lowest.setdefault(threads, {})
                of_threads[n] = min(of_threads.get(n, math.inf), row["ceiling_ns"])
        found = [(with_threads("ceiling", t), CEILING, sorted(line.items())) for t, line in sorted(lowest.items())]
        return found + [(with_threads(kind, t), KINDS[kind], line) for (_, t, kind), line in sorted(lines.items())]


def with_threads(name, threads):
    return name if threads == 1 else f"{name}, {threads} threads"


def ticks(low, high):
    """1, 2, 5, 10, .. that enclose the range."""
    steps = [m * 10.0**e for e in range(-3, 7) for m in (1, 2, 5)]
    first = max(i for i, step in enumerate(steps) if step <= low)
    last = min(i for i, step in enumerate(steps) if step >= high)
    return steps[first:last + 1]


def spread(places, gap, low, high):
    """Moves labels apart until each has its gap, in their order, within the limits."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = [0.0] * len(places)
    for rank, i in enumerate(order):
        moved[i] = max(places[i], low + rank * gap, moved[order[rank - 1]] + gap if rank else low)
    for rank, i in enumerate(reversed(order)):
        limit = high - rank * gap
        after = moved[order[len(order) - rank]] - gap if rank else limit
        moved[i] = min(moved[i], limit, after)
    return moved


def panel(svg, left, right, title, series, xs, ys):
    """ns against n, both logarithmic, from left to right; the last pixels are for the names of the lines."""
    longest = max(len(f"{name} {number(line[-1][1])}") for name, _, line in series)
    top, bottom, edge = 112, svg.size[1] - 62, right - 15 - round(7.3 * longest)

    def at(value, values, start, end):
        span = math.log(values[-1] / values[0]) or 1
        return start + (end - start) * math.log(value / values[0]) / span

    svg.text(left - 8, top - 20, "ns per key", colour=SOFT, anchor="end", size=11.5)
    svg.text(left, top - 20, title, weight=600)
    for y in ys:
        height = at(y, ys, bottom, top)
        svg.line(left, height, edge, height, GRID)
        svg.text(left - 8, height + 4, f"{y:g}", colour=SOFT, anchor="end")
    for x in xs:
        across = at(x, xs, left + 14, edge - 8)
        svg.line(across, bottom, across, bottom + 5, SOFT)
        svg.text(across, bottom + 24, count(x), colour=SOFT, anchor="middle")
    svg.text((left + edge) / 2, bottom + 46, "n, keys in the filter", colour=SOFT, anchor="middle")
    svg.line(left, bottom, edge, bottom, SOFT)
    placed = [[(at(x, xs, left + 14, edge - 8), at(y, ys, bottom, top)) for x, y in line] for _, _, line in series]
    labelled = spread([line[-1][1] for line in placed], 17, top, bottom)
    for (name, colour, line), points, height in zip(series, placed, labelled):
        svg.path(points, colour, 2.5 if colour == CEILING else 2.0, "6 4" if "threads" in name else "none")
        for x, y in points if colour != CEILING else []:
            svg.dot(x, y, colour)
        svg.line(points[-1][0] + 6, points[-1][1], edge + 6, height, colour, 0.8)
        svg.text(edge + 10, height + 4, f"{name} {number(line[-1][1])}", colour=SOFT if colour == CEILING else colour,
                 weight=400 if colour == CEILING else 600)


def domain(*groups):
    points = [point for series in groups for _, _, line in series for point in line]
    xs = sorted({n for n, _ in points})
    return xs, ticks(min(ns for _, ns in points), max(ns for _, ns in points))


def lookup_plot(result):
    series = result.series("contains_many_absent")
    if not series:
        return None
    svg = Svg(760, 440, "Batch lookups of absent keys", result.machine, CEILING_IS)
    panel(svg, 88, 736, "contains_many_absent", series, *domain(series))
    return svg.render()


def add_plot(result):
    groups = {"add_many": result.series("add_many"), "build": result.series("build")}
    groups = {name: series for name, series in groups.items() if series}
    if not groups:
        return None
    svg = Svg(1000 if len(groups) == 2 else 760, 440, "Adding keys", result.machine, CEILING_IS)
    limits, first, second = domain(*groups.values()), 88, 540
    for i, (name, series) in enumerate(groups.items()):
        right = second - 90 if i == 0 and len(groups) == 2 else svg.size[0] - 24
        panel(svg, second if i else first, right, name, series, *limits)
    return svg.render()


def ratio_plot(result):
    """A column of bars for each n, a pair of bars for each operation."""
    ratios = {}
    for (kind, operation, n, threads), row in sorted(result.of(*OPERATIONS).items(), key=lambda item: item[0][3]):
        if row.get("ceiling_ns"):
            of_row = ratios.setdefault((operation, threads, with_threads(operation, threads)), {})
            of_row[n, kind] = row["ns"] / row["ceiling_ns"]
    if not ratios:
        return None
    rows = sorted(ratios, key=lambda row: (OPERATIONS.index(row[0]), row[1]))
    ns = sorted({n for of_row in ratios.values() for n, _ in of_row})
    high, top, pitch, gap = max(max(of_row.values()) for of_row in ratios.values()), 112, 44, 26
    left = 44 + 7 * max(len(name) for _, _, name in rows)
    width = (1000 - 24 - left + gap) / len(ns) - gap
    svg = Svg(1000, top + pitch * len(rows) + 52, "Cost as a multiple of the ceiling", result.machine)
    scale = (width - 34) / high
    for i, row in enumerate(rows):
        svg.text(left - 12, top + pitch * i + 22, row[2], anchor="end")
    for column, n in enumerate(ns):
        start = left + column * (width + gap)
        svg.text(start, top - 18, f"n = {count(n)}", weight=600)
        for i, row in enumerate(rows):
            for k, kind in enumerate(KINDS):
                ratio = ratios[row].get((n, kind))
                if ratio:
                    y = top + pitch * i + 3 + k * 16
                    svg.rect(start, y, ratio * scale, 14, KINDS[kind])
                    svg.text(start + max(ratio, 1) * scale + 4, y + 11, number(ratio), size=11.5, colour=SOFT)
        svg.line(start + scale, top - 6, start + scale, top + pitch * len(rows), INK)
    end = top + pitch * len(rows)
    for k, kind in enumerate(KINDS):
        svg.rect(left + 70 * k, end + 17, 12, 12, KINDS[kind])
        svg.text(left + 70 * k + 18, end + 28, kind, colour=KINDS[kind], weight=600)
    svg.text(left + 160, end + 28, "ns per key, divided by those of one random 64-byte line; black line: the ceiling, 1.0",
             colour=SOFT)
    return svg.render()


def plots(paths):
    """Every picture by file name."""
    found, source = {}, {}
    for path in paths:
        result = Result(path)
        if source.setdefault(result.name, path) != path:
            raise ValueError(f"{path} and {source[result.name]} would write the same files: name one otherwise")
        for kind, draw in (("lookup", lookup_plot), ("add", add_plot), ("ratio", ratio_plot)):
            picture = draw(result)
            if picture:
                found[f"{result.name}-{kind}.svg"] = picture
    return found


def check(folder, pictures):
    there = {path.name: path.read_text() for path in folder.glob("*.svg")}
    for name in sorted(there.keys() | pictures.keys()):
        if name not in there:
            print(f"{folder / name}: not there")
        elif name not in pictures:
            print(f"{folder / name}: from none of these results")
        elif there[name] != pictures[name]:
            print(f"{folder / name}: differs from its result")
    return 0 if there == pictures else 1


def write(folder, pictures):
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures.items():
        (folder / name).write_text(picture)
    return 0


def main(args):
    checking = "--check" in args
    args = [arg for arg in args if arg != "--check"]
    if len(args) < 2 or args[0].startswith("-"):
        print(__doc__.rstrip(), file=sys.stderr)
        return 2
    folder = pathlib.Path(args[0])
    try:
        pictures = plots([pathlib.Path(arg) for arg in args[1:]])
    except (OSError, ValueError, TypeError, KeyError) as problem:
        print(f"plot_bench.py: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 2
    return check(folder, pictures) if checking else write(folder, pictures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
