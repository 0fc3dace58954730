"""Filters by single keys and small batches: what every kind promises."""

import copy
import errno
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
from conftest import KINDS, REMOVING, SOAK, STATIC
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bloomery
from bloomery import Filter

text = st.lists(st.text(max_size=30).filter(lambda s: all(not 0xD800 <= ord(c) < 0xE000 for c in s)), max_size=40)
binary = st.lists(st.binary(max_size=40), max_size=40)
integers = st.lists(st.integers(-(2**63), 2**64 - 1), max_size=40)


# A machine may be slow: no deadline, and no complaint that making the keys took long.
@settings(deadline=None, max_examples=500 if SOAK else 20,
          suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])  # fmt: skip
@given(keys=st.one_of(text, binary, integers), others=st.one_of(text, binary, integers))
def test_no_false_negatives(kind, keys, others):
    """Against a set: what is in the set is in the filter, by one key, by a batch, from bytes, and after more keys."""
    if not keys:
        return
    keys = list(dict.fromkeys(keys))  # of many equal keys, cuckoo filters are full
    filter = Filter.build(keys, 0.01, kind)
    if kind not in STATIC and kind != "stable":
        try:
            for key in others:
                filter.add(key)
                keys = [*keys, key]
        except bloomery.FullError:
            assert kind in ("cuckoo", "quotient")
    if kind == "stable":
        keys = keys[-1:]
    present = set(keys)
    assert all(key in filter for key in present)
    by_type = [[k for k in keys if type(k) is t] for t in (str, bytes, int)]
    again = Filter.from_bytes(bytes(filter))
    assert again == filter
    for some in by_type:
        assert filter.contains(some).all() and again.contains(some).all()
        assert filter.contains(some).tolist() == [key in filter for key in some]


def test_rate_is_the_one_asked_for(kind):
    keys = np.arange(20_000)
    filter = Filter.build(keys, 0.02, kind)
    assert filter.contains(np.arange(10**9, 10**9 + 50_000)).mean() < 0.03


@pytest.mark.parametrize("kind", REMOVING)
def test_remove(kind):
    filter = Filter(1000, 0.01, kind)
    filter.update(range(500))
    assert filter.remove(7) is True
    assert filter.remove_many([10**12]) in (0, 1)
    assert filter.remove_many(np.arange(100, 200)) == 100
    assert all(key in filter for key in range(200, 500))
    assert sum(key in filter for key in range(100, 200)) < 20


@pytest.mark.parametrize("kind", ["block", "classic", "fuse"])
def test_what_a_kind_cannot_do_names_one_that_can(kind):
    filter = Filter.build([1, 2, 3], kind=kind)
    with pytest.raises(bloomery.UnsupportedError, match="counting, cuckoo and quotient"):
        filter.remove(1)


def test_static_kinds_take_no_more_keys():
    with pytest.raises(bloomery.UnsupportedError, match="built of all its keys at once"):
        Filter.build([1, 2, 3], kind="fuse").add(4)
    with pytest.raises(bloomery.BloomeryError):
        Filter(10, 0.01, "ribbon")


def test_full():
    filter = Filter(10, 0.01, "cuckoo")
    with pytest.raises(bloomery.FullError) as caught:
        filter.update(range(1000))
    assert isinstance(caught.value, ValueError) and "full" in str(caught.value)


@pytest.mark.parametrize("kind", [k for k in KINDS if k in ("classic", "split", "block", "partitioned", "counting")])
def test_union_and_intersection(kind):
    a, b = Filter(1000, 0.01, kind), Filter(1000, 0.01, kind)
    a.update(range(0, 300))
    b.update(range(200, 500))
    both = a | b
    assert both.contains(range(500)).all()
    if kind != "counting":
        assert (a & b).contains(range(200, 300)).all()
        assert (a & b).contains(range(0, 200)).mean() < 0.2
    before = a.copy()
    a |= b
    assert a == both and a != before and b.contains(range(200)).mean() < 0.2
    a |= a
    assert a.contains(range(500)).all()


