"""What filters would take, which kind to pick, and what is in one that exists: plan, choose, inspect."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np

from . import _core
from ._core import Filter


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a filter of a kind would be for n keys, without making it."""

    kind: str
    n: int
    fpr: float
    bytes: int
    bits_per_key: float
    predicted_fpr: float
    geometry: dict[str, int]
    warning: str = ""


@dataclasses.dataclass(frozen=True)
class Choice:
    """The kind for one need at given numbers; bytes is None where n does not decide."""

    need: str
    words: str
    kind: str
    bytes: int | None
    why: str


@dataclasses.dataclass(frozen=True)
class Inspection:
    """What is in a filter and how good it is; the sampled rate comes with its 95 % interval.

    Only filters that are built of all their keys at once have bits_per_key, and retries where a build can fail.
    """

    kind: str
    hash: str
    geometry: dict[str, int]
    nbytes: int
    key_count: int | None
    estimated_count: int | None
    label: str | None
    key_type: str | None
    forgets: bool
    fill: float
    predicted_fpr: float
    sampled_fpr: float
    sampled_low: float
    sampled_high: float
    samples: int
    fill_along: list[float]
    retries: int | None
    bits_per_key: float | None


def plan(n: int, fpr: float = 0.01, kind: str = "block") -> Plan:
    """Plans a filter of that kind for n keys.

    >>> import bloomery
    >>> plan = bloomery.plan(1_000_000, 0.01, "ribbon")
    >>> plan.kind, round(plan.bits_per_key, 2)
    ('ribbon', 6.74)
    """
    return Plan(**_core.plan(kind, n, fpr))


def plan_all(n: int, fpr: float = 0.01) -> list[Plan]:
    """The plans of all kinds that can do these numbers, the smallest first."""
    plans = []
    for kind in _core.kinds():
        try:
            plans.append(plan(n, fpr, kind))
        except ValueError:
            continue
    return sorted(plans, key=lambda plan: plan.bytes)


def choose(n: int, fpr: float = 0.01, need: str | None = None) -> list[Choice]:
    """Which kind for which need, at these numbers; of one need alone when it is named.

    >>> import bloomery
    >>> [choice.kind for choice in bloomery.choose(1_000_000, 0.01, need="removing")]
    ['cuckoo']
    """
    choices = [Choice(**fields) for fields in _core.choose(n, fpr)]
    if need is None:
        return choices
    chosen = [choice for choice in choices if choice.need == need]
    if not chosen:
        from ._errors import InvalidArgumentError

        known = ", ".join(choice.need for choice in choices)
        raise InvalidArgumentError(f"there is no need {need!r}: choose one of {known}")
    return chosen


# A column of the picture looks at no more than this, so that a mapped file of any size is drawn at once.
_BYTES_OF_A_COLUMN = 1 << 16


def fill_along(filter: Filter, columns: int = 64) -> list[float]:
    """The share of bits that are set, from the payload's start to its end, in so many columns."""
    pieces = filter._pieces_along(columns, _BYTES_OF_A_COLUMN)
    return [float(np.unpackbits(np.frombuffer(piece, dtype=np.uint8)).mean()) for piece in pieces]


def inspect(filter: Filter | str | os.PathLike[str]) -> Inspection:
    """Looks at a filter, or at the file of that path. Reads all of it, and asks it about a million random hashes.

    >>> import bloomery
    >>> found = bloomery.inspect(bloomery.Filter.build(range(1000)))
    >>> found.kind, found.key_count, found.sampled_fpr < 0.02
    ('block', 1000, True)
    """
    if not isinstance(filter, Filter):
        filter = Filter.open(filter)
    return Inspection(
        kind=filter.kind,
        hash=filter.hash,
        geometry=filter.geometry,
        nbytes=filter.nbytes,
        key_count=filter.key_count,
        label=filter.label,
        key_type=filter.key_type,
        forgets=filter.forgets,
        **filter._inspect(),
    )


def repr_html(filter: Filter) -> str:
    """A picture of the fill, as notebooks show it."""
    from html import escape

    if filter.closed:
        return escape(repr(filter))
    width, height = 4, 40
    shares = fill_along(filter)
    bars = "".join(
        f'<rect x="{width * i}" y="{height * (1 - share):.1f}" width="{width}" height="{height * share:.1f}"/>'
        for i, share in enumerate(shares)
    )
    return (
        f"<div>{escape(repr(filter))}<br>"
        f'<svg width="{width * len(shares)}" height="{height}" role="img" fill="#4878a8" '
        f'style="border:1px solid #999"><title>share of bits set along the filter</title>{bars}'
        f'<line x1="0" x2="{width * len(shares)}" y1="{height // 2}" y2="{height // 2}" stroke="#999"/></svg></div>'
    )


_PICKLE_VERSION = 1


def unpickle(version: int, head: bytes, payload: Any) -> Filter:
    """A filter from what a pickle holds. The envelope's own version and checksums are looked at, too."""
    if version != _PICKLE_VERSION:
        from ._errors import UnsupportedError

        raise UnsupportedError(f"the filter was pickled by a newer version (form {version}): update bloomery")
    return Filter._from_parts(head, payload)


def reduce_ex(filter: Filter, protocol: Any) -> Any:
    """Pickles; from protocol 5 on the payload is a buffer that can travel out of band, without a copy."""
    import pickle

    if filter.hash.startswith("siphash"):
        from ._errors import UnsupportedError

        raise UnsupportedError("a filter with a secret is not pickled, for the secret would be in it: use to_bytes()")
    if protocol < 5:
        return unpickle, (_PICKLE_VERSION, *filter._parts())
    payload = pickle.PickleBuffer(filter)  # from here on nobody changes the filter that the head is of
    return unpickle, (_PICKLE_VERSION, filter._head(), payload)
