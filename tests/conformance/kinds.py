"""Files of every kind: the golden ones of kinds.json, and those that the C++ command alone builds. Each command that
reads a kind gives the same answers and the same inspection."""

import matrix
from harness import FILE, key_file, numbered, secret_option, vectors

READ_EVERY_KIND = ("cpp", "rust", "go")  # labels of the commands that do; the others refuse by name what they do not read
READ_RECORDS = ("cpp", "rust", "go")

# build options of what C++ alone makes, and what is done to the file afterwards
BUILT = [
    ("counting", [], 1000, None), ("counting", ["--geometry", "counter_bits=32", "--fpr", "0.2"], 40, None),
    ("counting", ["--geometry", "m=1025,k=3,counter_bits=4"], 300, "remove"),
    ("partitioned", [], 1000, None), ("partitioned", ["--fpr", "1e-5", "--hash", "xxh64", "--seed", "9"], 30000, None),
    ("partitioned", ["--geometry", "slice_bits=3,k=30"], 2, None),
    ("scalable", ["-n", "10"], 1000, None), ("scalable", ["-n", "100", "--geometry", "growth=1"], 700, "add"),
    ("stable", [], 1000, None), ("stable", ["-n", "100", "--fpr", "0.001"], 1000, "add"),
    ("cuckoo", [], 1000, "remove"), ("cuckoo", ["--fpr", "0.001"], 30000, None), ("cuckoo", ["--fpr", "0.03"], 30000, None),
    ("quotient", [], 1000, "remove"), ("quotient", ["--fpr", "1e-9"], 30000, "resize"), ("quotient", ["-n", "5"], 0, None),
    ("ribbon", [], 1000, None), ("ribbon", ["--fpr", "1e-6"], 30000, None), ("ribbon", ["--hash", "siphash13"], 30000, None),
    ("ribbon", ["--fpr", "0.3"], 5, None), ("ribbon", [], 0, None),
]  # fmt: skip


def run(bins, report, folder):
    readers = {label: command for label, command in bins.items() if label in READ_EVERY_KIND}
    for number, row in enumerate(vectors("kinds.json")["files"]):
        golden(readers, number, row, report, folder)
    if "cpp" in bins and len(readers) > 1:
        for kind, args, keys, change in BUILT:
            built(bins["cpp"], readers, (kind, args, keys, change), report, folder)


def golden(readers, number, row, report, folder):
    """The answers are those of the row. Files with records are for those who read records."""
    records = any(row[name] is not None for name in ("label", "created", "key_type", "chunk_bytes"))
    readers = {label: command for label, command in readers.items() if not records or label in READ_RECORDS}
    (folder / FILE).write_bytes(bytes.fromhex(row["hex"]))
    keys = numbered(b"key", row["keys"]) + numbered(b"miss", 100)
    denied, maybes = set(named(b"key", row["denied"])), set(named(b"miss", row["maybes"]))
    no = b"unseen\t" if row["kind"] == "stable" else b"no\t"
    present = lambda key: key in maybes if key.startswith(b"miss") else key not in denied
    wanted = b"".join((b"maybe\t" if present(key) else no) + key + b"\n" for key in keys)
    path, options = key_file(folder / "keys", keys), secret_option(folder, row["secret"])
    for label, command in readers.items():
        done = command.run("query", *options, FILE, path, cwd=folder)
        report.equal("every kind, golden files", f"{label}: file {number}, {row['kind']}", done.stdout, wanted)
    matrix.inspect_equal(readers, report, f"kinds.json, file {number}, {row['kind']}", folder, ([], ["--json"]))


def named(word, rows):
    return [b"%s%d" % (word, row) if isinstance(row, int) else row.encode() for row in rows]


def built(writer, readers, case, report, folder):
    kind, args, count, change = case
    name = f"{kind} of {count} keys {' '.join(args)}"
    keys, options = numbered(b"key", count), secret_option(folder, "0f" * 16 if "siphash13" in args else None)
    path = key_file(folder / "keys", keys)
    done = writer.run("build", "--kind", kind, *args, *options, "-q", "-o", FILE, path, cwd=folder)
    if not report.equal("every kind, built", f"{name}: {done.stderr[:200]!r}", done.returncode, 0):
        return
    if change:
        some = [] if change == "resize" else [key_file(folder / "some", numbered(b"new" if change == "add" else b"key", 100))]
        done = writer.run(change, *options, FILE, *some, cwd=folder)
        report.check("every kind, built", f"{name}, {change}", done.returncode == 0, f"{done.stderr[:200]!r}")
    asked = key_file(folder / "asked", keys[::7] + numbered(b"miss", 1000))
    answers = {label: command.run("query", *options, FILE, asked, cwd=folder).stdout for label, command in readers.items()}
    matrix.all_equal(readers, report, "every kind, answers equal", name, answers)
    matrix.inspect_equal(readers, report, name, folder, ([], ["--json"]))
    if kind != "stable" and change != "remove":
        for label, answer in answers.items():
            good = answer.count(b"maybe\tkey") == len(keys[::7])
            report.check("every kind, answers equal", f"{label}: {name}, a present key is denied", good)