def test_filters_that_differ_do_not_combine():
    with pytest.raises(bloomery.MismatchError):
        Filter(1000) | Filter(2000)
    with pytest.raises(bloomery.MismatchError, match="kinds"):
        Filter(1000) | Filter(1000, kind="split")
    with pytest.raises(TypeError):
        Filter(1000) | {1}
    assert Filter(1000) != {1}
    with pytest.raises(TypeError):
        hash(Filter(1000))


def test_copies_are_their_own():
    filter = Filter.build(["a"])
    for other in (filter.copy(), copy.copy(filter), copy.deepcopy(filter)):
        assert other == filter
        other.add("b")
        assert other != filter and "b" not in filter


def test_len_and_repr():
    filter = Filter(1000, 0.01)
    assert len(filter) == 0
    filter.update(["a", "b"])
    assert len(filter) == 2 == filter.key_count
    assert repr(filter) == f"<bloomery.Filter block, 2 keys, {filter.nbytes} bytes>" and "\n" not in repr(filter)
    assert filter.kind == "block" and filter.hash == "xxh3" and filter.seed == 0 and not filter.forgets
    assert 0 < filter.fill < 0.1 and filter.predicted_fpr < 1e-6 and filter.estimated_count == 2
    assert Filter(10, kind="stable").forgets


def test_integers_are_eight_bytes():
    """spec/keys.md: -1 and 2**64 - 1 are one key, 42 and "42" are two, and an int is its eight bytes."""
    filter = Filter.build([-1, 42])
    assert 2**64 - 1 in filter and (42).to_bytes(8, "little") in filter and np.int8(-1) in filter
    assert "42" not in filter


def test_hashes_and_secrets(tmp_path):
    secret = bytes(range(16))
    filter = Filter.build(["a", "b"], secret=secret)
    assert filter.hash == "siphash13" and "a" in filter
    filter.save(tmp_path / "keyed.blm")
    assert "a" in bloomery.open(tmp_path / "keyed.blm", secret=secret)
    with pytest.raises(bloomery.WrongSecretError):
        bloomery.open(tmp_path / "keyed.blm")
    with pytest.raises(bloomery.WrongSecretError):
        bloomery.open(tmp_path / "keyed.blm", secret=bytes(16))
    with pytest.raises(bloomery.InvalidArgumentError, match="16 bytes"):
        Filter(10, secret=b"short")
    with pytest.raises(bloomery.InvalidArgumentError, match="takes no seed"):
        Filter(10, hash="fnv_splitmix", seed=1)
    assert Filter(10, seed=7) != Filter(10, seed=8)


def test_clear():
    filter = Filter.build(range(100))
    filter.clear()
    assert len(filter) == 0 and not filter.contains(range(100)).any()


@pytest.mark.parametrize("number", [-1, 2**64, -(2**70)])
def test_a_number_below_0_or_above_64_bits_gets_a_sentence(number, tmp_path):
    live, builder = bloomery.Live(10), bloomery.TableBuilder(tmp_path / "t.blt")
    for name, use in (
        ("n", lambda: Filter(number)),
        ("n", lambda: bloomery.Live(number)),
        ("n", lambda: live.begin_rebuild(number)),
        ("n", lambda: bloomery.plan(number)),
        ("n", lambda: bloomery.choose(number)),
        ("seed", lambda: Filter(10, seed=number)),
        ("differences", lambda: bloomery.Iblt(number)),
        ("block_bytes", lambda: bloomery.TableBuilder(tmp_path / "u.blt", block_bytes=number)),
        ("sequence", lambda: builder.add("a", "b", sequence=number)),
    ):
        with pytest.raises(bloomery.InvalidArgumentError) as caught:
            use()
        assert str(caught.value) == f"{name} is {number}: give a number from 0 to 2^64 - 1"
    assert Filter(np.int64(10)) == Filter(10)


