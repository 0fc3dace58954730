"""The service under load: wrk asks and adds, two writers of our own add and remember what was answered and when, and
meanwhile it is rebuilt, saved, switched, ended, killed and started again."""

import contextlib
import http.client
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

from kit import PATIENCE, Skipped, expect, promise, running, wait_until

WRK = shutil.which("wrk")
SCRIPT = pathlib.Path(__file__).with_name("load.lua")
SIZE = ("--keys", "3000000", "--fpr", "0.0001")  # so that a lost key is not hidden by a false positive
BATCH, BATCHES = 50, 10  # keys of a batch, and batches that each writer has added before anything is done
KEYS = 2 * BATCHES * BATCH  # so many are answered, however slow the machine is


class Writer:
    """Adds its keys in batches, one connection, until it is told to stop or nobody answers."""

    def __init__(self, service, name):
        self.service, self.name, self.going = service, name, True
        self.answered = []  # the moment of each answer 200, in the order of the batches
        self.wrong = []
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    def keys_of(self, batch):
        return [f"{self.name}-{batch}-{i}" for i in range(BATCH)]

    def write(self):
        with contextlib.closing(self.service.connect()) as connection, contextlib.suppress(OSError, http.client.HTTPException):
            while self.going:
                connection.request("POST", "/add", "\n".join(self.keys_of(len(self.answered))))
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    return self.wrong.append(answer.status)
                self.answered.append(time.monotonic())

    def end(self):
        self.going = False
        self.thread.join()

    def keys_answered(self, after=0.0, before=float("inf")):
        return [key for batch, moment in enumerate(self.answered) if after < moment < before for key in self.keys_of(batch)]


class Wrk:
    """Two connections that ask and add for some seconds."""

    def __init__(self, service, seconds):
        command = [WRK, "-t2", "-c2", f"-d{seconds}s", "--timeout", f"{PATIENCE}s", "-s", SCRIPT, f"http://127.0.0.1:{service.port}"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end(self):
        """{status: how often}, and the keys that were answered 200."""
        text = self.process.communicate(timeout=PATIENCE)[0]
        counts, keys = {}, []
        lines = re.findall(r"^thread (\d+) answered (\d+) statuses ([\d ]*)refused([\d ]*)$", text, re.MULTILINE)
        expect(len(lines) == 2, text)
        for thread, answered, statuses, refused in lines:
            numbers = [int(word) for word in statuses.split()]
            for status, count in zip(numbers[::2], numbers[1::2]):
                counts[status] = counts.get(status, 0) + count
            without = set(refused.split())
            keys += [f"wrk-{thread}-{i}" for i in range(1, int(answered) + 1) if str(i) not in without]
        return counts, keys


@contextlib.contextmanager
def load(service, seconds):
    """wrk and two writers."""
    if WRK is None:
        raise Skipped("wrk is not there (Debian: wrk)")
    wrk, writers = Wrk(service, seconds), [Writer(service, f"writer{i}") for i in range(2)]
    try:
        wait_until(lambda: all(len(writer.answered) >= BATCHES for writer in writers), "adds that are answered")
        yield wrk, writers
    finally:
        for writer in writers:
            writer.end()
        wrk.process.kill()
        wrk.process.wait()


def operate(service):
    """What an operator may do at any time. Rebuilds that overlap are refused, and nothing else."""
    before = service.metrics()
    for turn in range(3):
        expect(service.post("/rebuild")[0] == 202, "a rebuild was refused")
        expect(service.post("/snapshot")[::2] == (200, "saved\n"), "a snapshot failed")
        service.send(signal.SIGUSR1)
        service.wait_for_log("switched off", turn + 1)
        expect(service.post("/switch?to=on")[0] == 200, "the switch")
        wait_until(lambda: service.metrics()["rebuilds_total"] == before["rebuilds_total"] + turn + 1, "the rebuild")
        for path in ("/healthz", "/readyz", "/metrics.json"):
            expect(service.get(path)[0] == 200, path)
    expect(service.metrics()["failed_snapshots_total"] == 0, "a snapshot failed")


def keys_of(writers, **when):
    return [key for writer in writers for key in writer.keys_answered(**when)]


def absent_keys_are_denied(service):
    absent = [f"never-{i}" for i in range(1000)]
    expect(len(service.missing(absent)) > 990, "it says maybe to everything, so that no key can be seen missing")


@promise
def nothing_is_lost_and_nothing_fails_while_it_is_rebuilt_saved_switched_and_ended(scratch):
    with running(scratch, *SIZE, "--snapshot-every", "1") as service:
        with load(service, 5) as (wrk, writers):
            operate(service)
            expect(not (lost := service.missing(keys_of(writers))), f"{len(lost)} keys lost by rebuilds")
            statuses, asked = wrk.end()
            expect(set(statuses) == {200}, f"statuses of wrk: {statuses}")
            expect(service.end() == 0, f"exit status {service.process.returncode}: {service.log_text()}")
            expect(all(status == 503 for writer in writers for status in writer.wrong), "5xx of another sort at the end")
            keys = asked + keys_of(writers)
    with running(scratch, *SIZE) as service:
        expect(len(keys) >= KEYS and not (lost := service.missing(keys)), f"{len(lost)} of {len(keys)} keys lost over a restart")
        expect("snapshot: loaded" in service.log_text(), "it was not loaded")
        absent_keys_are_denied(service)


@promise
def kill_9_loses_no_key_that_was_answered(scratch):
    for turn in range(2):
        with running(scratch, *SIZE, "--snapshot-every", "1") as service, load(service, 2) as (wrk, writers):
            service.wait_for_log("snapshot: saved", 1)
            service.post("/rebuild")
            service.end(signal.SIGKILL)
            wrk.process.kill()
            for writer in writers:
                writer.end()
            expect(not any(writer.wrong for writer in writers), "5xx")
            keys = keys_of(writers)
        with running(scratch, *SIZE) as service:
            expect(len(keys) >= KEYS and not (lost := service.missing(keys)), f"turn {turn}: {len(lost)} of {len(keys)} keys lost")
            absent_keys_are_denied(service)


@promise
def a_snapshot_alone_holds_every_key_that_was_answered_before_it_began(scratch):
    with running(scratch, *SIZE, "--snapshot-every", "0") as service, load(service, 2) as (_, writers):
        for _ in range(3):
            began = time.monotonic()
            expect(service.post("/snapshot")[0] == 200, "a snapshot failed")
        finished, counts = time.monotonic(), [len(writer.answered) for writer in writers]
        wait_until(lambda: all(len(w.answered) > count + 5 for w, count in zip(writers, counts)), "adds after the snapshot")
        service.end(signal.SIGKILL)
        for writer in writers:
            writer.end()
        before, after = keys_of(writers, before=began), keys_of(writers, after=finished)
    (scratch / "data/truth.hashes").unlink()
    with running(scratch, *SIZE) as service:
        expect(before and not (lost := service.missing(before)), f"{len(lost)} of {len(before)} keys lost")
        # What came later is not in it, so that a lost key would have been seen.
        expect(len(service.missing(after)) > len(after) / 4, "keys are there that nobody can have saved")
        expect("the truth is older than the snapshot" in service.log_text(), "nothing in the log")
