"""Promises of build --kind iblt, set-diff and iblt-size."""

import json

from kit import cpp_promise, expect, expect_equal


def lines(keys):
    return b"".join(key + b"\n" for key in keys)


def two_sets(kit, common, only_a, only_b):
    kit.write("A", lines([b"both%d" % i for i in range(common)] + only_a))
    kit.write("B", lines(only_b + [b"both%d" % i for i in reversed(range(common))]))


def diff_of(only_a, only_b, end=b"\n"):
    signed = [(key, b"-") for key in only_a] + [(key, b"+") for key in only_b]
    return b"".join(sign + b"\t" + key + end for key, sign in sorted(signed))


def build(kit, name, *options):
    return kit.output("build", "--kind", "iblt", *options, "-o", f"{name}.blm", name)


@cpp_promise
def set_diff_lists_exactly_the_difference_from_keys_from_iblts_and_from_one_of_each(kit):
    only_a, only_b = [b"a%d" % i for i in range(60)], [b"b%d" % i for i in range(30)] + [b"", b"tab\there", b"\r", b"x" * 31]
    two_sets(kit, 5000, only_a, only_b)
    expect_equal(build(kit, "A", "--differences", "100"), b"A.blm: iblt, 5060 keys, 8928 bytes, lists 100 differences with probability 0.999\n", "build")
    build(kit, "B", "--differences", "100")
    for a in ("A", "A.blm"):
        for b in ("B", "B.blm"):
            done = kit.run("set-diff", a, b, status=1)
            expect_equal(done.stdout, diff_of(only_a, only_b), f"set-diff {a} {b}")
            expect(b"94 keys differ: 60 only in" in done.stderr and b"nothing is missing" in done.stderr, f"said {done.stderr!r}")
            expect_equal(kit.run("set-diff", "-q", a, b, status=1).stderr, b"", "set-diff -q")
    expect(b"all 200 cells are zero" in kit.run("set-diff", "A.blm", "B.blm", status=1).stderr, "it does not say how it knew")
    expect_equal(kit.output("set-diff", "-", "B.blm", stdin=kit.read("A"), status=1), diff_of(only_a, only_b), "set-diff - B.blm")
    for pair in (("A", "A"), ("A.blm", "A.blm"), ("A", "A.blm")):
        expect_equal(kit.output("set-diff", *pair), b"", f"set-diff {pair}")


@cpp_promise
def set_diff_of_too_many_differences_prints_nothing_but_the_size_to_build(kit):
    only_a, only_b = [b"a%d" % i for i in range(900)], [b"b%d" % i for i in range(800)]
    two_sets(kit, 1000, only_a, only_b)
    for name in "AB":
        build(kit, name, "--differences", "50")
    kit.refused("set-diff", "A.blm", "B.blm", names=["differ in about 1", "list 50 differences", "--differences"])
    size = int(kit.run("set-diff", "A.blm", "B.blm").stderr.split()[-1])
    expect(1700 <= size < 3500, f"told to build {size} for 1700")
    for name in "AB":
        build(kit, name, "--differences", str(size))
    expect_equal(kit.output("set-diff", "A.blm", "B.blm", status=1), diff_of(only_a, only_b), "set-diff of that size")
    told = json.loads(kit.output("iblt-size", "--json", "A.blm", "B.blm"))
    expect_equal((told["differences"], told["low"], told["high"]), (1700, 1700, 1700), "iblt-size of tables that list it all")


@cpp_promise
def iblt_size_tells_the_difference_before_anybody_has_chosen_a_size(kit):
    two_sets(kit, 3000, [b"a%d" % i for i in range(700)], [b"b%d" % i for i in range(300)])
    for name in "AB":
        kit.output("build", "--kind", "iblt", "--estimator", "-q", "-o", f"{name}.est", name)
        expect(len(kit.read(f"{name}.est")) < 21_000, "the size of an estimator")
    for pair in (("A.est", "B.est"), ("A", "B.est"), ("A.est", "B")):
        told = json.loads(kit.output("iblt-size", "--json", *pair))
        expect(800 < told["low"] < told["differences"] < told["high"] < 1250, f"iblt-size {pair}: {told}")
        expect(told["size_for"] == told["high"] and told["file_bytes"] == 128 + 44 * told["cells"], f"{told}")
    told = json.loads(kit.output("iblt-size", "--json", "A", "B"))
    expect_equal((told["low"], told["high"]), (1000, 1000), "iblt-size of keys")
    text = kit.output("iblt-size", "--differences", "1000", "--key-bytes", "16").decode()
    expect("build --kind iblt --differences 1000 --key-bytes 16\n" in text and "cells           1372" in text, text)
    kit.refused("set-diff", "A.est", "B.est", names=["A.est", "estimator"])
    kit.refused("set-diff", "A", "B.est", names=["B.est", "estimator"])
    build(kit, "A", "--differences", "10")
    kit.refused("iblt-size", "A.blm", "B.est", names=["estimator"])


