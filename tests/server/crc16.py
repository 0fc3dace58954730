"""The slot of a key in a cluster: CRC-16/XMODEM of its bytes, or of what stands in its first braces, modulo 16,384."""


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def slot_of(key):
    key = key.encode() if isinstance(key, str) else key
    start = key.find(b"{")
    end = key.find(b"}", start + 1)
    if start >= 0 and end > start + 1:
        key = key[start + 1:end]
    return crc16(key) % 16384


assert crc16(b"123456789") == 0x31C3
