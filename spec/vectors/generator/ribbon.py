"""The ribbon layout, its building and its sizing, and the recipe of ribbon.json. A segment is a list of rows, with
whole windows as Python integers; groups become bytes at the end."""

import fractions

from .hashes import HASHES, MASK, hex64, splitmix64

SEGMENT, BUCKET, CUT_UNIT, LEAST_CUT = 8192, 16, 64, 256
BUMPED_STARTS = [0, 2, 5, 16]
FEW, ROOMY, LAYERS, MAX_SEED = 6, 500, 4, 3

HASHED = [0, 1, 2**64 - 1, 0x0123456789ABCDEF, 0x61C8864680B583EB]
# starts, columns, low_share
LAYOUTS = [(1, 7, 0), (16, 1, 0), (255, 7, 40000), (256, 7, 18350), (300, 2, 65535), (8192, 9, 0), (8193, 9, 100),
           (16384, 7, 32768), (30000, 10, 1572), (100001, 32, 60000), (2**45, 7, 18350)]  # fmt: skip
# name of the hashes, how many, columns, low_share
PAYLOADS = [("random", 0, 7, 18350), ("random", 1, 7, 18350), ("random", 6, 7, 0), ("random", 7, 1, 0), ("random", 8, 2, 7),
            ("random", 52, 3, 0), ("random", 53, 9, 0), ("random", 200, 7, 18350), ("random", 500, 32, 9), ("random", 501, 7, 18350),
            ("random", 1000, 10, 1572), ("random", 2300, 7, 18350), ("random", 6000, 17, 30000), ("random", 12000, 2, 40000),
            ("counted", 200, 7, 18350), ("counted", 1500, 7, 18350), ("spaced", 300, 7, 18350)]  # fmt: skip
SIZED_N = [1, 6, 7, 20, 52, 53, 100, 500, 501, 1000, 10**4, 10**5, 10**6, 10**9, 2**48]
SIZED_FPR = ["0.99", "0.5", "0.499", "0.25", "0.1", "0.01", "0.0078125", "0.001", "1e-06", "1e-09", "2.3283064365386963e-10"]
BITS_PER_KEY = [(1, 128), (7, 100), (1000, 8), (10**4, 10.5), (10**6, 6.75), (10**6, 10), (10**9, 1.2), (10**9, 40)]
REFUSED = [(0, "0.01"), (1000, "0"), (1000, "1"), (1000, "-1"), (1000, "nan"), (1000, "2.3e-10"), (2**48 + 1, "0.01")]
REFUSED_BITS = [(0, 10), (1, 127), (1000, 1), (10**6, 1), (1000, 0), (2**48 + 1, 10)]


def place(h, seed):
    return splitmix64(h ^ splitmix64(seed)) if seed else h


def fingerprint(c):
    product = c * 0x9FB21C651E98DF25
    return product & MASK ^ product >> 64


def column_bit(f, column):
    return f >> 8 * (column % 8) + column // 8 & 1


