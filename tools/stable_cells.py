#!/usr/bin/env python3
"""Why the cells of a stable filter have two bits and a hand makes them older (spec/stable.md): bits per remembered key,
for several widths of a cell, by two ways to forget.

random   each add decrements cells from a random place on, as in Deng and Rafiei's filter; a key is found with 99 %
         after n further adds
hand     each add decrements the cells after those of the add before; a key is found for certain after n further adds

Cells anywhere, many of them, the best k of 1 to 16. The filter of the specification keeps the k cells in one line, which
costs a little more.

usage: stable_cells.py
"""
import math

RATES = [0.1, 0.01, 0.001, 0.0001]
WIDTHS = [1, 2, 3, 4, 5, 8]
KEPT = 0.99


def poisson_at_least(count, mean):
    term, below = math.exp(-mean), 0.0
    for j in range(count):
        below += term
        term *= mean / (j + 1)
    return max(0.0, 1 - below)


def largest(good, high):
    low = 0.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def random_cells(k, top, fpr):
    """A cell is 0 when the last `top` of the events that hit it were decrements, and there were that many."""
    zero = 1 - fpr ** (1 / k)
    older = zero ** (1 / top)  # the share of decrements among the events
    lost = 1 - KEPT ** (1 / k)
    events = largest(lambda mean: zero * poisson_at_least(top, mean) <= lost, 20 * top + 50)
    return k / (1 - older) / events


def hand_cells(k, top, fpr):
    """A cell is in use when a key set it in the last top - 1 rounds of the hand, or since its last visit."""
    if top == 1:
        return math.inf

    def rate(x):  # x: how often a cell is set in a round
        return (1 - math.exp(-x * (top - 1)) * -math.expm1(-x) / x) ** k

    return k / ((top - 1) * largest(lambda x: x == 0 or rate(x) <= fpr, 50.0))


def main():
    print("bits per key    " + "".join(f"{rate:>18g}" for rate in RATES))
    for way in (random_cells, hand_cells):
        for width in WIDTHS:
            row = f"{way.__name__.split('_')[0]:8}{width} bits  "
            for fpr in RATES:
                bits, k = min((width * way(k, 2**width - 1, fpr), k) for k in range(1, 17))
                row += f"{bits:11.1f}, k {k:2}" if bits < math.inf else f"{'never':>17}"
            print(row)


if __name__ == "__main__":
    main()
