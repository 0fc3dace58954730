"""Refuses a sub-interpreter before the module is loaded: it has classes, and NumPy has others, of one interpreter alone."""

from __future__ import annotations

import importlib
from typing import Any


def _number(interpreter: Any) -> int:
    return int(interpreter[0] if isinstance(interpreter, tuple) else interpreter)


def refuse_a_second_one() -> None:
    """Raises ImportError where the interpreter is not the first one of the process."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = importlib.import_module(name)
        except ImportError:
            continue
        if _number(interpreters.get_current()) != _number(interpreters.get_main()):
            raise ImportError("bloomery cannot be imported in a sub-interpreter, as NumPy cannot: use threads or processes")
        return


refuse_a_second_one()
importlib.import_module("numpy")  # where none of these modules is, NumPy refuses before bloomery is there
