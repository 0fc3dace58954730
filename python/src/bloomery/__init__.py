"""Filters that answer "is this key definitely absent?" in about ten bits per key."""

from ._core import Filter, __version__
from ._errors import (
    BloomeryError,
    CorruptError,
    FileError,
    FullError,
    InvalidArgumentError,
    KeyTypeError,
    MismatchError,
    OutOfMemoryError,
    UnsupportedError,
    WrongSecretError,
)

open = Filter.open
map = Filter.map

__all__ = [
    "BloomeryError",
    "CorruptError",
    "FileError",
    "Filter",
    "FullError",
    "InvalidArgumentError",
    "KeyTypeError",
    "MismatchError",
    "OutOfMemoryError",
    "UnsupportedError",
    "WrongSecretError",
    "__version__",
    "map",
    "open",
]
