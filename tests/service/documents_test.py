"""docs/operations/ against what the example prints."""

import json
import re

import alerts
import prometheus
from kit import SOURCE, expect, promise, promtool, running

OPERATIONS = SOURCE / "docs/operations"


def sample_names(scratch):
    with running(scratch) as service:
        return set(re.findall(r"^(bloomery_\w+)\{", service.get("/metrics")[2], re.MULTILINE))


def expressions():
    """Those of the dashboard, with its variables filled in."""
    panels = json.loads((OPERATIONS / "dashboard.json").read_text())["panels"]
    return [text for panel in panels for text, _ in prometheus.expressions(panel)]


@promise
def the_dashboard_can_be_imported(scratch):
    dashboard = json.loads((OPERATIONS / "dashboard.json").read_text())
    variables = {variable["name"]: variable["type"] for variable in dashboard["templating"]["list"]}
    expect(variables == {"datasource": "datasource", "instance": "query", "filter": "query"}, variables)
    expect(dashboard["id"] is None and dashboard["uid"] and dashboard["title"], "id, uid, title")
    expect(len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"]), "two panels with one id")
    for panel in dashboard["panels"]:
        sources = [panel["datasource"], *(target["datasource"] for target in panel["targets"])]
        expect(panel["targets"] and all(source["uid"] == "${datasource}" for source in sources), panel["title"])
        place = panel["gridPos"]
        expect(place["x"] + place["w"] <= 24 and place["h"] > 0, panel["title"])


@promise
def every_expression_of_the_dashboard_can_be_read(scratch):
    rules = [{"record": f"a{number}", "expr": text} for number, text in enumerate(expressions())]
    (scratch / "rules.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool("check", "rules", scratch / "rules.yml")


@promise
def every_metric_that_is_drawn_or_alerted_on_exists(scratch):
    tables = re.findall(r'"(table_\w+)"', (SOURCE / "src/table/table_figures.cc").read_text())
    exist = sample_names(scratch) | {f"bloomery_{name}" for name in tables}
    texts = {"dashboard": json.dumps(expressions()), "alerts": (OPERATIONS / "alerts.yml").read_text()}
    for name, text in texts.items():
        used = set(re.findall(r"\bbloomery_\w+", text))
        expect(len(used) > 5 and used <= exist, f"{name}: {sorted(used - exist)}")


@promise
def every_metric_is_drawn_and_explained(scratch):
    exist = sample_names(scratch)
    drawn = set(re.findall(r"\bbloomery_\w+", json.dumps(expressions())))
    expect(drawn >= exist, f"not drawn: {sorted(exist - drawn)}")
    told = set(re.findall(r"`(bloomery_\w+)`", (OPERATIONS / "README.md").read_text()))
    families = {re.sub(r"(_seconds)_(bucket|sum|count)$", r"\1", name) for name in exist}
    expect(told == families, f"README.md: {sorted(told ^ families)}")


@promise
def every_alert_is_explained(scratch):
    page, rules = ((OPERATIONS / name).read_text() for name in ("README.md", "alerts.yml"))
    names = set(re.findall(r"- alert: (\w+)", rules))
    expect(names and names == set(re.findall(r"`(Bloomery\w+)`", page)), "other alerts in README.md than in alerts.yml")
    headings = set(re.findall(r"^##+ (.*)$", page, re.MULTILINE))
    sections = set(re.findall(r'README\.md, "([^"]+)"', rules)) | set(re.findall(r'\(?"([A-Z][^"]+)"\)', page))
    expect(sections <= headings, f"no such section: {sorted(sections - headings)}")
    fire = {alert for case in alerts.CASES for alert in case[3]}
    expect(fire == names, f"alerts.py: {sorted(fire ^ names)}")
    silent = {case[0]: case for case in alerts.CASES if not case[3]}
    expect(names == set(alerts.TWINS), f"twins in alerts.py: {sorted(names ^ set(alerts.TWINS))}")
    for alert, twin in alerts.TWINS.items():
        expect(twin in silent, f"{alert}: no silent case '{twin}'")
        raised = {metric for case in alerts.CASES if alert in case[3] for metric in case[1]}
        expect(twin == "healthy" or raised & set(silent[twin][1]), f"{alert}: '{twin}' is about something else")


@promise
def every_link_leads_somewhere(scratch):
    for link in re.findall(r"\]\(([^)#:]+)\)", (OPERATIONS / "README.md").read_text()):
        expect((OPERATIONS / link).exists(), link)


@promise
def promtool_reads_the_alerts(scratch):
    promtool("check", "rules", OPERATIONS / "alerts.yml")


@promise
def alerts_fire_on_what_they_are_for_and_on_nothing_else(scratch):
    for cases in alerts.as_promtool_wants_them(OPERATIONS / "alerts.yml"):
        (scratch / "cases.yml").write_text(cases)
        promtool("test", "rules", scratch / "cases.yml")
