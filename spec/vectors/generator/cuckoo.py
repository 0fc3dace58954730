"""The cuckoo layout and its sizing, and the recipe of cuckoo.json. Buckets are lists here, and become bytes at the end."""

import decimal

from .hashes import HASHES, MASK, hex64, splitmix64

decimal.getcontext().prec = 60
WIDTHS = [8, 12, 16]
MAX_BUCKETS = 2**48
EXPANDED = 2 + 8 + 32 + 128 + 512  # buckets of a search whose slots are looked into

HASHED = [0, 1, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 2**64 - 1, 2**63, 0xFFFF, 0x10000]
BUCKETS = [2, 10, 1000, 2**33 + 2, 2**48]
# buckets, bits, keys offered, how many of the first ones are removed afterwards, added again at the end
PAYLOADS = [(2, 8, 3, 0, 0), (2, 12, 9, 0, 0), (2, 16, 20, 4, 2), (4, 12, 40, 3, 3), (64, 8, 243, 100, 90),
            (64, 12, 243, 100, 90), (64, 16, 243, 100, 90), (250, 12, 1200, 0, 0), (1054, 8, 4000, 0, 0),
            (1054, 12, 4000, 1000, 1000), (1054, 16, 4000, 0, 0)]  # fmt: skip
SIZED_N = [1, 2, 8, 9, 10, 20, 39, 40, 41, 100, 1000, 12345, 10**5, 10**6, 10**8, 10**9, 10**12]
SIZED_FPR = ["0.5", "0.05", "0.03", "0.025", "0.02", "0.01", "0.001", "0.0003", "0.0001"]
BITS_PER_KEY = [(1, 1), (8, 1), (9, 100), (100, 20), (1000, 9), (1000, 12), (1000, 14), (1000, 20), (10**6, 8.5), (10**6, 12.75),
                (10**6, 17.5), (10**9, 64)]  # fmt: skip
REFUSED = [(0, "0.01"), (1000, "0"), (1000, "1"), (1000, "-1"), (1000, "nan"), (1000, "0.00009"), (2**50, "0.01"), (2**63, "0.01")]
REFUSED_BITS = [(0, 10), (9, 10), (1000, 8), (10**6, 8.3), (1000, 0), (2**50, 100)]


def fingerprint(h, bits):
    return 1 + ((h % 2**16) * (2**bits - 1) >> 16)


def first_bucket(h, buckets):
    return h * buckets >> 64


def partner(bucket, mark, buckets):
    x = mark * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 32) * 0x94D049BB133111EB & MASK
    return ((x * buckets >> 64 | 1) - bucket) % buckets


def padding(bits):
    return 2 if bits == 12 else 0


