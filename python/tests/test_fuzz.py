"""The doors under random input (fuzz/doors.py): twenty thousand calls, a million in the soak. `make fuzz` lets atheris choose."""

import importlib.util
import subprocess
import sys

import doors
import pytest
from conftest import ROOT, SOAK

CALLS = 1_000_000 if SOAK else 20_000


@pytest.mark.filterwarnings("ignore:nanobind. attempted to initialize")
def test_random_calls():
    refused = doors.random_calls(CALLS)
    assert CALLS // 10 < refused < CALLS


@pytest.mark.filterwarnings("ignore:nanobind. attempted to initialize")
def test_every_door_answers_and_refuses():
    """A door that always raises would test nothing behind its first line."""
    answered, refused = set(), set()
    for seed in range(6000):
        source = doors.Source(doors.random.Random(seed))
        door = source.rng.choice(doors.DOORS)
        try:
            door(source, source.rng.choice(doors.GOOD))
            answered.add(door.__name__)
        except doors.ALLOWED:
            refused.add(door.__name__)
    every = {door.__name__ for door in doors.DOORS}
    # Those two end with a call that must be refused.
    assert answered >= every - {"create", "tables"}, every - answered
    assert refused == every, every - refused


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_guided_calls():
    program = [sys.executable, str(ROOT / "python/fuzz/guided.py"), f"-runs={2000 if not SOAK else 1_000_000}", "-seed=1"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=7200)
    assert done.returncode == 0, done.stderr[-3000:]
