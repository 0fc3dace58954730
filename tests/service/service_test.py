"""The example as an operator sees it: pages, calls, signals, snapshots, errors."""

import json
import re
import signal
import socket
import struct
import subprocess

from kit import ENVIRONMENT, PATIENCE, SERVICE, expect, promise, promtool, running, wait_until

PACKED = {"Content-Type": "application/octet-stream"}


@promise
def keys_that_were_added_are_found_by_every_way_of_asking(scratch):
    keys = ["plain", "with space", "a&b=c", "\xe4\xf6", "", "x" * 5000]
    with running(scratch) as service:
        service.add(keys[:-1])
        expect(service.ask("POST", "/add", "x" * 5000)[2] == "added 1\n", "a last line without its end")
        expect(service.missing(keys) == [] and service.missing(["absent"]) == ["absent"], "lines")
        expect(service.get("/contains?key=with%20space") == (200, "text/plain", "maybe\n"), "a query")
        expect(service.get("/contains?key=a%26b%3Dc")[2] == "maybe\n" and service.get("/contains?key=a")[2] == "no\n", "escapes")
        hashes = struct.pack("<3Q", 1, 2**63, 2**64 - 1)
        expect(service.ask("POST", "/add", hashes, PACKED)[2] == "added 3\n", "hashes")
        answers = service.ask("POST", "/contains", hashes + struct.pack("<Q", 77 << 40), PACKED)
        expect(answers == (200, "application/octet-stream", "\1\1\1\0"), answers)


@promise
def the_pages_are_metrics_and_json(scratch):
    with running(scratch) as service:
        status, kind, text = service.get("/metrics")
        expect((status, kind) == (200, "text/plain; version=0.0.4"), (status, kind))
        status, kind, page = service.get("/metrics.json")
        expect((status, kind) == (200, "application/json"), (status, kind))
        names = {f"bloomery_{name}" for name in json.loads(page)} - {"bloomery_filter"}
        expect(names == set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE)), "other figures in JSON than in text")
        expect(service.get("/healthz")[0] == 200, "not healthy")


@promise
def promtool_finds_nothing_to_complain_about_in_the_metrics(scratch):
    with running(scratch) as service:
        promtool("check", "metrics", stdin=service.get("/metrics")[2])


@promise
def feedback_is_counted_by_tenant(scratch):
    with running(scratch) as service:
        for was in ("wrong_maybe", "right_maybe", "right_maybe", "wrong_no"):
            expect(service.post(f"/report?was={was}&tenant=customer%201")[0] == 200, was)
        expect(service.post("/report?was=wrong_maybe")[0] == 200, "without a tenant")
        expect(service.post("/report?was=nonsense")[0] == 400 and service.post("/report")[0] == 400, "not refused")
        page = json.loads(service.get("/metrics.json")[2])
        expect(page["tenant_true_positives_total"]["customer 1"] == 2, "right ones")
        expect((page["false_positives_total"], page["false_negatives_total"]) == (2, 1), "wrong ones")


@promise
def hostile_requests_get_a_sentence_and_no_5xx(scratch):
    with running(scratch, "--max-body", "100000") as service:
        cases = [(413, "longer", "POST", "/add", b"x" * 100_001, {}),
                 (413, "longer", "POST", "/add", iter([b"x" * 60_000] * 2), {}),  # chunked: no length to go by
                 (400, "8 bytes", "POST", "/add", b"1234567", PACKED),
                 (400, "8 bytes", "POST", "/contains", b"123456789", PACKED),
                 (400, "empty", "POST", "/add", b"", {}),
                 (400, "?key=", "GET", "/contains", None, {}),
                 (400, "?key=", "GET", "/contains?kay=a", None, {}),
                 (400, "?key=", "GET", "/contains?key=a&key=b", None, {}),
                 (400, "escapes", "GET", "/contains?key=%zz", None, {}),
                 (400, "escapes", "GET", "/contains?key=%4", None, {}),
                 (414, "too long", "GET", "/contains?key=" + "a" * 9000, None, {}),
                 (404, "--help", "GET", "/", None, {}),
                 (404, "--help", "POST", "/metrics", b"", {}),
                 (400, "rate", "POST", "/rebuild?n=-1", b"", {}),
                 (400, "rate", "POST", "/rebuild?fpr=nan", b"", {}),
                 (400, "to=on", "POST", "/switch?to=maybe", b"", {})]
        for status, word, method, path, body, headers in cases:
            answer = service.ask(method, path, body, headers)
            expect(answer[0] == status and word in answer[2], f"{method} {path[:40]}: {answer}")
        metrics = service.metrics()
        expect(metrics["adds_total"] == 0, "something was added by a request that was refused")


def raw(service, text):
    """What comes back for the bytes."""
    with socket.create_connection(("127.0.0.1", service.port), PATIENCE) as client:
        client.sendall(text)
        answer = b""
        while part := client.recv(65536):
            answer += part
        return answer


