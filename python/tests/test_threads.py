"""Threads and forks."""

import os
import threading

import numpy as np
import pytest
from conftest import SOAK

import bloomery
from bloomery import Filter

ROUNDS = 200 if SOAK else 20


def together(*works):
    """Runs them at once and raises what any of them raises."""
    errors = []

    def guarded(work):
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "hangs"
    if errors:
        raise errors[0]


@pytest.mark.parametrize("kind", ["block", "scalable", "quotient", "cuckoo"])
def test_writers_and_readers_of_one_filter(kind):
    filter = Filter(200_000, 0.01, kind)
    filter.update(range(1000))

    def write(start):
        def work():
            for i in range(ROUNDS):
                filter.update(np.arange(start + i * 100, start + i * 100 + 100))
                filter.add(start + i)

        return work

    def read():
        for _ in range(ROUNDS):
            assert filter.contains(np.arange(1000)).all()
            assert all(key in filter for key in range(50))

    def copy():
        for _ in range(ROUNDS // 4):
            assert filter.copy().contains(np.arange(1000)).all() and len(bytes(filter)) > 0

    together(write(10_000), write(50_000), read, read, copy)
    for start in (10_000, 50_000):
        assert filter.contains(np.arange(start, start + ROUNDS * 100)).all()


def test_two_filters_that_take_each_other_in():
    a, b = Filter(100_000), Filter(100_000)
    a.add("a")
    b.add("b")

    def work(into, other):
        def run():
            nonlocal_filter = into
            for _ in range(ROUNDS):
                nonlocal_filter |= other

        return run

    together(work(a, b), work(b, a))
    assert "a" in b and "b" in a


def test_close_waits_for_readers(tmp_path):
    Filter.build(np.arange(100_000)).save(tmp_path / "f.blm")
    for _ in range(ROUNDS // 4):
        filter = bloomery.map(tmp_path / "f.blm")

        def read(filter=filter):
            try:
                while True:
                    assert filter.contains(np.arange(10_000)).all()
            except bloomery.InvalidArgumentError as error:
                assert "closed" in str(error)

        together(read, read, filter.close)


def test_the_gil_is_released():
    """A long batch in one thread lets another run: it would count nothing otherwise."""
    filter = Filter(1000)
    keys = np.arange(2_000_000)
    counted, done = 0, threading.Event()

    def batch():
        for _ in range(5):
            filter.contains(keys)
        done.set()

    thread = threading.Thread(target=batch)
    thread.start()
    while not done.is_set():
        counted += 1
    thread.join()
    assert counted > 1000


def in_child(work):
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        except BaseException:  # noqa: BLE001
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_forks():
    filter = Filter.build(range(1000))

    def work():
        assert filter.contains(range(1000)).all()
        filter.add("child")
        return "child" in filter

    assert in_child(work) == 0
    assert "child" not in filter and filter.contains(range(1000)).all()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_while_another_thread_works():
    """Readers of the parent are no readers of the child; a writer that was left behind is told."""
    filter = Filter(3_000_000)
    keys, stop = np.arange(3_000_000), threading.Event()

    def until_stopped(work):
        def run():
            while not stop.is_set():
                work(keys)

        return threading.Thread(target=run)

    def change():
        try:
            filter.add("child")
            return "child" in filter
        except bloomery.InvalidArgumentError as error:
            return "forked" in str(error)

    for work in (filter.contains, filter.update):
        stop.clear()
        thread = until_stopped(work)
        thread.start()
        try:
            assert [in_child(change) for _ in range(5)] == [0] * 5
        finally:
            stop.set()
            thread.join()
