"""The checksum at the end of a DUMP, so that tests can send damaged payloads that pass it (CRC-64, Jones' polynomial)."""

POLYNOMIAL = 0x95AC9329AC4BC9B5  # 0xAD93D23594C935A9 with its bits reversed


def table():
    rows = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
        rows.append(byte)
    return rows


TABLE = table()


def crc64(data):
    crc = 0
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc


assert crc64(b"123456789") == 0xE9C6D914C4B8D9CA