@promise
def a_slow_or_broken_client_is_told_and_holds_up_nobody(scratch):
    with running(scratch, "--timeout", "3") as service:
        silent = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(20)]
        expect(service.get("/healthz")[0] == 200, "no answer beside silent clients")
        answer = raw(service, b"POST /add HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
        expect(b" 400 " in answer and b"too slow" in answer, answer)
        expect(b"202" in raw(service, b"POST /rebuild HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), "a call without a length")
        expect(b" 400 " in raw(service, b"nonsense\r\n\r\n"), "no HTTP")
        expect(service.metrics()["adds_total"] == 0, "half a body was added")
        expect(service.end() == 0, "does not end beside silent clients")
        for client in silent:
            client.close()


@promise
def a_rebuild_changes_the_size_and_loses_nothing(scratch):
    keys = [f"key {i}" for i in range(5000)]
    with running(scratch, "--keys", "1000") as service:
        service.add(keys)
        expect(service.metrics()["capacity_used_ratio"] > 2, "not over its capacity")
        expect(service.post("/rebuild?n=20000&fpr=0.001")[0] == 202, "refused")
        service.wait_for_log("rebuild: committed")
        metrics = service.metrics()
        expect((metrics["designed_keys"], metrics["designed_fpr"]) == (20_000, 0.001), metrics)
        expect(service.missing(keys) == [] and metrics["retired_bytes"] == 0, "lost, or not freed")
        service.send(signal.SIGHUP)
        service.wait_for_log("rebuild: committed", 2)
        expect(service.missing(keys) == [] and service.end() == 0, "lost by SIGHUP")
    with running(scratch) as service:
        expect(service.metrics()["designed_keys"] == 20_000 and service.missing(keys) == [], "another size after a restart")


@promise
def the_switch_goes_off_and_on_by_call_and_by_signal(scratch):
    with running(scratch) as service:
        for off, on in ((lambda: service.send(signal.SIGUSR1), lambda: service.send(signal.SIGUSR2)),
                        (lambda: service.post("/switch?to=off"), lambda: service.post("/switch?to=on"))):
            off()
            wait_until(lambda: service.metrics()["disabled"] == 1, "disabled")
            expect(service.missing(["absent"]) == [], "a no while it is off")
            on()
            wait_until(lambda: service.metrics()["disabled"] == 0, "enabled")
            expect(service.missing(["absent"]) == ["absent"], "a maybe while it is on")


@promise
def every_signal_rebuild_switch_and_snapshot_is_a_line_of_the_log(scratch):
    with running(scratch) as service:
        for number, line in ((signal.SIGHUP, "rebuild: committed"), (signal.SIGUSR1, "switched off"), (signal.SIGUSR2, "switched on")):
            service.send(number)
            service.wait_for_log(line)
        service.post("/snapshot")
        service.end(signal.SIGINT)
        log = service.log_text()
    for text in ("signal Hangup\n", "signal User defined signal 1\n", "signal User defined signal 2\n", "signal Interrupt\n", "rebuild: began"):
        expect(log.count(text) == 1, f"{text!r}: {log}")
    expect(log.count("snapshot: saved") == 2, log)
    expect(all(line.startswith("service: ") for line in log.splitlines()), log)


@promise
def a_damaged_snapshot_is_named_and_not_used(scratch):
    with running(scratch) as service:
        service.add(["kept"])
        service.end()
    snapshot = scratch / "data/filter.blm"
    bytes_ = bytearray(snapshot.read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    snapshot.write_bytes(bytes_)
    with running(scratch) as service:
        expect("filter.blm: " in service.log_text() and "building from the truth" in service.log_text(), "nothing in the log")
        expect(service.missing(["kept", "absent"]) == ["absent"], "not built from the truth")


@promise
def half_a_hash_at_the_end_of_the_truth_is_dropped(scratch):
    with running(scratch) as service:
        service.add(["kept"])
        service.end(signal.SIGKILL)
    with open(scratch / "data/truth.hashes", "ab") as truth:
        truth.write(b"abc")
    with running(scratch) as service:
        service.add(["later"])
        expect("middle of a hash" in service.log_text(), "nothing in the log")
        service.end(signal.SIGKILL)
    with running(scratch) as service:
        expect(service.missing(["kept", "later", "absent"]) == ["absent"], "the hashes after the half one are others")


@promise
def while_it_loads_it_is_not_ready_and_says_maybe(scratch):
    (scratch / "data").mkdir()
    hashes = 30_000_000
    with open(scratch / "data/truth.hashes", "wb") as truth:
        truth.truncate(8 * hashes)  # a hole: as many zeros
    with running(scratch, ready=False) as service:
        for right, what in ((lambda: service.missing(["absent"]) == [], "a no from a filter that is not loaded"),
                            (lambda: service.post("/rebuild")[0] == 409, "a rebuild of nothing")):
            was_right = right()
            if service.get("/readyz")[0] == 200:
                break  # too fast for us, which is no fault of its
            expect(was_right, what)
        expect(service.post("/add", ["early"])[0] == 200, "an add is refused")
        wait_until(lambda: service.get("/readyz")[0] == 200, "ready")
        expect(service.missing(["early", "absent"]) == ["absent"], "what was added meanwhile")


@promise
def what_cannot_be_is_said(scratch):
    def outcome(*args):
        return subprocess.run([SERVICE, *args], capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)

    def refusal(*args):
        done = outcome(*args)
        expect(done.returncode == 1 and done.stderr.count("\n") == 1, (args, done))
        return done.stderr

    shown = outcome("--help")
    expect(shown.returncode == 0 and "POST /rebuild" in shown.stdout, "no help")
    expect("--folder FOLDER is missing" in refusal(), "no folder")
    expect("--nix: no such option" in refusal("--nix", "1"), "an unknown option")
    expect("needs a value" in refusal("--port"), "no value")
    for port in ("x", "65536", "-1", "80 ", ""):
        expect(f"--port {port}: " in refusal("--folder", scratch, "--port", port), port)
    expect("nowhere/truth.hashes: cannot open" in refusal("--folder", scratch / "nowhere"), "no such folder")
    expect("nobody.invalid" in refusal("--folder", scratch, "--host", "nobody.invalid", "--port", "0"), "an address")
    with running(scratch) as service:
        expect("in use" in refusal("--folder", scratch, "--port", str(service.port)), "a port that is taken")
    for _ in range(20):  # it ends before, while or after it begins to listen
        done = outcome("--folder", scratch, "--port", "0", "--keys", "0")
        expect(done.returncode == 1 and "n is 0" in done.stderr, done)
