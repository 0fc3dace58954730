"""The filters that the matrix builds: how, from which keys, and what the golden data says of the result."""

import dataclasses
import hashlib

from harness import DEFAULT_KIND, numbered, vectors


BOTH = ([], ["--json"])


@dataclasses.dataclass
class Case:
    name: str
    args: list  # of build, less -o, --secret and the key file
    keys: list
    nul: bool = False
    secret: str | None = None  # hex
    absent: list = dataclasses.field(default_factory=lambda: numbered(b"miss", 1000))
    sha256: str | None = None
    maybes: int | None = None  # how many of absent answer maybe
    final_end: bool = True  # whether the last key has its terminator
    quiet: bool = False
    inspect: tuple = (["--json"],)  # the forms of inspect that are compared


def from_classic():
    for row in vectors("classic.json")["filters"]:
        keys = numbered(b"key", row["n"])
        golden = {"sha256": row["sha256"], "maybes": row["maybe_count_of_1000_misses"]}
        name = f"classic.json, n = {row['n']}"
        yield Case(name, ["--fpr", row["fpr"]], keys, **golden)
        yield Case(f"{name}, -m -k", ["-m", row["m"], "-k", row["k"], "-n", row["n"]], keys, **golden)


def from_envelope():
    for row in vectors("envelope.json")["valid"]:
        keys = [bytes.fromhex(key) for key in row["keys_hex"]]
        if row["key_count"] != len(keys):
            continue  # no command writes such a file; the readers get it in read_golden
        args = ["-m", row["m"], "-k", row["k"], "--envelope", "--hash", row["hash"]]
        if row["seed"]:
            args += ["--seed", "0x" + row["seed"]]
        nul = any(b"\n" in key for key in keys)
        absent = [key.encode() for key in row["absent"]]
        golden = {"sha256": row["sha256"], "maybes": sum(row["absent"].values())}
        yield Case(f"envelope.json, {row['name']}", args, keys, nul, row["secret"], absent, **golden)


def from_blocked():
    """The golden files of split and block."""
    for row in vectors("blocked.json")["files"]:
        if row["key_count"] is None:
            continue
        args = ["--kind", row["kind"], "--blocks", row["blocks"], "--hash", row["hash"]]
        args += ["-k", row["k"]] if row["k"] else []
        args += ["--seed", "0x" + row["seed"]] if row["seed"] else []
        golden = {"sha256": hashlib.sha256(bytes.fromhex(row["hex"])).hexdigest(), "maybes": len(row["maybes"])}
        name = f"blocked.json, {row['kind']} of {row['keys']} keys, {row['hash']}"
        yield Case(name, args, numbered(b"key", row["keys"]), secret=row["secret"], absent=numbered(b"miss", 20), **golden)


def in_blocks():
    """Split and block as people make them."""
    thousand, many = numbered(b"key", 1000), numbered(b"https://example.org/item/", 30000)
    yield Case("the kind that is made by default", [DEFAULT_KIND], thousand, inspect=BOTH)
    yield Case("block, exact geometry", ["--kind", "block", "--geometry", "k=5,blocks=33"], thousand)
    for kind, low in (("split", "1e-5"), ("block", "6e-8")):
        of = ["--kind", kind]
        yield Case(f"{kind}, one key", [*of, "--envelope"], [b"one"], inspect=BOTH)
        yield Case(f"{kind}, no keys", of, [])
        yield Case(f"{kind}, lowest rate", [*of, "--fpr", low, "-n", "3k"], thousand)
        yield Case(f"{kind}, 0.1 %, seed", [*of, "--fpr", "0.001", "--hash", "xxh3", "--seed", "77"], many)
        yield Case(f"{kind}, bits per key", [*of, "--bits-per-key", "13.3"], many)
        full = ["--blocks", "1"] + ([] if kind == "split" else ["-k", "16"])
        yield Case(f"{kind}, full", of + full, thousand, inspect=BOTH)


def fused():
    """Fuse, whose bytes depend on every step of its build."""
    thousand, many = numbered(b"key", 1000), numbered(b"https://example.org/item/", 30000)
    of = ["--kind", "fuse"]
    yield Case("fuse", of, thousand, inspect=BOTH)
    yield Case("fuse, keys twice", [*of, "--envelope"], thousand + thousand)
    yield Case("fuse, 4-wise", [*of, "--geometry", "arity=4"], many, inspect=BOTH)
    yield Case("fuse, 16 bits", [*of, "--fpr", "0.0001", "--hash", "xxh64", "--seed", "3"], many)
    yield Case("fuse, 16 bits, 4-wise, keyed", [*of, "--fpr", "2e-5", "--geometry", "arity=4", "--hash", "siphash13"], thousand, secret="0f" * 16)
    yield Case("fuse, bits per key", [*of, "--bits-per-key", "23"], thousand)
    for count in (0, 1, 2, 3, 17):
        yield Case(f"fuse, {count} keys", of, thousand[:count])


