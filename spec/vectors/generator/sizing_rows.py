"""The recipe of sizing.json. No row's result hangs on the last digits of a logarithm: that is asserted here, so a
language whose libm is one ulp away still has to print what the file says."""

import decimal
import math

from . import sizing
from .classic import Classic, numbered
from .hashes import splitmix64

decimal.getcontext().prec = 60
ROWS = 1000
ROUND_N = sorted({1, 2, 3, 4, 5, 6, 7, 8, 9} | {a * 10**e for a in (1, 2, 5) for e in range(1, 9) if a * 10**e <= 4 * 10**8}
                 | {4 * 10**8})  # fmt: skip
ROUND_FPR = [0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9]

# m, k; each gets the fills below
PREDICTED = [(1025, 7), (9586, 7), (10007, 13), (65536, 30), (143776, 10), (6235225, 4), (9585059, 7), (2**30 - 1, 1)]
FILLS = [0.1, 0.5, 0.9]
# m, k, bits set, at the edges of the formulas
PREDICTED_EDGES = [(9586, 7, 4982), (9586, 7, 0), (9586, 7, 1), (9586, 7, 9585), (9586, 7, 9586), (5040, 30, 2500)]
PREDICTED_LOCAL = [(2**30, 7, 5 * 10**8), (2**30, 7, 0), (2**30, 7, 2**30), (2**31, 1, 10**9), (2**31 + 11, 10, 10**9),
                   (2**32 - 1, 7, 2 * 10**9), (2**32, 7, 2 * 10**9), (2**32 + 1, 7, 2 * 10**9), (2**32 + 1, 30, 10**9),
                   (9585058378, 7, 4792529189), (9585058378, 7, 5 * 10**8), (2**36, 13, 2**33),
                   (2**50, 7, 10**9)]  # fmt: skip
PLANS = [(1, 0.5), (1, 0.01), (2, 0.01), (10, 0.01), (100, 0.01), (1000, 0.01), (1000, 0.001), (1000, 1e-6), (10**4, 0.05),
         (10**6, 0.01), (10**6, 0.001), (10**6, 1e-9), (10**8, 0.01), (12 * 10**7, 0.01), (3 * 10**8, 0.001),
         (4 * 10**8, 0.01), (45 * 10**7, 0.01), (10**9, 0.01), (7 * 10**9, 0.01), (10**13, 0.01)]  # fmt: skip
BITS_PER_KEY = [(1, 0.25), (1, 1.0), (1, 10.0), (3, 0.5), (1000, 9.5), (1000, 0.001), (12345, 8.75), (10**6, 16.0),
                (10**6, 50.0)]  # fmt: skip
REFUSED = [(0, "0.01", "n = 0"), (1000, "0", "fpr = 0"), (1000, "1", "fpr = 1"), (1000, "2", "fpr above 1"),
           (1000, "-0.01", "fpr below 0"), (1000, "nan", "fpr is not a number"), (1000, "inf", "fpr is infinite"),
           (1000, "1e-17", "fpr below n / 2^64"), (2**60, "0.01", "fpr below n / 2^64"),
           (2500000000000000000, "0.14", "m above 2^63")]  # fmt: skip
SAMPLED = [(0, 10**6), (1, 10**6), (10, 10**6), (10370, 10**6), (500000, 10**6), (999999, 10**6), (10**6, 10**6), (3, 7)]
EXACT = [(1, 7, 10), (4, 4, 25), (100, 4, 624), (0, 7, 10), (3, 30, 1), (40, 3, 1024)]  # keys, k, m


def real(x):
    """x as %.4g, which must not be decided by the last digits of x."""
    text = "%.4g" % x
    assert text == "%.4g" % (x * (1 - 1e-9)) == "%.4g" % (x * (1 + 1e-9)), x
    return text


def count(x):
    """x rounded, which must not be decided by the last digits of x."""
    if x is None:
        return None
    assert abs(x - math.floor(x) - 0.5) > 1e-11 * x, x
    return sizing.round_half_up(x)


def is_safe(n, fpr, m, k):
    """Whether m and k stay what they are when each step of the formula is off by several ulp."""
    exact = -n * decimal.Decimal(fpr).ln() / decimal.Decimal(sizing.LN2 * sizing.LN2)
    slack = exact * 8 / 2**53
    hashes = decimal.Decimal(m) / n * decimal.Decimal(sizing.LN2)
    far_from_half = abs(hashes % 1 - decimal.Decimal("0.5")) > hashes * 8 / 2**53
    return math.ceil(exact - slack) == math.ceil(exact + slack) == m and far_from_half


