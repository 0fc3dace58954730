"""The dashboard and the alerts in a real Prometheus that scrapes the service."""

import json
import signal

import prometheus
from kit import SOURCE, Skipped, expect, promise, running, wait_until

OPERATIONS = SOURCE / "docs/operations"
PROGRAM = prometheus.find(SOURCE)


@promise
def every_query_of_the_dashboard_has_an_answer_and_every_rule_is_sound(scratch):
    if PROGRAM is None:
        raise Skipped("prometheus is not there (Debian: prometheus)")
    panels = json.loads((OPERATIONS / "dashboard.json").read_text())["panels"]
    queries = [text for panel in panels for text, _ in prometheus.expressions(panel)]
    with running(scratch, "--snapshot-every", "1") as service:
        with prometheus.prometheus(PROGRAM, scratch, service.port, OPERATIONS / "alerts.yml") as server:
            for i in range(3):
                service.add([f"{i} {j}" for j in range(100)])
                service.missing([f"absent {j}" for j in range(1000)])
                service.post("/report?was=right_maybe&tenant=one")
                service.send(signal.SIGHUP)
                service.wait_for_log("rebuild: committed", i + 1)

            def unanswered():
                return [query for query in queries if not server.query(query)]

            wait_until(lambda: not unanswered(), "an answer to each query")
            wait_until(lambda: all(rule["health"] == "ok" for rule in rules(server)), "rules that were run")
            expect(firing(server) == set(), f"firing: {firing(server)}")
            # An alert that waits for nothing goes all the way from a report to firing.
            service.post("/report?was=wrong_no")
            wait_until(lambda: firing(server) == {"BloomeryFalseNegative"}, "the alert on a false negative")


def rules(server):
    return [rule for group in server.get("rules")["groups"] for rule in group["rules"]]


def firing(server):
    return {alert["labels"]["alertname"] for alert in server.get("alerts")["alerts"] if alert["state"] == "firing"}