def ours():
    """What the golden data does not have: how numbers are written, odd keys, many keys."""
    thousand = numbered(b"key", 1000)
    golden = next(row for row in vectors("classic.json")["filters"] if row["n"] == 1000)
    same = {"sha256": golden["sha256"], "maybes": golden["maybe_count_of_1000_misses"]}
    for text in ("1k", "1e3", "0.001M", "1000"):
        yield Case(f"-n {text} is 1000", ["-n", text], thousand, **same)
    yield Case("last line without LF", [], thousand, final_end=False, **same)
    yield Case("-q prints nothing", ["-q"], thousand, quiet=True, **same)
    yield Case("keys twice", ["-n", "1000"], thousand + thousand, **same)
    yield Case("more keys than -n", ["-n", "100"], thousand)
    yield Case("fewer keys than -n", ["-n", "2.5k"], thousand)
    for bits in ("0.01", "1", "9.5", "16", "64"):
        yield Case(f"--bits-per-key {bits}", ["--bits-per-key", bits], thousand)
    yield Case("CR is kept", [], [b"line%d\r" % i for i in range(500)], absent=[b"line%d" % i for i in range(500)])
    binary = [bytes((i * 7 + j * j + 1) % 255 + 1 for j in range(i % 40)) for i in range(1000)]
    yield Case("binary keys, -0", ["--envelope", "--hash", "xxh3"], binary, nul=True)
    yield Case("binary keys, -0, raw", ["--fpr", "0.003"], binary, nul=True, final_end=False)
    yield Case("keys with NUL", [], [b"\0%d\0" % i for i in range(1000)])
    yield Case("long keys", ["--envelope", "--hash", "xxh64"], [b"%d" % i * 3000 for i in range(50)])
    yield Case("seed in decimal", ["--envelope", "--hash", "xxh64", "--seed", "12345678901234567890"], thousand)
    for m, k in ((1, 1), (7, 30), (8, 3), (64, 2), (1023, 5), (1024, 5), (1025, 5), (65536, 30), (1 << 20, 1)):
        yield Case(f"m = {m}, k = {k}", ["-m", m, "-k", k, "--envelope"], thousand)
    many = numbered(b"https://example.org/item/", 30000)
    for align in ("64", "4k", "2M"):
        yield Case(f"a payload at a multiple of {align}", ["--kind", "block", "--align", align, "--label", "aligned"], thousand, inspect=BOTH)
    yield Case("sums of chunks", ["--kind", "block", "--chunks", "--align", "4096"], many, inspect=BOTH)
    yield Case("30,000 keys, 1 %", ["--fpr", "0.01"], many)
    yield Case("30,000 keys, 0.1 %, xxh3", ["--fpr", "0.001", "--envelope", "--hash", "xxh3"], many)
    yield Case("30,000 keys, siphash13", ["--envelope", "--hash", "siphash13"], many, secret="00ff" * 8)


def soak():
    many = numbered(b"item", 10**7)
    yield Case("10^7 keys, 1 %", ["--fpr", "0.01"], many)
    yield Case("10^7 keys, 0.01 %, xxh64", ["--fpr", "1e-4", "--envelope", "--hash", "xxh64"], many)
    yield Case("10^7 keys, block", ["--kind", "block", "--fpr", "1e-4"], many)
    yield Case("10^7 keys, fuse", ["--kind", "fuse"], many)
    yield Case("10^6 keys, fuse, two parts, 4-wise, 16 bits", ["--kind", "fuse", "--fpr", "1e-4", "--geometry", "arity=4"], many[: 10**6])
    yield Case("10^7 keys, split", ["--kind", "split"], many)
    yield Case("m above 2^30", ["-m", (1 << 30) + 7, "-k", 7, "--envelope", "--hash", "xxh3"], many)
    yield Case("m above 2^32", ["-m", (1 << 32) + 15, "-k", 5], numbered(b"item", 10**5))


def all_cases(with_soak):
    yield from from_classic()
    yield from from_envelope()
    yield from from_blocked()
    yield from in_blocks()
    yield from fused()
    yield from ours()
    if with_soak:
        yield from soak()
