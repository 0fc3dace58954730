"""Several writers of one filter file at once: none undoes what another has done, and none leaves a lock behind."""

import fcntl
import json
import os
import pathlib
import random
import signal
import subprocess
import threading
import time

from kit import PATIENCE, cpp_promise, expect, expect_equal, popen, promise, wait_for

WRITERS = 6
ROUNDS = 2000 if "BLOOMERY_SOAK" in os.environ else 12


def key_count(kit, name):
    return json.loads(kit.output("inspect", "--json", name))["key_count"]


def in_threads(work, count=WRITERS):
    """work(0) to work(count - 1) at once; what one of them raises is raised here."""
    problems = []

    def run(number):
        try:
            work(number)
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def holder(kit, *args):
    """A writer that has the file open, and the lock, and waits for its keys."""
    process = popen(kit, *args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b"held\n" * 500_000)  # more than a pipe holds: when this has returned, it reads keys
    process.stdin.flush()
    return process


def waiter(kit, *args):
    """A writer of a file that is locked. Returned when it sleeps with that file open, or has ended."""
    process = popen(kit, *args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: process.poll() is not None or sleeps_with(process.pid, kit.folder / "f"), "a writer that waits")
    return process


def sleeps_with(pid, path):
    folder = pathlib.Path(f"/proc/{pid}")
    try:
        state = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
        return state == "S" and any(os.path.samefile(fd, path) for fd in (folder / "fd").iterdir() if fd.exists())
    except OSError:  # it has ended, or closed what was looked at
        return False


def expect_none_lost(kit, keys):
    answers = kit.run("query", "f", stdin=b"".join(key + b"\n" for key in keys)).stdout
    expect_equal(answers.count(b"maybe\t") + answers.count(b"no\t"), len(keys), "answers")
    expect_equal(answers.count(b"no\t"), 0, f"keys lost of {len(keys)}")
    print(f"{WRITERS} writers, {len(keys)} adds that exited 0, none lost")


@cpp_promise
def adds_at_once_lose_no_key(kit):
    kit.build("f", [b"first"], "--envelope", "-n", "20k", "--fpr", "1e-6")
    os.symlink("f", kit.folder / "link")
    done = [[] for _ in range(WRITERS)]

    def add(writer):
        for number in range(ROUNDS):
            key = b"writer%d-%d" % (writer, number)
            name = "link" if writer % 2 else "f"
            expect(kit.run("add", "-q", name, stdin=key + b"\n").returncode == 0, f"{key} was refused")
            done[writer].append(key)

    in_threads(add)
    keys = [key for keys in done for key in keys]
    expect_none_lost(kit, keys)
    expect_equal(key_count(kit, "f"), 1 + len(keys), "key count")
    expect((kit.folder / "link").is_symlink(), "the link is no link any more")
    expect_equal([name for name in kit.snapshot() if ".tmp" in name], [], "temporaries")


