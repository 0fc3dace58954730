#!/usr/bin/env python3
"""Times filters of other languages on the keys of our benchmark, and ours beside them in the same run.

Rust: fastbloom, sbbf-rs; Go: bits-and-blooms/bloom, blobloom; each with the sibling of this repository. The programs
are in others/, pinned by lock files; what they need is fetched and built into build/peers/. A toolchain or a registry
that is not there is skipped by name.

usage: bench/peers/others.py [--n 100k,1M,10M] [--only LANGUAGE] [--json FILE] [--bloomery build/bloomery]

Exit status: 0 done, also when all was skipped; 1 a program failed or lost a key; 2 the arguments make no sense.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import ahead

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bench/peers/others"
OUT = ROOT / "build/peers"
OLDEST_CARGO = 78  # 1.78: rust-version of Cargo.toml, and the version of the lock file
KINDS = "classic,split,block"
COLUMNS = [("add", "add"), ("contains_present", "contains present"), ("contains_absent", "contains absent"),
           ("add_many", "batch add"), ("contains_many_present", "batch present"), ("contains_many_absent", "batch absent")]

ABOUT = """
Medians of 15 windows or more of fresh keys; making keys is not timed. Key i is splitmix64(i): "keys" are its 8 bytes,
little-endian, and the library hashes them; "hashes" are given as they are, and no hashing is in the figure. Sizes are each
library's own for n and 1 % (sbbf-rs has none: 10.5 bits a key, from Parquet's specification). "batch" is the call
for many keys; "-": the library has no such call. Below each table: how many times as long we take where another is ahead.
"""


class Skipped(Exception):
    """Why something is not run."""


class Failed(Exception):
    """Why something that was run has no figures."""


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


def last_line(done):
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit status {done.returncode}"


def first_error(done):
    return next((line for line in done.stderr.splitlines() if re.match(r"error|go: ", line)), last_line(done))


def candidates(name, *folders):
    """Programs of that name, on PATH first, then where the installers put them."""
    found = [shutil.which(name)] + [shutil.which(name, path=str(folder)) for folder in folders]
    return list(dict.fromkeys(path for path in found if path))


class Rust:
    language = "Rust"
    libraries = "fastbloom, sbbf-rs"
    program = OUT / "rust/release/bloomery-peers"

    def build(self):
        """Builds the program; returns a line that says how."""
        cargo = self.find()
        manifest = HERE / "rust/Cargo.toml"
        # rustup's cargo and a rustc of Debian do not go together.
        env = dict(os.environ, CARGO_TARGET_DIR=str(OUT / "rust"), CARGO_NET_RETRY="0", CARGO_HTTP_TIMEOUT="20",
                   PATH=f"{pathlib.Path(cargo).parent}{os.pathsep}{os.environ['PATH']}")
        host = re.search(r"^host: (.*)", run(["rustc", "-vV"], env=env).stdout, re.MULTILINE)
        target = ["--target", host[1]] if host else []
        fetched = run([cargo, "fetch", "--locked", *target, "--manifest-path", manifest], env=env)
        if fetched.returncode != 0:
            raise Skipped(f"the crates are neither here nor to be fetched ({first_error(fetched)})")
        built = run([cargo, "build", "--release", "--locked", "--offline", "--manifest-path", manifest], env=env)
        if built.returncode != 0:
            raise Failed(f"cargo build: {first_error(built)}")
        flags = os.environ.get("RUSTFLAGS") or "none, so the baseline of the target"
        return f"{run(['rustc', '--version'], env=env).stdout.strip()}, release profile, RUSTFLAGS: {flags}"

    @staticmethod
    def find():
        home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
        found = candidates("cargo", home / "bin")
        if not found:
            raise Skipped("cargo is not installed")
        for cargo in found:
            version = re.match(r"cargo 1\.(\d+)\.", run([cargo, "--version"]).stdout)
            if version and int(version[1]) >= OLDEST_CARGO:
                return cargo
        raise Skipped(f"cargo is older than 1.{OLDEST_CARGO}")

    @staticmethod
    def version(library):
        if library.startswith("bloomery "):
            return ""  # of this commit
        lock = (HERE / "rust/Cargo.lock").read_text()
        return re.search(rf'name = "{library}"\nversion = "(.*)"', lock)[1]


class Go:
    language = "Go"
    libraries = "bits-and-blooms/bloom, blobloom"
    program = OUT / "go/bloomery-peers"

    def build(self):
        found = candidates("go", "/usr/local/go/bin")
        if not found:
            raise Skipped("go is not installed")
        go, folder = found[0], HERE / "go"
        env = dict(os.environ, GOWORK="off")
        fetched = run([go, "mod", "download"], cwd=folder, env=env)
        if fetched.returncode != 0:
            raise Skipped(f"the modules are neither here nor to be fetched ({first_error(fetched)})")
        built = run([go, "build", "-mod=readonly", "-o", self.program, "."], cwd=folder, env=env)
        if built.returncode != 0:
            raise Failed(f"go build: {first_error(built)}")
        level = {"x86_64": "GOAMD64", "aarch64": "GOARM64"}.get(platform.machine(), "GOARCH")
        return f"{run([go, 'version'], env=env).stdout.strip()}, {level}: {run([go, 'env', level], env=env).stdout.strip()}"

    @staticmethod
    def version(library):
        if library.startswith("bloomery "):
            return ""  # of this commit
        return re.search(rf"{library}\S* v(\S+)", (HERE / "go/go.mod").read_text())[1]


def measure_peers(toolchain, n):
    done = run([toolchain.program, n])
    if done.returncode != 0:
        raise Failed(last_line(done))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for row in rows:
        row.update(language=toolchain.language, version=toolchain.version(row["library"]))
    return rows


def measure_ours(bloomery, n):
    """Our kinds in the same shape; of each operation the first row on one thread."""
    if not os.access(bloomery, os.X_OK):
        raise Skipped(f"{bloomery} is not there: run 'make build'")
    done = run([bloomery, "bench", "--kind", KINDS, "--n", n, "--json"])
    if "no command 'bench'" in done.stderr:
        raise Skipped(f"{bloomery} has no command bench")
    if done.returncode != 0:
        raise Failed(last_line(done))
    rows = {}
    for figure in json.loads(done.stdout)["rows"]:
        if figure.get("threads", 1) > 1 or figure["n"] != n:
            continue
        row = rows.setdefault((figure["kind"], figure["keys"]), {
            "library": f"bloomery {figure['kind']}", "language": "C++", "n": n, "ns": {}, "version": "",
            "takes": {"u64": "hashes", "string": "strings"}.get(figure["keys"], figure["keys"]),
            "clock": "thread CPU time", "note": ""})
        if figure["op"] == "contains_many_absent":
            row["note"] = f"batches by {figure['isa']}, {figure['pages']} pages"
        row["ns"].setdefault(figure["op"], figure["ns"])
        for name in ("bits_per_key", "fpr"):
            row.setdefault(name, figure[name])
    return list(rows.values())


def ns_text(ns):
    return "-" if not ns else f"{ns:.2f}" if ns < 10 else f"{ns:.1f}" if ns < 100 else f"{ns:.0f}"


def print_table(n, rows):
    lines = [["library", "language", "takes", *(title for _, title in COLUMNS), "bits per key", "FPR"]]
    for row in rows:
        lines.append([row["library"], row["language"], row["takes"], *(ns_text(row["ns"].get(op)) for op, _ in COLUMNS),
                      f"{row['bits_per_key']:.2f}", f"{100 * row['fpr']:.2f} %"])
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(f"n = {count_text(n)}, 1 %, ns per key")
    for line in lines:
        cells = [cell.ljust(width) if i < 3 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))]
        print("  " + "  ".join(cells).rstrip())
    for line in ahead.of_size(rows):
        print("  " + line)
    print(flush=True)


def count_text(n):
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if n >= unit and n % unit == 0:
            return f"{n // unit}{name}"
    return str(n)


def sizes(text):
    found = []
    for one in text.split(","):
        match = re.fullmatch(r"([1-9]\d{0,8})([kM]?)", one)
        n = int(match[1]) * {"": 1, "k": 1_000, "M": 1_000_000}[match[2]] if match else 0
        if not 1_000 <= n <= 1_000_000_000:
            raise argparse.ArgumentTypeError(f"takes sizes from 1k to 1000M, such as 100k,1M; not '{one}'")
        found.append(n)
    return found


def describe_machine():
    info = pathlib.Path("/proc/cpuinfo")
    cpu = re.search(r"^model name\s*: (.*)", info.read_text() if info.exists() else "", re.MULTILINE)
    return {"cpu": f"{cpu[1] if cpu else 'unknown'} ({platform.machine()})", "cores": os.cpu_count(),
            "load": f"{os.getloadavg()[0]:.1f} in the last minute",
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}


class Report:
    """What came of everything that was tried; each is said once."""

    def __init__(self):
        self.skipped, self.failed, self.rows = [], [], []

    def attempt(self, name, work):
        """What work returns, or None when it was skipped or failed."""
        try:
            return work()
        except Skipped as why:
            self.skipped.append(f"{name}: {why}")
            print(f"skipped: {self.skipped[-1]}", flush=True)
        except Failed as why:
            self.failed.append(f"{name}: {why}")
            print(f"failed: {self.failed[-1]}", file=sys.stderr, flush=True)
        return None


def build_all(report, only):
    """The toolchains whose program is there, and how each was built."""
    ready, built = [], {}
    for toolchain in (Rust(), Go()):
        if only not in ("", toolchain.language):
            continue
        how = report.attempt(toolchain.libraries, toolchain.build)
        if how:
            ready.append(toolchain)
            built[toolchain.language] = how
            print(f"{toolchain.language:<6} {how}", flush=True)
    return ready, built


def measure_all(ready, bloomery, ns, report):
    jobs = {toolchain.libraries: lambda n, t=toolchain: measure_peers(t, n) for toolchain in ready}
    if bloomery:
        jobs["bloomery"] = lambda n: measure_ours(bloomery, n)
    for n in ns:
        found = []
        for name in list(jobs):
            rows = report.attempt(name, lambda: jobs[name](n))
            if rows is None:
                del jobs[name]  # the larger sizes would fare no better
            found += rows or []
        if found:
            print_table(n, found)
        report.rows += found


def print_notes(rows):
    for name, note in dict.fromkeys((f"{row['library']} {row['version']}".strip(), row["note"]) for row in rows):
        print(f"  {name}: {note}" if note else f"  {name}")
    for clock in dict.fromkeys(row["clock"] for row in rows):
        languages = dict.fromkeys(row["language"] for row in rows if row["clock"] == clock)
        print(f"  timed by {clock}: {', '.join(languages)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=sizes, default=sizes("100k,1M,10M"), help="keys of the filters: 100k,1M,10M")
    parser.add_argument("--json", type=pathlib.Path, help="write everything to a file as well")
    parser.add_argument("--bloomery", type=pathlib.Path, default=ROOT / "build/bloomery", help="ours: build/bloomery")
    parser.add_argument("--only", choices=["Rust", "Go"], default="", help="one language, without the C++ beside it")
    args = parser.parse_args()

    machine, report = describe_machine(), Report()
    for name, value in machine.items():
        print(f"{name:<6} {value}")
    ready, built = build_all(report, args.only)
    print(ABOUT)
    measure_all(ready, None if args.only else args.bloomery, args.n, report)
    if report.rows:
        print_notes(report.rows)
    elif not report.failed:
        print("nothing was measured: no toolchain with its libraries is there, and no bloomery with a bench")
    if args.json:
        everything = {"machine": machine, "built": built, "fpr_target": 0.01, "skipped": report.skipped,
                      "failed": report.failed, "rows": report.rows}
        args.json.write_text(json.dumps(everything, indent=1) + "\n")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
