"""The checks of the matrix. Each takes the commands as {label: Command} and tells the Report what it saw."""

import hashlib

import kinds
import refusals
from harness import FILE, key_file, numbered, secret_option, vectors


def run(bins, cases, report, folder):
    pairs = {(w, r): [0, 0] for w in bins for r in bins}
    golden_hashes(bins, report, folder)
    equal_hashes(bins, report, folder)
    golden_output(bins, report, folder)
    golden_envelopes(bins, report, folder)
    golden_blocks(bins, report, folder)
    kinds.run(bins, report, folder)
    for case in cases:
        build_and_read(bins, case, report, folder, pairs)
    refusals.run(bins, report, folder)
    print_pairs(bins, pairs)


def print_pairs(bins, pairs):
    print("queries passed/made, a row a writer, a column a reader")
    print(f"{'':8}" + "".join(f"{reader:>12}" for reader in bins))
    for writer in bins:
        cells = (f"{good}/{good + bad}" for good, bad in (pairs[writer, reader] for reader in bins))
        print(f"{writer:8}" + "".join(f"{cell:>12}" for cell in cells))


def all_equal(bins, report, group, what, outputs, wanted=None):
    """outputs: {label: bytes}. Held against `wanted`, or else against the first of them."""
    first = next(iter(outputs))
    if wanted is None:
        if len(outputs) == 1:
            return
        wanted = outputs[first]
    for label, output in outputs.items():
        if label != first or output is not wanted:
            report.equal(group, f"{label}: {what}", output, wanted)


def hash_lines(values, keys, nul):
    end = b"\0" if nul else b"\n"
    return b"".join(value.encode() + b"\t" + key + end for value, key in zip(values, keys))


def golden_hashes(bins, report, folder):
    """Every row of hash.json and classic.json that can be given as a line, or as a string before a NUL."""
    golden = vectors("hash.json")
    rows = [(bytes.fromhex(row["key_hex"]), row) for row in golden["rows"] + golden["integers"] if "key_hex" in row]
    rows += [(bytes(1 + i % 251 for i in range(row["length"])), row) for row in golden["rows_without_nul"]]
    rows += [(bytes.fromhex(row["key_hex"]), {"fnv_splitmix": row["mix64"]}) for row in vectors("classic.json")["hash"]]
    for nul in (False, True):
        usable = [(key, row) for key, row in rows if (b"\0" if nul else b"\n") not in key]
        options = ["-0"] if nul else []
        fnv = [(key, row["fnv_splitmix"]) for key, row in usable]
        hash_case(bins, report, folder, options, nul, fnv)
        hash_case(bins, report, folder, ["--hash", "fnv_splitmix"] + options, nul, fnv)
        usable = [(key, row) for key, row in usable if "xxh3" in row]
        for name in ("xxh3", "xxh64"):
            for i, seed in enumerate(golden["seeds"]):
                for text in ("0x" + seed, str(int(seed, 16))):
                    wanted = [(key, row[name][i]) for key, row in usable]
                    hash_case(bins, report, folder, ["--hash", name, "--seed", text] + options, nul, wanted)
        for name in ("siphash13", "siphash24"):
            for i, entry in enumerate(golden["secrets"]):
                wanted = [(key, row[name][i]) for key, row in usable]
                secret = secret_option(folder, entry["secret"])
                hash_case(bins, report, folder, ["--hash", name] + secret + options, nul, wanted)


def hash_case(bins, report, folder, args, nul, wanted):
    keys = [key for key, _ in wanted]
    path = key_file(folder / "keys", keys, nul)
    output = hash_lines([value for _, value in wanted], keys, nul)
    for label, command in bins.items():
        done = command.run("hash", *args, path, cwd=folder)
        name = " ".join(arg for arg in args if "/" not in arg)
        good = report.equal("hash, golden rows", f"{label}: hash {name}", done.stdout, output)
        if good:
            report.equal("hash, golden rows", f"{label}: hash {name}, exit status", done.returncode, 0)


def equal_hashes(bins, report, folder):
    """Keys of every length up to 1,100 from standard input: the commands agree."""
    keys = [bytes(33 + (i * length) % 94 for i in range(length)) for length in range(1100)]
    for name in ("fnv_splitmix", "xxh3", "xxh64"):
        lines = b"\n".join(keys)
        outputs = {label: c.run("hash", "--hash", name, "-", cwd=folder, stdin=lines).stdout for label, c in bins.items()}
        all_equal(bins, report, "hash, every length", name, outputs)


def golden_output(bins, report, folder):
    """cli.json: what build and inspect print."""
    for row in vectors("cli.json")["rows"]:
        path = key_file(folder / "keys", numbered(b"key", row["keys"]))
        args = row["args"] + secret_option(folder, row["secret"])
        name = f"{row['keys']} keys, {' '.join(row['args']) or 'default'}"
        for label, command in bins.items():
            done = command.run("build", *args, "-o", FILE, path, cwd=folder)
            report.equal("build, golden output", f"{label}: {name}", done.stdout, row["build"].replace("FILE", FILE).encode())
            for option, key in (([], "inspect"), (["--json"], "inspect_json")):
                done = command.run("inspect", *option, FILE, cwd=folder)
                report.equal("inspect, golden output", f"{label}: {name}, {key}", done.stdout, row[key].encode())


