"""Plans, tables, differences of sets, live filters."""

import random
import signal
import threading

import numpy as np
import pytest

import bloomery
from bloomery import Filter


def test_a_signal_ends_an_update_of_a_table_of_differences():
    class Ended(Exception):
        pass

    def end(*_):
        raise Ended

    before = signal.signal(signal.SIGALRM, end)
    keys = iter(range(3_000_000))
    try:
        with pytest.raises(Ended):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            bloomery.Iblt(10).update(keys)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert next(keys, None) is not None, "it went on to the end"


def test_plan_and_choose():
    plan = bloomery.plan(1000, 0.01)
    assert plan.kind == "block" and plan.bytes == Filter(1000, 0.01).nbytes and plan.geometry == Filter(1000).geometry
    assert [p.bytes for p in bloomery.plan_all(10**6)] == sorted(p.bytes for p in bloomery.plan_all(10**6))
    assert len(bloomery.plan_all(10**6)) >= 10
    choices = bloomery.choose(10**6)
    assert {c.need for c in choices} >= {"static", "adding", "removing", "replicas"}
    assert bloomery.choose(10**6, need="adding")[0].kind == "block"
    with pytest.raises(bloomery.InvalidArgumentError, match="choose one of"):
        bloomery.choose(10, need="nothing")
    with pytest.raises(bloomery.BloomeryError):
        bloomery.plan(0)


def test_inspect(tmp_path):
    filter = Filter.build(np.arange(50_000), 0.02)
    filter.save(tmp_path / "f.blm", label="numbers")
    found = bloomery.inspect(tmp_path / "f.blm")
    assert found.kind == "block" and found.key_count == 50_000 and found.label == "numbers"
    assert 0.01 < found.sampled_fpr < 0.03 and 0.01 < found.predicted_fpr < 0.03
    assert len(found.fill_along) == 64 and abs(np.mean(found.fill_along) - found.fill) < 0.01
    assert bloomery.inspect(filter).fill == found.fill
    assert found.retries is None and found.bits_per_key is None
    ribbon = bloomery.inspect(bloomery.Filter.build(range(1000), kind="ribbon"))
    assert ribbon.retries is not None and ribbon.bits_per_key == pytest.approx(8 * ribbon.nbytes / 1000, rel=0.1)


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_tables(tmp_path, compression):
    path = tmp_path / "t.blt"
    data = {f"key{i:05}".encode(): b"v" * (i % 50) for i in range(5000)}
    with bloomery.TableBuilder(path, compression=compression, fpr=0.001, filter="block") as builder:
        for key in sorted(data):
            builder.add(key, data[key])
    with bloomery.open_table(path) as table:
        assert table["key00001"] == b"v" and "key00001" in table and "nothing" not in table
        assert table.get("nothing") is None and table.get("nothing", 5) == 5
        with pytest.raises(KeyError):
            table["nothing"]
        some = random.Random(1).sample(sorted(data), 500)
        assert table.get_many(some) == [data[key] for key in some]
        assert dict(table.items()) == data
        assert [k for k, _ in table.items("key00010", "key00013")] == [b"key00010", b"key00011", b"key00012"]
        properties = table.properties
        assert properties.entries == 5000 and properties.filter == "block" and properties.smallest == b"key00000"
        assert sum(table.may_contain(f"no{i}") for i in range(1000)) < 20
        table.verify()
        with pytest.raises(TypeError, match="not iterable"):
            list(table)
    with pytest.raises(bloomery.InvalidArgumentError, match="closed"):
        table.get("key00001")


def test_a_table_that_is_given_up_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError):
        with bloomery.TableBuilder(tmp_path / "t.blt") as builder:
            builder.add("a", "1")
            raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(bloomery.InvalidArgumentError, match="given up"):
        builder.finish()
    builder = bloomery.TableBuilder(tmp_path / "t.blt")
    builder.add("b", "1")
    with pytest.raises(bloomery.BloomeryError):
        builder.add("a", "1")
    with pytest.raises(bloomery.BloomeryError):
        builder.finish()
    with pytest.raises(bloomery.BloomeryError, match="finished"):
        builder.add("c", "1")
    with pytest.raises(bloomery.FileError):
        bloomery.open_table(tmp_path / "absent.blt")


def test_deleted_entries(tmp_path):
    with bloomery.TableBuilder(tmp_path / "t.blt") as builder:
        builder.add("a", "new", sequence=2)
        builder.add("a", "old", sequence=1)
        builder.add("b", "", sequence=3, deleted=True)
        builder.add("b", "old", sequence=1)
    table = bloomery.open_table(tmp_path / "t.blt")
    assert dict(table.items()) == {b"a": b"new"} and table.get("b") is None