def candidates():
    for n in ROUND_N:
        for fpr in ROUND_FPR:
            yield n, fpr
    x = 0
    while True:  # decimal text, not powers, so that the rows do not hang on a libm either
        a, b, c, d = (splitmix64(x + i) for i in range(4))
        x += 4
        n = int(f"{a % 9 + 1}{a // 9 % 10**8:08}"[: b % 9 + 1])
        digits = c % 10 ** (d % 16)
        yield n, float(f"{c % 9 + 1}.{digits}e-{b // 9 % 9 + 1}")


def geometry_rows():
    rows = {}
    for n, fpr in candidates():
        if len(rows) == ROWS:
            break
        if not 1 <= n <= 4 * 10**8 or not 1e-9 <= fpr <= 0.5:
            continue
        m, k = sizing.geometry(n, fpr)
        if m <= 2**32 and is_safe(n, fpr, m, k):
            rows[n, fpr] = {"n": n, "fpr": fpr, "m": m, "k": k}
    return [rows[key] for key in sorted(rows)]


def predicted_row(m, k, s):
    row = {"m": m, "k": k, "bits_set": s, "predicted_fpr": real(sizing.predicted_from_bits_set(m, k, s))}
    row["estimated_count"] = count(sizing.estimated_count(m, k, s))
    return row


def plan_row(n, fpr):
    m, k = sizing.geometry(n, fpr)
    assert is_safe(n, fpr, m, k)
    rate = sizing.predicted_from_plan(m, k, n)
    assert abs(rate - 1.1 * fpr) > 1e-6 * fpr
    verdict = "accepted" if rate <= 1.1 * fpr else "refused" if m > 2**32 else "warned"
    return {"n": n, "fpr": fpr, "m": m, "k": k, "predicted_fpr": real(rate), "verdict": verdict}


def bits_row(n, bits):
    m, k = sizing.geometry_of_bits(n, bits)
    return {"n": n, "bits_per_key": bits, "m": m, "k": k}


def exact_row(n, k, m):
    built = Classic(m, k)
    for key in numbered(b"key", n):
        built.add(key)
    pairs = sizing.exact_pairs(m, k, built.bits)
    row = {"m": m, "k": k, "bits_hex": built.bits.hex(), "bits_set": built.bits_set(), "pairs": pairs}
    return {**row, "predicted_fpr": real(pairs / m**2)}


def refused_row(n, fpr, why):
    p = float(fpr)
    if why == "fpr below n / 2^64":
        assert 0 < p < n / 2**64
    elif why == "m above 2^63":
        assert n / 2**64 <= p < 1 and sizing.geometry(n, p)[0] > 2**63
    else:
        assert n == 0 or not 0 < p < 1
    return {"n": n, "fpr": fpr, "why": why}


def sampled_row(c, n):
    low, high = sizing.wilson(c, n)
    return {"hits": c, "samples": n, "rate": real(c / n), "low": real(low), "high": real(high)}


def make():
    predicted = [(m, k, int(m * fill)) for m, k in PREDICTED for fill in FILLS] + PREDICTED_EDGES + PREDICTED_LOCAL
    return {
        "_comment": f"Golden data of sizing.md for classic. 'classic': {ROWS} rows of (n, fpr) to (m, k), fpr is the shortest "
        "decimal that parses to the double meant; no row changes when the logarithm is off by a few ulp. 'bits_per_key': the "
        "same for bits per key. 'refused': (n, fpr as text) that no geometry is made for. 'exact': filters of at most 1024 "
        "bits; pairs is the count of sizing.md. 'predicted': from (m, k, bits_set) alone; estimated_count null = saturated. "
        "'plan': the prediction for (n, fpr), and whether a writer accepts it, warns, or refuses. 'sampled': Wilson's "
        "interval. Rates as text are %.4g.",
        "classic": geometry_rows(),
        "bits_per_key": [bits_row(n, bits) for n, bits in BITS_PER_KEY],
        "refused": [refused_row(*row) for row in REFUSED],
        "exact": [exact_row(*row) for row in EXACT],
        "predicted": [predicted_row(*row) for row in predicted],
        "plan": [plan_row(*row) for row in PLANS],
        "sampled": [sampled_row(*row) for row in SAMPLED],
    }
