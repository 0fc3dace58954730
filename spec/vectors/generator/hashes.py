"""The hashes of spec/hash.md, and the recipe of hash.json."""

import xxhash

MASK = 2**64 - 1


def fnv1a64(key):
    h = 0xCBF29CE484222325
    for byte in key:
        h = (h ^ byte) * 0x100000001B3 & MASK
    return h


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def sip_rounds(v0, v1, v2, v3, count):
    for _ in range(count):
        v0 = (v0 + v1) & MASK
        v2 = (v2 + v3) & MASK
        v1 = rotate(v1, 13) ^ v0
        v3 = rotate(v3, 16) ^ v2
        v0 = rotate(v0, 32)
        v2 = (v2 + v1) & MASK
        v0 = (v0 + v3) & MASK
        v1 = rotate(v1, 17) ^ v2
        v3 = rotate(v3, 21) ^ v0
        v2 = rotate(v2, 32)
    return v0, v1, v2, v3


def siphash(compression, finalization, secret, key):
    """SipHash-c-d (Aumasson and Bernstein, 2012) with a 64-bit result."""
    k0 = int.from_bytes(secret[:8], "little")
    k1 = int.from_bytes(secret[8:], "little")
    # "somepseudorandomlygeneratedbytes", in four big-endian words
    v = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)
    padded = key + bytes(7 - len(key) % 8) + bytes([len(key) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v0, v1, v2, v3 = sip_rounds(v[0], v[1], v[2], v[3] ^ word, compression)
        v = (v0 ^ word, v1, v2, v3)
    v0, v1, v2, v3 = sip_rounds(v[0], v[1], v[2] ^ 0xFF, v[3], finalization)
    return v0 ^ v1 ^ v2 ^ v3


def secret_id(secret):
    return siphash(2, 4, secret, b"bloomery secret id v1")


# name -> (id, function of (key, seed or secret))
HASHES = {
    "fnv_splitmix": (1, lambda key, _=None: splitmix64(fnv1a64(key))),
    "xxh3": (2, lambda key, seed: xxhash.xxh3_64_intdigest(key, seed)),
    "xxh64": (3, lambda key, seed: xxhash.xxh64_intdigest(key, seed)),
    "siphash13": (4, lambda key, secret: siphash(1, 3, secret, key)),
    "siphash24": (5, lambda key, secret: siphash(2, 4, secret, key)),
}

SEEDS = [0, 1, MASK, 0x0123456789ABCDEF]
SECRETS = [bytes(range(16)), bytes.fromhex("f0e1d2c3b4a5968778695a4b3c2d1e0f")]
LENGTHS = list(range(65)) + [127, 128, 129, 240, 241, 255, 256, 257, 1023, 1024, 1025]
INTEGERS = [0, 1, -1, 42, -42, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]

# The beginning of the table that SipHash's authors published for 2-4 rounds, secret 00 01 .. 0f, inputs 00 01 02 ..
PUBLISHED_SIPHASH24 = """726fdb47dd0e0e31 74f839c593dc67fd 0d6c8009d9a94f5a 85676696d7fb7e2d cf2794e0277187b7
    18765564cd99a68d cbc9466e58fee3ce ab0200f58b01d137 93f5f5799a932462"""


def hex64(x):
    return f"{x:016x}"


def key_of_length(length, first=0):
    return bytes(first + i % 251 for i in range(length))


def hash_row(row, key):
    for name, (_, function) in HASHES.items():
        if name == "fnv_splitmix":
            row[name] = hex64(function(key))
        else:
            row[name] = [hex64(function(key, x)) for x in (SECRETS if name.startswith("sip") else SEEDS)]
    return row


def make():
    for length, value in enumerate(PUBLISHED_SIPHASH24.split()):
        assert hex64(siphash(2, 4, SECRETS[0], key_of_length(length))) == value
    rows = []
    for length in LENGTHS:
        key = key_of_length(length)
        shown = {"length": length, "key_hex": key.hex()} if length <= 64 else {"length": length}
        rows.append(hash_row(shown, key))
    without_nul = [hash_row({"length": length}, key_of_length(length, 1)) for length in LENGTHS if length > 0]
    integers = []
    for value in INTEGERS:
        key = (value & MASK).to_bytes(8, "little")
        integers.append(hash_row({"integer": str(value), "key_hex": key.hex()}, key))
    return {
        "_comment": "Golden data of every hash. rows: byte i of the key is i mod 251, for i in 0..length-1 (key_hex says the "
        "same for keys of up to 64 bytes). rows_without_nul: byte i is 1 + i mod 251, so that the commands can be given "
        "them with -0. integers: decimal text; the key is its 8 bytes, little-endian. Results are hex of u64. xxh3 and "
        "xxh64 have one result per entry of 'seeds', in that order; siphash13 and siphash24 one per entry of 'secrets'. The "
        "first results of siphash24 in the rows of length 0..63 are the table its authors published.",
        "seeds": [hex64(seed) for seed in SEEDS],
        "secrets": [{"secret": s.hex(), "secret_id": hex64(secret_id(s))} for s in SECRETS],
        "rows": rows,
        "rows_without_nul": without_nul,
        "integers": integers,
    }