@cpp_promise
def repeated_lines_count_once_and_long_ones_are_refused(kit):
    kit.write("A", b"x\ny\nx\nz\nx\n")
    kit.write("B", b"y\ny\ny\ny\n")
    expect(b"3 keys (2 repeated lines left out)" in build(kit, "A", "--differences", "5"), "build with repeated lines")
    build(kit, "B", "--differences", "5")
    for pair in (("A", "B"), ("A.blm", "B.blm")):
        expect_equal(kit.output("set-diff", "-q", *pair, status=1), b"-\tx\n-\tz\n", f"set-diff {pair}")
    kit.write("long", b"short\n" + b"l" * 40 + b"\n")
    kit.refused("build", "--kind", "iblt", "--differences", "5", "-o", "f", "long", names=["long: line 2", "40 bytes", "--key-bytes 41"])
    kit.refused("set-diff", "long", "A.blm", names=["long: line 2", "--key-bytes 41"])
    kit.output("build", "--kind", "iblt", "--differences", "5", "--key-bytes", "41", "-q", "-o", "f", "long")
    expect_equal(kit.output("set-diff", "-q", "f", "A", status=1).split(b"\n")[0], b"-\t" + b"l" * 40, "a long key")
    kit.write("longer", b"l" * 64 + b"\n")
    kit.refused("build", "--kind", "iblt", "--differences", "5", "--key-bytes", "64", "-o", "g", "longer", names=["63 bytes", "bloomery hash"])
    kit.write("nul", b"a\nb\0\0c")
    expect_equal(kit.output("set-diff", "-0", "-q", "nul", "/dev/null", status=1), b"-\t\0-\ta\nb\0-\tc\0", "set-diff -0")


@cpp_promise
def an_iblt_is_inspected_verified_and_refused_where_a_filter_is_meant(kit):
    secret = kit.write("secret", b"000102030405060708090a0b0c0d0e0f\n")
    for name, options in (("f", ["--differences", "20"]), ("g", ["--differences", "20", "--hash", "siphash13", "--secret", secret]), ("e", ["--estimator"])):
        kit.output("build", "--kind", "iblt", *options, "-q", "-o", name, kit.keys)
        kit.output("verify", name)
        told = json.loads(kit.output("inspect", "--json", name))
        expect_equal((told["kind"], told["key_count"], told["file_bytes"]), ("iblt", 1000, len(kit.read(name))), "inspect")
        expect_equal((told["lists"], told["estimated_count"] is None), (None, True) if name == "e" else (20, False), "inspect")
        expect(b"keys added      1000\n" in kit.output("inspect", name), "inspect as text")
        kit.refused("query", name, kit.keys, names=["iblt", "set-diff"])
        kit.refused("merge", name, name, "-o", "m", names=["iblt"])
        kit.refused("add", name, kit.keys, names=["iblt"])
        damaged = bytearray(kit.read(name))
        damaged[200] ^= 1
        kit.write("damaged", bytes(damaged))
        kit.run("verify", "damaged", status=1)
        kit.refused("set-diff", "--secret", secret, "damaged", name, names=["damaged", "checksum"])
    kit.refused("set-diff", "g", kit.keys, names=["secret"])
    expect_equal(kit.output("set-diff", "--secret", secret, "-q", "g", kit.keys), b"", "a keyed table")
    kit.refused("set-diff", "f", "g", "--secret", secret, names=["f, g", "hash"])
    kit.output("build", "--kind", "block", "-q", "-o", "b", kit.keys)
    kit.refused("set-diff", "b", "f", names=["b:", "'block'", "iblt"])


@cpp_promise
def what_an_iblt_does_not_take_is_refused(kit):
    build_iblt = ["build", "--kind", "iblt", "-o", "f", kit.keys]
    kit.refused(*build_iblt, names=["--differences", "iblt-size"])
    kit.refused(*build_iblt, "--differences", "many", names=["differences", "many"])
    kit.refused(*build_iblt, "--differences", "1e13", names=["differences", "2^38"])
    kit.refused(*build_iblt, "--differences", "5", "--fpr", "0.01", names=["no filter"])
    kit.refused(*build_iblt, "--differences", "5", "--envelope", names=["no filter"])
    kit.refused(*build_iblt, "--differences", "5", "--key-bytes", "65", names=["2 to 64"])
    kit.refused(*build_iblt, "--estimator", "--differences", "5", names=["--estimator"])
    kit.refused("build", "--differences", "5", "-o", "f", kit.keys, names=["--kind iblt"])
    kit.refused("iblt-size", names=["--differences"])
    kit.refused("iblt-size", "--differences", "5", kit.keys, kit.keys, names=["--differences"])
    kit.refused("iblt-size", kit.keys, names=["two files"])
    kit.refused("set-diff", "-", "-", names=["standard input"])
    kit.refused("set-diff", "none", kit.keys, names=["none"])
