"""Memory stays: what calls take they give back, those that fail too."""

import gc
import pickle
import resource
import tracemalloc

import numpy as np
import pytest
from conftest import SOAK

import bloomery
from bloomery import Filter

CALLS = 1_000_000 if SOAK else 100_000


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def refuse(call):
    try:
        call()
    except (bloomery.BloomeryError, TypeError):
        return
    raise AssertionError("not refused")


FILTER = Filter.build(range(100))
KEYS = np.arange(1000)
WORKS = {
    "in": (1, lambda: 5 in FILTER),
    "in, long text": (1, lambda: "x" * 100 in FILTER),
    "in, not ASCII": (1, lambda: "ü" + "x" * 100 in FILTER),
    "in, refused": (10, lambda: refuse(lambda: 1.5 in FILTER)),
    "add": (1, lambda: FILTER.add(7)),
    "contains": (10, lambda: FILTER.contains(KEYS)),
    "contains, positions": (10, lambda: FILTER.contains(KEYS, answers="positions")),
    "contains of a list": (10, lambda: FILTER.contains(["a", "b"])),
    "contains, refused": (20, lambda: refuse(lambda: FILTER.contains([1, "a"]))),
    "create": (20, lambda: Filter(100)),
    "build": (20, lambda: Filter.build(KEYS)),
    "union": (20, lambda: FILTER | FILTER),
    "bytes": (20, lambda: Filter.from_bytes(bytes(FILTER))),
    "bytes, refused": (50, lambda: refuse(lambda: Filter.from_bytes(b"nothing"))),
    "pickle": (100, lambda: pickle.loads(pickle.dumps(FILTER, 5))),
    "memoryview": (20, lambda: memoryview(FILTER).nbytes),
}


def measure(count, work):
    for _ in range(min(count, 2000)):
        work()
    gc.collect()
    tracemalloc.start()
    before, traced = resident(), tracemalloc.get_traced_memory()[0]
    for _ in range(count):
        work()
    gc.collect()
    grown, traced = resident() - before, tracemalloc.get_traced_memory()[0] - traced
    tracemalloc.stop()
    return grown, traced


@pytest.mark.parametrize("name", WORKS)
def test_nothing_leaks(name):
    share, work = WORKS[name]
    count = CALLS // share
    # What does not depend on the number of calls is no leak: an interpreter without a GIL frees some of it later.
    few, many = measure(count // 2, work), measure(count, work)
    grown, traced = many[0] - few[0], many[1] - few[1]
    # 16 bytes a call would be the least that malloc can leak, and there were count / 2 more.
    assert traced < 4 * count + 20_000, f"{traced} bytes of Python's are left after {count // 2} more calls"
    assert grown < max(4 * count, 4 << 20), f"{grown} bytes are left after {count // 2} more calls"


def test_arrow_arrays_are_given_back():
    pa = pytest.importorskip("pyarrow")
    before = pa.total_allocated_bytes()
    for _ in range(200):
        FILTER.contains(pa.array(np.arange(10_000)))
        FILTER.contains(pa.chunked_array([["a"] * 100, ["b"]]))
        refuse(lambda: FILTER.contains(pa.array([1.5] * 100)))
    assert pa.total_allocated_bytes() <= before
