"""bloomery secret: a file with a fresh secret, and nothing else anywhere."""

import os
import re
import stat

from kit import cpp_promise, expect, expect_equal


@cpp_promise
def a_secret_is_written_for_its_owner_alone_and_printed_nowhere(kit):
    before = os.umask(0)
    try:
        done = kit.run("secret", "-o", "a")
    finally:
        os.umask(before)
    expect_equal((done.returncode, done.stdout, done.stderr), (0, b"", b""), "silence")
    kit.output("secret", "--output", "b")
    expect_equal(stat.S_IMODE((kit.folder / "a").stat().st_mode), 0o600, "its mode")
    expect(re.fullmatch(rb"[0-9a-f]{32}\n", kit.read("a")) is not None, "32 digits")
    expect(kit.read("a") != kit.read("b"), "the same twice")


@cpp_promise
def a_filter_of_such_a_secret_answers_with_it_alone(kit):
    for name in ("a", "b"):
        kit.output("secret", "-o", name)
    kit.build("f", None, "--kind", "block", "--hash", "siphash13", "--secret", "a")
    expect_equal(kit.output("query", "--count", "--secret", "a", "f", kit.keys), b"1000\n", "with its secret")
    kit.output("query", "--count", "--secret", "b", "f", kit.keys, status=2)


@cpp_promise
def a_secret_that_is_there_is_never_overwritten(kit):
    kit.output("secret", "-o", "a")
    first = kit.read("a")
    done = kit.run("secret", "-o", "a")
    expect(done.returncode == 2 and b"a: is there already" in done.stderr, done.stderr)
    expect_equal(kit.read("a"), first, "another secret")
    done = kit.run("secret", "-o", "nowhere/a")
    expect(done.returncode == 2 and b"nowhere/a: " in done.stderr, done.stderr)
    expect_equal(kit.run("secret").returncode, 2, "without a file")
