"""The logarithm of sizing.md, correctly rounded, and the recipe of ln.json: the cases that are hardest to round."""

import decimal
import math
import struct

from .hashes import hex64, splitmix64

CONTEXT = decimal.Context(prec=60)
LN2 = 0.6931471805599453
CANDIDATES, HARDEST, TRIES = 10_000, 60, 4000
EASY = [1.0, 0.5, 2.0, 0.01, 0.001, 1e-9, 0.9999999999999999, 1.0000000000000002, 0.7071067811865475, 0.7071067811865476,
        5e-324, 2.2250738585072014e-308, 1.7976931348623157e308]  # fmt: skip
KNOWN = (8059639218057, 0.022718187750177032)  # where two libms differ


def exact(x):
    """ln x with 60 digits."""
    return CONTEXT.ln(decimal.Decimal(x))


def ln(x):
    return float(exact(x))


def bits(x):
    return hex64(struct.unpack("<Q", struct.pack("<d", x))[0])


def around(x):
    """The exact logarithm, its nearest double, and the one on its other side, which a ln that is off by a little returns."""
    wanted = exact(x)
    rounded = float(wanted)
    return wanted, rounded, math.nextafter(rounded, math.inf if decimal.Decimal(rounded) < wanted else -math.inf)


def doubt(x):
    """How far ln x is from the middle between two doubles, in units of their distance."""
    wanted, near, far = map(decimal.Decimal, around(x))
    return CONTEXT.subtract(decimal.Decimal("0.5"), CONTEXT.divide(abs(CONTEXT.subtract(wanted, near)), abs(far - near)))


def hardest():
    """Of many numbers between 0 and 1 those whose logarithm is nearest to a middle."""
    numbers = [(splitmix64(i) >> 11) * 2.0**-53 for i in range(CANDIDATES)]
    return sorted((x for x in numbers if x), key=doubt)[:HARDEST]


def bits_for(n, logarithm):
    return math.ceil((-n * logarithm) / (LN2 * LN2))


def sized(n, fpr):
    m = bits_for(n, ln(fpr))
    k = (m / n) * LN2
    return {"n": n, "fpr": fpr, "m": m, "k": min(30, max(1, math.floor(k) + (k - math.floor(k) >= 0.5)))}


def sized_rows(hard):
    """Numbers of keys whose m is another with the neighbouring double."""
    yield sized(*KNOWN)
    for turn, fpr in enumerate(hard):
        _, near, far = around(fpr)
        numbers = (2**36 + splitmix64(turn * TRIES + i) % 2**43 for i in range(TRIES))
        n = next((n for n in numbers if bits_for(n, near) != bits_for(n, far)), None)
        if n is not None:
            yield sized(n, fpr)


def make():
    hard = hardest()
    return {
        "_comment": "Golden data of the correctly rounded ln of sizing.md. 'ln': doubles as hex of their 64 bits; those after the "
        f"first {len(EASY)} are the {HARDEST} of {CANDIDATES} whose logarithm is nearest to the middle between two doubles. "
        "'classic': (n, fpr) to (m, k) where a logarithm that is off by one unit in the last place gives another m; m is "
        "above 2^32, so that only the formula is asked, not whether a writer accepts it.",
        "ln": [{"x": bits(x), "ln": bits(ln(x))} for x in EASY + hard],
        "classic": list(sized_rows(hard)),
    }
