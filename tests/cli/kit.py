"""The shape of a test here: a function whose name is the promise it holds, given a Kit with a folder of its own."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import time

from harness import Command, key_file, numbered, with_kind

PATIENCE = 180  # seconds; nothing takes so long but on a machine that is very busy
PROMISES = []  # (function, whether the Rust and Go commands promise it too)
EXAMPLE_SHA256 = "6e99dda6232de657832b98bb299357aa83e835a3f299316be83c44186328a6e1"


def promise(function):
    """A promise of hash, build, query and inspect (spec/cli.md)."""
    PROMISES.append((function, True))
    return function


def cpp_promise(function):
    """A promise of the C++ command alone."""
    PROMISES.append((function, False))
    return function


class Skipped(Exception):
    """This build cannot do what the test asks for; says why."""


class Kit:
    def __init__(self, command, folder):
        self.command, self.folder = command, pathlib.Path(folder)
        self.keys = key_file(self.folder / "keys", numbered(b"key", 1000))

    def run(self, *args, stdin=b"", status=None):
        """Runs the command in the folder; with status, that has to be its exit status."""
        done = self.command.run(*args, cwd=self.folder, stdin=stdin)
        if args[:1] == ("table",) and b"this build has no tables" in done.stderr:
            raise Skipped("this build has no tables")
        if status is not None:
            text = " ".join(map(str, args))[:200]
            expect(done.returncode == status, f"{text}: exit status {done.returncode}, wanted {status}; {done.stderr[:300]!r}")
        return done

    def output(self, *args, stdin=b"", status=0):
        return self.run(*args, stdin=stdin, status=status).stdout

    def refused(self, *args, names=(), stdin=b""):
        """Exit status 2, one line on stderr that holds each of names, nothing on stdout, no file made, changed or lost."""
        before = self.snapshot()
        done = self.run(*args, stdin=stdin)
        text = " ".join(map(str, args))[:200]
        self.check_refusal(done, text, names)
        expect(self.snapshot() == before, f"{text}: the folder held {sorted(before)}, now {sorted(self.snapshot())}")

    def check_refusal(self, done, text, names=()):
        fault = self.command.refusal_fault(done)
        expect(fault is None, f"{text}: {fault}")
        for name in names:
            expect(name.encode() in done.stderr, f"{text}: the message does not name {name}: {done.stderr!r}")

    def snapshot(self):
        """{name: content} of the folder."""
        return {path.name: path.read_bytes() if path.is_file() else None for path in self.folder.iterdir()}

    def read(self, name):
        return (self.folder / name).read_bytes()

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return name

    def build(self, name, keys=None, *options, nul=False):
        """Builds a filter called name from keys (the example's 1,000 when None), and returns its bytes."""
        path = self.keys if keys is None else key_file(self.folder / f"{name}.keys", keys, nul)
        self.output("build", *options, *(["-0"] if nul else []), "-q", "-o", name, path)
        return self.read(name)


def expect(good, what):
    if not good:
        raise AssertionError(what)


def expect_equal(got, wanted, what):
    expect(got == wanted, f"{what}: got {got!r:.300}, wanted {wanted!r:.300}")


def popen(kit, *args, **options):
    return subprocess.Popen([kit.command.path, *with_kind(args)], cwd=kit.folder, **options)


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(f"no sign of {what}")


@contextlib.contextmanager
def fresh_kit(path):
    with tempfile.TemporaryDirectory(prefix="bloomery-cli-") as folder:
        yield Kit(Command(path, os.path.basename(path)), folder)
