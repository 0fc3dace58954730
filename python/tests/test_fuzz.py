"""The doors under random input: every call answers, or raises an exception of ours with a sentence; none crashes.

The input comes from a seed; in the soak a million calls are made, by atheris as well where that is installed.
"""

import array
import random

import numpy as np
import pytest
from conftest import KINDS, SOAK

import bloomery
from bloomery import Filter

CALLS = 1_000_000 if SOAK else 20_000
ALLOWED = (bloomery.BloomeryError, TypeError, OverflowError)
GOOD = [Filter.build([f"k{i}" for i in range(50)], 0.01, kind) for kind in KINDS]
FILES = [bytes(filter) for filter in GOOD]
HEADS = [filter.__reduce_ex__(4)[1] for filter in GOOD]


class Source:
    """Decisions, made of random numbers or of the bytes of a fuzzer."""

    def __init__(self, rng):
        self.rng = rng

    def number(self):
        return self.rng.choice([0, 1, -1, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**30,
                                self.rng.getrandbits(64), self.rng.randrange(1000)])  # fmt: skip

    def key(self):
        return self.rng.choice([
            self.number, lambda: "x" * self.rng.randrange(300), lambda: self.rng.randbytes(self.rng.randrange(40)),
            lambda: "\ud800", lambda: "ü€😀", lambda: None, lambda: 1.5, lambda: True, lambda: [1], lambda: object(),
            lambda: np.int16(5), lambda: np.float32(5), lambda: bytearray(b"x"),
        ])()  # fmt: skip

    def keys(self):
        dtype = self.rng.choice(["i1", "u2", "<i4", ">i4", "i8", "u8", "S3", "S0", "U2", "f8", "?", "O", "M8[s]", "V5", "c8"])
        return self.rng.choice([
            lambda: [self.key() for _ in range(self.rng.randrange(5))],
            lambda: [self.number() % 2**63 for _ in range(self.rng.randrange(5))],
            lambda: np.zeros(self.rng.randrange(50), dtype)[:: self.rng.choice([1, 2, -1, -3, 100])],
            lambda: np.zeros((2, self.rng.randrange(3)), dtype),
            lambda: memoryview(bytes(self.rng.randrange(20))),
            lambda: array.array(self.rng.choice("bBhHiIlLqQfd"), [1, 2, 3]),
            lambda: iter("abc"), lambda: {"a": 1}, lambda: {1, 2}, self.key, lambda: Filter, lambda: GOOD[0],
        ])()  # fmt: skip

    def damaged(self, data):
        data = bytearray(data)
        for _ in range(self.rng.randrange(4)):
            data[self.rng.randrange(len(data))] = self.rng.randrange(256)
        return bytes(data[: self.rng.choice([len(data), self.rng.randrange(len(data) + 1)])])


def call(source):
    """One call of some door."""
    filter = source.rng.choice(GOOD)
    door = source.rng.randrange(12)
    if door == 0:
        source.key() in filter  # noqa: B015
    elif door == 1:
        filter.contains(source.keys(), answers=source.rng.choice(["bool", "bits", "positions", "x"]),
                        nulls=source.rng.choice(["skip", "refuse", ""]))  # fmt: skip
    elif door == 2:
        filter.copy().update(source.keys(), threads=source.rng.choice([1, 2, 0, -1]))
    elif door == 3:
        Filter.build(source.keys(), source.rng.choice([0.01, 0, 2, -1, float("nan"), 1e-9]), source.rng.choice([*KINDS, "x"]))
    elif door == 4:
        Filter(source.rng.choice([0, 1, 100, -1, 2**63, 2**64]), source.rng.choice([0.01, 0.5, 0, 1, float("inf")]),
               source.rng.choice(KINDS), seed=source.rng.choice([0, 5, -1]))  # fmt: skip
    elif door == 5:
        again = Filter.from_bytes(source.damaged(source.rng.choice(FILES)), parquet=source.rng.random() < 0.1)
        again.contains(["a", "b"])
    elif door == 6:
        head, payload = source.rng.choice(HEADS)[1:]
        Filter._from_parts(source.damaged(head), source.damaged(payload))
    elif door == 7:
        filter | source.rng.choice(GOOD)
        filter & source.rng.choice(GOOD)
    elif door == 8:
        filter.copy().remove(source.key())
    elif door == 9:
        filter.copy().remove_many(source.keys(), nulls="skip")
    elif door == 10:
        bloomery.Iblt.from_bytes(source.damaged(source.rng.choice(FILES)))
    else:
        filter.copy().add(source.key())


def test_random_calls():
    refused = 0
    for seed in range(CALLS):
        try:
            call(Source(random.Random(seed)))
        except ALLOWED as error:
            refused += 1
            assert str(error), seed
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
    assert CALLS // 10 < refused < CALLS
    assert [bytes(filter) for filter in GOOD] == FILES, "a filter was changed by a call that only looks"


@pytest.mark.skipif(not SOAK, reason="the soak asks atheris as well")
def test_atheris():
    pytest.importorskip("atheris")
    import subprocess
    import sys

    program = (
        "import sys, random, atheris; sys.path.insert(0, 'tests'); import test_fuzz\n"
        "def one(data):\n"
        "    try: test_fuzz.call(test_fuzz.Source(random.Random(data)))\n"
        "    except test_fuzz.ALLOWED: pass\n"
        "atheris.Setup([sys.argv[0], '-runs=1000000'], one); atheris.Fuzz()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=3600)
