"""What `build` and `inspect` print (spec/cli.md), and the recipe of cli.json."""

import functools

from . import sizing
from .classic import Classic, numbered
from .hashes import SECRETS, hex64, secret_id, splitmix64
from .sizing_rows import count, real

SAMPLES = 10**6
LEVELS = " ▁▂▃▄▅▆▇█"
# keys key0 .. key{n-1}; m, k None: from the default fpr of 0.01; seed as in envelope.py; hash None: a raw file
CASES = [(1000, None, None, None, None), (0, None, None, None, None), (1, None, None, None, None),
         (100, 1024, 7, "fnv_splitmix", None), (100, 1025, 7, "fnv_splitmix", None), (100, 96, 3, "xxh3", 0),
         (1000, 12347, 9, "xxh64", 2**64 - 1), (300, 4096, 1, "siphash13", SECRETS[0]), (10, 8, 2, "siphash24", SECRETS[1]),
         (0, 100, 30, "xxh3", 1), (20000, 191703, 7, "fnv_splitmix", None)]  # fmt: skip


@functools.cache
def sampled_pairs():
    """(index, stride) of every random hash that `inspect` samples with."""
    return [(h & 0xFFFFFFFF, h >> 32) for h in map(splitmix64, range(SAMPLES))]


def sampled_hits(built):
    m, hits = built.m, 0
    is_set = [byte >> bit & 1 for byte in built.bits for bit in range(8)]
    for index, stride in sampled_pairs():
        for _ in range(built.k):
            if not is_set[index % m]:
                break
            index += stride
        else:
            hits += 1
    return hits


def columns(built):
    """(set, bits) of each column of `fill along`."""
    size = len(built.bits)
    number = min(64, size)
    for c in range(number):
        first, last = c * size // number, (c + 1) * size // number
        set_bits = int.from_bytes(built.bits[first:last], "little").bit_count()
        yield set_bits, min(built.m, 8 * last) - 8 * first


def predicted(built):
    if built.m <= 1024:
        return sizing.exact_pairs(built.m, built.k, built.bits) / built.m**2
    return sizing.predicted_from_bits_set(built.m, built.k, built.bits_set())


def ratio(a, b):
    """One IEEE division is the same everywhere, so a tie in the fourth digit is harmless here."""
    return "%.4g" % (a / b)


def json_real(text):
    return text if "." in text or "e" in text else text + ".0"


def quoted(text):
    return "null" if text is None else f'"{text}"'


def make_row(keys, m, k, hash_name, seed):
    args = ["--kind", "classic"]
    if m is not None:
        args += ["-m", str(m), "-k", str(k)]
    else:
        m, k = sizing.geometry(max(1, keys), 0.01)
    raw, name = hash_name is None, hash_name or "fnv_splitmix"
    if not raw:
        args += ["--envelope", "--hash", name]
    seed_text = secret_text = None
    if name.startswith("xxh"):
        args += ["--seed", str(seed)]
        seed_text = f"0x{hex64(seed)}"
    if name.startswith("sip"):
        secret_text = f"0x{hex64(secret_id(seed))}"
    built = Classic(m, k, name, seed)
    for key in numbered(b"key", keys):
        built.add(key)
    s, size = built.bits_set(), len(built.bits)
    file_bytes = size + (12 if raw else 128)
    hits = sampled_hits(built)
    low, high = sizing.wilson(hits, SAMPLES)
    rates = [ratio(s, m), real(predicted(built)), ratio(hits, SAMPLES), real(low), real(high)]
    fill, rate, sampled, low, high = rates
    estimate = count(sizing.estimated_count(m, k, s))
    text = [
        ("kind", "classic"),
        ("format", "raw" if raw else "envelope 1"),
        ("hash", name + (f", seed {seed_text}" if seed_text else "") + (f", secret id {secret_text}" if secret_text else "")),
        ("geometry", f"m {m}, k {k}"),
        ("file bytes", file_bytes),
        ("keys added", "unknown" if raw else keys),
        ("bits set", s),
        ("fill", fill),
        ("estimated keys", "saturated" if estimate is None else estimate),
        ("predicted fpr", rate),
        ("sampled fpr", f"{sampled}, 95 % interval {low} to {high}, {SAMPLES} random hashes"),
        ("fill along", "|" + "".join(LEVELS[8 * a // b] for a, b in columns(built)) + "|"),
    ]
    fill, rate, sampled, low, high = map(json_real, rates)
    fields = [
        ("kind", '"classic"'),
        ("format", '"raw"' if raw else '"envelope"'),
        ("version", "null" if raw else 1),
        ("hash", quoted(name)),
        ("seed", quoted(seed_text)),
        ("secret_id", quoted(secret_text)),
        ("geometry", f'{{"m":{m},"k":{k}}}'),
        ("file_bytes", file_bytes),
        ("payload_bytes", size),
        ("key_count", "null" if raw else keys),
        ("bits_set", s),
        ("fill", fill),
        ("estimated_count", "null" if estimate is None else estimate),
        ("predicted_fpr", rate),
        ("sampled_fpr", sampled),
        ("sampled_low", low),
        ("sampled_high", high),
        ("samples", SAMPLES),
        ("fill_along", "[" + ",".join(str(1000 * a // b) for a, b in columns(built)) + "]"),
    ]
    per_key = ratio(m, max(1, keys))
    return {
        "keys": keys,
        "args": args,
        "secret": seed.hex() if secret_text else None,
        "build": f"FILE: classic, {keys} keys, {file_bytes} bytes, {per_key} bits/key, predicted fpr {rates[1]}\n",
        "inspect": "".join(f"{label:16}{value}\n" for label, value in text),
        "inspect_json": "{" + ",".join(f'"{label}":{value}' for label, value in fields) + "}\n",
    }


def make():
    return {
        "_comment": "What the commands print, to the byte. The keys are key0 .. key{keys-1}, one a line; the file is made by "
        "`build ARGS -o FILE` with --secret when 'secret' (hex) is there. 'build' is what that prints, FILE standing for the "
        "name given; 'inspect' and 'inspect_json' what `inspect FILE` and `inspect --json FILE` print.",
        "rows": [make_row(*case) for case in CASES],
    }
