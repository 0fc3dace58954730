"""Files of the kinds that C++ alone writes: every reader of all kinds prints what C++ prints, for queries and inspect."""

from harness import FILE, key_file, numbered, secret_option

READERS = {"cpp", "rust"}  # the commands that read every kind
SECRET = "0f" * 16

# build options, and how many keys
FILTERS = [
    ("--kind partitioned", 1000), ("--kind partitioned --fpr 0.3 -n 1", 0), ("--kind partitioned --geometry slice_bits=1,k=30", 3),
    ("--kind partitioned --geometry slice_bits=3,k=7", 50), ("--kind partitioned --fpr 1e-6 --hash xxh64 --seed 9", 30000),
    ("--kind counting", 1000), ("--kind counting --geometry counter_bits=32", 1000), ("--kind counting --fpr 0.1 -n 300", 30),
    ("--kind counting --geometry m=1025,k=30,counter_bits=4", 2000), ("--kind counting --fpr 1e-4 --hash fnv_splitmix", 30000),
    ("--kind cuckoo", 1000), ("--kind cuckoo --fpr 0.1", 30000), ("--kind cuckoo --fpr 0.0005 --hash siphash13", 30000),
    ("--kind cuckoo -n 1", 1), ("--kind cuckoo", 0),
    ("--kind quotient", 1000), ("--kind quotient --fpr 1e-7", 30000), ("--kind quotient --geometry quotient_bits=3,remainder_bits=5", 7),
    ("--kind quotient -n 972", 972), ("--kind quotient", 0), ("--kind quotient --geometry quotient_bits=15,remainder_bits=49", 30000),
    ("--kind ribbon", 1000), ("--kind ribbon", 0), ("--kind ribbon", 6), ("--kind ribbon", 7), ("--kind ribbon --fpr 0.001", 30000),
    ("--kind ribbon --fpr 1e-9", 3000), ("--kind ribbon --fpr 0.4 --hash siphash24", 30000),
    ("--kind scalable -n 10", 30000), ("--kind scalable", 1000), ("--kind scalable --fpr 1e-4 --geometry growth=1 -n 500", 3000),
    ("--kind stable", 1000), ("--kind stable --fpr 0.1 -n 500", 30000), ("--kind stable --geometry lines=1,k=5,decrement=27", 12),
    ("--kind stable --geometry lines=77,k=16,decrement=256 --hash xxh3 --seed 3", 1000),
]  # fmt: skip


def run(bins, report, folder):
    """Needs the C++ command, which alone writes them."""
    if "cpp" not in bins:
        return
    keys = numbered(b"key", 30000)
    asked = key_file(folder / "asked", keys[:2000] + numbered(b"miss", 2000))
    for line, count in FILTERS:
        path = key_file(folder / "keys", keys[:count])
        secret = secret_option(folder, SECRET) if "siphash" in line else []
        done = bins["cpp"].run("build", *line.split(), *secret, "-q", "-o", FILE, path, cwd=folder)
        what = f"{line}, {count} keys"
        if not report.equal("every kind, build", what, (done.returncode, done.stderr[:200]), (0, b"")):
            continue
        for args in (["query", *secret, FILE, asked], ["inspect", FILE], ["inspect", "--json", FILE]):
            wanted = bins["cpp"].run(*args, cwd=folder)
            if args[0] == "query" and "stable" not in line:
                denied = [key for key in keys[: min(count, 2000)] if b"no\t" + key + b"\n" in wanted.stdout]
                report.equal("every kind, query", f"cpp: {what}, keys denied", denied, [])
            for label in sorted(set(bins) & READERS - {"cpp"}):
                done = bins[label].run(*args, cwd=folder)
                group = f"every kind, {args[0]}"
                report.equal(group, f"{label}: {what}", done.stdout, wanted.stdout)
                report.equal(group, f"{label}: {what}, exit status", done.returncode, wanted.returncode)
        damaged(bins, report, folder, what)


def damaged(bins, report, folder, what):
    """One flipped bit in every seventh byte of the header, and at both ends of the payload."""
    file = (folder / FILE).read_bytes()
    for at in [*range(0, 128, 7), 128, len(file) - 1]:
        (folder / FILE).write_bytes(file[:at] + bytes([file[at] ^ 4]) + file[at + 1 :])
        for label in sorted(set(bins) & READERS - {"cpp"}):
            done = bins[label].run("inspect", FILE, cwd=folder)
            fault = bins[label].refusal_fault(done)
            report.check("every kind, damaged", f"{label}: {what}, byte {at}", fault is None, fault or "")
