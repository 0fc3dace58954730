"""Filters that answer "is this key definitely absent?" in about ten bits per key.

>>> import bloomery
>>> seen = bloomery.Filter.build(["anna", "bert"])
>>> "anna" in seen, "carl" in seen
(True, False)
"""

from . import _interpreter  # noqa: F401, I001  before the module
from ._core import Filter, Iblt, __version__
from ._errors import (
    BloomeryError,
    CorruptError,
    FileError,
    FullError,
    InvalidArgumentError,
    KeyTypeError,
    MismatchError,
    MissingFileError,
    OutOfMemoryError,
    UnsupportedError,
    WrongSecretError,
)
from ._plan import Choice, Inspection, Plan, choose, inspect, plan, plan_all, reduce_ex, repr_html
from ._table import Difference, Live, LiveStats, Table, TableBuilder, TableProperties, open_table, set_diff

open = Filter.open
map = Filter.map
Filter.__reduce_ex__ = reduce_ex  # type: ignore[method-assign, assignment]
Filter._repr_html_ = repr_html  # type: ignore[method-assign, assignment]

__all__ = [
    "BloomeryError",
    "Choice",
    "CorruptError",
    "Difference",
    "FileError",
    "Filter",
    "FullError",
    "Iblt",
    "Inspection",
    "InvalidArgumentError",
    "KeyTypeError",
    "Live",
    "LiveStats",
    "MismatchError",
    "MissingFileError",
    "OutOfMemoryError",
    "Plan",
    "Table",
    "TableBuilder",
    "TableProperties",
    "UnsupportedError",
    "WrongSecretError",
    "__version__",
    "choose",
    "inspect",
    "map",
    "open",
    "open_table",
    "plan",
    "plan_all",
    "set_diff",
]
