"""The golden data of spec/vectors, read through Python."""

import json

import pytest
from conftest import ROOT

import bloomery
from bloomery import Filter


def rows(name, section):
    found = json.loads((ROOT / "spec/vectors" / f"{name}.json").read_text())[section]
    assert found
    return found


def opened(row):
    secret = bytes.fromhex(row["secret"]) if row.get("secret") else None
    return Filter.from_bytes(bytes.fromhex(row["hex"]), secret=secret)


def test_files_of_every_kind():
    kinds = set()
    for row in rows("kinds", "files"):
        filter = opened(row)
        kinds.add(filter.kind)
        assert filter.kind == row["kind"] and filter.hash == row["hash"] and filter.label == row["label"]
        assert filter.key_count in (None, row["keys"]) and list(filter.geometry.values()) == row["words"]
        keys = [f"key{i}" for i in range(row["keys"])]
        assert [int(key[3:]) for key in keys if key not in filter] == [int(str(key).removeprefix("key")) for key in row["denied"]]
        assert filter.to_bytes().hex() == row["hex"] or row["chunk_bytes"]
    assert len(kinds) == 11


def test_envelopes():
    for row in rows("envelope", "valid"):
        filter = opened(row)
        assert all(bytes.fromhex(key) in filter for key in row["keys_hex"])
        assert {key: key in filter for key in row["absent"]} == row["absent"]
    for row in [*rows("envelope", "invalid"), *rows("records", "invalid")]:
        with pytest.raises(bloomery.BloomeryError):
            Filter.from_bytes(bytes.fromhex(row["hex"]))


def test_integers():
    """A filter of a golden hash row: the key that is an integer's eight bytes."""
    for number in (0, 1, -1, 2**63, 42, -(2**63)):
        raw = (number % 2**64).to_bytes(8, "little")
        for hash in ("fnv_splitmix", "xxh3", "xxh64"):
            assert Filter.build([number], hash=hash) == Filter.build([raw], hash=hash)


def test_tables(tmp_path):
    for row in rows("tables", "tables"):
        path = tmp_path / "golden.blt"
        path.write_bytes(bytes.fromhex(row["hex"]))
        with bloomery.Table(path, secret=bytes.fromhex(row["secret"]) if row["secret"] else None) as table:
            table.verify()
            assert table.properties.entries == len(row["entries"])
