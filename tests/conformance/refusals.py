"""What every command must refuse, and what it must only warn of; and that it makes the geometry sizing.md says."""

import struct

from harness import FILE, key_file, numbered, secret_option, vectors

# build options that make no filter
WRONG_OPTIONS = [
    "-n 0", "-n -5", "-n 1.5", "-n 10Q", "-n ten", "-n 18446744073709551616", "--fpr 0", "--fpr 1", "--fpr 2", "--fpr -0.5",
    "--fpr nan", "--fpr inf", "--fpr zero", "--bits-per-key 0", "--bits-per-key -1", "--bits-per-key nan", "-m 10", "-k 7",
    "-m 0 -k 7", "-m 10 -k 0", "-m 10 -k 31", "-m 10 -k 7 --fpr 0.01", "-m 10 -k 7 --bits-per-key 10", "-m 1e30 -k 7",
    "--hash xxh3", "--hash siphash13", "--envelope --hash siphash13", "--envelope --hash siphash24", "--envelope --hash md5",
    "--envelope --hash xxh3 --seed 18446744073709551616", "--envelope --hash xxh3 --seed -1",
    "--envelope --hash xxh3 --seed 0xg", "--envelope --seed 5", "--kind bogus", "--bogus", "--blocks 10 -k 3", "--kind split -m 9 -k 3",
    "--kind split --fpr 1e-6", "--kind split --blocks 0", "--kind split --blocks 268435457", "--kind split --blocks 9 --fpr 0.01",
    "--kind block --fpr 1e-9", "--kind block --blocks 9", "--kind block --blocks 9 -k 17", "--kind block --blocks 9 -k 0",
    "--kind block --geometry k=5", "--kind block --geometry k=5,blocks", "--kind block --geometry k=5,k=6,blocks=1",
    "--kind fuse -n 1000", "--kind fuse --fpr 1e-5", "--kind fuse --geometry arity=5", "--kind fuse --blocks 9", "--kind fuse -k 3",
    "--kind fuse --geometry arity=3,keys=1000", "--kind fuse --bits-per-key 3", "--kind fuse --fpr 0.1 --bits-per-key 20",
    "--kind block --blocks 9 -k 3 --bits-per-key 9", "--kind block --hash siphash13", "--kind split --seed 1 --hash fnv_splitmix",
]  # fmt: skip
WRONG_SECRETS = [b"", b"\n", b"00" * 15 + b"0", b"00" * 16 + b"0", b"0x" + b"00" * 16, b" " + b"00" * 16, b"00" * 16 + b"\n\n",
                 b"zz" * 16, b"00" * 16 + b" \n", b"00" * 8 + b"\n" + b"00" * 8]  # fmt: skip


def run(bins, report, folder):
    for label, command in bins.items():
        check = Checks(label, command, report, folder)
        check.geometries()
        check.blocks()
        check.warnings()
        check.invalid_files()
        check.wrong_options()
        check.wrong_secrets()