def golden_envelopes(bins, report, folder):
    """The valid files of envelope.json, as bytes nobody of ours wrote."""
    for row in vectors("envelope.json")["valid"]:
        (folder / FILE).write_bytes(bytes.fromhex(row["hex"]))
        keys = [(bytes.fromhex(key), True) for key in row["keys_hex"]]
        keys += [(key.encode(), answer) for key, answer in row["absent"].items()]
        nul = any(b"\n" in key for key, _ in keys)
        path = key_file(folder / "keys", [key for key, _ in keys], nul)
        end = b"\0" if nul else b"\n"
        wanted = b"".join((b"maybe\t" if answer else b"no\t") + key + end for key, answer in keys)
        args = secret_option(folder, row["secret"]) + (["-0"] if nul else [])
        for label, command in bins.items():
            done = command.run("query", *args, FILE, path, cwd=folder)
            report.equal("query, golden envelopes", f"{label}: {row['name']}", done.stdout, wanted)
            status = 0 if all(answer for _, answer in keys) else 1
            report.equal("query, golden envelopes", f"{label}: {row['name']}, exit status", done.returncode, status)
        inspect_equal(bins, report, row["name"], folder)


def golden_blocks(bins, report, folder):
    """The files of blocked.json that no command of ours writes, and the kinds that Rust and Go refuse by name: to build,
    and, where they do not read every kind, to read. An iblt is no filter."""
    golden = vectors("blocked.json")
    row = next(row for row in golden["files"] if row["key_count"] is None)
    (folder / FILE).write_bytes(bytes.fromhex(row["hex"]))
    inspect_equal(bins, report, f"{row['kind']} of unknown key count", folder)
    for row in golden["other_kinds"]:
        (folder / FILE).write_bytes(bytes.fromhex(row["hex"]))
        for label in set(bins) & {"rust", "go"}:
            read = [] if label in kinds.READ_EVERY_KIND and row["kind"] != "iblt" else [["inspect", FILE], ["query", FILE]]
            for args in (*read, ["build", "--kind", row["kind"], "-o", "other"]):
                done = bins[label].run(*args, cwd=folder)
                fault = bins[label].refusal_fault(done)
                if fault is None and row["kind"].encode() not in done.stderr:
                    fault = f"does not name the kind: {done.stderr!r}"
                report.check("other kinds", f"{label}: {args[0]}, {row['kind']}", fault is None, fault or "")


def inspect_equal(bins, report, name, where, options=(["--json"],)):
    """JSON has every number that the text has; how the text looks is held by golden_output."""
    for option in options:
        done = {label: c.run("inspect", *option, FILE, cwd=where) for label, c in bins.items()}
        for label, one in done.items():
            report.check("inspect, all equal", f"{label}: {name}, exit status", one.returncode == 0, str(one.stderr[:200]))
        all_equal(bins, report, "inspect, all equal", name, {label: one.stdout for label, one in done.items()})


def build_and_read(bins, case, report, folder, pairs):
    """One filter: built by each command, the files compared, each file queried by each command."""
    path = folder / "keys"
    key_file(path, case.keys, case.nul)
    if not case.final_end:
        path.write_bytes(path.read_bytes()[:-1])
    options = secret_option(folder, case.secret) + (["-0"] if case.nul else [])
    files, lines = {}, {}
    for label, command in bins.items():
        where = folder / label
        where.mkdir(exist_ok=True)
        (where / FILE).unlink(missing_ok=True)
        done = command.run("build", *case.args, *options, "-o", FILE, path, cwd=where)
        built = report.equal("build", f"{label}: {case.name}, exit status", done.returncode, 0)
        if not built or not report.check("build", f"{label}: {case.name} left a file", (where / FILE).exists()):
            continue
        lines[label], files[label] = done.stdout, digest(where / FILE)
        if case.quiet:
            report.equal("build", f"{label}: {case.name}", done.stdout, b"")
    if not files:
        return
    all_equal(bins, report, "build, output equal", case.name, lines)
    all_equal(bins, report, "build, files equal", case.name, files, case.sha256)
    read_all(bins, case, report, folder, pairs, files)
    seen = set()
    for label, value in files.items():
        if value not in seen:  # equal files need no second look
            seen.add(value)
            inspect_equal(bins, report, case.name, folder / label, case.inspect)
    for label in files:
        (folder / label / FILE).unlink()


def read_all(bins, case, report, folder, pairs, files):
    step = max(1, len(case.keys) // 1000)
    present, absent = case.keys[::step], [key for key in case.absent]
    keys, end = present + absent, b"\0" if case.nul else b"\n"
    path = key_file(folder / "asked", keys, case.nul)
    options = secret_option(folder, case.secret) + (["-0"] if case.nul else [])
    first = None
    for writer in files:
        for reader, command in bins.items():
            done = command.run("query", *options, FILE, path, cwd=folder / writer)
            first = done.stdout if first is None else first
            answers = done.stdout.split(end)[:-1]
            nos = sum(answer.startswith(b"no\t") for answer in answers)
            faults = [
                (answers[: len(present)] != [b"maybe\t" + key for key in present], "a present key was denied"),
                ([a.partition(b"\t")[2] for a in answers] != keys, "keys are not echoed in order"),
                (done.stdout != first, "answers differ from the first reader's"),
                (case.maybes is not None and nos != len(absent) - case.maybes, f"{nos} absent keys denied"),
                (done.returncode != (1 if nos else 0), f"exit status {done.returncode} after {nos} no"),
            ]
            fault = "; ".join(text for bad, text in faults if bad)
            report.check("query", f"{reader} reads {writer}: {case.name}", not fault, fault)
            pairs[writer, reader][1 if fault else 0] += 1


def digest(path):
    value = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            value.update(piece)
    return value.hexdigest()
