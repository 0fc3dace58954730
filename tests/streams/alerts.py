#!/usr/bin/env python3
"""Holds docs/operations/replicas.md, replica_alerts.yml and replica_dashboard.json to the figures that there are. Where
promtool (Debian: prometheus) is there, shows each alert firing, and that each query of the dashboard has an answer.

usage: alerts.py SOURCE
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

if len(sys.argv) != 2:
    sys.exit(__doc__)
SOURCE = pathlib.Path(sys.argv[1]).resolve()
RULES = SOURCE / "docs/operations/replica_alerts.yml"
HEALTHY = {
    'connected{filter="a"}': "1x20 0x3 1x200", 'whole{filter="a"}': "1x20 0x8 1x200", 'lag_seconds{filter="a",peer="2"}': "0.1x20 70x3 0.1x200",
    'refused_total{filter="a",reason="mac"}': "0x300", 'refused_checkpoints_total{filter="a"}': "0x300", 'log_overflows_total{filter="a"}': "0x300",
}  # fmt: skip
CASES = [
    ({}, 15, []),
    ({}, 28, []),
    ({'connected{filter="a"}': "0x300"}, 6, ["BloomeryReplicaDisconnected"]),
    ({'lag_seconds{filter="a",peer="2"}': "61x300"}, 6, ["BloomeryReplicaBehind"]),
    ({'whole{filter="a"}': "0x300"}, 11, ["BloomeryReplicaNotWhole"]),
    ({'refused_total{filter="a",reason="mac"}': "0x10 3x300"}, 12, ["BloomeryReplicaRefuses"]),
    ({'refused_checkpoints_total{filter="a"}': "0x10 1x300"}, 12, ["BloomeryReplicaCheckpointRefused"]),
    ({'log_overflows_total{filter="a"}': "0x10 1x300"}, 12, ["BloomeryReplicaLogOverflows"]),
]


def case(different, minute, alerts):
    series = [{"series": f"bloomery_replica_{name}", "values": values} for name, values in {**HEALTHY, **different}.items()]
    expected = [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in alerts]
    question = {"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{minute}m", "exp_samples": expected}
    return {"interval": "1m", "input_series": series, "promql_expr_test": [question]}


def queries(dashboard):
    """The expressions of all panels, with the variables filled in."""
    texts = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    return [text.replace("$__rate_interval", "5m").replace("$instance", ".*").replace("$filter", ".*") for text in texts]


def answered(expressions, figures):
    """A case in which there is every figure: each expression has an answer."""
    labels = {"lag": ',peer="2"', "refused_total": ',reason="mac"'}
    series = [{"series": f'{name}{{filter="a",instance="i"{"".join(more for part, more in labels.items() if part in name)}}}', "values": "0+1x20"} for name in figures]
    asked = [{"expr": f"count({text}) >= bool 1", "eval_time": "15m", "exp_samples": [{"labels": "{}", "value": 1}]} for text in expressions]
    return {"interval": "1m", "input_series": series, "promql_expr_test": asked}


def misshapen(dashboard, figures):
    """What keeps the dashboard from being imported, or from showing every figure and nothing else."""
    panels, drawn = dashboard["panels"], set(re.findall(r"\bbloomery_\w+", json.dumps(queries(dashboard))))
    sources = [one["datasource"]["uid"] for panel in panels for one in (panel, *panel["targets"])]
    places = [(x, y) for panel in panels for p in [panel["gridPos"]] for x in range(p["x"], p["x"] + p["w"]) for y in range(p["y"], p["y"] + p["h"])]
    found = {
        "the dashboard and the figures differ": sorted(drawn ^ figures),
        "variables": {one["name"] for one in dashboard["templating"]["list"]} ^ {"datasource", "instance", "filter"},
        "a data source of its own": {source for source in sources if source != "${datasource}"},
        "two panels with one id": len(panels) - len({panel["id"] for panel in panels}),
        "panels that overlap or leave the page": len(places) - len({(x, y) for x, y in places if x < 24}),
    }
    return [f"{what}: {which}" for what, which in found.items() if which]


figures = {f"bloomery_{name}" for name in re.findall(r'"(replica_\w+)", "', (SOURCE / "src/streams/figures.cc").read_text())}
page, rules = (SOURCE / "docs/operations/replicas.md").read_text(), RULES.read_text()
problems = [f"figures and the page differ: {sorted(figures ^ set(re.findall(r'`(bloomery_replica_[a-z_]+)`', page)))}"] if figures != set(
    re.findall(r"`(bloomery_replica_[a-z_]+)`", page)) else []  # fmt: skip
problems += [f"{name} is no figure" for name in set(re.findall(r"bloomery_replica_\w+", rules)) - figures]
names = set(re.findall(r"alert: (\w+)", rules))
problems += [f"alerts: {sorted(names ^ set(found))}" for found in (re.findall(r"`(Bloomery\w+)`", page), [a for c in CASES for a in c[2]]) if set(found) != names]
problems += [f"no chapter \"{title}\"" for title in re.findall(r'replicas\.md, "(.*?)"', rules) if f"### {title}\n" not in page]
dashboard = json.loads((SOURCE / "docs/operations/replica_dashboard.json").read_text())
problems += misshapen(dashboard, figures)
if promtool := shutil.which("promtool") or shutil.which("promtool", path=str(SOURCE / "build/tools")):  # see tools/promtool.sh
    with tempfile.TemporaryDirectory() as folder:
        cases = pathlib.Path(folder) / "cases.yml"
        cases.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [case(*one) for one in CASES] + [answered(queries(dashboard), figures)]}))
        for words in (["check", "rules", RULES], ["test", "rules", cases]):
            done = subprocess.run([promtool, *map(str, words)], capture_output=True, text=True)
            problems += [] if done.returncode == 0 else [done.stdout + done.stderr]
else:
    print("skipped: promtool is not there")
print("\n".join(problems) or "ok")
sys.exit(1 if problems else 0)
