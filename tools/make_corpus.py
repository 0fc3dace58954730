#!/usr/bin/python3
"""Makes fuzz/corpus/ from the golden data: small valid and invalid files, each in a file of its own. Rewrites the whole
folder; with --check it writes nothing, names the files that are not what it makes, and exits 1 when there are any."""
import argparse
import json
import pathlib
import shutil
import struct
import sys
import tempfile

try:
    import xxhash
except ImportError:
    sys.exit(f"make_corpus.py: {sys.executable} has no xxhash: install python3-xxhash and run tools/make_corpus.py, which takes /usr/bin/python3")

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "spec" / "vectors"))
sys.dont_write_bytecode = True
from generator.table import TableFile, contents, packed, table, varint  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 when a file differs")
    corpus = ROOT / "fuzz" / "corpus"
    if parser.parse_args().check:
        return check(corpus)
    shutil.rmtree(corpus, ignore_errors=True)
    make(corpus)
    return 0


def check(corpus):
    with tempfile.TemporaryDirectory() as folder:
        make(pathlib.Path(folder))
        wanted, real = files_of(pathlib.Path(folder)), files_of(corpus)
    differing = [name for name in sorted(wanted.keys() | real.keys()) if wanted.get(name) != real.get(name)]
    for name in differing:
        print(f"{name}: {'missing' if name not in real else 'nothing makes it' if name not in wanted else 'differs from what make_corpus.py makes'}")
    return 1 if differing else 0


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def make(corpus):
    vectors = {name: json.loads((ROOT / "spec/vectors" / f"{name}.json").read_text()) for name in ("classic", "envelope", "records", "parquet", "iblt", "quotient", "scalable", "stable", "kinds", "replica")}
    raw = [row["hex"] for row in vectors["classic"]["filters"] if "hex" in row]
    raw += [row["hex"] for row in vectors["classic"]["invalid"]]
    valid = [row["hex"] for row in vectors["envelope"]["valid"]]
    invalid = [row["hex"] for row in vectors["envelope"]["invalid"]]
    # The envelope fuzzer's first byte says what it repairs: nothing, or everything.
    put(corpus / "raw", raw + valid[:6] + invalid[::8])
    keyed = {row["hash"]: row["hex"] for row in vectors["envelope"]["valid"] if row["secret"]}  # one of each hash
    put(corpus / "envelope", ["00" + text for text in [*valid[:8], *invalid[::8], *keyed.values()]] + ["1f" + text for text in valid[:4]])
    # The records fuzzer takes what stands between header and payload; its first byte says whether lengths are made to fit.
    areas = [row["hex"][256 : 2 * row["offset"]] for row in vectors["records"]["valid"] if row["offset"] <= 512]
    areas += [row["hex"][256:-12] for row in vectors["records"]["invalid"] if row["check"] == 4 and len(row["hex"]) < 1024]
    put(corpus / "records", ["00" + text for text in areas] + ["c0" + text for text in areas[::8]])
    filters = [row["hex"] for row in vectors["parquet"]["filters"] if "hex" in row]
    put(corpus / "parquet", filters + [row["hex"] for row in vectors["parquet"]["invalid"] if row["field"]])
    put(corpus / "classic", ["0a0006" + "08610a6206086107", "ff0301" + "286b65793128f86b657932"])
    # Numbers of the geometry are a byte that says how long they are, and the number; then a payload or steps.
    hostile = ["00" + "ff" + "0000000000000080" + "0004" + "0004", "00" + "0003" + "0004" + "0005", "00" + "0003" + "0000" + "0004"]
    hostile += ["00" + "0003" + "001f" + "0004", "00" + "0003" + "0004" + "0004" + "1111", "00" + "0003" + "0004" + "0004" + "ff0f"]
    programs = ["03180300" + "00010305" * 3 + "04100305" + "05030305" + "07200305" + "87200305", "03050601" + "00010305" + "02010305"]
    # Large ones: more counters than the rate is counted of exactly, and with a first byte from f0 on, a long payload.
    large = ["01" + "a0d007" + "0007" + "0004" + "0102a1a20102", "f1" + "a00010" + "0007" + "0020" + "0102a1"]
    put(corpus / "counting", hostile + ["01" + "0060" + "0007" + "0020" + "0102a1a2010221"] + programs + large)
    # Of a quotient filter: a payload, changes, and with a first byte of 3 what is added to two filters that merge.
    example = vectors["quotient"]["example"]
    quotient = ["00" + "%04x%04x" % (example["quotient_bits"], example["remainder_bits"]) + example["hex"]]
    quotient += ["00" + "00060001" + "0500" + "ff" * 40, "01" + "00060007" + bytes(range(200)).hex(), "01" + "00010038" + "01a1"]
    quotient += ["030504" + "3f" + bytes(range(189)).hex() + "3f" + bytes(range(100)).hex() + "00"]
    put(corpus / "quotient", quotient + ["f1" + "000c0008" + bytes(range(200)).hex()])
    files = [row["hex"] for row in vectors["iblt"]["files"] + vectors["iblt"]["estimators"] if "hex" in row]
    put(corpus / "iblt", ["00" + text for text in files[::2]] + ["63" + text for text in files[1::2]])
    # Cells, widths, steps: items added and removed, put into single cells, bytes changed.
    steps = [bytes(range(16)), bytes(range(32)), b"\x01\x81\xa1", b"\x01\x92\xe0\x05\x00\xff", b"\x03\x03\x05\x15"]
    put(corpus / "iblt_list", [(bytes([cells, 6, value, variable]) + step).hex() for cells, value, variable in ((9, 0, 0), (3, 5, 1)) for step in steps])
    # The LevelDB fuzzer's first byte says which kind, and how long the keys are; then payload, shape and tag.
    put(corpus / "leveldb", ["00" + "5a" * 40 + "0711", "01" + "5a" * 64 + "0812", "02" + "5a" * 64 + "0613", "0400", "1e" + "6b6579" * 30])
    # The table fuzzer's first byte says how it is read: without the checksums of blocks, or with them.
    made = enumerate(tables(vectors["envelope"]["valid"]))
    put(corpus / "table", [f"{choice:02x}" + text for i, text in made for choice in (i % 4, 4 + i % 4)])
    put_table_parts(corpus, valid)
    put(corpus / "server", server_inputs([bytes.fromhex(text) for text in valid[:12]]))
    # The first byte of the messages between replicas says what is put right: nothing, or everything but the type.
    messages = [row["hex"] for row in vectors["replica"]["valid"] + vectors["replica"]["refused"] if 128 <= len(row["hex"]) < 2000]
    put(corpus / "replica_message", ["00" + text for text in messages[::3]] + ["1d" + text for text in messages[1::2]])
    put(corpus / "streams_checkpoint", checkpoints(messages))
    for name in ("scalable", "stable"):
        put_kind(corpus / name, vectors[name])
    # The fuzzer of the C interface takes a file, and as many bytes that say how it is used; or a kind, n, and a payload.
    files = {row["kind"] + row["hash"]: row["hex"] for row in vectors["kinds"]["files"] if len(row["hex"]) < 1000}
    used = bytes(range(0, 250, 5)).hex() * 12
    made = ["0000" + text + used[: len(text)] for text in files.values()]
    put(corpus / "capi", made + [f"01{kind:02x}40c0" + used[: 64 + 40 * kind] for kind in range(11)])


