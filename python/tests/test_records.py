"""Records of envelopes: what a file says beside its filter stays as long as it is true (spec/envelope.md)."""

import pickle
import sys

import numpy as np
import pytest
from conftest import ROOT
from test_golden import rows

import bloomery
from bloomery import Filter

sys.path.insert(0, str(ROOT / "spec"))
import reader  # noqa: E402

VALID = [row for row in rows("records", "valid") if row["written"]]


def records_of(data):
    """What stands before the payload, and where that begins."""
    return reader.File(bytes(data)).records, int.from_bytes(data[32:40], "little")


@pytest.mark.parametrize("row", VALID, ids=[row["name"] for row in VALID])
def test_records_stay_as_long_as_the_payload(row, tmp_path):
    path, data = tmp_path / "f.blm", bytes.fromhex(row["hex"])
    path.write_bytes(data)
    for filter in (bloomery.open(path), bloomery.map(path), Filter.from_bytes(data)):
        copies = [filter, filter.copy(), pickle.loads(pickle.dumps(filter, 4)), pickle.loads(pickle.dumps(filter, 5))]
        assert [copy.to_bytes() for copy in copies] == [data] * 4


@pytest.mark.parametrize("row", VALID, ids=[row["name"] for row in VALID])
def test_a_change_keeps_the_records_that_stay_true(row, tmp_path):
    path, data = tmp_path / "f.blm", bytes.fromhex(row["hex"])
    path.write_bytes(data)
    after = records_of(bytes.fromhex(row["changed_hex"]))
    for filter in (bloomery.open(path), bloomery.map(path).copy(), Filter.from_bytes(data)):
        with pytest.raises(bloomery.UnsupportedError):
            filter.remove("key")
        assert filter.to_bytes() == data, "what was refused has changed nothing"
        filter.add("key")
        assert records_of(filter.to_bytes()) == after
        filter.add("another key")
        assert records_of(filter.copy().to_bytes()) == after


@pytest.mark.parametrize("kind", ["block", "cuckoo", "scalable"])
def test_what_changes_nothing_keeps_the_records(kind, tmp_path):
    filter = Filter(1000, kind=kind)
    filter.add("there")
    filter.save(tmp_path / "f.blm", chunks=True, label="those that are there", keys="text")
    data = (tmp_path / "f.blm").read_bytes()

    def kept(use):
        filter = bloomery.open(tmp_path / "f.blm")
        use(filter)
        return filter.to_bytes() == data

    for threads in (1, 2):
        for none in ([], np.array([], dtype="i8"), np.array([], dtype="S3")):
            assert kept(lambda filter, none=none, threads=threads: filter.update(none, threads=threads))
        assert kept(lambda filter, threads=threads: filter.update([None, None], nulls="skip", threads=threads))
    if kind == "cuckoo":
        assert kept(lambda filter: filter.remove("absent")) and kept(lambda filter: filter.remove_many(["absent"] * 3))
        assert not kept(lambda filter: filter.remove("there"))
        assert not kept(lambda filter: filter.remove_many(["absent", "there"]))
    assert not kept(lambda filter: filter.update(["there"])) and not kept(lambda filter: filter.add("there"))


def saved(path, key, **records):
    filter = Filter(100)
    filter.add(key)
    filter.save(path, **records)
    return bloomery.open(path)


def test_a_union_has_what_both_say(tmp_path):
    numbers, texts = saved(tmp_path / "a", 7, keys="int", label="numbers"), saved(tmp_path / "b", "7", keys="text")
    for combine in (lambda: numbers | texts, lambda: numbers & texts, lambda: numbers.__ior__(texts),
                    lambda: texts.copy().__iand__(numbers)):  # fmt: skip
        with pytest.raises(bloomery.InvalidArgumentError, match="'int'"):
            combine()
    assert "7" not in numbers and numbers.label == "numbers" and numbers.key_type == "int"
    same = saved(tmp_path / "c", 8, keys="int", label="numbers")
    for union in (numbers | same, numbers & same, numbers | same.copy()):
        assert union.key_type == "int" and union.label is None
    unsaid = Filter(100)
    unsaid.add("7")
    assert (numbers | unsaid).key_type is None and (unsaid | numbers).key_type is None
    assert numbers.label == "numbers"
    numbers |= same
    assert numbers.label is None and Filter.from_bytes(bytes(numbers)).key_type == "int"
    with pytest.raises(bloomery.MismatchError):
        same |= Filter(100, kind="split")
    assert same.label == "numbers"


def test_len_of_more_keys_than_it_can_say():
    data = bytearray(Filter.build([1]).to_bytes())
    data[24:32] = (2**63).to_bytes(8, "little")
    data[120:128] = reader.xxh3(bytes(data[:120]), 0).to_bytes(8, "little")
    filter = Filter.from_bytes(data)
    assert filter.key_count == 2**63
    with pytest.raises(bloomery.UnsupportedError, match="key_count"):
        len(filter)