class Cuckoo:
    def __init__(self, buckets, bits):
        self.bits = bits
        self.table = [[0] * 4 for _ in range(buckets)]

    def places(self, h):
        mark, first = fingerprint(h, self.bits), first_bucket(h, len(self.table))
        return mark, [first, partner(first, mark, len(self.table))]

    def path(self, roots):
        """[(bucket, slot), ...] from the empty slot back to a slot of a root; None when there is none."""
        nodes = [(bucket, None, None) for bucket in roots]  # bucket, number of the node before, slot there
        for number in range(EXPANDED):
            bucket = nodes[number][0]
            for slot, mark in enumerate(self.table[bucket]):
                other = partner(bucket, mark, len(self.table))
                if 0 in self.table[other]:
                    seats = [(other, self.table[other].index(0)), (bucket, slot)]
                    while nodes[number][1] is not None:
                        _, number, slot = nodes[number]
                        seats.append((nodes[number][0], slot))
                    return seats
                nodes.append((other, number, slot))
        return None

    def add(self, h):
        mark, pair = self.places(h)
        for bucket in pair:
            if 0 in self.table[bucket]:
                self.table[bucket][self.table[bucket].index(0)] = mark
                return True
        seats = self.path(pair)
        if seats is None:
            return False
        for (to, to_slot), (frm, frm_slot) in zip(seats, seats[1:]):
            self.table[to][to_slot] = self.table[frm][frm_slot]
        bucket, slot = seats[-1]
        self.table[bucket][slot] = mark
        return True

    def remove(self, h):
        mark, pair = self.places(h)
        for bucket in pair:
            if mark in self.table[bucket]:
                self.table[bucket][self.table[bucket].index(mark)] = 0
                return True
        return False

    def taken(self):
        return sum(mark != 0 for bucket in self.table for mark in bucket)

    def payload(self):
        data = b""
        for bucket in self.table:
            number = sum(mark << self.bits * slot for slot, mark in enumerate(bucket))
            data += number.to_bytes(self.bits // 2, "little")
        return data + bytes(padding(self.bits))


def place_row(h, buckets, bits):
    mark, first = fingerprint(h, bits), first_bucket(h, buckets)
    second = partner(first, mark, buckets)
    assert first != second and partner(second, mark, buckets) == first
    return {"hash": hex64(h), "buckets": buckets, "fingerprint_bits": bits, "fingerprint": mark, "first": first, "second": second}


def payload_row(buckets, bits, offered, removed, again):
    built = Cuckoo(buckets, bits)
    stream = [splitmix64(1 + i) for i in range(offered)]
    refused = [i for i, h in enumerate(stream) if not built.add(h)]
    kept = [h for i, h in enumerate(stream) if i not in set(refused)]
    assert all(built.remove(h) for h in kept[:removed])
    assert all(built.add(h) for h in kept[:again])
    data = built.payload()
    row = {"buckets": buckets, "fingerprint_bits": bits, "offered": offered, "refused": len(refused), "removed": removed,
           "again": again, "taken": built.taken(), "bytes": len(data)}  # fmt: skip
    if refused:
        row["first_refused"] = refused[0]
    return row | ({"hex": data.hex()} if len(data) <= 64 else {"xxh3": hex64(HASHES["xxh3"][1](data, 0))})


def buckets_for(n):
    return 2 if n <= 8 else 2 * ((n + n // 20 + min(72, n + 24)) // 8 + 1)


def rate(n, buckets, bits):
    miss = 1 - decimal.Decimal(2) / (buckets * (2**bits - 1))
    return 1 - miss**n


def real(x):
    """x as %.4g, which must not be decided by the last digits of x."""
    text = "%.4g" % x
    assert text == "%.4g" % (x * (1 - decimal.Decimal("1e-9"))) == "%.4g" % (x * (1 + decimal.Decimal("1e-9"))), x
    return text


def smallest_for_rate(n, fpr, bits):
    """The smallest even number of buckets that meets the rate, and takes n keys; which a rate that is off by some ulp
    must not change."""
    least = buckets_for(n)
    # miss >= (1 - fpr)^(1/n), solved for the number of buckets
    exact = 2 / ((1 - (1 - fpr) ** (1 / decimal.Decimal(n))) * (2**bits - 1))
    pairs = int(exact / 2) + 1
    if 2 * pairs <= least:
        return least
    assert rate(n, 2 * pairs, bits) <= fpr < rate(n, 2 * pairs - 2, bits)
    return 2 * pairs if min(abs(exact / 2 - pairs), abs(exact / 2 - pairs + 1)) > exact / 10**13 else None


def size(n, fpr):
    fits = [(smallest_for_rate(n, fpr, bits), bits) for bits in WIDTHS]
    if any(buckets is None for buckets, _ in fits):
        return None
    return min(fits, key=lambda geometry: geometry[0] * (geometry[1] // 2) + padding(geometry[1]))


def sizing_rows():
    for n in SIZED_N:
        for fpr in SIZED_FPR:
            # The double that is meant, not the decimal.
            geometry = size(n, decimal.Decimal(float(fpr)))
            if geometry is None or geometry[0] > MAX_BUCKETS:
                continue
            buckets, bits = geometry
            yield {"n": n, "fpr": float(fpr), "buckets": buckets, "fingerprint_bits": bits, "predicted_fpr": real(rate(n, buckets, bits))}


def bits_rows():
    for n, bits_per_key in BITS_PER_KEY:
        for bits in reversed(WIDTHS):
            asked = decimal.Decimal(n) * decimal.Decimal(bits_per_key) / (8 * bits)
            buckets = 2 * int(asked.to_integral_value(decimal.ROUND_CEILING))
            if buckets >= buckets_for(n):
                break
        else:
            raise AssertionError("too few bits")
        yield {"n": n, "bits_per_key": bits_per_key, "buckets": buckets, "fingerprint_bits": bits}


def make():
    return {
        "_comment": "Golden data of cuckoo.md. places: the fingerprint and the two buckets of a 64-bit hash (hex). payloads: the "
        "hashes splitmix64(1 + i), i in 0..offered-1, are added in order; 'refused' of them find no room, the first of those is "
        "number first_refused. Then the first 'removed' of those that are in are removed, and the first 'again' of them added "
        "again. taken: slots in use at the end; the payload as hex, or its XXH3-64 with seed 0. sizing: (n, fpr) to geometry, and its rate with "
        "n keys (%.4g); no row changes when a logarithm is off by a few ulp. refused: (n, fpr as text) and (n, bits per key) "
        "that no geometry is made for.",
        "places": [place_row(h, buckets, bits) for h in HASHED for buckets in BUCKETS for bits in WIDTHS],
        "payloads": [payload_row(*row) for row in PAYLOADS],
        "sizing": list(sizing_rows()),
        "bits_per_key": list(bits_rows()),
        "refused": [{"n": n, "fpr": fpr} for n, fpr in REFUSED],
        "refused_bits_per_key": [{"n": n, "bits_per_key": bits} for n, bits in REFUSED_BITS],
    }