@cpp_promise
def writers_that_are_killed_cost_no_other_its_key_or_its_turn(kit):
    """Every other add is killed: half of these while they wait for keys, perhaps with the lock, half anywhere."""
    kit.build("f", [b"first"], "--envelope", "-n", "20k", "--fpr", "1e-6")
    done = [[] for _ in range(WRITERS)]

    def add(writer):
        chance = random.Random(writer)
        for number in range(ROUNDS):
            key = b"writer%d-%d" % (writer, number)
            process = popen(kit, "add", "-q", "f", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            process.stdin.write(key + b"\n")
            process.stdin.flush()
            if number % 4 != 1:
                process.stdin.close()
                process.stdin = None
            if number % 2:
                time.sleep(chance.random() / 20)
                process.kill()
            errors = process.communicate()[1]
            may_be_killed = number % 2 and process.returncode == -signal.SIGKILL
            expect(may_be_killed or (errors, process.returncode) == (b"", 0), f"the add of {key} exited {process.returncode}: {errors!r}")
            if process.returncode == 0:
                done[writer].append(key)

    in_threads(add)
    keys = [key for keys in done for key in keys]
    expect_none_lost(kit, keys)
    expect(key_count(kit, "f") > len(keys), "fewer keys are counted than were added")


@cpp_promise
def adds_removes_and_merges_at_once_lose_no_key(kit):
    rounds = min(ROUNDS, 200)
    first = [b"out%d-%d" % (writer, number) for writer in range(WRITERS) for number in range(rounds)]
    kit.build("f", first, "--kind", "counting", "-n", "2000")
    kit.build("other", [b"merged"], "--kind", "counting", "-n", "2000")

    def change(writer):
        for number in range(rounds):
            if writer % 3 == 0:
                kit.output("remove", "-q", "f", stdin=b"out%d-%d\n" % (writer, number))
            elif writer % 3 == 1:
                kit.output("add", "-q", "f", stdin=b"in%d-%d\n" % (writer, number))
            else:
                kit.output("merge", "f", "other", "-o", "f")

    in_threads(change)
    expect_equal(key_count(kit, "f"), len(first) + WRITERS // 3 * rounds, "keys: removed as many as were added, and a merge adds one")


@cpp_promise
def a_writer_waits_for_the_one_before(kit):
    commands = (["add", "-q", "f", "late"], ["remove", "-q", "f", "key"], ["merge", "f", "other", "-o", "f"],
                ["build", "--kind", "counting", "-n", "1000", "-q", "-o", "f", "late"],
                ["convert", "--kind", "classic", "other", "-o", "f"], ["build", "--kind", "iblt", "--differences", "5", "-q", "-o", "f", "late"])  # fmt: skip
    kit.write("late", b"late\n")
    kit.write("key", b"key0\n")
    for command in commands:
        kit.build("f", None, "--kind", "counting", "-n", "1000")
        kit.build("other", None, "--kind", "counting", "-n", "1000")
        first = holder(kit, "add", "-q", "f", "-")
        second = waiter(kit, *command)
        expect(second.poll() is None, f"{command} did not wait")
        expect_equal((first.communicate()[1], first.returncode), (b"", 0), "the first writer")
        expect_equal((second.communicate()[1], second.returncode), (b"", 0), f"{command}, which came second")
    kit.build("f", None, "--kind", "quotient")
    waits_for_a_lock(kit, "resize", "-q", "f")
    kit.build("f", None, "--kind", "scalable", "-n", "10")
    waits_for_a_lock(kit, "fold", "-q", "f", kit.keys)
    kit.output("table", "build", "-q", "-o", "f", stdin=b"a\tb\n")
    waits_for_a_lock(kit, "table", "refilter", "-q", "f")
    kit.write("lines", b"c\td\n")
    waits_for_a_lock(kit, "table", "build", "-q", "-o", "f", "lines")


def waits_for_a_lock(kit, *command):
    with open(kit.folder / "f", "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        process = waiter(kit, *command)
        expect(process.poll() is None, f"{command} did not wait")
    expect_equal((process.communicate()[1], process.returncode), (b"", 0), f"{command}, which waited")


@promise
def build_waits_for_a_writer_of_the_file_it_replaces(kit):
    old = kit.build("f", [b"old"])
    with open(kit.folder / "f", "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        second = waiter(kit, "build", "-q", "-o", "f", kit.keys)
        expect(second.poll() is None, "build did not wait")
        expect_equal(kit.read("f"), old, "the file, while it is locked")
        kit.write("another", b"by somebody else")  # and the file is replaced before the lock is given up
        os.rename(kit.folder / "another", kit.folder / "f")
    expect_equal((second.communicate()[1], second.returncode), (b"", 0), "the build")
    expect_equal(kit.output("query", "f", kit.keys).count(b"maybe\t"), 1000, "keys found")


@cpp_promise
def a_killed_writer_leaves_no_lock(kit):
    kit.build("f", None, "--envelope")
    kit.write("late", b"late\n")
    first = holder(kit, "add", "-q", "f", "-")
    second = waiter(kit, "add", "-q", "f", "late")
    expect(second.poll() is None, "the second writer did not wait")
    first.kill()
    first.communicate()
    expect_equal((second.communicate()[1], second.returncode), (b"", 0), "the second writer")
    expect_equal(key_count(kit, "f"), 1001, "keys: those of the build and of the second writer")
    kit.output("add", "-q", "f", "late")


@cpp_promise
def a_signal_ends_a_writer_that_waits(kit):
    kit.build("f", None, "--envelope")
    kit.write("late", b"late\n")
    first = holder(kit, "add", "-q", "f", "-")
    before = kit.snapshot()
    for number in (signal.SIGINT, signal.SIGTERM):
        for command in (["add", "f", "late"], ["build", "-o", "f", "late"], ["merge", "f", "f", "-o", "f"]):
            second = waiter(kit, *command)
            second.send_signal(number)
            second.communicate(timeout=PATIENCE)
            expect_equal(second.returncode, -number, f"{command} ended by")
            expect_equal(kit.snapshot(), before, f"folder after signal {number}")
    first.kill()
    first.communicate()


@cpp_promise
def a_file_that_changed_meanwhile_is_left_alone(kit):
    """By a program that takes no lock."""
    kit.build("f", None, "--kind", "block")
    slow = holder(kit, "add", "f", "-")
    other = kit.build("other", [b"b"], "--kind", "block")
    os.rename(kit.folder / "other", kit.folder / "f")
    errors = slow.communicate()[1]
    expect_equal((slow.returncode, b"another program has changed the file" in errors), (2, True), f"the slower change said {errors!r}")
    expect_equal(kit.read("f"), other, "the file")

