#!/usr/bin/env python3
"""Why a quotient filter has the tail of spec/quotient.md: the chance that different keys reach beyond it before the
filter is full, as a bound and, with --simulate, as it happens.

The last run ends t slots beyond the home slots only if, for some j, the last j quotients have j + t keys. That is at
most the sum over j of binomial tails (the bound up to q = 18). From there on the number of keys that quotient after
quotient pushes on is a random walk with Poisson steps, for which Lundberg's inequality gives exp(-theta t), where
0.95 (e^theta - 1) = theta; twice that for a fixed number of keys.

usage: quotient_tail.py [--simulate FILTERS]
"""
import argparse
import math
import random

LOAD = 19 / 20


def blocks(q):
    return 1 if q <= 5 else 2 ** (q - 6) + min(max(q - 5, 2), 10) // 2


def tail(q):
    return 64 * blocks(q) - 2**q


def log_binomial_tail(n, p, k):
    """log P(at least k of n, each with chance p)."""
    if k > n or p >= 1:
        return -math.inf if k > n else 0.0
    first = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
    total = term = 1.0
    for i in range(k, n):
        term *= (n - i) / (i + 1) * p / (1 - p)
        total += term
        if term < 1e-17 * total:
            break
    return first + math.log(total)


def bound_by_sums(q):
    """log2 of the bound. Beyond 20,000 quotients from the end the terms are below 2^-200."""
    slots, t = 2**q, tail(q)
    n = slots * 19 // 20
    terms = [log_binomial_tail(n, j / slots, j + t + 1) for j in range(1, min(slots, 20000) + 1)]
    top = max(terms)
    return -math.inf if top == -math.inf else (top + math.log(sum(math.exp(x - top) for x in terms))) / math.log(2)


def lundberg(t):
    low, high = 1e-6, 1.0
    for _ in range(100):
        theta = (low + high) / 2
        low, high = (theta, high) if LOAD * math.expm1(theta) < theta else (low, theta)
    return 1 - theta * t / math.log(2)


def furthest(q, filters):
    """The longest reach beyond the home slots that so many full filters have."""
    slots, worst = 2**q, 0
    for _ in range(filters):
        counts = [0] * slots
        for _ in range(slots * 19 // 20):
            counts[random.getrandbits(q)] += 1
        behind = 0
        for x, count in enumerate(counts):
            behind = max(behind, x) + count if count else behind
        worst = max(worst, behind - slots)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulate", type=int, default=0, metavar="FILTERS")
    filters = parser.parse_args().simulate
    random.seed(1)
    for q in range(6, 20):
        log2 = bound_by_sums(q) if q <= 18 else lundberg(tail(q))
        line = f"q = {q:2}{' and more' if q == 19 else '':9} tail {tail(q):4}  too short with a chance below 2^{log2:.0f}"
        if filters and q <= 18:
            line += f"  reached in {filters} filters: {furthest(q, filters)}"
        print(line)
        assert log2 < -40


if __name__ == "__main__":
    main()
