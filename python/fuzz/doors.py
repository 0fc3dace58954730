"""The doors of the package under random input: every call answers, or raises an exception of ours with a sentence.

tests/test_fuzz.py makes some calls of each seed, and guided.py lets atheris choose. `call` makes one call of some door;
what decides it is a Source, made of random numbers or of the bytes of a fuzzer. usage: doors.py CALLS [FIRST SEED]
"""

import array
import os
import pickle
import random
import sys
import tempfile

import numpy as np
from handmade import Handmade, ints

import bloomery
from bloomery import Filter

KINDS = [
    "classic", "split", "block", "counting", "partitioned", "scalable", "stable", "cuckoo", "quotient", "fuse", "ribbon",
]  # fmt: skip
ALLOWED = (bloomery.BloomeryError, TypeError, OverflowError)
GOOD = [Filter.build([f"k{i}" for i in range(50)], 0.01, kind) for kind in KINDS]
FILES = [bytes(filter) for filter in GOOD]
HEADS = [filter.__reduce_ex__(4)[1] for filter in GOOD]
# In memory where that is to be had: one call in six writes a file, and a disk takes milliseconds for each.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
FOLDER = tempfile.TemporaryDirectory(prefix="bloomery-fuzz-", dir=MEMORY)
SCRATCH = os.path.join(FOLDER.name, "file")
LIVE = bloomery.Live(1000)
TEXT = b"x" * 65536


def table_bytes():
    with bloomery.TableBuilder(SCRATCH, block_bytes=128, compression="lz4") as builder:
        for i in range(100):
            builder.add(f"key{i:03}", b"value" * (i % 5))
    with open(SCRATCH, "rb") as file:
        return file.read()


TABLE = table_bytes()
IBLT = bloomery.Iblt(5)
IBLT.update(range(20))


class Lying:
    """Has the attributes that arrays of NumPy and Arrow are known by, and is neither."""

    def __init__(self, **answers):
        self.__dict__.update(answers)

    def __len__(self):
        return 5


