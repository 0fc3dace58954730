#!/usr/bin/env python3
"""Draws docs/operations/dashboard.json as SVG, each panel from what a real Prometheus answers to its queries. It is no
screenshot of Grafana: panels, queries and units are the dashboard's, the drawing is ours.

It starts the service and Prometheus itself and lives through a day in some minutes: traffic, a filter that fills up,
a rebuild at a larger size, snapshots, the kill switch, a tenant that floods.

usage: plot_dashboard.py SERVICE OUT.svg [SECONDS]
"""
import contextlib
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "tests/service"))
import prometheus  # noqa: E402
from plot_bench import GRID, INK, SOFT, Svg  # noqa: E402

COLOURS = ["#2c7a3f", "#cc4e14", "#1f6fb2", "#b3368b", "#86780c", "#0b7d86", "#c02a3c", "#55616b", "#5a3fc0"]
UNIT, ROW = 58, 31  # the size of a cell of Grafana's grid here


class Service:
    def __init__(self, program, folder):
        command = [program, "--folder", folder, "--port", "0", "--keys", "40000", "--snapshot-every", "20"]
        self.log = folder / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while not (found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", self.log.read_text())):
            time.sleep(0.05)
        self.port = int(found[1])

    def post(self, path, lines=()):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", "\n".join(lines).encode() or b"", method="POST")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode().split()


def live_through(service, seconds):
    """A twentieth of the lookups is for keys that are there, and the callers report what they found."""
    chance, keys, began = random.Random(1), 0, time.monotonic()
    marks = {0.55: "/rebuild?n=120000", 0.70: "/switch?to=off", 0.76: "/switch?to=on"}
    while (share := (time.monotonic() - began) / seconds) < 1:
        before, keys = keys, max(keys + 1, int(46_000 * min(1, 2 * share) + 10_000 * share))
        service.post("/add", [f"user {i}" for i in range(before, keys)])
        asked = [f"user {chance.randrange(keys)}" for _ in range(30)] + [f"nobody {chance.random()}" for _ in range(570)]
        answers = service.post("/contains", asked)
        for i, (key, answer) in enumerate(zip(asked, answers)):
            if answer == "maybe" and not 0.70 < share < 0.77:
                wrong = key.startswith("nobody")
                tenant = "mallory" if wrong and share > 0.8 and i % 8 else ("alice", "bob")[i % 2]
                service.post(f"/report?was={'wrong' if wrong else 'right'}_maybe&tenant={tenant}")
        for mark in [mark for mark in marks if share > mark]:
            service.post(marks.pop(mark))
        time.sleep(0.3)


def quantity(value, unit):
    if unit == "percentunit":
        return f"{100 * value:.3g} %"
    if unit == "s":
        return f"{value:.3g} s" if value >= 1 or value == 0 else f"{1000 * value:.3g} ms"
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}" + ("B" if unit == "bytes" else "")
    return f"{value:.3g}" + (" B" if unit == "bytes" else "")


def name_of(legend, labels):
    """Without filter and instance, of which there is one each."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: "" if found[1] in ("filter", "instance") else labels.get(found[1], ""), legend).strip()


def stat(svg, box, panel, server, end):
    (text, _), unit = next(iter(prometheus.expressions(panel))), panel["fieldConfig"]["defaults"].get("unit")
    result = server.get("query", query=text, time=end)["result"]
    x, y, width, height = box
    value = float(result[0]["value"][1])
    svg.text(x + width / 2, y + height / 2 + 24, quantity(value, unit), size=24, anchor="middle", weight=600)


def curves(panel, server, window):
    """[(name, [(time, value)])] of all queries."""
    start, end = window
    for text, legend in prometheus.expressions(panel, "15s"):
        for series in server.range(text, start, end, max(1, int((end - start) / 120))):
            points = [(float(at), float(value)) for at, value in series["values"] if value not in ("NaN", "+Inf", "-Inf")]
            if points:
                yield name_of(legend, series["metric"]), points


def timeseries(svg, box, panel, server, window):
    x, y, width, height = box
    unit, all_ = panel["fieldConfig"]["defaults"].get("unit"), list(curves(panel, server, window))
    shown = all_[:6]
    left, right, top, bottom = x + 62, x + width - 12, y + 34, y + height - 20 - 15 * ((len(shown) + 1) // 2)
    most = max((value for _, points in all_ for _, value in points), default=1) or 1
    for part in range(5):
        place = bottom - (bottom - top) * part / 4
        svg.line(left, place, right, place, GRID)
        svg.text(left - 6, place + 4, quantity(most * part / 4, unit), size=10, colour=SOFT, anchor="end")
    start, end = window
    for number, (_, points) in reversed(list(enumerate(all_))):
        placed = [(left + (right - left) * (at - start) / (end - start), bottom - (bottom - top) * value / most) for at, value in points]
        svg.path(placed, COLOURS[number % len(COLOURS)], 1.5)
    for number, (name, points) in enumerate(shown):
        across, down = x + 14 + (width / 2 - 10) * (number % 2), bottom + 18 + 15 * (number // 2)
        svg.rect(across, down - 5, 10, 3, COLOURS[number % len(COLOURS)])
        more = f" (and {len(all_) - 6} more)" if number == 5 and len(all_) > 6 else ""
        svg.text(across + 15, down, f"{name or panel['title'].lower()}: {quantity(points[-1][1], unit)}{more}", size=10.5, colour=INK)


def draw(server, window):
    dashboard = json.loads((SOURCE / "docs/operations/dashboard.json").read_text())
    height = 80 + ROW * max(p["gridPos"]["y"] + p["gridPos"]["h"] for p in dashboard["panels"]) + 12
    svg = Svg(24 * UNIT + 24, height, dashboard["title"],
              f"{window[1] - window[0]:.0f} seconds of examples/service.cc; the value beside a name is the last one")
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        box = 12 + UNIT * place["x"], 74 + ROW * place["y"], UNIT * place["w"], ROW * place["h"]
        svg.rect(box[0] + 3, box[1] + 3, box[2] - 6, box[3] - 6, "#ffffff", radius=4)
        svg.text(box[0] + 12, box[1] + 22, panel["title"], weight=600)
        (stat if panel["type"] == "stat" else timeseries)(svg, box, panel, server, window[1] if panel["type"] == "stat" else window)
    return svg.render()


def main(program, out, seconds=180.0):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        service = Service(program, folder)
        with contextlib.ExitStack() as stack:
            stack.callback(service.process.wait)
            stack.callback(service.process.terminate)
            rules = SOURCE / "docs/operations/alerts.yml"
            server = stack.enter_context(prometheus.prometheus(prometheus.find(SOURCE), folder, service.port, rules))
            start = time.time()
            live_through(service, float(seconds))
            pathlib.Path(out).write_text(draw(server, (start, time.time())))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
