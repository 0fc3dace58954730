"""Tables, differences of sets and live filters: data classes and protocols of Python around the module."""

from __future__ import annotations

import dataclasses
import os
from types import TracebackType

from . import _core
from ._core import Iblt


@dataclasses.dataclass(frozen=True)
class TableProperties:
    """What a table says of itself."""

    entries: int
    keys: int
    deleted: int
    blocks: int
    file_bytes: int
    filter_bytes: int
    index_bytes: int
    smallest: bytes
    largest: bytes
    filter: str | None
    designed_fpr: float


class Table(_core.Table):
    """A sorted file with a filter in front: a get of a key that is absent costs no read. Safe from any thread."""

    @property
    def properties(self) -> TableProperties:
        """What the table says of itself."""
        return TableProperties(**self._properties())

    def __enter__(self) -> Table:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class TableBuilder(_core.TableBuilder):
    """Writes a table: add entries in order of their keys, then finish. As a context it finishes by itself.

    >>> import bloomery, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "users.blt")
    >>> with bloomery.TableBuilder(path) as builder:
    ...     builder.add("anna", "42")
    ...     builder.add("bert", "7")
    >>> table = bloomery.open_table(path)
    >>> table["anna"], table.get("carl"), list(table.items())
    (b'42', None, [(b'anna', b'42'), (b'bert', b'7')])
    """

    def finish(self) -> TableProperties:
        """The file appears under its name, whole."""
        return TableProperties(**self._finish())

    def __enter__(self) -> TableBuilder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.finish()
        else:
            self._give_up()


@dataclasses.dataclass(frozen=True)
class Difference:
    """Keys that one side alone has, as bytes; complete says that these are all."""

    only_a: list[bytes]
    only_b: list[bytes]
    complete: bool


def set_diff(a: Iblt, b: Iblt) -> Difference:
    """The difference of the sets whose keys were added to two tables of one size.

    >>> import bloomery
    >>> a, b = bloomery.Iblt(differences=10), bloomery.Iblt(differences=10)
    >>> a.update(range(0, 1000))
    >>> b.update(range(2, 1001))
    >>> found = bloomery.set_diff(a, b)
    >>> sorted(int.from_bytes(key, "little") for key in found.only_a), len(found.only_b), found.complete
    ([0, 1], 1, True)
    """
    return Difference(*a._difference(b))


@dataclasses.dataclass(frozen=True)
class LiveStats:
    """What a live filter says of itself."""

    queries: int
    maybes: int
    adds: int
    new_adds: int
    rebuilds: int
    bytes: int
    designed_count: int
    estimated_count: int | None
    fill: float
    capacity_used: float
    designed_fpr: float
    predicted_fpr: float
    sampled_fpr: float
    rebuilding: bool
    disabled: bool
    damaged: bool


class Live(_core.Live):
    """A block filter that all threads of a service share, rebuilt and swapped without a pause. Safe from any thread.

    >>> import bloomery
    >>> live = bloomery.Live(1000, 0.01, name="users")
    >>> live.add("anna")
    True
    >>> live.begin_rebuild(2000)
    >>> live.feed(["anna", "bert"])
    >>> live.commit()
    >>> "bert" in live, live.stats().rebuilds
    (True, 1)
    >>> 'filter="users"' in live.prometheus()
    True
    """

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], n: int, fpr: float = 0.01, *, name: str = "filter", secret: bytes | None = None
    ) -> Live:
        """Starts from a saved block filter; n and fpr say what it is designed for."""
        return cls(n, fpr, name=name, secret=secret, path=os.fspath(path))

    def stats(self, sample: int = 100_000) -> LiveStats:
        """Reads the whole filter and asks so many random hashes."""
        return LiveStats(**self._stats(sample))


def open_table(path: str | os.PathLike[str], *, secret: bytes | None = None) -> Table:
    """Opens a table to be read; one whose filter is keyed takes its secret."""
    return Table(path, secret=secret)
