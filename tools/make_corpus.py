#!/usr/bin/env python3
"""Makes fuzz/corpus/ from the golden data: small valid and invalid files, each in a file of its own.

usage: tools/make_corpus.py   (from anywhere; rewrites the folder)
"""
import json
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    corpus = ROOT / "fuzz" / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    vectors = {name: json.loads((ROOT / "spec/vectors" / f"{name}.json").read_text()) for name in ("classic", "envelope", "parquet")}
    raw = [row["hex"] for row in vectors["classic"]["filters"] if "hex" in row]
    raw += [row["hex"] for row in vectors["classic"]["invalid"]]
    valid = [row["hex"] for row in vectors["envelope"]["valid"]]
    invalid = [row["hex"] for row in vectors["envelope"]["invalid"]]
    # The envelope fuzzer's first byte says what it repairs: nothing, or everything.
    put(corpus / "raw", raw + valid[:6] + invalid[::8])
    put(corpus / "envelope", ["00" + text for text in valid[:8] + invalid[::8]] + ["1f" + text for text in valid[:4]])
    filters = [row["hex"] for row in vectors["parquet"]["filters"] if "hex" in row]
    put(corpus / "parquet", filters + [row["hex"] for row in vectors["parquet"]["invalid"] if row["field"]])
    put(corpus / "classic", ["0a0006" + "08610a6206086107", "ff0301" + "286b65793128f86b657932"])


def put(folder, hexes):
    folder.mkdir(parents=True)
    for i, text in enumerate(hexes):
        (folder / f"{i:03d}").write_bytes(bytes.fromhex(text))


main()