def test_set_diff():
    a, b = bloomery.Iblt(20, key_bytes=12, variable=True), bloomery.Iblt(20, key_bytes=12, variable=True)
    a.update(f"k{i}" for i in range(1000))
    b.update(f"k{i}" for i in range(5, 1003))
    found = bloomery.set_diff(a, bloomery.Iblt.from_bytes(b.to_bytes()))
    assert sorted(found.only_a) == [b"k0", b"k1", b"k2", b"k3", b"k4"] and found.complete
    assert sorted(found.only_b) == [b"k1000", b"k1001", b"k1002"]
    many = bloomery.Iblt(2)
    many.update(range(1000))
    assert not bloomery.set_diff(many, bloomery.Iblt(2)).complete
    for bad in ("a long key of many bytes", 5.5, None, 2**64):
        with pytest.raises((bloomery.BloomeryError, TypeError)):
            a.add(bad)
    with pytest.raises(bloomery.MismatchError):
        bloomery.set_diff(bloomery.Iblt(1), bloomery.Iblt(1000))


def test_integers_of_numpy_are_keys_of_tables_too(tmp_path):
    a, b = bloomery.Iblt(20), bloomery.Iblt(20)
    a.update(np.arange(-3, 100))
    b.update(range(-3, 100))
    b.add(np.uint8(200))
    assert bloomery.set_diff(a, b).only_b == [(200).to_bytes(8, "little")]
    with bloomery.TableBuilder(tmp_path / "t.blt") as builder:
        builder.add(5, "five")
    table = bloomery.open_table(tmp_path / "t.blt")
    assert table.get(np.int32(5)) == b"five" == table[np.int64(5)] and np.uint64(5) in table
    assert table.get_many(np.array([5, 6])) == [b"five", None]
    for bad in (True, np.bool_(True), np.float64(1), 2**64, np.array([1, 2])):
        with pytest.raises(bloomery.BloomeryError):
            a.add(bad)


@pytest.mark.parametrize("keys", ["abc", b"abc", bytearray(b"abc"), memoryview(b"abc")])
def test_one_key_is_not_taken_for_many(keys, tmp_path):
    """Letters of a text would become keys."""
    table = bloomery.Iblt(20)
    with pytest.raises(bloomery.KeyTypeError, match="one key"):
        table.update(keys)
    assert bloomery.set_diff(table, bloomery.Iblt(20)) == bloomery.Difference([], [], True)
    with bloomery.TableBuilder(tmp_path / "t.blt") as builder:
        builder.add("a", "")
    with pytest.raises(bloomery.KeyTypeError, match="one key"):
        bloomery.open_table(tmp_path / "t.blt").get_many(keys)


def test_live_is_loaded_from_a_file_or_not_at_all():
    for none, error in ((None, TypeError), ("", bloomery.FileError), (b"", bloomery.FileError), (5, TypeError)):
        with pytest.raises(error):
            bloomery.Live.load(none, 100)


def test_live(tmp_path):
    live = bloomery.Live(10_000, 0.01, name="users")
    assert live.add("a") and not live.add("a") and "a" in live and "b" not in live
    live.begin_rebuild(20_000)
    live.add("during")
    live.feed(np.arange(1000))
    live.feed(["a", None], nulls="skip")
    live.commit()
    assert "during" in live and "a" in live and all(key in live for key in range(1000))
    live.disable()
    assert "never" in live
    live.enable()
    live.update(["many", None, "more"], nulls="skip")
    keys = ["many", "more", "a", None, "absent"]
    assert live.contains(keys, nulls="skip").tolist() == [True, True, True, False, False]
    assert live.contains(keys, nulls="skip", answers="positions").tolist() == [0, 1, 2]
    assert live.contains(np.arange(1000)).all()
    live.was_false_positive()
    live.was_false_negative()
    assert "bloomery_false_negatives_total" in live.prometheus()
    with pytest.raises(bloomery.KeyTypeError):
        live.contains([1.5])
    with pytest.raises(bloomery.KeyTypeError):
        live.feed(None)
    assert live.self_check() and live.stats().rebuilds == 1 and live.stats().queries > 1000
    text = live.prometheus()
    assert "# TYPE bloomery_" in text and 'filter="users"' in text
    live.snapshot(tmp_path / "live.blm")
    assert "during" in bloomery.open(tmp_path / "live.blm")
    again = bloomery.Live.load(tmp_path / "live.blm", 20_000)
    assert "during" in again and isinstance(again, bloomery.Live)
    with pytest.raises(bloomery.BloomeryError):
        live.commit()
    with pytest.raises(bloomery.KeyTypeError):
        live.add(1.5)


def test_live_in_threads():
    live = bloomery.Live(100_000)

    def work(start):
        for key in range(start, start + 2000):
            live.add(key)
            assert key in live

    threads = [threading.Thread(target=work, args=(start * 10_000,)) for start in range(4)]
    for thread in threads:
        thread.start()
    live.begin_rebuild(200_000)
    live.feed(np.arange(40_000))
    live.commit()
    for thread in threads:
        thread.join()
    assert all(start * 10_000 + key in live for start in range(4) for key in range(2000))