class Layer:
    """Where everything lies, found by walking over the segments."""

    def __init__(self, starts, columns, low_share):
        self.starts, self.columns = starts, columns
        self.cut = starts * low_share // 65536 // CUT_UNIT * CUT_UNIT if starts >= LEAST_CUT else 0
        self.codes = -(-starts // CUT_UNIT)

    def columns_at(self, start):
        return self.columns - (start < self.cut)

    def segments(self):
        """(first start, one after the last, columns, offset of the groups)"""
        offset = self.codes
        for low, high in [(0, self.cut), (self.cut, self.starts)]:
            first = low
            while first < high:
                last = min(high, (first // SEGMENT + 1) * SEGMENT)
                yield first, last, self.columns_at(first), offset
                offset += (last - first + 7) * self.columns_at(first)
                first = last
            if low < high == self.cut and high % SEGMENT == 0:
                offset += 7 * (self.columns - 1)

    def offset(self, start):
        for first, last, columns, offset in self.segments():
            if first <= start < last:
                return offset + (start - first) * columns
        raise AssertionError(start)

    def size(self):
        if self.starts == 0:
            return 0
        return self.offset(self.starts - 1) + 8 * self.columns

    def slots(self):
        return 8 * sum(last - first + 7 for first, last, _, _ in self.segments()) + (
            56 if self.cut and self.cut % SEGMENT == 0 else 0)


def starts_for(keys, layer):
    if keys <= FEW:
        return 0
    slots = keys + keys // 12 + 12 if keys <= ROOMY or layer == LAYERS - 1 else keys - keys // 21
    return max(1, -(-slots // 8) - 7)


def fall(rows, slot, c, f):
    """The slot that takes the key, or None."""
    while c:
        if c & 1:
            if slot not in rows:
                rows[slot] = (c, f)
                return slot
            c, f = c ^ rows[slot][0], f ^ rows[slot][1]
        slot, c = slot + 1, c >> 1
    return None


def fill_bucket(rows, places, starts, first):
    """The code of the bucket."""
    taken = []
    for x in reversed(places):
        start, c = x * starts >> 64, splitmix64(x)
        slot = fall(rows, 8 * (start - first), c, fingerprint(c))
        if slot is None:
            code = min(code for code in range(4) if BUMPED_STARTS[code] > start % BUCKET)
            for other, used in taken:
                if other % BUCKET < BUMPED_STARTS[code]:
                    del rows[used]
            return code
        taken.append((start, slot))
    return 0


def solve(rows, groups, columns):
    """The bytes of the groups."""
    planes = [0] * columns  # of each column the slots, as one number
    for slot in sorted(rows, reverse=True):
        c, f = rows[slot]
        for column in range(columns):
            if bin((planes[column] >> slot & MASK) & c).count("1") % 2 != column_bit(f, column):
                planes[column] |= 1 << slot
    planes = [plane.to_bytes(groups, "little") for plane in planes]
    return bytes(planes[column][group] for group in range(groups) for column in range(columns))


def build_layer(layer, places, at_any_cost):
    """(bytes, places of those bumped in the next layer), or None when a segment bumps too many."""
    if layer.starts == 0:
        return b"", sorted(map(splitmix64, places))
    buckets = {}
    for x in places:
        buckets.setdefault((x * layer.starts >> 64) // BUCKET, []).append(x)
    data, bumped = bytearray(layer.size()), []
    for first, last, columns, offset in layer.segments():
        rows, count, gone = {}, 0, []
        for bucket in range(first // BUCKET, -(-last // BUCKET)):
            inside = buckets.get(bucket, [])
            code = fill_bucket(rows, inside, layer.starts, first)
            data[bucket // 4] |= code << 2 * (bucket % 4)
            count += len(inside)
            gone += [x for x in inside if (x * layer.starts >> 64) % BUCKET < BUMPED_STARTS[code]]
        if len(gone) > 256 + count // 8 and not at_any_cost:
            return None
        bumped += gone
        groups = solve(rows, last - first + 7, columns)
        data[offset : offset + len(groups)] = groups
    return bytes(data), sorted(map(splitmix64, bumped))


def build(hashes, columns, low_share):
    """(geometry words, payload)"""
    for seed in range(MAX_SEED + 1):
        left, payload, counts = sorted(place(h, seed) for h in hashes), b"", []
        for number in range(LAYERS):
            layer = Layer(starts_for(len(left), number), columns, low_share)
            built = build_layer(layer, left, seed == MAX_SEED)
            if built is None:
                break
            payload, left = payload + built[0], built[1]
            counts.append(len(left))
        else:
            payload += b"".join(x.to_bytes(8, "little") for x in left) + bytes(8)
            return [len(hashes), columns, low_share, seed, *counts], payload
    raise AssertionError("seed 3 takes anything")


def plan(keys, columns, low_share):
    counts = [keys]
    for number in range(LAYERS):
        k = counts[-1]
        roomy = k <= ROOMY or number == LAYERS - 1
        counts.append(k if k <= FEW else 0 if roomy else k // 21 + min(k, 10000) // 250 + 8)
    return [keys, columns, low_share, 0, *counts[1:]]


def layers_of(words):
    keys, columns, low_share, _, *bumped = words
    return [Layer(starts_for(k, number), columns, low_share) for number, k in enumerate([keys] + bumped[:3])]


def payload_bytes(words):
    total = 8 * words[7] + 8
    for layer in layers_of(words):
        if layer.starts:  # the closed form: a walk over the segments of 2^48 keys would not end
            steps = lambda s: s + 7 * (s // SEGMENT)  # noqa: E731
            groups = steps(layer.starts - 1) + 8
            total += layer.codes + groups * layer.columns
            if layer.cut:
                total += (steps(layer.cut) + 7) * (layer.columns - 1) - steps(layer.cut) * layer.columns
            if layer.starts < 2**20:
                assert total >= layer.size()
    return total


def rate(words):
    keys, columns = words[:2]
    total = fractions.Fraction(words[7], 2**64)
    comes = [keys] + words[4:8]
    for number, layer in enumerate(layers_of(words)):
        if layer.starts:
            share = fractions.Fraction(comes[number] - comes[number + 1], keys)
            total += share * (1 + fractions.Fraction(layer.cut, layer.starts)) / 2**columns
    return total


def digits(fpr):
    """columns and low_share of a rate, from its binary digits."""
    exact = fractions.Fraction(fpr)
    if exact >= fractions.Fraction(1, 2):
        return 1, 0
    columns = 1
    while fractions.Fraction(1, 2**columns) > exact:
        columns += 1
    return columns, int((exact * 2**columns - 1) * 65536)


def hashes_of(name, count):
    return {"random": [splitmix64(1 + i) for i in range(count)], "counted": list(range(count)),
            "spaced": [i << 44 for i in range(count)]}[name]  # fmt: skip


def key_row(h, seed):
    x = place(h, seed)
    c = splitmix64(x)
    bits = sum(column_bit(fingerprint(c), column) << column for column in range(32))
    return {"hash": hex64(h), "seed": seed, "place": hex64(x), "coefficients": hex64(c), "fingerprint": "%08x" % bits}


def layout_row(starts, columns, low_share):
    layer = Layer(starts, columns, low_share)
    row = {"starts": starts, "columns": columns, "low_share": low_share, "cut": layer.cut}
    if starts > 2**20:
        return row
    asked = {0, 1, layer.cut - 1, layer.cut, SEGMENT - 1, SEGMENT, 2 * SEGMENT - 1, 2 * SEGMENT, starts // 2, starts - 1}
    asked = sorted(start for start in asked if 0 <= start < starts)
    windows = [[start, layer.columns_at(start), layer.offset(start)] for start in asked]
    return row | {"bytes": layer.size(), "slots": layer.slots(), "windows": windows}


def payload_row(name, count, columns, low_share):
    words, data = build(hashes_of(name, count), columns, low_share)
    assert len(data) == payload_bytes(words)
    row = {"hashes": name, "keys": count, "columns": columns, "low_share": low_share, "geometry": words, "bytes": len(data)}
    return row | ({"hex": data.hex()} if len(data) <= 64 else {"xxh3": hex64(HASHES["xxh3"][1](data, 0))})


def real(x):
    """x as %.3g, which must not be decided by the last digits of x."""
    text = "%.3g" % x
    assert text == "%.3g" % (float(x) * (1 - 1e-12)) == "%.3g" % (float(x) * (1 + 1e-12)), x
    return text


def sizing_rows():
    for n in SIZED_N:
        for fpr in SIZED_FPR:
            if float(fpr) * 2**64 < n:
                continue
            words = plan(n, *digits(float(fpr)))
            yield {"n": n, "fpr": float(fpr), "geometry": words, "bytes": payload_bytes(words), "predicted_fpr": real(rate(words))}


def precision_plan(n, precision):
    columns = -(-precision // 65536)
    return plan(n, columns, columns * 65536 - precision)


def bits_rows():
    for n, bits in BITS_PER_KEY:
        low, high = 65536, 32 * 65536  # fits, and the most there is
        assert 8 * payload_bytes(precision_plan(n, low)) <= n * bits
        while low < high:
            middle = (low + high + 1) // 2
            if 8 * payload_bytes(precision_plan(n, middle)) <= n * bits:
                low = middle
            else:
                high = middle - 1
        yield {"n": n, "bits_per_key": bits, "geometry": precision_plan(n, low)}


def make():
    return {
        "_comment": "Golden data of ribbon.md; a geometry is its eight words. keys: what a hash and a seed give; fingerprint: "
        "bit i is that of column i. layouts: a layer of so many starts, and of some starts [start, columns there, offset of the "
        "window in the layer]. payloads: filters of the hashes splitmix64(1 + i) (random), i (counted) or i * 2^44 (spaced), i in "
        "0..keys-1; the payload as hex, or its XXH3-64 with seed 0. sizing: (n, fpr) to the planned geometry, its bytes and its rate "
        "(%.3g). bits_per_key: the same for bits. refused: what no geometry is made for.",
        "keys": [key_row(h, seed) for h in HASHED for seed in (0, 1, 3)],
        "layouts": [layout_row(*row) for row in LAYOUTS],
        "payloads": [payload_row(*row) for row in PAYLOADS],
        "sizing": list(sizing_rows()),
        "bits_per_key": list(bits_rows()),
        "refused": [{"n": n, "fpr": fpr} for n, fpr in REFUSED],
        "refused_bits_per_key": [{"n": n, "bits_per_key": bits} for n, bits in REFUSED_BITS],
    }
