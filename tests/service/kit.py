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
PATIENCE = 120  # seconds: nothing takes so long but on a machine that is very busy, or with a sanitizer
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

    def __init__(self, folder, log, options):
        self.log = log
        command = [SERVICE, "--folder", folder, "--port", "0", *options]
        with open(log, "ab") as stderr:
            self.started_at = stderr.tell()
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr, env=ENVIRONMENT)

    def log_text(self):
        """What this process has logged."""
        return self.log.read_bytes()[self.started_at:].decode()

    def wait_for_log(self, text, times=1):
        wait_until(lambda: self.log_text().count(text) >= times, f"{times} times in the log: {text}")

    def wait_for_port(self):
        def port():
            expect(self.process.poll() is None, f"ended with {self.process.poll()}: {self.log_text()}")
            return re.search(r"listening on http://127\.0\.0\.1:(\d+)\n", self.log_text())

        self.port = int(wait_until(port, "an address printed")[1])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, headers=None):
        """Status, type and text of the answer."""
        with contextlib.closing(self.connect()) as connection:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers["Content-Type"], answer.read().decode("latin-1")

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, lines=()):
        return self.ask("POST", path, "".join(f"{line}\n" for line in lines))

    def add(self, keys):
        expect(self.post("/add", keys) == (200, "text/plain", f"added {len(keys)}\n"), "an add was refused")

    def missing(self, keys):
        """Those of the keys to which it says no."""
        keys, missing = list(keys), []
        for first in range(0, len(keys), 20_000):
            part = keys[first:first + 20_000]
            status, _, text = self.post("/contains", part)
            answers = text.split()
            expect(status == 200 and len(answers) == len(part) and set(answers) <= {"maybe", "no"}, (status, text[:100]))
            missing += [key for key, answer in zip(part, answers) if answer == "no"]
        return missing

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
def running(scratch, *options, ready=True):
    folder = scratch / "data"
    folder.mkdir(exist_ok=True)
    service = Running(folder, scratch / "log", options)
    try:
        service.wait_for_port()
        if ready:
            wait_until(lambda: service.get("/readyz")[0] == 200, "ready")
        yield service
    finally:
        service.process.kill()
        service.process.wait()


def promtool(*args, stdin=None):
    if PROMTOOL is None:
        raise Skipped("promtool is not there (Debian: prometheus)")
    done = subprocess.run([PROMTOOL, *args], input=stdin, capture_output=True, text=True, timeout=PATIENCE)
    expect(done.returncode == 0 and not done.stderr.strip(), done.stdout + done.stderr)
