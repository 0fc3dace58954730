"""The shape of a test here: a function whose name is the promise it holds, given a folder of its own."""

import contextlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

SOURCE, SERVICE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
PROMTOOL = shutil.which("promtool") or shutil.which("promtool", path=str(SOURCE / "build" / "tools"))  # see tools/promtool.sh
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "BLOOMERY_DISABLE"}
PATIENCE = 30  # seconds: for machines that are busy, or sanitizers
PROMISES = []


def promise(function):
    PROMISES.append(function)
    return function


class Skipped(Exception):
    pass


def expect(truth, message):
    if not truth:
        raise AssertionError(message)


def wait_until(condition, what):
    """What the condition is in the end, which is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {PATIENCE} s: {what}")


class Running:
    """The service, as a process; use with `running`."""

    def __init__(self, snapshot, log):
        self.log = log
        with open(log, "wb") as stderr:
            self.process = subprocess.Popen([SERVICE, "0", snapshot], stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr, env=ENVIRONMENT)

    def wait_for_port(self):
        def port():
            expect(self.process.poll() is None, f"ended with {self.process.poll()}: {self.log.read_text()}")
            return re.search(r"listening on http://127\.0\.0\.1:(\d+)/metrics\n", self.log.read_text())

        self.port = int(wait_until(port, "an address printed")[1])

    def get(self, path, method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path)
            answer = connection.getresponse()
            return answer.status, answer.headers["Content-Type"], answer.read().decode()

    def metrics(self):
        """{name: value} of the samples without a label of their own, as `queries_total`."""
        text = self.get("/metrics")[2]
        return {name: float(value) for name, value in re.findall(r'^bloomery_(\w+)\{filter="example"\} (\S+)$', text, re.MULTILINE)}

    def send(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        self.send(number)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def running(scratch, name="filter.blm"):
    service = Running(scratch / name, scratch / "log")
    try:
        service.wait_for_port()
        yield service
    finally:
        service.process.kill()
        service.process.wait()


def promtool(*args, stdin=None):
    if PROMTOOL is None:
        raise Skipped("promtool is not there (Debian: prometheus)")
    done = subprocess.run([PROMTOOL, *args], input=stdin, capture_output=True, text=True, timeout=120)
    expect(done.returncode == 0 and not done.stderr.strip(), done.stdout + done.stderr)