def checkpoints(messages):
    """Checkpoints of replicas: the first byte says whether magic, hello (a good one is put in) and seal are put right."""

    def snapshot(window, positions, payload):
        told = b"".join(struct.pack("<QQQ", *position) for position in positions)
        return struct.pack("<QIIQ", window, len(positions), 0, len(payload)) + told + payload

    def checkpoint(choice, snapshots, hello=b"", count=None):
        head = b"BLMCKPT1" + struct.pack("<IIQQ", len(hello), len(snapshots) if count is None else count, 1700000000000, 3)
        sealed = head + hello + b"".join(snapshots)
        return (bytes([choice]) + sealed + struct.pack("<QQ", xxhash.xxh3_64_intdigest(sealed), 0)).hex()

    payload, places = bytes(range(64)), [(1, 1, 7), (2, 3, 2**64 - 1)]
    one, two = snapshot(0, places, payload), [snapshot(window, places[:1], payload) for window in (4, 5)]
    good = [checkpoint(7, snapshots) for snapshots in ([one], two, [], [snapshot(0, [], b"")])]
    hostile = [checkpoint(7, [one], count=count) for count in (0, 2, 256, 257, 2**32 - 1)]
    hostile += [checkpoint(7, [struct.pack("<QIIQ", 0, *row) + payload]) for row in ((1024, 0, 64), (2**32 - 1, 0, 64), (0, 1, 64), (0, 0, 65), (0, 0, 2**63))]
    return good + hostile + [checkpoint(choice, [one], bytes.fromhex(text)) for choice in (0, 4) for text in messages[:20:4]]


def put_kind(folder, vectors):
    """For fuzz/kind_fuzz.h: how it is made, each geometry word in full, then the payload, or changes."""

    def words(row):
        return "".join("ff" + struct.pack("<Q", word).hex() for word in row["words"])

    made = ["00" + words(vectors["example"]) + vectors["example"]["hex"]]
    put(folder, made + ["01" + words(row) + bytes(range(100)).hex() for row in vectors["payloads"][:6]])


