"""Bars of tqdm for batches that are asked to show one."""

import builtins
import sys

import numpy as np
import pytest

import bloomery
from bloomery import Filter


@pytest.fixture
def bars(monkeypatch):
    """What the bars were told, in the place of tqdm's own."""
    tqdm = pytest.importorskip("tqdm.auto")
    made = []

    class Bar(tqdm.tqdm):
        def __init__(self, **options):
            super().__init__(**options, file=open("/dev/null", "w"))
            self.options, self.steps, self.ended = options, [], False
            made.append(self)

        def update(self, n=1):
            self.steps.append(n)
            return super().update(n)

        def close(self):
            self.ended = True
            super().close()

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    return made


def test_a_bar_moves_through_one_large_array(bars):
    keys = np.arange(1_000_000)
    filter = Filter.build(keys, progress="ids")
    assert bars[0].options["total"] == 1_000_000 and bars[0].options["desc"] == "ids"
    assert sum(bars[0].steps) == 1_000_000 and len(bars[0].steps) > 3 and bars[0].ended
    assert filter == Filter.build(keys)
    assert filter.contains(keys, progress=True).all() and filter.contains(keys.astype("i4"), progress=True).all()
    assert [sum(bar.steps) for bar in bars] == [1_000_000] * 3
    few = Filter.build(keys[:1000], progress=True)
    assert sum(bars[3].steps) == 1000 and bars[3].ended and few == Filter.build(keys[:1000])
    again = Filter(1_000_000)
    again.update(keys, progress=True, threads=2)
    assert again == filter


@pytest.mark.parametrize("answers", ["bool", "bits", "positions"])
def test_a_bar_changes_no_answer(bars, answers):
    pa = pytest.importorskip("pyarrow")
    filter = Filter.build(range(0, 600_000, 3))
    words = pa.array([None if i % 7 == 0 else i for i in range(600_000)])
    for keys in (words, words[5:], pa.chunked_array([words[:9], words[9:]]), np.arange(600_000)[::-1], range(10), []):
        shown = filter.contains(keys, answers=answers, nulls="skip", progress=True)
        assert np.array_equal(shown, filter.contains(keys, answers=answers, nulls="skip"))
    assert all(bar.ended for bar in bars) and len(bars) == 6


def test_an_iterable_of_unknown_length(bars):
    Filter.build((f"w{i}" for i in range(20_000)), progress=True)
    assert bars[0].options["total"] is None and sum(bars[0].steps) == 20_000
    live = bloomery.Live(1000)
    live.begin_rebuild(1000)
    live.feed(range(500), progress=True)
    live.update(range(500), progress=True)
    sessions = Filter(1000, kind="cuckoo")
    sessions.update(range(500))
    assert sessions.remove_many(range(500), progress=True) == 500
    assert [sum(bar.steps) for bar in bars[1:]] == [500] * 3


def test_a_bar_ends_when_keys_are_refused(bars):
    with pytest.raises(bloomery.KeyTypeError):
        Filter.build([1, "a"], progress=True)
    assert bars[0].ended


def test_bars_are_asked_for(monkeypatch):
    with pytest.raises(bloomery.InvalidArgumentError, match="True, False, or a text"):
        Filter.build([1], progress=5)
    real = builtins.__import__

    def without_tqdm(name, *rest):
        if name.startswith("tqdm"):
            raise ImportError(name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.startswith("tqdm")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(builtins, "__import__", without_tqdm)
    with pytest.raises(bloomery.UnsupportedError, match="pip install tqdm"):
        Filter.build([1], progress=True)
    assert 1 in Filter.build([1])
