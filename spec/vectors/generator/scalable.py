"""The scalable filter, a chain of block filters (spec/scalable.md), and the recipe of scalable.json."""

import struct

import xxhash

from . import block_sizing
from .blocked import block_block, block_positions, stream
from .hashes import hex64
from .sizing_rows import real

PPT = 10**12
MAX_LINKS, LOWEST_SHARE = 64, 50_000
# What the alternating sums of block sizing may be off by in doubles, a hundred times over.
DOUBT = 1e-10
# n, fpr, growth of the first link
FIRST = [(n, fpr, 2) for n in (1, 2, 7, 100, 999, 1000, 12345, 1_000_000) for fpr in (0.9, 0.1, 0.02, 0.01, 0.001, 1e-4, 1e-5)]
FIRST += [(1000, 0.01, growth) for growth in (1, 3, 8)] + [(10**9, 0.01, 2), (3, 0.999999999999, 1)]
# first capacity, fpr, growth, links
CHAINS = [(1000, 0.01, 2, 12), (10, 0.001, 4, 6), (500, 0.05, 1, 20), (1, 0.01, 8, 5)]
# first capacity, fpr, growth, keys
PAYLOADS = [(1, 0.01, 2, 0), (1, 0.01, 2, 1), (10, 0.01, 2, 10), (10, 0.01, 2, 11), (10, 0.01, 2, 1000), (100, 0.001, 1, 700),
            (50, 0.1, 8, 5000), (7, 1e-5, 3, 100)]  # fmt: skip


def ppt_of(fpr):
    return min(int(fpr * PPT), PPT - 1)


def share(fpr_ppt, i):
    value = fpr_ppt // 10
    for _ in range(i):
        value = value * 9 // 10
    return value


def is_safe(n, target, blocks, k):
    """Whether doubles that are off by DOUBT lead to the same blocks and k."""
    rates = [block_sizing.fpr(n, blocks, other) for other in range(1, k)]
    rates += [block_sizing.fpr(n, blocks - 1, other) for other in range(1, 17) if blocks > 1]
    return block_sizing.fpr(n, blocks, k) < target - DOUBT and all(rate > target + DOUBT for rate in rates)


def link_for(capacity, fpr_ppt, i):
    """(blocks, k, capacity) of link i, or None when doubles cannot be trusted to tell."""
    target = share(fpr_ppt, i) / PPT
    blocks, k = block_sizing.geometry(capacity, target)
    return (blocks, k, capacity) if is_safe(capacity, target, blocks, k) else None


class Link:
    def __init__(self, blocks, k, capacity):
        self.blocks, self.k, self.capacity, self.count = blocks, k, capacity, 0
        self.data = bytearray(64 * blocks)

    def places(self, h):
        at = 64 * block_block(h, self.blocks)
        return [(at + (p >> 3), 1 << (p & 7)) for p in block_positions(h, self.k)]

    def contains(self, h):
        return all(self.data[byte] & bit for byte, bit in self.places(h))

    def add(self, h):
        for byte, bit in self.places(h):
            self.data[byte] |= bit
        self.count += 1


class Scalable:
    def __init__(self, capacity, fpr, growth):
        self.fpr_ppt, self.growth = ppt_of(fpr), growth
        self.links = [Link(*link_for(capacity, self.fpr_ppt, 0))]

    def add(self, h):
        if any(link.contains(h) for link in self.links):
            return
        newest = self.links[-1]
        if newest.count == newest.capacity:
            newest = Link(*link_for(newest.capacity * self.growth, self.fpr_ppt, len(self.links)))
            self.links.append(newest)
        newest.add(h)

    def predicted_fpr(self):
        none = 1.0
        for link in reversed(self.links):
            none *= 1 - block_sizing.fpr_at_hand(link.data, link.k)
        return 1 - none

    def words(self):
        newest = self.links[-1]
        blocks = sum(link.blocks for link in self.links)
        return [len(self.links), blocks, newest.k, newest.capacity, self.growth, self.fpr_ppt]

    def payload(self):
        directory = b"".join(struct.pack("<4Q", link.blocks, link.k, link.capacity, link.count) for link in self.links)
        directory += bytes(-len(directory) % 64)
        return directory + b"".join(link.data for link in self.links)


def first_rows():
    for n, fpr, growth in FIRST:
        link = link_for(n, ppt_of(fpr), 0)
        if link is not None:
            yield {"n": n, "fpr": fpr, "growth": growth, "words": [1, link[0], link[1], n, growth, ppt_of(fpr)]}


def chain_row(capacity, fpr, growth, links):
    made = [link_for(capacity * growth**i, ppt_of(fpr), i) for i in range(links)]
    return {"first": capacity, "fpr": fpr, "growth": growth, "shares": [share(ppt_of(fpr), i) for i in range(links)], "links": made}


def built(capacity, fpr, growth, keys):
    chain = Scalable(capacity, fpr, growth)
    for h in stream(keys):
        chain.add(h)
    return chain


def payload_row(capacity, fpr, growth, keys):
    chain = built(capacity, fpr, growth, keys)
    row = {"first": capacity, "fpr": fpr, "growth": growth, "stream": [1, keys], "words": chain.words()}
    digest = hex64(xxhash.xxh3_64_intdigest(chain.payload()))
    return {**row, "bytes": len(chain.payload()), "xxh3": digest, "predicted_fpr": real(chain.predicted_fpr())}


def example():
    chain = built(1, 0.01, 2, 4)
    return {"first": 1, "fpr": 0.01, "growth": 2, "stream": [1, 4], "words": chain.words(), "hex": chain.payload().hex()}


def make():
    rows = list(first_rows())
    chains = [chain_row(*row) for row in CHAINS]
    assert len(rows) >= 36 and all(None not in row["links"] for row in chains)
    return {
        "_comment": "Golden data of scalable.md. 'words' are the geometry words of the envelope: links, blocks, link_k, "
        "link_capacity, growth, fpr_ppt. 'first': chains of one link for n keys; 'chains': the links (blocks, k, capacity) and "
        "their shares of the rate, of a chain that grew; no row changes when doubles are off by 1e-10. 'payloads': chains to "
        "which stream(seed, n) was added, splitmix64(seed+i) for i in 0..n-1; xxh3 is XXH3-64 of the payload, "
        "predicted_fpr the rate of its bits, as %.4g.",
        "first": rows,
        "chains": chains,
        "payloads": [payload_row(*row) for row in PAYLOADS],
        "example": example(),
    }
