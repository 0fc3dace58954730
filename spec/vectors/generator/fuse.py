"""The fuse layout and its sizing, and the recipe of fuse.json. Sets and lists here where others pack and count."""

from .hashes import HASHES, MASK, hex64, splitmix64

SPREAD = 0xBF58476D1CE4E5B9
SEEDS = 64  # tried before the filter grows
GROUP = 16384  # slots that share a queue
MOST_KEYS = 255  # of a slot

# For n = 2^k: the binary logarithm of the window, and the slots beyond n.
TABLE = {
    3: [(0, 2), (2, 9), (3, 16), (4, 25), (4, 27), (5, 40), (6, 68), (6, 76), (7, 116), (8, 190), (8, 338), (9, 640),
        (9, 1030), (10, 1900), (10, 3330), (11, 6100), (11, 11500), (12, 21000), (13, 37500), (13, 66450), (14, 131600),
        (14, 252000)],
    4: [(0, 3), (2, 11), (2, 12), (3, 18), (3, 22), (4, 32), (5, 41), (6, 70), (6, 115), (7, 205), (7, 330), (8, 570),
        (9, 1000), (9, 1600), (10, 2760), (10, 4600), (11, 8300), (12, 14000), (12, 23500), (13, 39900), (13, 76500),
        (13, 147000)],
}  # fmt: skip
LAST = 21

HASHED = [0, 1, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 2**64 - 1, 2**63]
# arity, bits, parts, window, slots, seed
PLACES = [(3, 8, 1, 1, 3, 0), (3, 16, 1, 64, 204, 1), (4, 8, 2, 4096, 2**20 + 1, 63), (4, 16, 1000, 65536, 2**40, 255)]
# the first number, how many of splitmix64(first + i), arity, bits, parts (None: as many as the rule says)
PAYLOADS = [(1, n, arity, bits, None) for n in [0, 1, 2, 3, 10, 127, 1000] for arity in [3, 4] for bits in [8, 16]]
PAYLOADS += [(1, 40000, 3, 8, None), (1, 30000, 4, 8, None), (1, 2500, 3, 8, 2), (1, 2500, 4, 16, 2), (7, 3000, 3, 16, 5), (7, 3000, 4, 8, 5)]
SIZED_N = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 100, 255, 256, 1000, 1023, 1024, 11480, 11521, 10**5, 10**6 - 1, 10**6, 2**20, 2**21 - 1,
           2**21, 2**22, 3 * 10**6, 10**7 + 1, 2 * 10**8, 10**12]  # fmt: skip
PART_N = SIZED_N[:-1] + [2**23, 2**24 - 1, 2**24, 2**30] + [2**r for r in range(2, 20)] + [3 * 2**r for r in range(2, 20, 3)]  # some of every row of the table
SIZED_FPR = [0.01, 2.0**-8, 0.0039, 2.0**-16]
BITS_PER_KEY = [(1, 88), (1, 112), (2, 76), (1000, 10.9), (1000, 21.5), (10**6, 9.1), (10**6, 18.1), (10**9, 100)]
REFUSED = [(0, "0.01"), (1000, "0"), (1000, "1"), (1000, "-1"), (1000, "nan"), (1000, "0.000015"), (2**60, "0.1")]
REFUSED_BITS = [(0, 10), (1, 87), (1000, 10), (10**6, 9), (1000, 0), (2**60, 100)]


def mulhi(a, b):
    return a * b >> 64


def window_and_slots(n, arity):
    """Of a part of n keys."""
    n = max(n, 1)
    k = n.bit_length() - 1
    table = TABLE[arity]
    if k >= LAST:
        log, more = table[LAST]
        log = log if k == LAST else 15 if k < 24 else 16
        return 2**log, n + (n * more >> LAST)
    (log, more), (_, next_more) = table[k], table[k + 1]
    return 2**log, n + more + ((n - 2**k) * (next_more - more) >> k)


def parts_for(n):
    return 1 if n < 10**6 else max(2, n >> 20)


def gap(arity, window):
    return (3 if arity == 3 else 5) * window // 4


def part_of(h, parts):
    return mulhi(h, parts)


def factor_of(parts, seed):
    return parts if seed == 0 else splitmix64(seed) >> 16 << 16 | seed << 8 | 1


def places(h, arity, bits, parts, window, slots, factor):
    """The slots of a key in its part, and its fingerprint."""
    w = (h ^ h >> 32) * SPREAD & MASK
    place = mulhi(h * factor & MASK, slots - gap(arity, window))
    found = [place]
    for j in range(1, arity):
        place += 1 + (w >> (48 - 16 * j)) % window
        found.append(place % slots)
    return found, w >> (64 - bits)


