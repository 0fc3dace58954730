"""Keys from NumPy, from buffers and from iterables."""

import array
import subprocess
import sys

import doors
import numpy as np
import pytest

import bloomery
from bloomery import Filter

WIDTHS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


@pytest.mark.parametrize("dtype", WIDTHS)
def test_integers_of_every_width_are_the_same_keys(dtype):
    info = np.iinfo(dtype)
    keys = np.unique(np.linspace(info.min // 2, info.max // 2, 100).astype(dtype))
    filter = Filter.build(keys, 0.001)
    assert filter == Filter.build(keys.tolist(), 0.001)
    assert filter.contains(keys.tolist()).all() and filter.contains(array.array(keys.dtype.char, keys.tolist())).all()
    single = Filter(len(keys), 0.001)
    for key in keys:
        single.add(key)
    assert single == filter


@pytest.mark.parametrize("dtype", ["i8", "u2", "U3"])
def test_what_a_mask_hides_is_no_key(dtype):
    keys = np.ma.array(np.arange(5).astype(dtype), mask=[0, 1, 0, 0, 1])
    with pytest.raises(bloomery.KeyTypeError, match=r"keys\[1\] is None"):
        Filter.build(keys)
    assert Filter.build(keys, nulls="skip") == Filter.build(keys.compressed().tolist())
    for without in (np.ma.array(keys.data), np.ma.array(keys.data, mask=[0] * 5)):
        assert Filter.build(without) == Filter.build(keys.data.tolist())


@pytest.mark.parametrize("asked", ["__iter__", "__len__", "__buffer__"])
def test_what_ends_the_program_is_passed_on(asked):
    def end(*_):
        raise KeyboardInterrupt

    if asked == "__buffer__" and sys.version_info < (3, 12):
        pytest.skip("buffers written in Python came with 3.12")
    keys = type("Keys", (), {"__iter__": lambda self: iter([1]), asked: end})()
    with pytest.raises(KeyboardInterrupt):
        Filter(10).update(keys)


@pytest.mark.parametrize("step", [1, 2, 3, -1, -7])
@pytest.mark.parametrize("dtype", ["i8", "i4", "S5"])
def test_arrays_with_gaps(step, dtype):
    keys = np.arange(5000).astype(dtype)
    filter = Filter.build(keys[::step], 0.001)
    assert filter == Filter.build(keys[::step].copy(), 0.001)
    expected = [key in filter for key in keys.tolist()]
    assert filter.contains(keys).tolist() == expected
    assert filter.contains(keys[::-1]).tolist() == expected[::-1]


def test_a_field_of_a_record_is_unaligned_and_right():
    records = np.zeros(1000, dtype=[("a", "i1"), ("key", "i8")])
    records["key"] = np.arange(1000)
    assert Filter.build(records["key"]) == Filter.build(np.arange(1000))


def test_read_only_arrays():
    keys = np.arange(100)
    keys.flags.writeable = False
    assert Filter.build(keys).contains(keys).all()
    assert Filter.build(memoryview(keys)).contains(keys).all()


def test_fixed_width_bytes_end_where_numpy_says():
    keys = np.array([b"a", b"abc", b"", b"ab\0c"], "S5")
    filter = Filter.build(keys)
    assert b"a" in filter and b"" in filter and b"ab\0c" in filter
    assert filter == Filter.build(keys.tolist())


@pytest.mark.parametrize("dtype", ["U", "T"])
def test_text_of_numpy(dtype):
    if dtype == "T" and not hasattr(np.dtypes, "StringDType"):
        pytest.skip("this NumPy has no StringDType")
    words = [f"Schlüssel {i}" for i in range(20_000)] + [""]
    keys = np.array(words, dtype=np.dtypes.StringDType() if dtype == "T" else None)
    filter = Filter.build(keys)
    assert filter == Filter.build(words) and filter.contains(keys).all() and filter.contains(keys[::-1]).all()


def test_iterables_of_all_sorts():
    words = [f"w{i}" for i in range(20_000)]
    filter = Filter.build(words)
    assert all(Filter.build(keys) == filter for keys in (tuple(words), iter(words), (w for w in words), dict.fromkeys(words)))
    assert filter.contains(w for w in words).all()
    assert filter.contains([]).shape == (0,)


def test_an_iterable_may_ask_the_filter_it_goes_to():
    filter = Filter(1000, 0.001)
    filter.update(key for key in list(range(500)) * 2 if key not in filter)
    assert filter.contains(range(500)).all()


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1023, 1024, 1025, 5000])
def test_forms_of_answers_agree(count):
    filter = Filter.build(np.arange(0, 10_000, 3), 0.01)
    for keys in (np.arange(count), np.arange(count, dtype="i2"), list(range(count))):
        bools = filter.contains(keys)
        assert bools.dtype == bool and bools.shape == (count,)
        bits = filter.contains(keys, answers="bits")
        assert bits.dtype == np.uint8 and len(bits) == (count + 7) // 8
        assert np.array_equal(np.unpackbits(bits, bitorder="little")[:count].astype(bool), bools)
        positions = filter.contains(keys, answers="positions")
        assert positions.dtype == np.int64 and np.array_equal(positions, np.flatnonzero(bools))


