"""Keys by the Arrow PyCapsule interface: pyarrow, polars, pandas, DuckDB, and arrays that are malformed."""

import ctypes

import pytest
from handmade import Handmade, ints

import bloomery
from bloomery import Filter

pa = pytest.importorskip("pyarrow")

WORDS = [f"key {i} {'x' * (i % 30)}" for i in range(3000)] + ["", "ü"]
FILTER = Filter.build(WORDS)


@pytest.mark.parametrize("type", ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"])
def test_text_and_bytes(type):
    if not hasattr(pa, type):
        pytest.skip(f"this pyarrow has no {type}")
    keys = WORDS if "string" in type else [word.encode() for word in WORDS]
    array = pa.array(keys, getattr(pa, type)())
    assert Filter.build(array) == FILTER
    for some in (array[7:], array[7:2000], array[5:5], array[1000:1001]):
        assert len(FILTER.contains(some)) == len(some) and FILTER.contains(some).all()
    assert Filter.build(pa.chunked_array([array[:9], array[9:]])) == FILTER
    assert Filter.build(array[1:4]) == Filter.build(keys[1:4])


@pytest.mark.parametrize("type", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_integers(type):
    keys = list(range(0, 100)) + ([-5, -100] if type[0] == "i" else [200])
    array = pa.array(keys, getattr(pa, type)())
    assert Filter.build(array) == Filter.build(keys)
    assert Filter.build(array[3:]) == Filter.build(keys[3:])


def test_fixed_size_binary():
    keys = [bytes([i]) * 16 for i in range(100)]
    array = pa.array(keys, pa.binary(16))
    assert Filter.build(array) == Filter.build(keys) and Filter.build(array[9:]) == Filter.build(keys[9:])


@pytest.mark.parametrize("index", ["int8", "int32", "uint16", "int64"])
def test_dictionaries(index):
    keys = ["red", "green", "blue", "green", None, "red"]
    array = pa.array(keys).dictionary_encode().cast(pa.dictionary(getattr(pa, index)(), pa.string()))
    filter = Filter.build(array, nulls="skip")
    assert filter == Filter.build([key for key in keys if key])
    assert filter.contains(array, nulls="skip").tolist() == [True, True, True, True, False, True]
    assert filter.contains(array[2:5], nulls="skip").tolist() == [True, True, False]
    null_inside = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["red", None]))
    assert filter.contains(null_inside, nulls="skip").tolist() == [True, False, True]
    with pytest.raises(bloomery.KeyTypeError, match=r"keys\[1\] is null"):
        filter.contains(null_inside)
    null_unused = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["red", None]))
    assert filter.contains(null_unused).tolist() == [True, True] and Filter.build(null_unused) == Filter.build(["red"] * 2)


@pytest.mark.parametrize("keys", [["a", None, "b"], [1, None, 2]])
def test_nulls(keys):
    array = pa.array(keys)
    with pytest.raises(bloomery.KeyTypeError, match=r"keys\[1\] is null: nulls='skip'"):
        Filter.build(array)
    filter = Filter.build(array, nulls="skip")
    assert len(filter) == 2 and filter == Filter.build([keys[0], keys[2]])
    assert filter.contains(array, nulls="skip").tolist() == [True, False, True]
    assert filter.contains(array, nulls="skip", answers="positions").tolist() == [0, 2]
    assert filter.contains(array[1:], nulls="skip").tolist() == [False, True]
    with pytest.raises(bloomery.KeyTypeError, match=r"keys\[4\] is null"):
        filter.contains(pa.chunked_array([array[2:], array[2:], array[2:], array]))
    assert filter.contains(pa.nulls(3), nulls="skip").tolist() == [False] * 3


def test_tables_of_one_column():
    table = pa.table({"key": WORDS})
    assert Filter.build(table) == FILTER and Filter.build(table.to_batches()[0]) == FILTER
    assert FILTER.contains(table.slice(5, 10)).shape == (10,) and FILTER.contains(table.slice(5, 10)).all()
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))
    assert FILTER.contains(reader).all()
    with pytest.raises(bloomery.KeyTypeError, match="2 columns"):
        Filter.build(pa.table({"a": [1], "b": [2]}))


