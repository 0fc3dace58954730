"""What the black-box tests share: running a command, counting what passed, writing keys. Used here and by tests/cli."""

import json
import pathlib
import subprocess

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "spec" / "vectors"
SHOWN = 20  # failures told in full
DEFAULT_KIND = "--kind="  # stands for no option at all
FILE = "filter"  # the same name in each writer's folder, since `build` prints it


def vectors(name):
    return json.loads((VECTORS / name).read_text())


def numbered(word, count):
    return [b"%s%d" % (word, i) for i in range(count)]


def key_file(path, keys, nul=False):
    """Writes the keys, each with its terminator, and returns the path as text."""
    end = b"\0" if nul else b"\n"
    path.write_bytes(b"".join(key + end for key in keys))
    return str(path)


def secret_option(folder, secret):
    """The options that give a command this secret (hex, or None for none)."""
    if secret is None:
        return []
    path = folder / f"secret-{secret}"
    path.write_text(secret + "\n")
    return ["--secret", str(path)]


def with_kind(args):
    """`build` makes a classic filter unless told otherwise, as most cases want it; --kind= leaves the choice to the command."""
    args = list(args)
    if DEFAULT_KIND in args:
        return [arg for arg in args if arg != DEFAULT_KIND]
    return [args[0], "--kind", "classic", *args[1:]] if args[:1] == ["build"] and "--kind" not in args else args


class Command:
    """One of the commands under test. name is what its messages begin with."""

    def __init__(self, path, name):
        self.path, self.name = str(pathlib.Path(path).resolve()), name

    def run(self, *args, cwd, stdin=b"", timeout=300):
        """A CompletedProcess with bytes; exit status 'timeout' when it does not end."""
        argv = [self.path, *with_kind(map(str, args))]
        try:
            return subprocess.run(argv, input=stdin, capture_output=True, cwd=cwd, timeout=timeout)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(argv, "timeout", b"", b"")

    def refusal_fault(self, done):
        """None when `done` is a proper error: status 2, nothing on stdout, one line on stderr; else what is wrong."""
        lines = done.stderr.decode(errors="replace").splitlines()
        if done.returncode != 2:
            return f"exit status {done.returncode}, stderr {done.stderr[:200]!r}"
        if done.stdout:
            return f"wrote to stdout: {done.stdout[:80]!r}"
        if len(lines) != 1 or not done.stderr.endswith(b"\n"):
            return f"{len(lines)} lines on stderr: {done.stderr[:300]!r}"
        if not lines[0].startswith(self.name + ": "):
            return f"message does not begin with '{self.name}: ': {lines[0]!r}"
        return None


class Report:
    def __init__(self, quiet=False):
        self.passed, self.failed, self.quiet = 0, 0, quiet
        self.groups = {}

    def check(self, group, what, good, detail=""):
        """Counts one promise; tells of it when it is broken."""
        counts = self.groups.setdefault(group, [0, 0])
        counts[0 if good else 1] += 1
        if good:
            self.passed += 1
            return True
        self.failed += 1
        if not self.quiet and self.failed <= SHOWN:
            print(f"FAILED {group}: {what}" + (f": {detail}" if detail else ""))
        elif not self.quiet and self.failed == SHOWN + 1:
            print("FAILED: more, which are counted only")
        return False

    def equal(self, group, what, got, wanted):
        return self.check(group, what, got == wanted, "" if got == wanted else difference(got, wanted))

    def print_groups(self):
        for group, (passed, failed) in self.groups.items():
            print(f"{group:36}{passed:7} passed" + (f"{failed:7} failed" if failed else ""))

    def finish(self):
        """The last line, and the exit status."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def difference(got, wanted):
    """A short account of the first difference."""
    if not isinstance(got, bytes) or not isinstance(wanted, bytes):
        return f"got {got!r}, wanted {wanted!r}"
    at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
    start = max(0, at - 20)
    return f"byte {at} of {len(got)} and {len(wanted)}: got {got[start:at + 40]!r}, wanted {wanted[start:at + 40]!r}"
