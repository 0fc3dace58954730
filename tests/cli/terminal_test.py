"""What people see: output to a terminal of 80 columns, made with a pseudo-terminal."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from kit import cpp_promise, expect
from harness import with_kind


def shown(kit, *args, columns=80, environment=None):
    """What a terminal gets on standard output; the command has to succeed."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([kit.command.path, *with_kind(args)], cwd=kit.folder, stdout=slave, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={**os.environ, **(environment or {})}) as process:  # fmt: skip
        os.close(slave)
        text = b""
        try:
            while chunk := os.read(master, 65536):
                text += chunk
        except OSError:  # the other side is closed
            pass
        error = process.stderr.read()
    os.close(master)
    expect(process.returncode == 0, f"{args}: exit status {process.returncode}, {error!r}")
    return text.decode().replace("\r\n", "\n")


def plain(text):
    return re.sub("\x1b\\[[0-9;]*m", "", text)


@cpp_promise
def no_line_is_wider_than_the_terminal(kit):
    kit.build("f", None, "--kind", "block")
    kit.output("table", "build", "-q", "-o", "t", stdin=b"a\tb\n")
    for args in (["--help"], ["build", "--help"], ["plan", "-n", "1M"], ["plan", "-n", "1M", "--all"], ["plan", "--current", "10M", "--growth", "30%/y"],
                 ["plan", "--current", "10M", "--growth", "30%/y", "--all"], ["inspect", "f"], ["table", "stats", "t"], ["help", "choosing"],
                 ["--version", "--verbose"], ["iblt-size", "--differences", "100"]):  # fmt: skip
        for columns in (80, 100, 200):
            wide = [line for line in plain(shown(kit, *args, columns=columns)).splitlines() if len(line) > columns]
            expect(not wide, f"{args} at {columns} columns: {wide}")


@cpp_promise
def sizes_are_for_people_with_the_exact_number_beside(kit):
    kit.build("f", None, "--kind", "block", "-n", "1M")
    size = (kit.folder / "f").stat().st_size
    expect(f"file bytes      {size} (1.2 MB)" in plain(shown(kit, "inspect", "f")), "inspect at a terminal")
    expect(f"\nfile bytes      {size}\n" in kit.output("inspect", "f").decode(), "inspect to a pipe")


@cpp_promise
def colours_are_for_terminals_that_want_them(kit):
    terminal = {"TERM": "xterm", "NO_COLOR": ""}
    expect("\x1b[1mOptions:\x1b[0m" in shown(kit, "build", "--help", environment=terminal), "bold headings")
    for environment in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": ""}):
        expect("\x1b" not in shown(kit, "build", "--help", environment=environment), f"no colour with {environment}")
    expect(b"\x1b" not in kit.output("build", "--help"), "no colour to a pipe")