@pytest.mark.parametrize("array", [
    pa.array([1.5]), pa.array([True]), pa.array([[1]]), pa.array([0], pa.timestamp("s")), pa.array([0], pa.date32()),
])  # fmt: skip
def test_types_that_are_no_keys(array):
    with pytest.raises(bloomery.KeyTypeError, match="no type of keys|holds floats, which are no keys"):
        Filter.build(array)


def test_sentences_for_frames():
    pd, pl = pytest.importorskip("pandas", minversion="3"), pytest.importorskip("polars")
    with pytest.raises(bloomery.KeyTypeError, match="unless its dtype is 'Int64'"):
        Filter.build(pd.Series([1, None, 3]))
    assert Filter.build(pd.Series([1, None, 3], dtype="Int64"), nulls="skip") == Filter.build([1, 3])
    with pytest.raises(bloomery.KeyTypeError, match="Arrow's type date32 is no type of keys"):
        Filter.build(pa.array([0], pa.date32()))
    with pytest.raises(bloomery.KeyTypeError, match="LazyFrame, which has no rows yet: collect"):
        Filter.build(pl.DataFrame({"k": [1]}).lazy())


def test_a_stream_that_fails():
    def batches():
        yield pa.record_batch({"key": ["a"]})
        raise RuntimeError("the disk is gone")

    schema = pa.schema([("key", pa.string())])
    with pytest.raises(bloomery.FileError, match="the Arrow stream failed.*the disk is gone"):
        Filter.build(pa.RecordBatchReader.from_batches(schema, batches()))


def test_polars():
    pl = pytest.importorskip("polars")
    assert Filter.build(pl.Series(WORDS)) == FILTER
    assert FILTER.contains(pl.DataFrame({"k": WORDS})).all()
    assert FILTER.contains(pl.Series(WORDS, dtype=pl.Categorical)).all()
    assert Filter.build(pl.Series([1, 2, None]), nulls="skip") == Filter.build([1, 2])


def test_pandas_of_any_version():
    pd = pytest.importorskip("pandas", minversion="2.2")
    assert FILTER.contains(pd.DataFrame({"k": WORDS})).all()
    assert Filter.build(pd.Series([1, 2, 3])) == Filter.build([1, 2, 3])


def test_pandas():
    pd = pytest.importorskip("pandas", minversion="3")  # its Series speaks Arrow
    assert Filter.build(pd.Series(WORDS)) == FILTER
    assert Filter.build(pd.Series(WORDS, dtype="category")).contains(WORDS).all()
    assert Filter.build(pd.Series([1, 2, 3])) == Filter.build([1, 2, 3]) == Filter.build(pd.Index([1, 2, 3]))
    assert FILTER.contains(pd.DataFrame({"k": WORDS})["k"]).all()


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    assert Filter.build([0]).contains(duckdb.sql("select 0::bigint as k from range(5000)")).all()


def test_objects_in_polars_are_refused():
    """Polars gives Arrow their addresses, as bytes of a fixed size."""
    pl = pytest.importorskip("polars")
    filter = Filter(100)
    for keys in (pl.Series([1, None, "x"], dtype=pl.Object), pl.DataFrame({"k": pl.Series([1, 5], dtype=pl.Object)})):
        for use in (filter.update, filter.contains, Filter.build):
            with pytest.raises(bloomery.KeyTypeError, match="objects"):
                use(keys, nulls="skip")
    assert len(filter) == 0
    named = pl.DataFrame({"Object": ["a"]})
    assert Filter.build(named) == Filter.build(["a"])
    assert "Object" in Filter.build(pl.Series(["Object"], dtype=pl.Enum(["Object"])))