class Checks:
    def __init__(self, label, command, report, folder, every=1):
        """every: only so many-th of the golden rows."""
        self.label, self.command, self.report, self.folder, self.every = label, command, report, folder, every
        self.keys = key_file(folder / "keys", numbered(b"key", 1000))  # enough that no warning is due

    def refused(self, group, what, *args, stdin=b""):
        done = self.command.run(*args, cwd=self.folder, stdin=stdin)
        fault = self.command.refusal_fault(done)
        self.report.check(group, f"{self.label}: {what}", fault is None, fault or "")

    def geometries(self):
        """Rows of sizing.json, seen in the first 12 bytes of the raw file."""
        golden = vectors("sizing.json")
        rows = [(["-n", row["n"], "--fpr", repr(row["fpr"])], row) for row in golden["classic"][::10] if row["n"] <= 10**5]
        rows += [(["-n", row["n"], "--bits-per-key", row["bits_per_key"]], row) for row in golden["bits_per_key"]]
        for args, row in rows[:: self.every]:
            self.made("sizing.json", args, 12, lambda start: struct.unpack("<IQ", start), (row["k"], row["m"]))

    def blocks(self):
        """Rows of blocked.json, seen in the geometry of the envelope."""
        golden = vectors("blocked.json")
        for row in (golden["split_sizing"] + golden["block_sizing"])[:: self.every]:
            if row["n"] <= 10**6:
                kind, k = ("block", row["k"]) if "k" in row else ("split", 0)
                args = ["--kind", kind, "-n", row["n"], "--fpr", repr(row["fpr"])]
                self.made("blocked.json, sizes", args, 64, lambda start: struct.unpack("<QQ", start[48:]), (row["blocks"], k))

    def made(self, group, args, length, geometry, wanted):
        done = self.command.run("build", *args, "-q", "-o", FILE, cwd=self.folder)
        what = f"{self.label}: {' '.join(map(str, args))}"
        if self.report.equal(group, what, done.returncode, 0):
            with (self.folder / FILE).open("rb") as file:
                self.report.equal(group, what, geometry(file.read(length)), wanted)

    def warnings(self):
        for row in vectors("sizing.json")["plan"][:: self.every]:
            args = ["build", "-n", row["n"], "--fpr", repr(row["fpr"]), "-o", FILE]
            what = f"plan n = {row['n']}, fpr = {row['fpr']} is {row['verdict']}"
            if row["verdict"] == "refused":
                self.refused("sizing.json, verdicts", what, *args)
            elif row["n"] <= 10**6:
                done = self.command.run(*args, cwd=self.folder)
                lines = 1 if row["verdict"] == "warned" else 0
                good = done.returncode == 0 and len(done.stderr.splitlines()) == lines
                detail = f"exit status {done.returncode}, stderr {done.stderr[:200]!r}"
                self.report.check("sizing.json, verdicts", f"{self.label}: {what}", good, detail)

    def invalid_files(self):
        for name in ("classic.json", "envelope.json", "blocked.json"):
            for row in vectors(name)["invalid"][:: self.every]:
                (self.folder / FILE).write_bytes(bytes.fromhex(row["hex"]))
                for args in (["query", FILE, self.keys], ["inspect", FILE]):
                    self.refused(f"invalid files of {name}", f"{args[0]}, {row['why']}", *args)
        self.refused("invalid files", "inspect --json", "inspect", "--json", FILE)
        self.refused("invalid files", "query, no such file", "query", "no-such-file", self.keys)
        self.refused("invalid files", "inspect, no such file", "inspect", "no-such-file")
        self.refused("invalid files", "inspect of a directory", "inspect", str(self.folder))

    def wrong_options(self):
        golden = vectors("sizing.json")["refused"]
        options = [text.split() for text in WRONG_OPTIONS] + [["-n", row["n"], "--fpr", row["fpr"]] for row in golden]
        (self.folder / FILE).write_bytes(b"old")
        for args in options:
            what = "build " + " ".join(map(str, args))
            self.refused("wrong options", what, "build", *args, "-o", FILE, self.keys)
            left = (self.folder / FILE).read_bytes()
            self.report.equal("wrong options", f"{self.label}: {what} leaves the old file", left, b"old")
        self.refused("wrong options", "build without -o", "build", self.keys)
        self.refused("wrong options", "build, no such key file", "build", "-o", FILE, "no-such-file")
        self.refused("wrong options", "build into no such folder", "build", "-o", "none/such", self.keys)
        self.refused("wrong options", "build onto a folder", "build", "-o", str(self.folder), self.keys)
        self.refused("wrong options", "no such command", "bogus")
        bare, asked = (self.command.run(*args, cwd=self.folder) for args in ([], ["--help"]))
        self.report.equal("wrong options", f"{self.label}: no command shows the help", (bare.returncode, bare.stdout), (0, asked.stdout))
        self.refused("wrong options", "hash, no such key file", "hash", "no-such-file")
        for args in (["--hash", "md5"], ["--hash", "siphash13"], ["--bogus"], ["--seed", "x", "--hash", "xxh3"]):
            self.refused("wrong options", "hash " + " ".join(args), "hash", *args, self.keys)

    def wrong_secrets(self):
        group, secret = "secrets", self.folder / "secret"
        keyed = ["--envelope", "--hash", "siphash13", "--secret", str(secret)]
        for text in WRONG_SECRETS:
            secret.write_bytes(text)
            self.refused(group, f"secret file {text!r}", "hash", "--hash", "siphash24", "--secret", str(secret), self.keys)
            self.refused(group, f"secret file {text!r}, build", "build", *keyed, "-o", FILE, self.keys)
        secret.unlink()
        self.refused(group, "no such secret file", "build", *keyed, "-o", FILE, self.keys)
        outputs = set()
        for text in (b"AbCdEf" * 5 + b"00", b"abcdef" * 5 + b"00\n"):
            secret.write_bytes(text)
            done = self.command.run("build", *keyed, "-o", FILE, self.keys, cwd=self.folder)
            self.report.equal(group, f"{self.label}: upper and lower case, with and without line end", done.returncode, 0)
            outputs.add((self.folder / FILE).read_bytes())
        self.report.equal(group, f"{self.label}: the case of a secret's digits does not matter", len(outputs), 1)
        self.refused(group, "query of a keyed file without its secret", "query", FILE, self.keys)
        wrong = secret_option(self.folder, "ab" * 16)
        self.refused(group, "query with the wrong secret", "query", *wrong, FILE, self.keys)
        done = self.command.run("inspect", FILE, cwd=self.folder)
        self.report.equal(group, f"{self.label}: inspect needs no secret", done.returncode, 0)