def test_errors_are_those_of_python_too(tmp_path):
    with pytest.raises(ValueError):
        Filter(0)
    with pytest.raises(ValueError, match="rate"):
        Filter(10, 2.0)
    with pytest.raises(ValueError, match="there is no kind 'bloom'"):
        Filter(10, kind="bloom")
    with pytest.raises(FileNotFoundError, match="absent.blm: cannot open: ") as caught:
        bloomery.open(tmp_path / "absent.blm")
    assert caught.value.errno == errno.ENOENT and caught.value.filename == str(tmp_path / "absent.blm")
    assert isinstance(caught.value, bloomery.FileError) and str(caught.value).startswith(str(tmp_path))
    with pytest.raises(FileNotFoundError) as caught:
        bloomery.open(os.fsencode(tmp_path) + b"/\xff")
    assert caught.value.filename == os.fsdecode(os.fsencode(tmp_path) + b"/\xff")

    class Refusing:
        def __fspath__(self):
            raise ValueError("its own words")

    with pytest.raises(ValueError, match="its own words"):
        bloomery.open(Refusing())
    with pytest.raises(bloomery.FileError) as caught:
        bloomery.open(tmp_path)
    assert not isinstance(caught.value, FileNotFoundError)
    with pytest.raises(bloomery.FileError, match=r"\\xff"):
        bloomery.open(b"/absent/\xff")
    with pytest.raises(bloomery.InvalidArgumentError, match="null character"):
        bloomery.open("a\0b")
    with pytest.raises(bloomery.InvalidArgumentError, match="label is a int"):
        Filter(10).save(tmp_path / "f.blm", label=5)
    with pytest.raises(MemoryError):
        Filter(2**60, 0.001)
    for kind_of_number in ("ten", 10.0, None):
        with pytest.raises(TypeError):
            Filter(kind_of_number)
    for name in bloomery.__all__:
        if name.endswith("Error"):
            assert issubclass(getattr(bloomery, name), bloomery.BloomeryError)


def test_errno_of_a_message_that_ends_with_advice(tmp_path):
    """The words of the system stand before the advice: what was done to the file, or what to do now."""
    code = (
        "import resource, errno, bloomery\n"
        "filter = bloomery.Filter(1_000_000)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n    filter.save('f.blm')\n"
        "except bloomery.FileError as error:\n    print(errno.errorcode[error.errno], error.filename, '; ' in str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "EFBIG f.blm True\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def catalogue(words):
    """The bytes of a catalogue of translations, as msgfmt makes them (GNU gettext, "The Format of GNU MO Files")."""
    texts, places, at = b"", [], 28 + 16 * len(words)
    for column in (sorted(words), [words[word] for word in sorted(words)]):
        for text in column:
            places += [len(text), at + len(texts)]
            texts += text + b"\0"
    count = len(words)
    return struct.pack(f"<{7 + len(places)}I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0, *places) + texts


def test_errno_where_the_system_speaks_another_language(tmp_path):
    """The words of the system are those of the locale that is there when the error is made, and need not be UTF-8."""
    folder = tmp_path / "xx/LC_MESSAGES"
    folder.mkdir(parents=True)
    header = b"Content-Type: text/plain; charset=UTF-8\n"
    words = {b"": header, b"No such file or directory": b"keine: Datei", b"Not a directory": "kein Ördner".encode()}
    (folder / "libc.mo").write_bytes(catalogue(words))
    code = (
        "import ctypes, errno, locale, os, sys, bloomery\n"
        "locale.setlocale(locale.LC_ALL, 'C.UTF-8')\n"
        "ctypes.CDLL(None).bindtextdomain(b'libc', sys.argv[1].encode())\n"
        "if os.strerror(2) != 'keine: Datei': sys.exit('not translated')\n"
        "for path in ('/absent', '/dev/null/absent'):\n"
        "    try: bloomery.open(path)\n"
        "    except bloomery.FileError as error: print(type(error).__name__, errno.errorcode.get(error.errno))\n"
    )
    environment = os.environ | {"LANGUAGE": "xx", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.stderr == "not translated\n":
        pytest.skip("the C library translates nothing here")
    assert done.stdout == "MissingFileError ENOENT\nFileError ENOTDIR\n", done.stderr


def test_a_filter_that_was_never_created_is_refused():
    empty = Filter.__new__(Filter)
    with pytest.raises(ValueError):
        1 in empty
    with pytest.raises((BufferError, TypeError)):
        memoryview(empty)
    with pytest.raises((TypeError, RuntimeError)):
        empty.add(1)
