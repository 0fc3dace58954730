"""The example as an operator sees it: pages, signals, snapshots, errors."""

import json
import re
import signal
import socket
import subprocess
import time

from kit import ENVIRONMENT, PATIENCE, SERVICE, expect, promise, promtool, running, wait_until


def wait_for_lookups(service, count):
    """The metrics after so many more."""
    asked = service.metrics()["queries_total"]
    return wait_until(lambda: (now := service.metrics())["queries_total"] >= asked + count and now, "lookups")


@promise
def the_pages_are_metrics_and_json_and_nothing_else(scratch):
    with running(scratch) as service:
        status, kind, text = service.get("/metrics")
        expect((status, kind) == (200, "text/plain; version=0.0.4"), (status, kind))
        status, kind, page = service.get("/metrics.json")
        expect((status, kind) == (200, "application/json"), (status, kind))
        names = {f"bloomery_{name}" for name in json.loads(page)} - {"bloomery_filter"}
        expect(names == set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE)), "other figures in JSON than in text")
        for path, method in (("/", "GET"), ("/metricsx", "GET"), ("/metrics", "POST")):
            expect(service.get(path, method)[0] == 404, f"{method} {path}: not 404")


@promise
def promtool_finds_nothing_to_complain_about_in_the_metrics(scratch):
    with running(scratch) as service:
        promtool("check", "metrics", stdin=service.get("/metrics")[2])


@promise
def feedback_is_told_by_tenant(scratch):
    sample = re.compile(r'^bloomery_tenant_true_positives_total\{filter="example",tenant="customer \d"\} [1-9]', re.MULTILINE)
    with running(scratch) as service:
        wait_until(lambda: len(sample.findall(service.get("/metrics")[2])) == 3, "three customers")
        expect(set(json.loads(service.get("/metrics.json")[2])["tenant_true_positives_total"]) >= {"customer 0", "other"}, "none in JSON")


@promise
def a_rebuild_on_sighup_stops_nobody_and_loses_nothing(scratch):
    with running(scratch) as service:
        for turn in range(3):
            before = service.metrics()
            service.send(signal.SIGHUP)
            wait_until(lambda: service.metrics()["rebuilds_total"] > before["rebuilds_total"], "another rebuild")
            after = wait_for_lookups(service, 1)
            expect(after["false_negatives_total"] == 0, f"false negatives in turn {turn}")
            expect(after["estimated_keys"] > 15_000, f"{after['estimated_keys']} keys are left of 20,000")
            expect(after["retired_bytes"] == 0, "the old filter is still there")


@promise
def the_switch_goes_off_and_on(scratch):
    with running(scratch) as service:
        service.send(signal.SIGUSR1)
        wait_until(lambda: service.metrics()["disabled"] == 1, "disabled")

        def only_maybes():
            first, later = service.metrics(), wait_for_lookups(service, 100)
            return later["queries_total"] - first["queries_total"] == later["maybes_total"] - first["maybes_total"]

        wait_until(only_maybes, "nothing but maybes")  # lookups that are under way while counters are read may blur it
        service.send(signal.SIGUSR2)
        wait_until(lambda: service.metrics()["disabled"] == 0, "enabled")


@promise
def a_shutdown_saves_what_the_next_start_loads(scratch):
    for number in (signal.SIGTERM, signal.SIGINT):
        with running(scratch) as service:
            service.send(signal.SIGHUP)  # even in the midst of a rebuild
            keys = service.metrics()["estimated_keys"]
            expect(service.end(number) == 0, f"exit status {service.process.returncode}: {service.log.read_text()}")
        expect((scratch / "filter.blm").stat().st_size > 10_000, "no snapshot")
        with running(scratch) as service:
            metrics = service.metrics()
            expect(metrics["estimated_keys"] > 0.95 * keys > 0, f"{keys} keys were saved, {metrics['estimated_keys']} loaded")
            expect(metrics["rebuilds_total"] == 0, "it was built from the truth, not loaded")
            expect(metrics["false_negatives_total"] == 0, "false negatives")
            # Killed, it saves nothing; and what it had loaded is too old to be loaded again.
            service.end(signal.SIGKILL)
        expect(not (scratch / "filter.blm").exists(), "a snapshot that is out of date is still there")
        with running(scratch) as service:
            expect(service.metrics()["rebuilds_total"] == 1, "not built from the truth after a crash")


@promise
def a_damaged_snapshot_is_named_and_not_used(scratch):
    with running(scratch) as service:
        service.end()
    bytes_ = bytearray((scratch / "filter.blm").read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    (scratch / "filter.blm").write_bytes(bytes_)
    with running(scratch) as service:
        expect("filter.blm.used: " in service.log.read_text(), "nothing in the log")
        expect(service.metrics()["rebuilds_total"] == 1, "not built from the truth")


@promise
def what_cannot_be_is_said(scratch):
    def refusal(*args):
        done = subprocess.run([SERVICE, *args], capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
        expect(done.returncode == 1 and done.stderr.count("\n") == 1, (args, done))
        return done.stderr

    expect("usage: service PORT SNAPSHOT" in refusal(), "no usage")
    for port in ("x", "65536", "-1", "80 ", ""):
        expect(f"port {port}: Invalid argument" in refusal(port, scratch / "x"), port)
    with running(scratch) as service:
        expect("in use" in refusal(str(service.port), scratch / "x"), "a port that is taken")
    with running(scratch, "no such folder/x") as service:
        expect(service.end() == 1 and "no such folder/x: " in service.log.read_text(), "a snapshot that fails")


@promise
def a_silent_client_holds_up_nobody_for_long(scratch):
    with running(scratch) as service, socket.create_connection(("127.0.0.1", service.port)):
        start = time.monotonic()
        expect(service.get("/metrics")[0] == 200, "no answer")
        expect(time.monotonic() - start < 10, "an answer after the silent client only")
        expect(service.end() == 0, "does not end")
