"""What people see: output to a terminal of 80 columns, made with a pseudo-terminal."""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from kit import PATIENCE, cpp_promise, expect, wait_for
from harness import with_kind


def all_of(master):
    """What the terminal gets until the other side is closed."""
    text = b""
    try:
        while chunk := os.read(master, 65536):
            text += chunk
    except OSError:  # it is closed
        pass
    return text.decode()


def shown(kit, *args, columns=80, environment=None):
    """What a terminal gets on standard output; the command has to succeed."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([kit.command.path, *with_kind(args)], cwd=kit.folder, stdout=slave, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={**os.environ, **(environment or {})}) as process:  # fmt: skip
        os.close(slave)
        text = all_of(master)
        error = process.stderr.read()
    os.close(master)
    expect(process.returncode == 0, f"{args}: exit status {process.returncode}, {error!r}")
    return text.replace("\r\n", "\n")


class Errors:
    """A command whose standard error is a terminal of 80 columns; text is what that has got so far."""

    def __init__(self, kit, *args, environment=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen([kit.command.path, *with_kind(args)], cwd=kit.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=slave,
                                        env={**os.environ, **(environment or {})})  # fmt: skip
        os.close(slave)
        self.text = ""

    def read(self, seconds):
        """What comes until then, or until the command has ended."""
        end = time.monotonic() + seconds
        while select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
            try:
                self.text += os.read(self.master, 65536).decode()
            except OSError:  # the other side is closed
                return

    def finish(self):
        """Its exit status."""
        self.process.stdin.close()
        self.read(PATIENCE)
        os.close(self.master)
        return self.process.wait(PATIENCE)


def plain(text):
    return re.sub("\x1b\\[[0-9;]*m", "", text)


@cpp_promise
def no_line_is_wider_than_the_terminal(kit):
    long = "a-name-of-many-letters-" * 2 + "f"
    kit.build(long, None, "--kind", "block", "--label", "x " * 60)
    kit.output("table", "build", "-q", "-o", "t", stdin=b"a\tb\n")
    for args in (["--help"], ["build", "--help"], ["plan", "-n", "1M"], ["plan", "-n", "1M", "--all"], ["plan", "--current", "10M", "--growth", "30%/y"],
                 ["plan", "--current", "10M", "--growth", "30%/y", "--all"], ["plan", "-n", "1M", "--kind", "ribbon"], ["inspect", long], ["table", "stats", "t"],
                 ["help", "choosing"], ["--version", "--verbose"], ["iblt-size", "--differences", "100"], ["verify", long], ["build", "-o", long, kit.keys],
                 ["add", long, "-o", "g", kit.keys], ["table", "refilter", "t"], ["table", "verify", "t"], ["bench", "--quick", "-n", "1k", "--kind", "ribbon"],
                 ["table", "bench", "-n", "1k"], ["demo", "-n", "2k"], ["build", "--kind", "iblt", "--differences", "5", "-o", long, kit.keys]):  # fmt: skip
        for columns in (80, 100, 200) if args[-1] not in ("1k", "2k") else (80,):
            wide = [line for line in plain(shown(kit, *args, columns=columns)).splitlines() if len(line) > columns]
            expect(not wide, f"{args} at {columns} columns: {wide}")
    counted = long + "-counted"
    kit.build(counted, None, "--kind", "counting")
    for args in (["build", "--kind", "bolck", "-o", "g", kit.keys], ["query", "f", "--only", "perhaps"], ["build", "-n", "10", "-q", "-o", "g", kit.keys],
                 ["remove", counted, kit.keys]):  # fmt: skip
        errors = Errors(kit, *args)
        errors.finish()
        lines = plain(errors.text).splitlines()
        expect(lines and max(map(len, lines)) <= 80, f"{args}: {lines}")


@cpp_promise
def who_types_keys_is_told_how_they_end(kit):
    kit.build("f", None, "--kind", "block")
    master, slave = pty.openpty()
    with subprocess.Popen([kit.command.path, "query", "f"], cwd=kit.folder, stdin=slave, stdout=subprocess.PIPE, stderr=slave) as process:
        os.close(slave)
        os.write(master, b"key1\n\x04")
        expect(process.stdout.read() == b"maybe\tkey1\n", "the answer")
    text = all_of(master)
    os.close(master)
    expect("keys from the terminal, one a line; Ctrl-D ends them" in text, text)


@cpp_promise
def sizes_are_for_people_with_the_exact_number_beside(kit):
    kit.build("f", None, "--kind", "block", "-n", "1M")
    size = (kit.folder / "f").stat().st_size
    expect(f"file bytes      {size} (1.2 MB)" in plain(shown(kit, "inspect", "f")), "inspect at a terminal")
    expect(f"\nfile bytes      {size}\n" in kit.output("inspect", "f").decode(), "inspect to a pipe")
    expect(f", {size} bytes (1.2 MB), " in plain(shown(kit, "build", "--kind", "block", "-n", "1M", "-o", "f", kit.keys)), "build at a terminal")
    expect(f", {size} bytes, " in kit.output("build", "--kind", "block", "-n", "1M", "-o", "f", kit.keys).decode(), "build to a pipe")


@cpp_promise
def colours_are_for_terminals_that_want_them(kit):
    terminal = {"TERM": "xterm", "NO_COLOR": ""}
    expect("\x1b[1mOptions:\x1b[0m" in shown(kit, "build", "--help", environment=terminal), "bold headings")
    for environment in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": ""}):
        expect("\x1b" not in shown(kit, "build", "--help", environment=environment), f"no colour with {environment}")
    expect(b"\x1b" not in kit.output("build", "--help"), "no colour to a pipe")


@cpp_promise
def errors_and_warnings_are_coloured_on_terminals(kit):
    kit.build("f", None, "--kind", "block")
    for args, stdin, word in ((["plan", "-n", "x"], b"", "\x1b[1;31mbloomery:\x1b[0m n is"), (["query", "f"], b"key1\r\n", "bloomery: \x1b[1;35mwarning:\x1b[0m ")):
        for colour, environment in ((True, {"TERM": "xterm", "NO_COLOR": ""}), (False, {"TERM": "xterm", "NO_COLOR": "1"})):
            errors = Errors(kit, *args, environment=environment)
            errors.process.stdin.write(stdin)
            errors.finish()
            expect((word in errors.text) == colour and ("\x1b" in errors.text) == colour, f"{args}, {environment}: {errors.text!r}")


@cpp_promise
def reading_slow_keys_shows_how_far_it_is(kit):
    """The line is drawn when keys come half a second after the first ones."""
    kit.build("f", None, "--kind", "counting")
    kit.output("table", "build", "-q", "-o", "t", stdin=b"a\tb\n")
    running = [(word, Errors(kit, *args)) for word, args in (
        ("hashing", ["hash"]), ("asking", ["query", "f"]), ("adding", ["build", "--kind", "block", "-n", "1k", "-o", "g"]), ("reading", ["add", "f", "-o", "h"]),
        ("reading", ["build", "--kind", "fuse", "-o", "i"]), ("asking", ["table", "get", "t", "--key-file", "-"]), ("reading", ["table", "build", "-o", "u"]))]  # fmt: skip
    waiting = running
    for _ in range(1800):  # three minutes, of which one second is needed
        for _, errors in waiting:
            errors.process.stdin.write(b"a\tb\n")
            errors.process.stdin.flush()
            errors.read(0)
        waiting = [(word, errors) for word, errors in waiting if f"\r\x1b[K{word} " not in errors.text]
        if not waiting:
            break
        time.sleep(0.1)
    for word, errors in running:
        expect(errors.finish() in (0, 1), f"{word}: {errors.text!r}")
        expect(re.search(f"\r\x1b\\[K{word} [0-9.]+ k?B  [0-9.]+ k?B/s", errors.text), f"{word}: {errors.text!r}")


def has_open(kit, process, writing):
    """Whether the process has the file open that it reads, or another one of the folder, which it writes; or has ended."""
    try:
        for descriptor in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
            path = pathlib.Path(os.readlink(descriptor))
            if path.parent == kit.folder.resolve() and (path.name == "large") != writing:
                return True
    except OSError:  # the process or the descriptor is no more
        pass
    return process.poll() is not None


@cpp_promise
def reading_and_writing_large_files_shows_how_far_it_is(kit):
    """The command is stopped for a while when it reads, or writes; some tries come too late."""
    kit.output("build", "--kind", "block", "-n", "110M", "-q", "-o", "large", kit.keys)
    for args, word in ((["verify", "large"], "reading"), (["inspect", "large"], "reading"), (["merge", "large", "large", "-o", "m"], "writing")):
        for tries in range(200):
            errors = Errors(kit, *args)
            wait_for(lambda: has_open(kit, errors.process, word == "writing"), word)
            time.sleep(0.001 * (tries % 60))
            errors.process.send_signal(signal.SIGSTOP)
            time.sleep(0.6)
            errors.process.send_signal(signal.SIGCONT)
            expect(errors.finish() == 0, f"{args}: {errors.text!r}")
            if f"\r\x1b[K{word} [" in errors.text:
                break
        bars = re.findall(f"\r\x1b\\[K({word} \\[[#.]+\\] +[0-9]+ %  [0-9.]+ [kMG]?B/s  [0-9.]+ (?:s|min|h) left)", errors.text)
        expect(bars and max(map(len, bars)) <= 80, f"{args}: {errors.text!r}")


@cpp_promise
def who_types_keys_of_a_file_is_told_so_once(kit):
    kit.build("f", None, "--kind", "block")
    for args in (["build", "-o", "g"], ["add", "f", "-o", "g"], ["table", "build", "-o", "t"]):
        master, slave = pty.openpty()
        with subprocess.Popen([kit.command.path, *args], cwd=kit.folder, stdin=slave, stdout=subprocess.DEVNULL, stderr=slave) as process:
            os.close(slave)
            os.write(master, b"key1\tvalue\n\x04")
            expect(process.wait(PATIENCE) == 0 or args[0] == "table", args)
        text = all_of(master)
        os.close(master)
        expect(text.count("keys from the terminal") == 1 or "no tables" in text, f"{args}: {text!r}")
