"""The kinds that are made of all their keys at once: fuse.md and ribbon.md. For reader.py."""

from reader_hashes import MASK, splitmix64, u64
from reader_kinds import Kind, mulhi, must


def group(start):
    """Where the window of a start begins, in groups of its layer."""
    return start + 7 * (start // 8192)


class Fuse(Kind):
    NAMES = ("arity", "fingerprint_bits", "parts", "window", "slots", "keys")

    def size(self):
        must(self.arity in (3, 4) and self.fingerprint_bits in (8, 16) and 1 <= self.parts <= 2**32, "arity, bits, parts")
        must(1 <= self.window <= 65536 and self.window & self.window - 1 == 0, "a window that is a power of two to 65,536")
        total = self.parts * self.slots
        must((self.arity - 1) * self.window < self.slots and total <= 2**48 and self.keys <= total, "slots and keys")
        return self.parts * (self.slots * self.fingerprint_bits // 8 + 8)

    def contains(self, h):
        if self.keys == 0:
            return False
        size, S, W = self.fingerprint_bits // 8, self.slots, self.window
        part = mulhi(h, self.parts)
        factor = u64(self.data, self.parts * S * size + 8 * part)
        w = (h ^ h >> 32) * 0xBF58476D1CE4E5B9 & MASK
        gap = 3 * W // 4 if self.arity == 3 else 5 * W // 4
        slot = mulhi(h * factor & MASK, S - gap)
        found = w >> 64 - self.fingerprint_bits
        for j in range(self.arity):
            if j:
                slot += 1 + (w >> 48 - 16 * j) % W
            at = (part * S + slot % S) * size
            found ^= int.from_bytes(self.data[at : at + size], "little")
        return found == 0


class Ribbon(Kind):
    NAMES = ("keys", "columns", "low_share", "seed", "bumped_1", "bumped_2", "bumped_3", "listed")
    BUMPED = (0, 2, 5, 16)  # first starts of a bucket, by its code

    def size(self):
        must(self.keys <= 2**48 and 1 <= self.columns <= 32 and self.low_share < 65536 and self.seed <= 3, "keys, columns, seed")
        must(self.columns > 1 or self.low_share == 0, "one column has no share with fewer")
        comes = [self.keys, self.bumped_1, self.bumped_2, self.bumped_3, self.listed]
        self.layers, at = [], 0  # (first byte, starts, cut)
        for number in range(4):
            slots = self.slots(comes[number], number)
            starts = max(1, -(-slots // 8) - 7) if slots else 0
            cut = starts * self.low_share // 65536 // 64 * 64 if starts >= 256 else 0
            room = 8 * (group(starts - 1) + (15 if cut else 8)) if starts else 0
            must(comes[number] - room <= comes[number + 1] <= comes[number], "a layer keeps what has room, and bumps the others")
            self.layers.append((at, starts, cut))
            if starts:
                at = self.window_at(self.layers[-1], starts - 1) + 8 * self.columns
        self.list_at = at
        return at + 8 * self.listed + 8

    @staticmethod
    def slots(keys, number):
        if keys <= 6:
            return 0
        return keys + keys // 12 + 12 if keys <= 500 or number == 3 else keys - keys // 21

    def window_at(self, layer, start):
        first, starts, cut = layer
        codes = first + -(-starts // 64)
        if start < cut:
            return codes + group(start) * (self.columns - 1)
        if cut == 0:
            return codes + group(start) * self.columns
        return codes + (group(cut) + 7) * (self.columns - 1) + (group(start) - group(cut)) * self.columns

    def check(self):
        must(self.data[-8:] == bytes(8), "eight bytes of 0 at the end")

    def solved(self, layer, start, c):
        columns = self.columns - (start < layer[2])
        at = self.window_at(layer, start)
        product = c * 0x9FB21C651E98DF25
        f = product & MASK ^ product >> 64
        for column in range(columns):
            total = sum(bin(self.data[at + columns * g + column] & c >> 8 * g & 255).count("1") for g in range(8))
            if total & 1 != f >> 8 * (column % 8) + column // 8 & 1:
                return False
        return True

    def contains(self, h):
        if self.keys == 0:
            return False
        x = splitmix64(h ^ splitmix64(self.seed)) if self.seed else h
        for layer in self.layers:
            c = splitmix64(x)
            if layer[1]:
                start = mulhi(x, layer[1])
                code = self.data[layer[0] + start // 64] >> 2 * (start // 16 % 4) & 3
                if start % 16 >= self.BUMPED[code]:
                    return self.solved(layer, start, c)
            x = c
        return any(u64(self.data, self.list_at + 8 * i) == x for i in range(self.listed))
