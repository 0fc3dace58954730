"""Damage on disk: every flipped bit and every cut of an envelope is noticed, every cut of a raw file too."""

from harness import numbered
from kit import expect, promise

STRIDE = 7  # of the damaged files, how many go to query and inspect as well


def small_envelope(kit):
    data = kit.build("good", numbered(b"key", 5), "-m", "47", "-k", "7", "--envelope")
    expect(len(data) == 134, f"{len(data)} bytes, wanted 134")
    return data


def flips(data):
    for bit in range(8 * len(data)):
        copy = bytearray(data)
        copy[bit // 8] ^= 1 << bit % 8
        yield f"bit {bit % 8} of byte {bit // 8} flipped", bytes(copy)


def readers_refuse(kit, what, data):
    kit.write("bad", data)
    for args in (["query", "bad", kit.keys], ["inspect", "bad"]):
        done = kit.run(*args)
        kit.check_refusal(done, f"{what}: {args[0]}", ["bad"])


@promise
def verify_notices_every_flipped_bit(kit):
    for what, data in flips(small_envelope(kit)):
        done = kit.run("verify", kit.write("bad", data))
        expect(done.returncode == 1, f"{what}: exit status {done.returncode}, stderr {done.stderr[:200]!r}")


@promise
def query_and_inspect_refuse_every_flipped_bit(kit):
    for number, (what, data) in enumerate(flips(small_envelope(kit))):
        if number % STRIDE == 0:
            readers_refuse(kit, what, data)


@promise
def verify_notices_every_cut(kit):
    for data in (small_envelope(kit), kit.build("raw", numbered(b"key", 20))):
        for size in range(len(data)):
            done = kit.run("verify", kit.write("bad", data[:size]))
            expect(done.returncode == 1, f"cut to {size} bytes: exit status {done.returncode}, stderr {done.stderr[:200]!r}")


@promise
def query_and_inspect_refuse_every_cut(kit):
    for data in (small_envelope(kit), kit.build("raw", numbered(b"key", 20))):
        for size in range(len(data)):
            readers_refuse(kit, f"cut to {size} bytes", data[:size])


@promise
def a_trailing_byte_is_refused(kit):
    for data in (small_envelope(kit), kit.build("raw", numbered(b"key", 20))):
        for more in (b"\0", b"\n", data):
            readers_refuse(kit, f"{len(more)} bytes more", data + more)