def test_answers_are_ours_to_write():
    answers = Filter.build([1]).contains([1, 2])
    answers[1] = True
    assert answers.all()


@pytest.mark.parametrize("kind", ["block", "split", "classic", "fuse", "ribbon"])
def test_threads_make_the_same_filter(kind):
    keys = np.arange(200_000)
    assert Filter.build(keys, 0.01, kind, threads=4) == Filter.build(keys, 0.01, kind)
    words = [f"w{i}" for i in range(50_000)]
    assert Filter.build(words, 0.01, kind, threads=3) == Filter.build(words, 0.01, kind)


def test_update_by_threads():
    one, many = Filter(200_000), Filter(200_000)
    one.update(np.arange(200_000))
    many.update(np.arange(200_000), threads=4)
    assert one == many and len(many) == 200_000
    many.update(np.arange(1000).astype("i4"), threads=2)
    with pytest.raises(bloomery.InvalidArgumentError):
        many.update([1], threads=0)


BAD = {
    "float": (np.array([1.5]), "no integers, bytes or text"),
    "bool": (np.array([True]), "no integers, bytes or text"),
    "complex": (np.array([1j]), "no integers, bytes or text"),
    "time": (np.array(["2020-01-01"], "M8[D]"), "datetime64"),
    "objects": (np.array([1, "a"], object), "array of objects"),
    "big-endian": (np.array([1], ">i8"), "big-endian"),
    "two dimensions": (np.array([[1, 2]]), "2 dimensions"),
    "no dimension": (np.array(1), "0 dimensions"),
    "two dimensions of text": (np.array([["a"]]), "one dimension"),
    "record": (np.zeros(2, dtype=[("a", "i4"), ("b", "i4")]), "no integers"),
    "number": (5, "keys is a int"),
    "None": (None, "keys is a NoneType"),
    "text": ("abc", "which is one key"),
    "bytes": (b"abc", "which is one key"),
    "a view of bytes": (memoryview(b"abc"), "which is one key"),
    "a filter": (Filter.build([1]), "keys is a filter"),
    "mixed": ([1, 2, "a"], r"keys\[2\] is a str, and those before it are int"),
    "mixed bytes": (["a", b"a"], r"keys\[1\] is a bytes"),
    "a None": (["a", None], r"keys\[1\] is None"),
    "a float": ([1, 2.0], r"keys\[1\]: a key is a str, bytes or an int, not a float"),
    "a bool": ([True], r"keys\[0\]: a key is a str, bytes or an int, not a bool"),
    "a bool of NumPy": ([np.bool_(True)], "int, not a bool"),
    "a list": ([[1]], "not a list"),
    "too large": ([2**64], r"keys\[0\]: an int"),
    "too small": ([-(2**63) - 1], "an int"),
    "surrogate": (["\ud800"], "lone surrogate"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_keys_are_refused_with_a_sentence(name):
    keys, sentence = BAD[name]
    filter = Filter.build([1, 2, 3])
    for use in (filter.contains, filter.update, Filter.build):
        with pytest.raises(bloomery.BloomeryError, match=sentence):
            use(keys)


def test_an_iterable_that_raises():
    def keys():
        yield 1
        raise RuntimeError("of the caller")

    with pytest.raises(RuntimeError, match="of the caller"):
        Filter.build(keys())


class Lying:
    """Says that it speaks Arrow, or NumPy, and does not."""

    def __init__(self, **answers):
        self.answers = answers

    def __getattr__(self, name):
        if name in self.answers:
            return lambda *a, **k: self.answers[name]
        raise AttributeError(name)


@pytest.mark.parametrize("answers", [
    {"__arrow_c_array__": 1}, {"__arrow_c_array__": (1, 2)}, {"__arrow_c_stream__": None}, {"__arrow_c_array__": ()},
    {"__array__": 5}, {"__array__": "abc"},
])  # fmt: skip
def test_objects_that_lie(answers):
    with pytest.raises(bloomery.KeyTypeError):
        Filter.build(Lying(**answers))


@pytest.mark.parametrize("dtype", ["\ud800", 5, None, np.dtype("i8")])
def test_objects_that_look_like_arrays(dtype):
    with pytest.raises(bloomery.KeyTypeError):
        Filter.build(doors.Lying(dtype=dtype, ndim=1))


def test_nulls_in_iterables():
    filter = Filter.build(["a", None, "b"], nulls="skip")
    assert len(filter) == 2 and filter.contains(["a", None, "b"], nulls="skip").tolist() == [True, False, True]
    with pytest.raises(bloomery.InvalidArgumentError, match="'refuse' or 'skip'"):
        filter.contains(["a"], nulls="ignore")
    with pytest.raises(bloomery.InvalidArgumentError, match="'bool', 'bits' or 'positions'"):
        filter.contains(["a"], answers="list")


def test_positions_in_arrays_of_text_count_from_the_start():
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("this NumPy has no StringDType")
    keys = np.array(["key"] * 20_000, dtype=np.dtypes.StringDType(na_object=None))
    keys[15_000] = None
    with pytest.raises(bloomery.KeyTypeError, match=r"keys\[15000\] is None"):
        Filter(10).update(keys)


def test_a_memoryview_that_was_released_is_no_empty_batch():
    filter = Filter(10)
    view = memoryview(array.array("q", [1, 2, 3]))
    view.release()
    for use in (filter.contains, filter.update, Filter.build):
        with pytest.raises(ValueError, match="released"):
            use(view)
    assert len(filter) == 0


def test_an_array_of_arrays_without_end():
    """Each of them has another one to show, and none has keys."""

    class Next:
        asked = 0

        def __array__(self, dtype=None, copy=None):
            return Next()

        def __getattr__(self, name):
            if name == "__array_struct__":
                Next.asked += 1
                if Next.asked % 2 == 1:
                    return 1
            raise AttributeError(name)

    class First:
        def __array__(self, dtype=None, copy=None):
            return Next()

    with pytest.raises(bloomery.KeyTypeError):
        Filter(10).update(First())


def test_errors_of_the_users_own_keys_are_passed_on():
    class Two(Exception):
        def __init__(self, one, two):
            super().__init__(one, two)

    class Key:
        def __index__(self):
            raise Two(1, 2)

    with pytest.raises(Two) as caught:
        Filter(10).update([1, Key()])
    assert caught.value.args == (1, 2)


def test_a_build_without_memory_says_so():
    code = (
        "import resource, numpy as np, bloomery\n"
        "keys = np.zeros(30_000_000, 'i4')\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + 100_000_000,) * 2)\n"
        "try:\n    bloomery.Filter.build(keys)\n"
        "except bloomery.OutOfMemoryError as error:\n    print('out of memory', isinstance(error, MemoryError))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "out of memory True\n", done.stderr


def test_more_keys_than_any_memory_has_hashes_for():
    keys = np.broadcast_to(np.int8(0), (2**61,))
    filter = Filter(10)
    with pytest.raises(bloomery.OutOfMemoryError):
        filter.update(keys, threads=2)
    assert len(filter) == 0