def put_table_parts(corpus, envelopes):
    """The parts of the small table of fuzz/table_fuzz.h: ten entries in five data blocks."""
    file, listed = TableFile(), []
    entries = [(b"key%d" % i, b"v%d" % i, 2 * i) for i in range(10)]
    for i in range(0, 10, 2):
        listed.append((entries[i + 1][0], b"".join(map(varint, file.block(contents(entries[i : i + 2], 1)))), 0))
    index = contents(listed, 1)
    top = contents([(b"key9", b"".join(map(varint, file.block(index))), 0)], 1)
    # The first byte says which part it is, and how the table is read.
    parts = [b"\x00" + index, b"\x03" + contents(listed[:3], 1), b"\x04" + top, b"\xf8" + index + top[: len(index) // 15]]
    put(corpus / "table_index", [part.hex() for part in parts])
    blocks = [contents(entries, per_restart) for per_restart in (1, 3, 16)] + [contents(entries[:1] * 5, 2)]
    packs = [bytes([compression]) + packed(blocks[1], compression) for compression in (1, 2)]
    put(corpus / "table_block", [(b"\x00" + block).hex() for block in blocks] + [pack.hex() for pack in packs])
    footer = struct.pack("<7QII", 100, 50, 256, 128, 500, 90, 1000, 1, 0) + bytes(8) + bytes.fromhex("89424c4d540d0a1a")
    put(corpus / "table_footer", [(bytes([choice]) + struct.pack("<Q", 1000) + footer).hex() for choice in (0x1F, 0x9F, 0x08, 0)])
    # A filter that says "maybe" to everything, so that the table passes; the whole of it, or a part.
    full = [text[:256] + "ff" * (len(text) // 2 - 128) for text in envelopes[:6]]
    made = [f"{choice:02x}00" + text for text in full for choice in (0x30, 0x31, 0x34, 0x35)]
    # An index of parts that calls data blocks by that name.
    put(corpus / "table_filter", made + ["0b00" + index.hex()])


def server_inputs(envelopes):
    """For the module: family, door (LOADCHUNK, IMPORT, RDB; the lowest bit repairs sums), how long the header is, header, rest."""
    chain = struct.pack("<dQIBQ", 0.01, 100, 2, 0, 2) + struct.pack("<IQQI", 2, 5, 9, 0)
    linked = struct.pack("<dQIBQ", 0.01, 10, 2, 1, 1) + struct.pack("<II", 0, 1) + struct.pack("<QIQQ", 1, 4, 10, 1)
    cuckoo = struct.pack("<QIIIQQI", 10, 2, 20, 1, 0, 0, 1) + struct.pack("<QIQQ", 4, 12, 10, 0)
    values = [(0, chain, b""), (0, linked, bytes(range(64))), (1, cuckoo, bytes(26))]
    for file in envelopes:
        if file[:4] == b"\x89BLM" and len(file) > 128:
            head = struct.pack("<IQQI", 1, 0, 0, 1) + struct.pack("<Q", 128) + file[:128] + struct.pack("<Q", len(file) - 128)
            values.append((2, head, file[128:]))
    inputs = []
    for family, head, payload in values:
        length = struct.pack("<H", len(head))
        inputs.append(bytes([family, 1]) + length + head + payload)
        inputs.append(bytes([family, 5]) + length + head + (struct.pack("<H", len(payload)) + payload if payload else b""))
    inputs += [bytes([0, 2, 1, 0, 50]) + file for file in envelopes]
    # A payload whose size and that of its head are together less than the head: no sum of them may be believed.
    head = struct.pack("<IQQI", 1, 0, 0, 1) + struct.pack("<Q", 128) + bytes(128) + struct.pack("<Q", 2**64 - 64)
    inputs += [bytes([2, door]) + struct.pack("<H", len(head)) + head for door in (1, 5)]
    return [made.hex() for made in inputs if len(made) <= 4096]


def put(folder, hexes):
    folder.mkdir(parents=True)
    for i, text in enumerate(hexes):
        (folder / f"{i:03d}").write_bytes(bytes.fromhex(text))


def tables(envelopes):
    yield table([], 1, 1, 0, None).hex()
    for i, row in enumerate(row for row in envelopes if row["keys_hex"] and not row["secret"]):
        keys = sorted({bytes.fromhex(text) for text in row["keys_hex"]})[:10]
        entries = [(key, b"v" * (j * 7 % 20), 2 * (9 - version)) for j, key in enumerate(keys) for version in range(j % 3 + 1)]
        entries[-1] = (entries[-1][0], b"", entries[-1][2] + 1)
        envelope = bytes.fromhex(row["hex"]) if len(keys) == row["key_count"] else None
        made = table(entries, (1, 3, 100)[i % 3], (1, 2, 16)[i // 3 % 3], i // 2 % 3, envelope)
        if len(made) <= 2000:  # what the fuzzer looks at
            yield made.hex()


if __name__ == "__main__":
    sys.exit(main())