class Source:
    """Decisions; `rng` has what is used here of random.Random."""

    def __init__(self, rng):
        self.rng = rng

    def number(self):
        return self.rng.choice([
            lambda: self.rng.choice([0, 1, -1, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**30]),
            lambda: self.rng.getrandbits(64), lambda: self.rng.randrange(1000),
        ])()  # fmt: skip

    def key(self):
        return self.rng.choice([
            self.number, lambda: "x" * self.rng.randrange(300), lambda: self.rng.randbytes(self.rng.randrange(40)),
            lambda: "\ud800", lambda: "ü€😀", lambda: None, lambda: 1.5, lambda: True, lambda: [1], lambda: object(),
            lambda: np.int16(5), lambda: np.float32(5), lambda: bytearray(b"x"), lambda: np.str_("x"), lambda: np.bytes_(b"x"),
        ])()  # fmt: skip

    def keys(self):
        dtype = self.rng.choice(["i1", "u2", "<i4", ">i4", "i8", "u8", "S3", "S0", "U2", "f8", "?", "O", "M8[s]", "V5", "c8"])
        return self.rng.choice([
            lambda: [self.key() for _ in range(self.rng.randrange(5))],
            lambda: [self.number() % 2**63 for _ in range(self.rng.randrange(5))],
            lambda: np.zeros(self.rng.randrange(50), dtype)[:: self.rng.choice([1, 2, -1, -3, 100])],
            lambda: np.broadcast_to(np.zeros(1, dtype), self.rng.randrange(50)),
            lambda: np.zeros((2, self.rng.randrange(3)), dtype),
            lambda: memoryview(bytes(self.rng.randrange(20))),
            lambda: array.array(self.rng.choice("bBhHiIlLqQfd"), [1, 2, 3]),
            lambda: iter("abc"), lambda: {"a": 1}, lambda: {1, 2}, self.key, lambda: Filter, lambda: GOOD[0],
            self.arrow, self.arrow, self.arrow, self.lying,
        ])()  # fmt: skip

    def lying(self):
        names = ["dtype", "ndim", "__array__", "__array_struct__", "__arrow_c_array__", "__arrow_c_stream__", "__len__", "tolist"]
        values = [1, "x", "\ud800", None, lambda *a, **k: (1, 2), lambda *a, **k: None, np.dtype("U3"), np.dtype("i8"), b""]
        return Lying(**{self.rng.choice(names): self.rng.choice(values) for _ in range(self.rng.randrange(4))})

    def some(self, count, least, most):
        return [least + self.rng.randrange(most - least) for _ in range(count)]

    def arrow(self, depth=0):
        """An array of Arrow, wrong in what a reader can notice: a buffer that is shorter than its length is not."""
        length = self.rng.randrange(20)
        offset = self.rng.randrange(5)
        bitmap = self.rng.choice([None, self.rng.randbytes(8)])
        shape = self.rng.randrange(8 if depth < 2 else 5)
        fields = {"length": length, "offset": offset, "null_count": self.rng.choice([-1, 0, 1, length])}
        if shape == 0:
            format = self.rng.choice([b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L", b"f", b"g", b"b", b"tdD", b"", b"?"])
            made = Handmade(format, buffers=(bitmap, self.rng.randbytes(256)), **fields)
        elif shape == 1:
            offsets = self.some(32, 0, 1000) if self.rng.random() < 0.3 else sorted(self.some(32, -1, 60000))
            large = self.rng.random() < 0.5
            buffers = (bitmap, ints(*offsets, type="i8" if large else "i4"), TEXT)
            made = Handmade(self.rng.choice([b"U", b"Z"] if large else [b"u", b"z"]), buffers=buffers, **fields)
        elif shape == 2:
            views = [ints(*self.some(1, -2, 40), *self.some(1, 0, 1 << 30), *self.some(1, -1, 3), *self.some(1, -1, 120))
                     for _ in range(32)]  # fmt: skip
            buffers = (bitmap, b"".join(views), TEXT[:64], TEXT[:100], ints(64, 100, type="i8"))
            made = Handmade(self.rng.choice([b"vu", b"vz"]), buffers=buffers, **fields)
        elif shape == 3:
            format = self.rng.choice([b"w:4", b"w:0", b"w:-1", b"w:", b"w:99999999999999999999", b"w:4x"])
            made = Handmade(format, buffers=(bitmap, bytes(256)), **fields)
        elif shape == 4:
            made = Handmade(b"n", buffers=self.rng.choice([(), (None,)]), **fields)
        elif shape == 5:
            format, type = self.rng.choice([(b"c", "i1"), (b"C", "u1"), (b"s", "i2"), (b"i", "i4"), (b"l", "i8"), (b"L", "u8")])
            places = np.array(self.some(32, 0, 25) if type[0] == "u" else self.some(32, -1, 25), type).tobytes()
            made = Handmade(format, buffers=(bitmap, places), dictionary=self.arrow(depth + 1), **fields)
        else:
            children = [self.arrow(depth + 1) for _ in range(self.rng.choice([1, 1, 0, 2]))]
            made = Handmade(b"+s", buffers=(bitmap,), children=children, **fields)
        return self.spoiled(made)

    def spoiled(self, made):
        field = self.rng.randrange(20)
        if field == 0:
            made.array.length = self.rng.choice([-1, 2**62, -(2**63), 2**63 - 1])
        elif field == 1:
            made.array.offset = self.rng.choice([-1, 2**62, -(2**63), 2**63 - 1])
        elif field == 2:
            made.array.n_buffers = self.rng.randrange(made.array.n_buffers + 1) if made.array.n_buffers else -1
        elif field == 3:
            made.array.n_children = self.rng.choice([-1, 0])
        elif field == 4 and made.array.n_buffers > 0:
            made.pointers[self.rng.randrange(made.array.n_buffers)] = None
        elif field == 5:
            made.array.dictionary = None
        return made

    def damaged(self, data):
        data = bytearray(data)
        for _ in range(self.rng.randrange(4)):
            data[self.rng.randrange(len(data))] = self.rng.randrange(256)
        return bytes(data[: self.rng.choice([len(data), self.rng.randrange(len(data) + 1)])])


def write(data):
    with open(SCRATCH, "wb") as file:
        file.write(data)


def look(s, filter):
    s.key() in filter  # noqa: B015
    filter == s.rng.choice(GOOD)  # noqa: B015


def contains(s, filter):
    filter.contains(s.keys(), answers=s.rng.choice(["bool", "bits", "positions", "x"]), nulls=s.rng.choice(["skip", "refuse", ""]))


def update(s, filter):
    filter.copy().update(s.keys(), threads=s.rng.choice([1, 1, 1, 2, 0, -1]), nulls=s.rng.choice(["skip", "refuse"]))


def build(s, _):
    Filter.build(s.keys(), s.rng.choice([0.01, 0, 2, -1, float("nan"), 1e-9]), s.rng.choice([*KINDS, "x"]), nulls="skip")


def create(s, _):
    filter = Filter(s.rng.choice([0, 1, 100, -1, 2**63, 2**64]), s.rng.choice([0.01, 0.5, 0, 1, float("inf")]),
                    s.rng.choice(KINDS), hash=s.rng.choice([None, "xxh3", "siphash24", "md5"]), seed=s.rng.choice([0, 5, -1]),
                    secret=s.rng.choice([None, bytes(16), b"short"]))  # fmt: skip
    filter.add(s.key())
    filter.__init__(10)


def from_bytes(s, _):
    Filter.from_bytes(s.damaged(s.rng.choice(FILES)), parquet=s.rng.random() < 0.1).contains(["a", "b"])


def from_parts(s, _):
    version, head, payload = s.rng.choice(HEADS)
    make = GOOD[0].__reduce_ex__(4)[0]
    make(s.rng.choice([version, version, 0, 2, "1"]), s.damaged(head), s.damaged(payload))


def combine(s, filter):
    other = s.rng.choice([*GOOD, None, {1}])
    filter | other
    filter & other


def remove(s, filter):
    copy = filter.copy()
    copy.remove_many(s.keys(), nulls="skip")
    copy.remove(s.key())


def add(s, filter):
    filter.copy().add(s.key())


def files(s, filter):
    write(s.damaged(s.rng.choice(FILES)))
    use = s.rng.choice([bloomery.open, bloomery.map, bloomery.inspect])
    found = use(SCRATCH)
    if use is bloomery.map:
        found.verify()
        found.contains(s.keys())
        found.close()
        found.contains([1])


def save(s, filter):
    options = {"label": s.rng.choice([None, "a", "x" * 300, "\ud800", 5]), "keys": s.rng.choice([None, "int", "nonsense"]),
               "format": s.rng.choice(["envelope", "raw", "parquet", "x"]), "chunks": s.rng.random() < 0.5}  # fmt: skip
    filter.save(s.rng.choice([SCRATCH, SCRATCH.encode(), "", "a\0b", FOLDER.name, 5, None]), **options)


def tables(s, _):
    write(s.damaged(TABLE))
    table = bloomery.open_table(SCRATCH)
    table.get(s.key())
    table.get_many([s.key()])
    for _pair in table.items(s.rng.choice([None, "key05", 5]), s.rng.choice([None, "key06", b""])):
        pass
    table.verify()
    table.close()
    table.get("key001")


def table_builder(s, _):
    builder = bloomery.TableBuilder(SCRATCH, filter=s.rng.choice([None, *KINDS, "x"]), fpr=s.rng.choice([0.01, 0, 5]),
                                    compression=s.rng.choice(["none", "lz4", "zstd", "x"]),
                                    block_bytes=s.rng.choice([0, 1, 4096, 2**40]))  # fmt: skip
    for _entry in range(s.rng.randrange(4)):
        builder.add(s.key(), s.key(), sequence=s.rng.choice([0, 1, 2**64 - 1, -1]), deleted=s.rng.random() < 0.2)
    builder.finish()


def iblts(s, _):
    table = bloomery.Iblt.from_bytes(s.damaged(s.rng.choice([IBLT.to_bytes(), IBLT.to_bytes(), *FILES[:2]])))
    table.add(s.rng.choice([s.number, s.number, s.key])())
    other = s.rng.choice([lambda: IBLT, lambda: bloomery.Iblt(s.rng.choice([1, 5, 2**63]), key_bytes=s.rng.choice([0, 1, 8, 99]))])
    bloomery.set_diff(table, other())


def live(s, _):
    step = s.rng.randrange(8)
    if step == 0:
        LIVE.begin_rebuild(s.rng.choice([0, 100, 1000, 2**63]), s.rng.choice([0.01, 0, 1]))
    elif step == 1:
        LIVE.feed(s.keys(), nulls=s.rng.choice(["skip", "refuse", "x"]))
    elif step == 2:
        s.rng.choice([LIVE.commit, LIVE.abort, LIVE.self_check])()
    elif step == 3:
        LIVE.contains(s.keys())
    elif step == 4:
        LIVE.update(s.keys())
    else:
        LIVE.add(s.key())
        s.key() in LIVE  # noqa: B015


def plans(s, _):
    n, fpr = s.rng.choice([0, 1, 1000, 2**40, 2**63, -1, 2.5]), s.rng.choice([0.01, 0, 1, -1, float("nan"), 1e-300])
    s.rng.choice([bloomery.plan, bloomery.choose])(n, fpr, s.rng.choice([*KINDS, "adding", "x"]))
    bloomery.plan_all(n, fpr)


def pinned(s, filter):
    copy = filter.copy()
    with memoryview(copy):
        s.rng.choice([lambda: copy.add(1), copy.clear, copy.close, lambda: pickle.dumps(copy, 5)])()


DOORS = [
    look, contains, contains, contains, update, update, build, build, create, from_bytes, from_bytes, from_parts, combine,
    remove, add, files, save, tables, table_builder, iblts, live, live, plans, pinned,
]  # fmt: skip


def call(source):
    """One call of some door, or a few of one object. Says whether an exception of ours refused it."""
    door = source.rng.choice(DOORS)
    try:
        door(source, source.rng.choice(GOOD))
    except ALLOWED as error:
        assert str(error), "an exception without a sentence"
        return True
    return False


def random_calls(calls, first=0):
    """So many calls, one of each seed. Returns how many were refused."""
    refused = 0
    for seed in range(first, first + calls):
        try:
            refused += call(Source(random.Random(seed)))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
    assert [bytes(filter) for filter in GOOD] == FILES, "a filter was changed by a call that only looks"
    return refused


if __name__ == "__main__":
    wanted = int(sys.argv[1])
    print(f"{wanted} calls, {random_calls(wanted, *map(int, sys.argv[2:]))} refused, none crashed")
