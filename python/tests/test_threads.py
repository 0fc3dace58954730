"""Threads and forks."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import SOAK

import bloomery
from bloomery import Filter

ROUNDS = 40 if SOAK else 20


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
    """Quotient and cuckoo filters move keys while they take others: a reader that did not wait would miss some."""
    there, step = np.arange(50_000), 2000
    filter = Filter(300_000, 0.01, kind)
    filter.update(there)

    def write(start):
        def work():
            for i in range(ROUNDS):
                filter.update(np.arange(start + i * step, start + (i + 1) * step))
                filter.add(start + i)

        return work

    def read():
        for _ in range(ROUNDS):
            assert filter.contains(there).all()
            assert all(key in filter for key in range(50))

    def copy():
        for _ in range(ROUNDS // 4):
            assert filter.copy().contains(there).all() and len(bytes(filter)) > 0

    together(write(10**6), write(10**7), read, read, copy)
    for start in (10**6, 10**7):
        assert filter.contains(np.arange(start, start + ROUNDS * step)).all()


def while_a_batch_runs(batch, meanwhile):
    """Calls `meanwhile` while another thread is in the batch: only the batch itself gives the GIL away here."""
    go, answers = threading.Lock(), []
    go.acquire()

    def run():
        go.release()  # wakes the main thread, which then waits for the GIL
        answers.append(batch())

    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    thread = threading.Thread(target=run)
    try:
        thread.start()
        go.acquire()
        found = meanwhile()
    finally:
        sys.setswitchinterval(before)
        thread.join()
    return answers[0], found


def test_writers_wait_for_readers():
    """A batch of questions is answered by one state of the filter, whatever another thread changes meanwhile."""
    keys = np.arange(2_000_000)
    full = Filter.build(keys, 0.001)
    for _ in range(5):
        filter = full.copy()
        answers, _ = while_a_batch_runs(lambda filter=filter: filter.contains(keys), filter.clear)
        assert answers.all() or not answers.any(), f"{answers.sum()} of {len(keys)} were asked before the clear"
        assert not filter.contains(keys[:1000]).any()


def test_readers_wait_for_writers():
    """A batch of keys is there as a whole, or not at all. The last keys are asked first, before a writer could be there."""
    keys = np.arange(2_000_000)
    asked = keys[::-1].copy()
    for _ in range(5):
        filter = Filter(len(keys), 0.001)
        _, answers = while_a_batch_runs(lambda filter=filter: filter.update(keys), lambda filter=filter: filter.contains(asked))
        assert answers.all() or answers.mean() < 0.01, f"{answers.sum()} of {len(keys)} were there"


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


@pytest.mark.parametrize("work", ["contains", "update", "build"])
def test_the_gil_is_released(work):
    """No thread is asked to give the GIL away here, so the main thread gets it before the batch is done only if the
    batch itself releases it. On a busy machine the main thread may come too late, and tries again."""
    filter, keys, done = Filter(1_000_000), np.arange(1_000_000), []
    call = Filter.build if work == "build" else getattr(filter, work)

    def came_in_between():
        done.clear()
        _, was_done = while_a_batch_runs(lambda: (call(keys), done.append(True)), lambda: list(done))
        return not was_done

    assert any(came_in_between() for _ in range(1000))


def test_readers_do_not_keep_a_writer_out():
    """Batches of three threads overlap, so that the filter never has no reader. A writer waits for those under way."""
    keys, filter, stop, batches = np.arange(500_000), Filter(500_000), threading.Event(), [0] * 3
    waited = []

    def read(i):
        def work():
            while not stop.is_set():
                filter.contains(keys)
                batches[i] += 1

        return work

    def write():
        try:
            time.sleep(0.2)
            for key in range(5):
                before = sum(batches)
                filter.add(key)
                waited.append(sum(batches) - before)
        finally:
            stop.set()

    threading.Timer(60, stop.set).start()
    together(read(0), read(1), read(2), write)
    assert len(waited) == 5 and max(waited) < 200, f"batches that a writer waited for: {waited}"


def test_a_filter_that_two_threads_close():
    for _ in range(ROUNDS):
        filter = Filter(2_000_000)

        def update(filter=filter):
            try:
                filter.update(np.arange(2_000_000))
            except bloomery.InvalidArgumentError as error:
                assert "closed" in str(error)

        together(update, filter.close, filter.close)
        assert filter.closed


@pytest.mark.parametrize("refused", ["full", "unsupported", "pinned", "closed", "mapped", "file", "mismatch"])
def test_errors_are_made_when_the_filter_is_free_again(refused, tmp_path):
    """An error that is made may run the garbage collector, and that finalizers which ask and change the filter."""
    code = (
        "import gc, sys, bloomery\n"
        "from bloomery import Filter\n"
        "refused, path = sys.argv[1:]\n"
        "filter = Filter(100, kind='cuckoo' if refused == 'full' else 'block')\n"
        "if refused == 'mapped':\n    filter.save(path)\n    filter = bloomery.map(path)\n"
        "if refused == 'pinned': view = memoryview(filter)\n"
        "other = Filter(10_000, 0.001)\n"
        "if refused == 'closed': other.close()\n"
        "def unite():\n    global filter\n    filter |= other\n"
        "call = {'full': lambda: filter.update(range(1000)), 'unsupported': lambda: filter.remove(1),\n"
        "    'pinned': lambda: filter.update([1]), 'closed': lambda: filter == other,\n"
        "    'mapped': lambda: filter.update([1]), 'mismatch': unite,\n"
        "    'file': lambda: filter.save('/nonexistent/f')}[refused]\n"
        "class Node:\n"
        "    def __init__(self): self.me = self\n"
        "    def __del__(self):\n"
        "        for use in (filter.contains, filter.update, other.contains, other.update):\n"
        "            try: use([1])\n"
        "            except bloomery.BloomeryError: pass\n"
        "made = 0\n"
        "gc.disable()\n"
        "for threshold in range(1, 100):\n"
        "    for _ in range(3):\n"
        "        gc.collect()\n"
        "        Node()\n"
        "        gc.set_threshold(threshold)\n"
        "        gc.enable()\n"
        "        try: call()\n"
        "        except bloomery.BloomeryError: made += 1\n"
        "        gc.disable()\n"
        "print(made)\n"
    )
    command = [sys.executable, "-c", code, refused, str(tmp_path / "f.blm")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "297\n", done.stderr


def test_filters_that_are_compared_and_united_and_changed_at_once():
    a, b, stop = Filter(100_000), Filter(100_000), threading.Event()
    tables = [bloomery.Iblt(1000), bloomery.Iblt(1000)]

    def unite(into, other):
        into |= other

    def until_stopped(work):
        def run():
            while not stop.is_set():
                work()

        return run

    works = [lambda: a == b, lambda: b == a, lambda: unite(a, b), lambda: unite(b, a), lambda: a.update(np.arange(1000)),
             lambda: b.update(np.arange(1000)), lambda: tables[0].add(1), lambda: tables[1].add(1),
             lambda: bloomery.set_diff(*tables), lambda: bloomery.set_diff(*tables[::-1]),
             lambda: bloomery.set_diff(tables[0], tables[0])]  # fmt: skip
    threading.Timer(2, stop.set).start()
    together(*map(until_stopped, works))


def test_pickles_and_pictures_of_a_filter_that_another_thread_changes():
    """They show one state of it, and no change is refused because of them."""
    filter, stop, before = Filter(200_000), threading.Event(), sys.getswitchinterval()

    def add():
        key = 0
        while not stop.is_set():
            filter.add(key)
            key += 1

    def show():
        try:
            for _ in range(300):
                for protocol in (2, 4):
                    pickle.loads(pickle.dumps(filter, protocol))
                filter._repr_html_()
        finally:
            stop.set()

    sys.setswitchinterval(1e-6)
    try:
        together(add, show)
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize(
    "work",
    [
        "filter.contains(keys)",
        "filter.update(key for key in range(100_000))",
        "filter.update(keys, progress=True)",
        "for key in slow: filter.add(key)",
        "for key in slow: key in filter",
        "for key in slow: live.add(key)",
        "iblt.update(key for key in range(10_000))",
        "table.get_many(str(key) for key in range(10_000))",
        "for i in range(1000): filter.update(Ended(range(10)))",
    ],
)
def test_the_process_ends_while_daemons_work(work, tmp_path):
    """CPython before 3.14 ends them wherever they wait for the GIL: in code of keys, bars, iterables and finalizers."""
    code = (
        "import os, sys, threading, time, numpy as np, bloomery\n"
        "class Slow:\n"
        "    def __init__(self, key): self.key = key\n"
        "    def __index__(self): return sum(range(5)) + self.key\n"
        "class Ended(list):\n"
        "    def __del__(self): sum(x for x in range(100))\n"
        "filter, keys, slow = bloomery.Filter(1_000_000), np.arange(1_000_000), [Slow(i) for i in range(20_000)]\n"
        "live, iblt = bloomery.Live(100_000), bloomery.Iblt(1000)\n"
        "with bloomery.TableBuilder(sys.argv[1]) as builder: builder.add('a', 'b')\n"
        "table, errors = bloomery.open_table(sys.argv[1]), sys.stderr\n"
        "if 'progress' in sys.argv[2]: sys.stderr = open(os.devnull, 'w')\n"
        f"def run():\n    while True:\n        {work}\n"
        "for _ in range(3): threading.Thread(target=run, daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "sys.stderr = errors\n"
    )
    if "progress" in work:
        pytest.importorskip("tqdm")
    for _ in range(3):
        command = [sys.executable, "-c", code, str(tmp_path / "t.blt"), work]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("answers", ["bool", "bits", "positions"])
def test_arrays_that_are_asked_for_at_the_end_are_refused_with_a_sentence(answers):
    """NumPy makes the array, and cannot be imported when the last objects of a program go."""
    code = (
        "import os, numpy as np, bloomery\n"
        "class Last:\n"
        "    def __init__(self, filter, keys): self.filter, self.keys = filter, keys\n"
        "    def __del__(self, write=os.write, errors=bloomery.BloomeryError):\n"
        f"        try: self.filter.contains(self.keys, answers='{answers}')\n"
        "        except errors as error: write(1, str(error).encode())\n"
        "last = Last(bloomery.Filter(1000), np.arange(100))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "" or "the interpreter ends" in done.stdout


@pytest.mark.parametrize("method", ["filter.add('last')", "filter.contains(keys)", "bytes(filter)", "filter.close()"])
def test_what_runs_at_the_end_does_not_wait_for_daemons(method, tmp_path):
    """A thread that was stopped inside a batch keeps the filter, and nothing in the ending process waits for it."""
    (tmp_path / "daemons.py").write_text(  # a module of its own: frames of threads keep the globals of theirs
        "def run(filter, keys):\n    while True: filter.update(keys), filter.contains(keys)\n"
    )
    code = (
        "import os, threading, time, numpy as np, bloomery, daemons\n"
        "class Last:\n"
        "    def __init__(self, work): self.work = work\n"
        "    def __del__(self, write=os.write, errors=bloomery.BloomeryError):\n"
        "        try: self.work()\n"
        "        except errors as error: write(2, f'{type(error).__name__}: {error}'.encode())\n"
        "        write(1, b'ended')\n"
        "filter, keys = bloomery.Filter(1_000_000), np.arange(3_000_000)\n"
        f"last = Last(lambda filter=filter, keys=keys: {method})\n"
        "for _ in range(3): threading.Thread(target=daemons.run, args=(filter, keys), daemon=True).start()\n"
        "time.sleep(0.4)\n"
    )
    for _ in range(3):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, "ended"), done.stderr
        assert done.stderr == "" or done.stderr.startswith("InvalidArgumentError: ") and "ends" in done.stderr


def in_child(work):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)  # ends a child that hangs
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
def test_a_fork_while_another_thread_rebuilds():
    """The child is told, and answers and takes keys."""
    live, stop = bloomery.Live(1000), threading.Event()
    live.update(range(1000))

    def rebuild():
        while not stop.is_set():
            live.begin_rebuild(100_000_000)
            live.abort()

    def work():
        live.add("child")
        answers = live.contains(range(1000)).all() and "child" in live
        for use in (live.abort, live.stats, live.prometheus):
            try:
                use()
            except bloomery.InvalidArgumentError as error:
                told = "forked" in str(error) or "no rebuild" in str(error)
                answers = answers and told
        return answers

    thread = threading.Thread(target=rebuild)
    thread.start()
    try:
        assert [in_child(work) for _ in range(30)] == [0] * 30
    finally:
        stop.set()
        thread.join()


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

    def ask_and_change():
        try:
            return len(filter.contains([1])) == 1 and filter.kind == "block" and change()
        except bloomery.InvalidArgumentError as error:
            return "forked" in str(error)

    for work in (filter.contains, filter.update):
        stop.clear()
        thread = until_stopped(work)
        thread.start()
        try:
            assert [in_child(change) for _ in range(5)] == [0] * 5
            assert [in_child(ask_and_change) for _ in range(5)] == [0] * 5
        finally:
            stop.set()
            thread.join()