def test_columns_of_nulls_alone():
    pl = pytest.importorskip("polars")
    for keys in (pl.Series([None, None]), pl.DataFrame({"k": [None, None]}), pa.nulls(2), Handmade(b"n", length=2, buffers=(None,))):
        assert FILTER.contains(keys, nulls="skip").tolist() == [False, False]
    with pytest.raises(bloomery.KeyTypeError, match=r"keys\[0\] is null"):
        FILTER.contains(pl.Series([None, None]))


def test_a_handmade_array_is_read_and_released():
    array = Handmade(b"u", buffers=(None, ints(0, 1, 1, 3), b"abc"))
    assert Filter.build(array) == Filter.build(["a", "", "bc"])
    assert len(array.released) == 2


MALFORMED = {
    "negative length": Handmade(b"l", length=-1, buffers=(None, ints(1, type="i8"))),
    "negative offset": Handmade(b"l", offset=-1, buffers=(None, ints(1, type="i8"))),
    "huge length": Handmade(b"l", length=2**62, buffers=(None, ints(1, type="i8"))),
    "no buffers": Handmade(b"l", buffers=()),
    "too few buffers": Handmade(b"u", buffers=(None, ints(0, 1, 1, 3))),
    "too many buffers": Handmade(b"l", buffers=(None, ints(1, 2, 3, type="i8"), b"x")),
    "missing data": Handmade(b"l", buffers=(None, None)),
    "missing strings": Handmade(b"u", buffers=(None, ints(0, 1, 1, 3), None)),
    "missing bitmap": Handmade(b"l", null_count=1, buffers=(None, ints(1, 2, 3, type="i8"))),
    "negative offsets": Handmade(b"u", buffers=(None, ints(-5, 1, 1, 3), b"abc")),
    "offsets that fall": Handmade(b"u", buffers=(None, ints(0, 3, 1, 3), b"abc")),
    "a view into a buffer that is missing": Handmade(
        b"vu", length=1, buffers=(None, ints(20, 0, 0, 0), None, ints(64, type="i8"))
    ),
    "bytes that are missing, with offsets that end at 0": Handmade(
        b"u", length=2000, buffers=(None, ints(0, *[9] * 1999, 0), None)
    ),
    "an offset far below": Handmade(b"u", buffers=(None, ints(0, 1, 3, -(2**31)), b"abc")),
    "offsets of 64 bits that fall": Handmade(b"U", buffers=(None, ints(0, 3, 1, 3, type="i8"), b"abc")),
    "a view of a missing buffer": Handmade(b"vu", length=1, buffers=(None, ints(13, 0, 7, 0), ints(type="i8"))),
    "a view with a negative size": Handmade(b"vu", length=1, buffers=(None, ints(-1, 0, 0, 0), ints(type="i8"))),
    "a view past its buffer": Handmade(b"vu", length=1, buffers=(None, ints(13, 0, 0, 5), b"x" * 16, ints(16, type="i8"))),
    "nulls with buffers": Handmade(b"n", buffers=(None, None)),
    "width": Handmade(b"w:-3", buffers=(None, b"abc")),
    "a struct without columns": Handmade(b"+s", buffers=(None,), n_children=1),
    "no format": Handmade(b"", buffers=(None, b"abc")),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_arrays_are_refused(name):
    filter = Filter(100)
    for use in (filter.contains, filter.update, Filter.build):
        array = MALFORMED[name]
        release = ctypes.cast(array.release, ctypes.c_void_p)
        array.schema.release = release  # the reader has released it the time before
        array.array.release = release
        array.released.clear()
        with pytest.raises(bloomery.BloomeryError):
            use(array)
        assert len(array.released) == 2, "not released"
    assert len(filter) == 0


def test_capsules_that_were_used_are_refused():
    array = Handmade(b"l", buffers=(None, ints(1, 2, 3, type="i8")))
    capsules = array.__arrow_c_array__()

    class Twice:
        def __arrow_c_array__(self):
            return capsules

    Filter.build(Twice())
    with pytest.raises(bloomery.CorruptError, match="used before"):
        Filter.build(Twice())