def solve(keys, arity, bits, parts, window, slots, seed):
    """The values of the slots of a part; None when this seed does not do."""
    of = {h: places(h, arity, bits, parts, window, slots, factor_of(parts, seed)) for h in keys}
    load = [0] * slots
    for found, _ in of.values():
        for place in found:
            load[place] += 1
    order = peel(of, slots) if max(load) <= MOST_KEYS else None
    if order is None:
        return None
    values = [0] * slots
    for h, place in reversed(order):
        found, mark = of[h]
        for other in found:
            mark ^= values[other]  # values[place] is still 0
        values[place] = mark
    return values


def peel(of, slots):
    """The keys, each with the slot that it was alone in, in the order in which they go; None when some do not."""
    held = [set() for _ in range(slots)]
    for h, (found, _) in of.items():
        for place in found:
            held[place].add(h)
    queues = [[place for place in range(start, min(start + GROUP, slots)) if len(held[place]) == 1] for start in range(0, slots, GROUP)]
    taken = [0] * len(queues)
    order = []
    while waiting := [group for group, queue in enumerate(queues) if taken[group] < len(queue)]:
        group = waiting[0]
        while taken[group] < len(queues[group]):
            place = queues[group][taken[group]]
            taken[group] += 1
            if not held[place]:
                continue
            (h,) = held[place]
            order.append((h, place))
            for other in of[h][0]:
                held[other].remove(h)
                if len(held[other]) == 1:
                    queues[other // GROUP].append(other)
    return order if len(order) == len(of) else None


def grouped(keys, parts):
    groups = [[] for _ in range(parts)]
    for h in keys:
        groups[part_of(h, parts)].append(h)
    return groups


def uneven(groups, n):
    """Whether these are no hashes: a part has many more keys than the mean."""
    mean = n // len(groups)
    return max(map(len, groups)) > mean + mean // 64


def build(hashes, arity, bits, parts=None):
    """The geometry, the payload, the failed attempts of the last size, and how often it grew."""
    keys = sorted(set(hashes))
    if parts is None:
        parts = parts_for(len(keys))
        if uneven(grouped(keys, parts), len(keys)):
            parts = 1
    groups = grouped(keys, parts)
    window, slots = window_and_slots(max(map(len, groups)), arity)
    grown = 0
    while True:
        solved = [first_solution(group, arity, bits, parts, window, slots) for group in groups]
        if None not in solved:
            break
        slots += slots // 8 + 1
        grown += 1
    data = b"".join(value.to_bytes(bits // 8, "little") for _, values in solved for value in values)
    seeds = [seed for seed, _ in solved]
    factors = [factor_of(parts, seed) if keys else 0 for seed in seeds]
    geometry = {"arity": arity, "fingerprint_bits": bits, "parts": parts, "window": window, "slots": slots, "keys": len(keys)}
    return geometry, data + b"".join(factor.to_bytes(8, "little") for factor in factors), seeds, grown


def first_solution(group, *geometry):
    for seed in range(SEEDS):
        values = solve(group, *geometry, seed)
        if values is not None:
            return seed, values
    return None


def contains(h, geometry, payload):
    arity, bits, parts, window, slots, keys = geometry.values()
    part = part_of(h, parts)
    at = parts * slots * bits // 8 + 8 * part
    found, mark = places(h, arity, bits, parts, window, slots, int.from_bytes(payload[at : at + 8], "little"))
    for place in found:
        at = (part * slots + place) * bits // 8
        mark ^= int.from_bytes(payload[at : at + bits // 8], "little")
    return keys > 0 and mark == 0


def payload_row(names, hashes, arity, bits, parts):
    geometry, data, seeds, grown = build(hashes, arity, bits, parts)
    assert all(contains(h, geometry, data) for h in hashes)
    row = names | geometry | {"seeds": seeds, "grown": grown, "bytes": len(data)}
    return row | ({"hex": data.hex()} if len(data) <= 64 else {"xxh3": hex64(HASHES["xxh3"][1](data, 0))})


def payload_rows():
    for first, count, arity, bits, parts in PAYLOADS:
        yield payload_row({"first": first, "count": count}, [splitmix64(first + i) for i in range(count)], arity, bits, parts)
    yield retried(3, 8, 250)
    yield retried(4, 16, 60)


def retried(arity, bits, count):
    """The first of its size that needs another seed."""
    first = 10**6
    while True:
        hashes = [splitmix64(first + i) for i in range(count)]
        if solve(hashes, arity, bits, 1, *window_and_slots(count, arity), 0) is None:
            return payload_row({"first": first, "count": count}, hashes, arity, bits, None)
        first += count


def hostile(arity, pairs):
    """For each of the first seeds two keys that no slot tells apart."""
    window, slots = window_and_slots(2 * pairs, arity)
    chosen, number = [], 2 * 10**6
    for seed in range(pairs):
        seen = {}
        while True:
            number += 1
            h = splitmix64(number)
            same = tuple(places(h, arity, 8, 1, window, slots, factor_of(1, seed))[0])
            if same in seen:
                chosen += [seen[same], h]
                break
            seen[same] = h
    return chosen


def crowded(count, others):
    """A set whose slot in the middle has so many keys, and which can be peeled with the first seed."""
    window, slots = window_and_slots(count + others, 3)
    number = 3 * 10**6
    while True:
        held, rest = [], []
        while len(held) < count or len(rest) < others:
            number += 1
            h = splitmix64(number)
            crowd = held if slots // 2 in places(h, 3, 8, 1, window, slots, 1)[0] else rest
            if len(crowd) < (count if crowd is held else others):
                crowd.append(h)
        if peel({h: places(h, 3, 8, 1, window, slots, 1) for h in held + rest}, slots) is not None:
            return held + rest


def hash_rows():
    """Sets that are no hashes of anything, written out."""
    sets = [("sequential", list(range(1, 65))), ("one bit apart", [0] + [2**i for i in range(64)]), ("high bits alone", [i << 56 for i in range(40)]),
            ("twice each", [splitmix64(1 + i // 2) for i in range(40)]), ("all equal", [2**64 - 1] * 9)]  # fmt: skip
    for name, hashes in sets:
        for arity in [3, 4]:
            yield payload_row({"name": name, "hashes": [hex64(h) for h in hashes]}, hashes, arity, 8, None)
    for count in [MOST_KEYS, MOST_KEYS + 1]:
        hashes = crowded(count, 512 - count)
        yield payload_row({"name": f"{count} in a slot", "hashes": [hex64(h) for h in hashes]}, hashes, 3, 8, None)
    for name, pairs in [("fails with 20 seeds", 20), ("takes the last seed", SEEDS - 1), ("grows", SEEDS)]:
        hashes = hostile(3, pairs)
        yield payload_row({"name": name, "hashes": [hex64(h) for h in hashes]}, hashes, 3, 16, None)


def plan(n, arity, bits):
    parts = parts_for(n)
    window, slots = window_and_slots(-(-n // parts), arity)
    return {"arity": arity, "fingerprint_bits": bits, "parts": parts, "window": window, "slots": slots, "keys": n}


def payload_bytes(geometry):
    return geometry["parts"] * (geometry["slots"] * geometry["fingerprint_bits"] // 8 + 8)


def sizing_rows():
    for n in SIZED_N[1:]:
        for fpr in SIZED_FPR:
            for arity in [3, 4]:
                yield {"n": n, "fpr": fpr} | plan(n, arity, 8 if fpr >= 2.0**-8 else 16)


def bits_rows():
    for n, bits_per_key in BITS_PER_KEY:
        fits = [bits for bits in [8, 16] if 8 * payload_bytes(plan(n, 3, bits)) <= n * bits_per_key]
        yield {"n": n, "bits_per_key": bits_per_key} | plan(n, 3, fits[-1])


def place_rows():
    for arity, bits, parts, window, slots, seed in PLACES:
        for h in HASHED:
            found, mark = places(h, arity, bits, parts, window, slots, factor_of(parts, seed))
            assert len(set(found)) == arity
            yield {"hash": hex64(h), "arity": arity, "fingerprint_bits": bits, "parts": parts, "window": window, "slots": slots,
                   "seed": seed, "part": part_of(h, parts), "places": found, "fingerprint": mark}  # fmt: skip


def make():
    return {
        "_comment": "Golden data of fuse.md. places: the part of a 64-bit hash (hex), its slots there and its fingerprint. parts: the window and "
        "the slots of a part of n keys. payloads: the filter of splitmix64(first + i), i in 0..count-1; hashes: of the hashes that "
        "are listed, duplicates among them. 'parts' is given to the build where the rule would say 1. seeds: of each part. grown: how often "
        "all seeds failed. The payload as hex, or its XXH3-64 with seed 0. sizing: (n, fpr, arity) to geometry; bits_per_key: of arity 3. "
        "refused: (n, fpr as text) and (n, bits per key) that no geometry is made for.",
        "places": list(place_rows()),
        "parts": [{"n": n, "arity": arity} | dict(zip(["window", "slots"], window_and_slots(n, arity))) for n in PART_N for arity in [3, 4]],
        "payloads": list(payload_rows()),
        "hashes": list(hash_rows()),
        "sizing": list(sizing_rows()),
        "bits_per_key": list(bits_rows()),
        "refused": [{"n": n, "fpr": fpr} for n, fpr in REFUSED],
        "refused_bits_per_key": [{"n": n, "bits_per_key": bits} for n, bits in REFUSED_BITS],
    }
