"""The hashes of spec/hash.md, with the standard library alone. For reader.py."""

MASK = 2**64 - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MIX1, MIX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
XXH3_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def u64(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def u32(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def rotate(x, bits):
    return (x << bits | x >> 64 - bits) & MASK


def splitmix64(x):
    x = x + 0x9E3779B97F4A7C15 & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def fnv_splitmix(key):
    h = 0xCBF29CE484222325
    for byte in key:
        h = (h ^ byte) * 0x100000001B3 & MASK
    return splitmix64(h)


def sip_rounds(v, count):
    v0, v1, v2, v3 = v
    for _ in range(count):
        v0 = v0 + v1 & MASK
        v1 = rotate(v1, 13) ^ v0
        v0 = rotate(v0, 32)
        v2 = v2 + v3 & MASK
        v3 = rotate(v3, 16) ^ v2
        v0 = v0 + v3 & MASK
        v3 = rotate(v3, 21) ^ v0
        v2 = v2 + v1 & MASK
        v1 = rotate(v1, 17) ^ v2
        v2 = rotate(v2, 32)
    return [v0, v1, v2, v3]


def siphash(compression, finalization, secret, key):
    k0, k1 = u64(secret, 0), u64(secret, 8)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    tail = key + bytes(-(len(key) + 1) % 8) + bytes([len(key) % 256])
    for at in range(0, len(tail), 8):
        word = u64(tail, at)
        v[3] ^= word
        v = sip_rounds(v, compression)
        v[0] ^= word
    v[2] ^= 0xFF
    v = sip_rounds(v, finalization)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def secret_id(secret):
    return siphash(2, 4, secret, b"bloomery secret id v1")


def xxh64_avalanche(h):
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def xxh64_round(lane, word):
    return rotate(lane + word * P2 & MASK, 31) * P1 & MASK


def xxh64(key, seed):
    at = 0
    if len(key) >= 32:
        lanes = [seed + P1 + P2 & MASK, seed + P2 & MASK, seed, seed - P1 & MASK]
        while at + 32 <= len(key):
            lanes = [xxh64_round(lane, u64(key, at + 8 * i)) for i, lane in enumerate(lanes)]
            at += 32
        h = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ xxh64_round(0, lane)) * P1 + P4) & MASK
    else:
        h = seed + P5 & MASK
    h = h + len(key) & MASK
    while at + 8 <= len(key):
        h = (rotate(h ^ xxh64_round(0, u64(key, at)), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= len(key):
        h = (rotate(h ^ u32(key, at) * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in key[at:]:
        h = rotate(h ^ byte * P5 & MASK, 11) * P1 & MASK
    return xxh64_avalanche(h)


def fold(a, b):
    product = a * b
    return product & MASK ^ product >> 64


def xxh3_avalanche(h):
    h = (h ^ h >> 37) * MIX1 & MASK
    return h ^ h >> 32


def mix16(key, at, secret, place, seed):
    return fold(u64(key, at) ^ u64(secret, place) + seed & MASK, u64(key, at + 8) ^ u64(secret, place + 8) - seed & MASK)


def xxh3_up_to_16(key, seed):
    size, s = len(key), XXH3_SECRET
    if size > 8:
        low = u64(key, 0) ^ (u64(s, 24) ^ u64(s, 32)) + seed & MASK
        high = u64(key, size - 8) ^ (u64(s, 40) ^ u64(s, 48)) - seed & MASK
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return xxh3_avalanche(size + swapped + high + fold(low, high) & MASK)
    if size >= 4:
        seed ^= int.from_bytes((seed & 0xFFFFFFFF).to_bytes(4, "little"), "big") << 32
        h = u32(key, size - 4) + (u32(key, 0) << 32) ^ (u64(s, 8) ^ u64(s, 16)) - seed & MASK
        h = (h ^ rotate(h, 49) ^ rotate(h, 24)) * MIX2 & MASK
        h = (h ^ (h >> 35) + size) * MIX2 & MASK
        return h ^ h >> 28
    if size:
        combined = key[0] << 16 | key[size >> 1] << 24 | key[-1] | size << 8
        return xxh64_avalanche(combined ^ (u32(s, 0) ^ u32(s, 4)) + seed & MASK)
    return xxh64_avalanche(seed ^ u64(s, 56) ^ u64(s, 64))


def xxh3_up_to_240(key, seed):
    size, s = len(key), XXH3_SECRET
    h = size * P1 & MASK
    if size <= 128:
        for i in reversed(range((size - 1) // 32 + 1)):
            h += mix16(key, 16 * i, s, 32 * i, seed) + mix16(key, size - 16 * (i + 1), s, 32 * i + 16, seed)
        return xxh3_avalanche(h & MASK)
    for i in range(8):
        h += mix16(key, 16 * i, s, 16 * i, seed)
    h = xxh3_avalanche(h & MASK)
    for i in range(8, size // 16):
        h += mix16(key, 16 * i, s, 16 * (i - 8) + 3, seed)
    return xxh3_avalanche(h + mix16(key, size - 16, s, 136 - 17, seed) & MASK)


def accumulate(lanes, key, at, secret, place):
    for i in range(8):
        word = u64(key, at + 8 * i)
        mixed = word ^ u64(secret, place + 8 * i)
        lanes[i ^ 1] = lanes[i ^ 1] + word & MASK
        lanes[i] = lanes[i] + (mixed & 0xFFFFFFFF) * (mixed >> 32) & MASK


def xxh3_long(key, seed):
    pairs = range(0, 192, 16)
    moved = [(u64(XXH3_SECRET, i) + seed & MASK, u64(XXH3_SECRET, i + 8) - seed & MASK) for i in pairs]
    s = b"".join(word.to_bytes(8, "little") for pair in moved for word in pair)
    lanes = [P32_3, P1, P2, P3, P4, P32_2, P5, P32_1]
    stripes = (len(key) - 1) // 64
    for stripe in range(stripes):
        accumulate(lanes, key, 64 * stripe, s, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for i in range(8):
                lanes[i] = (lanes[i] ^ lanes[i] >> 47 ^ u64(s, 128 + 8 * i)) * P32_1 & MASK
    accumulate(lanes, key, len(key) - 64, s, 192 - 64 - 7)
    h = len(key) * P1
    for i in range(4):
        h += fold(lanes[2 * i] ^ u64(s, 11 + 16 * i), lanes[2 * i + 1] ^ u64(s, 19 + 16 * i))
    return xxh3_avalanche(h & MASK)


def xxh3(key, seed=0):
    if len(key) <= 16:
        return xxh3_up_to_16(key, seed)
    return xxh3_up_to_240(key, seed) if len(key) <= 240 else xxh3_long(key, seed)


# By id: the name, and the hash of key bytes by the seed or the secret.
HASHES = {
    1: ("fnv_splitmix", lambda key, _: fnv_splitmix(key)),
    2: ("xxh3", xxh3),
    3: ("xxh64", xxh64),
    4: ("siphash13", lambda key, secret: siphash(1, 3, secret, key)),
    5: ("siphash24", lambda key, secret: siphash(2, 4, secret, key)),
}
