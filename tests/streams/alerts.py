#!/usr/bin/env python3
"""Holds docs/operations/replicas.md and replica_alerts.yml to the figures that there are, and shows each alert firing,
where promtool (Debian: prometheus) is there.

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


figures = {f"bloomery_{name}" for name in re.findall(r'"(replica_\w+)", "', (SOURCE / "src/streams/figures.cc").read_text())}
page, rules = (SOURCE / "docs/operations/replicas.md").read_text(), RULES.read_text()
problems = [f"figures and the page differ: {sorted(figures ^ set(re.findall(r'`(bloomery_replica_[a-z_]+)`', page)))}"] if figures != set(
    re.findall(r"`(bloomery_replica_[a-z_]+)`", page)) else []  # fmt: skip
problems += [f"{name} is no figure" for name in set(re.findall(r"bloomery_replica_\w+", rules)) - figures]
names = set(re.findall(r"alert: (\w+)", rules))
problems += [f"alerts: {sorted(names ^ set(found))}" for found in (re.findall(r"`(Bloomery\w+)`", page), [a for c in CASES for a in c[2]]) if set(found) != names]
problems += [f"no chapter \"{title}\"" for title in re.findall(r'replicas\.md, "(.*?)"', rules) if f"### {title}\n" not in page]
if promtool := shutil.which("promtool"):
    with tempfile.TemporaryDirectory() as folder:
        cases = pathlib.Path(folder) / "cases.yml"
        cases.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [case(*one) for one in CASES]}))
        for words in (["check", "rules", RULES], ["test", "rules", cases]):
            done = subprocess.run([promtool, *map(str, words)], capture_output=True, text=True)
            problems += [] if done.returncode == 0 else [done.stdout + done.stderr]
else:
    print("skipped: promtool is not there")
print("\n".join(problems) or "ok")
sys.exit(1 if problems else 0)
