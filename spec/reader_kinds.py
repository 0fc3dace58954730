"""The kinds that take keys one by one: what a geometry and a payload must be, and whether a hash may be in. For reader.py."""

from reader_hashes import MASK, splitmix64, u64

SALTS = [0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31,
         0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F, 0x165667B1, 0xD3A2646D, 0xFD7046C5, 0xB55A4F09]  # fmt: skip


class Broken(Exception):
    """A rule of the kind's page does not hold."""


def must(condition, rule):
    if not condition:
        raise Broken(rule)


def mulhi(a, b):
    return a * b >> 64


def bit(data, i):
    return data[i >> 3] >> (i & 7) & 1


class Kind:
    """NAMES: of the geometry words. Each kind has size(), in bytes, which checks the words; check(); contains(hash)."""

    NAMES = ()

    def __init__(self, words):
        must(not any(words[len(self.NAMES) :]), "unused geometry words are 0")
        for name, word in zip(self.NAMES, words):
            setattr(self, name, word)

    def check(self):
        """What the page asks of the payload in constant time."""

    def no_bit_from(self, first):
        must(all(not bit(self.data, i) for i in range(first, 8 * len(self.data))), "no bit set above the last")


class Classic(Kind):
    NAMES = ("m", "k")

    def size(self):
        must(1 <= self.k <= 30 and self.m >= 1, "m from 1, k from 1 to 30")
        return -(-self.m // 8)

    def check(self):
        self.no_bit_from(self.m)

    def indexes(self, h):
        return [((h & 0xFFFFFFFF) + i * (h >> 32)) % self.m for i in range(self.k)]

    def contains(self, h):
        return all(bit(self.data, i) for i in self.indexes(h))


class Split(Kind):
    NAMES = ("blocks",)

    def size(self):
        must(1 <= self.blocks <= 2**28, "blocks from 1 to 2^28")
        return 32 * self.blocks

    def contains(self, h):
        first = 256 * ((h >> 32) * self.blocks >> 32)
        return all(bit(self.data, first + 32 * i + ((h * SALTS[i] & 0xFFFFFFFF) >> 27)) for i in range(8))


def block_contains(data, at, blocks, k, h):
    """Of a block filter whose blocks begin at a byte."""
    first = 8 * at + 512 * mulhi(h, blocks)
    return all(bit(data, first + ((h * salt & 0xFFFFFFFF) >> 23)) for salt in SALTS[:k])


class Block(Kind):
    NAMES = ("blocks", "k")

    def size(self):
        must(1 <= self.blocks <= 2**56 and 1 <= self.k <= 16, "blocks from 1 to 2^56, k from 1 to 16")
        return 64 * self.blocks

    def contains(self, h):
        return block_contains(self.data, 0, self.blocks, self.k, h)


class Counting(Classic):
    NAMES = ("m", "k", "counter_bits")

    def size(self):
        must(1 <= self.m <= 2**58 and 1 <= self.k <= 30 and self.counter_bits in (4, 32), "m to 2^58, k to 30, 4 or 32 bits")
        return -(-self.m * self.counter_bits // 8)

    def check(self):
        self.no_bit_from(self.m * self.counter_bits)

    def contains(self, h):
        if self.counter_bits == 4:
            return all(self.data[i // 2] >> 4 * (i % 2) & 15 for i in self.indexes(h))
        return all(any(self.data[4 * i : 4 * i + 4]) for i in self.indexes(h))


class Partitioned(Kind):
    NAMES = ("slice_bits", "k")

    def size(self):
        must(1 <= self.slice_bits <= 2**58 and 1 <= self.k <= 30, "slice_bits from 1 to 2^58, k from 1 to 30")
        return -(-self.k * self.slice_bits // 8)

    def check(self):
        self.no_bit_from(self.k * self.slice_bits)

    def contains(self, h):
        s = self.slice_bits
        return all(bit(self.data, i * s + mulhi(h * (splitmix64(i) | 1) & MASK, s)) for i in range(self.k))


class Scalable(Kind):
    NAMES = ("links", "blocks", "link_k", "link_capacity", "growth", "fpr_ppt")

    def size(self):
        must(1 <= self.links <= 64 and self.links <= self.blocks <= 2**54 and 1 <= self.link_k <= 16, "links, blocks, k")
        must(1 <= self.link_capacity <= 512 * (self.blocks - self.links + 1), "capacity of the newest link")
        must(1 <= self.growth <= 8 and 10**7 <= self.fpr_ppt < 10**12, "growth from 1 to 8, fpr_ppt from 10^7 to 10^12 - 1")
        return 64 * (-(-self.links // 2) + self.blocks)

    def entries(self):
        return [[u64(self.data, 32 * i + 8 * j) for j in range(4)] for i in range(self.links)]

    def check(self):
        for blocks, k, capacity, count in self.entries():
            must(1 <= blocks <= self.blocks and 1 <= k <= 16, "a link has blocks, and k from 1 to 16")
            must(1 <= capacity <= 512 * blocks and count <= capacity, "a link has a capacity, and no more keys")
        must(sum(entry[0] for entry in self.entries()) == self.blocks, "the blocks of the links add up")
        must(self.entries()[-1][1:3] == [self.link_k, self.link_capacity], "the newest link is that of the words")
        must(not any(self.data[32 * self.links : 64 * -(-self.links // 2)]), "the directory is padded with zeros")

    def contains(self, h):
        at = 64 * -(-self.links // 2)
        for blocks, k, _, _ in self.entries():
            if block_contains(self.data, at, blocks, k, h):
                return True
            at += 64 * blocks
        return False


class Stable(Kind):
    NAMES = ("lines", "k", "decrement")

    def size(self):
        must(1 <= self.lines <= 2**54 and 1 <= self.k <= 16 and 1 <= self.decrement <= 256, "lines, k, decrement")
        return 64 * (1 + self.lines)

    def check(self):
        must(u64(self.data, 0) < 256 * self.lines and not any(self.data[8:64]), "the hand is at a cell, then zeros")

    def contains(self, h):
        """Was it added lately? No promise of the past."""
        first = 256 * mulhi(h, self.lines)
        cells = [first + ((h * salt & 0xFFFFFFFF) >> 24) for salt in SALTS[: self.k]]
        return all(self.data[64 + c // 4] >> 2 * (c % 4) & 3 for c in cells)


class Cuckoo(Kind):
    NAMES = ("buckets", "fingerprint_bits")

    def size(self):
        must(2 <= self.buckets <= 2**48 and self.buckets % 2 == 0, "an even number of buckets from 2 to 2^48")
        must(self.fingerprint_bits in (8, 12, 16), "fingerprints of 8, 12 or 16 bits")
        return self.buckets * self.fingerprint_bits // 2 + 2 * (self.fingerprint_bits == 12)

    def check(self):
        must(self.fingerprint_bits != 12 or self.data[-2:] == bytes(2), "two bytes of 0 after the last bucket")

    def contains(self, h):
        b, size = self.fingerprint_bits, self.fingerprint_bits // 2
        f = 1 + ((h % 2**16) * (2**b - 1) >> 16)
        first = mulhi(h, self.buckets)
        x = f * 0xBF58476D1CE4E5B9 & MASK
        y = (x ^ x >> 32) * 0x94D049BB133111EB & MASK
        second = ((mulhi(y, self.buckets) | 1) - first) % self.buckets
        numbers = [int.from_bytes(self.data[i * size : (i + 1) * size], "little") for i in (first, second)]
        return any(number >> j * b & (1 << b) - 1 == f for number in numbers for j in range(4))


class Quotient(Kind):
    NAMES = ("quotient_bits", "remainder_bits")

    def size(self):
        q, r = self.quotient_bits, self.remainder_bits
        must(1 <= q <= 56 and 1 <= r <= 56 and q + r <= 64, "quotient and remainder from 1 to 56 bits, together to 64")
        tail = dict(zip(range(6, 15), (1, 1, 1, 2, 2, 3, 3, 4, 4))).get(q, 5)
        self.blocks = 1 if q <= 5 else 2 ** (q - 6) + tail
        return 8 + (18 + 8 * r) * self.blocks

    def field(self, block, at, size):
        start = (18 + 8 * self.remainder_bits) * block + at
        return int.from_bytes(self.data[start : start + size], "little")

    def check(self):
        q = self.quotient_bits
        must(u64(self.data, len(self.data) - 8) <= 2**q * 19 // 20, "no more slots are taken than capacity")
        for block in range(max(0, 2**q // 64), self.blocks):  # the tail, and the only block of a small filter
            allowed = 2 ** (2**q) - 1 if q <= 5 else 0
            must(self.field(block, 2, 8) & ~allowed == 0, "no quotient from 2^q on is occupied")

    def ends(self, slot):
        return self.field(slot // 64, 10, 8) >> slot % 64 & 1

    def contains(self, h):
        q, r = self.quotient_bits, self.remainder_bits
        x, remainder = h >> 64 - q, h >> 64 - q - r & 2**r - 1
        block, slots = x // 64, 64 * self.blocks
        occupied = self.field(block, 2, 8)
        if not occupied >> x % 64 & 1:
            return False
        runs = bin(occupied & (2 << x % 64) - 1).count("1")
        first = slot = 64 * block + self.field(block, 0, 2)
        while runs:
            if slot >= slots:
                return True  # no end of the run: in doubt, maybe
            runs -= self.ends(slot)
            slot += 1
        slot -= 1
        while True:
            if self.field(slot // 64, 18, 8 * r) >> slot % 64 * r & 2**r - 1 == remainder:
                return True
            slot -= 1
            if slot < max(x, first) or self.ends(slot):
                return False
