"""The bar that batches show when they are asked to; tqdm is imported then and not before."""

from __future__ import annotations

import importlib
from typing import Any

from ._errors import InvalidArgumentError, UnsupportedError


def bar(progress: Any, expected: int) -> Any:
    """A bar of tqdm over so many keys; 0 when nobody knows."""
    if progress is not True and not isinstance(progress, str):
        raise InvalidArgumentError("progress is True, False, or a text to show beside the bar")
    try:
        tqdm: Any = importlib.import_module("tqdm.auto").tqdm  # by name: tqdm has no types of its own
    except ImportError as error:
        raise UnsupportedError("progress needs tqdm: pip install tqdm, or bloomery[progress]") from error
    words = progress if isinstance(progress, str) else None
    return tqdm(total=expected or None, desc=words, unit=" keys", unit_scale=True)
