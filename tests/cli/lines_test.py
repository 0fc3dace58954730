"""Key files as people have them: CR LF, empty and repeated lines, several files; and one key without a file."""

from kit import cpp_promise, expect, expect_equal, promise

CRLF = b"".join(b"key%d\r\n" % i for i in range(1000))
LF = CRLF.replace(b"\r", b"")


def warnings(done):
    return [line for line in done.stderr.decode().splitlines() if "warning" in line]


@promise
def lines_that_end_in_cr_are_warned_of_with_the_option_that_strips(kit):
    kit.write("crlf", CRLF)
    kit.build("f", None, "--kind", "block")
    for args in (["build", "--kind", "block", "-q", "-o", "g", "crlf"], ["query", "f", "crlf"], ["hash", "crlf"],
                 ["build", "--kind", "fuse", "-q", "-o", "g", "crlf"]):  # fmt: skip
        expect_both_warnings(kit, args)


def expect_both_warnings(kit, args):
    found = warnings(kit.run(*args))
    expect(len(found) == 2, f"{args}: {found}")
    expect("crlf: all of the first " in found[0] and "--crlf" in found[0], f"{args}: {found}")
    expect("1000 of 1000 lines ended in CR" in found[1], f"{args}: {found}")


@cpp_promise
def add_and_set_diff_know_cr_too(kit):
    kit.write("crlf", CRLF)
    kit.write("lf", LF)
    kit.build("f", None, "--kind", "block")
    expect_both_warnings(kit, ["add", "-q", "f", "-o", "h", "crlf"])
    expect_equal(kit.run("set-diff", "--crlf", "crlf", "lf", status=0).stdout, b"", "set-diff")
    expect_equal(len(warnings(kit.run("set-diff", "crlf", "lf", status=1))), 2, "warnings of set-diff without it")


@promise
def a_few_lines_that_end_in_cr_are_counted_at_the_end(kit):
    kit.build("f", None, "--kind", "block")
    found = warnings(kit.run("query", "f", stdin=b"key1\nkey2\r\nkey3\n"))
    expect_equal(len(found), 1, "warnings")
    expect("standard input: 1 of 3 lines ended in CR" in found[0] and "--crlf" in found[0], f"{found}")
    for args, stdin in ((["query", "f"], b"key1\nkey2\n"), (["query", "-0", "f"], b"key1\r\0key2\r\0")):
        expect_equal(kit.run(*args, stdin=stdin).stderr, b"", f"standard error of {args}")


@promise
def crlf_strips_the_cr_and_nothing_else(kit):
    kit.write("crlf", CRLF + b"last\r\n\r\n" + b"a\rb\r\r\nno cr")
    kit.write("lf", LF + b"last\n\n" + b"a\rb\r\nno cr")
    for kind in ("block", "fuse"):
        kit.output("build", "--kind", kind, "--crlf", "-q", "-o", "a", "crlf")
        kit.output("build", "--kind", kind, "-q", "-o", "b", "lf")
        expect_equal(kit.read("a"), kit.read("b"), f"{kind} filter")
    done = kit.run("query", "--crlf", "a", "crlf", status=0)
    expect_equal(done.stderr, b"", "standard error")
    expect_equal(done.stdout, kit.output("query", "b", "lf"), "answers")
    expect_equal(kit.output("hash", "--crlf", "crlf"), kit.output("hash", "lf"), "hashes")


@promise
def empty_and_repeated_lines_are_counted(kit):
    lines = b"".join(b"key%d\n" % i for i in range(500))
    kit.write("twice", lines + b"\n\n\n" + lines)
    for kind, word in (("fuse", "502 lines repeated"), ("block", "about ")):
        done = kit.run("build", "--kind", kind, "-n", "1003", "-o", "f", "twice") if kind == "block" else kit.run("build", "--kind", kind, "-o", "f", "twice")
        expect_equal(done.returncode, 0, "exit status")
        text = done.stderr.decode()
        expect("of 1003 lines: 3 lines empty, " in text and word in text, f"{kind}: {text}")
    expect_equal(kit.run("build", "--kind", "block", "-o", "f", kit.keys).stderr, b"", "of keys without such lines")
    expect_equal(kit.run("build", "--kind", "block", "-q", "-o", "f", "twice").stderr, b"", "with -q")


@promise
def several_files_of_keys_are_one(kit):
    kit.write("one", b"key1\nkey2")
    kit.write("two", b"key3\n")
    kit.write("all", b"key1\nkey2\nkey3\n")
    for kind in ("block", "fuse"):
        kit.output("build", "--kind", kind, "-q", "-o", "a", "one", "two")
        kit.output("build", "--kind", kind, "-q", "-o", "b", "all")
        expect_equal(kit.read("a"), kit.read("b"), f"{kind} filter")
        kit.output("build", "--kind", kind, "-q", "-o", "c", "one", "-", stdin=b"key3\n")
        expect_equal(kit.read("c"), kit.read("b"), f"{kind} filter with standard input")
    expect_equal(kit.output("query", "a", "one", "two"), b"maybe\tkey1\nmaybe\tkey2\nmaybe\tkey3\n", "query")
    kit.refused("build", "--kind", "block", "-o", "d", "one", "missing", names=["missing"])
    kit.refused("build", "--kind", "block", "-o", "two", "one", "two", names=["two"])


@cpp_promise
def a_key_of_parquet_that_is_none_is_named_by_its_file(kit):
    kit.write("all", b"key1\n")
    kit.write("numbers", b"1\n2\n")
    kit.refused("build", "--kind", "split", "--parquet", "--key-type", "int32", "-o", "p", "numbers", "all", names=["all: line 1"])


@promise
def threads_change_nothing_but_the_time(kit):
    for kind in ("block", "fuse"):
        same_with_threads(kit, kind)
    for wrong in ("0", "x", "257"):
        kit.refused("build", "--kind", "fuse", "--threads", wrong, "-o", "g", kit.keys, names=["--threads"])


def same_with_threads(kit, kind):
    for threads in ("1", "3"):
        kit.output("build", "--kind", kind, "--threads", threads, "-q", "-o", f"f{threads}", kit.keys)
    expect_equal(kit.read("f1"), kit.read("f3"), f"{kind} filter")


@cpp_promise
def threads_build_the_same_ribbon(kit):
    same_with_threads(kit, "ribbon")


@promise
def a_key_can_be_asked_without_a_file(kit):
    kit.build("f", None, "--kind", "block", "--fpr", "1e-6")
    expect_equal(kit.output("query", "f", "--key", "key1"), b"maybe\tkey1\n", "one that is there")
    expect_equal(kit.output("query", "f", "--key", "other", status=1), b"no\tother\n", "one that is not")
    expect_equal(kit.output("query", "f", "--key", "key1", "--key=", "--key", "-x", status=1), b"maybe\tkey1\nno\t\nno\t-x\n", "several")
    kit.refused("query", "f", "--key", "key1", kit.keys, names=["--key", "KEYS"])


@promise
def answers_can_be_selected_and_counted(kit):
    kit.build("f", [b"a", b"b"], "--kind", "block", "--fpr", "1e-6", "-n", "1000")
    keys = b"a\nx\nb\ny\nz\n"
    cases = ((["--only", "maybe"], b"a\nb\n"), (["--only", "no"], b"x\ny\nz\n"), (["--invert"], b"x\ny\nz\n"), (["--only", "no", "--invert"], b"a\nb\n"),
             (["--count"], b"2\n"), (["--count", "--only", "no"], b"3\n"), (["--count", "--invert"], b"3\n"))  # fmt: skip
    for options, wanted in cases:
        expect_equal(kit.output("query", *options, "f", stdin=keys, status=0), wanted, f"query {options}")
    for options, wanted in ((["--only", "no"], b""), (["--count", "--only", "no"], b"0\n"), (["--invert"], b"")):
        expect_equal(kit.output("query", *options, "f", stdin=b"a\nb\n", status=1), wanted, f"nothing matches {options}")
    expect_equal(kit.output("query", "--only", "no", "-0", "f", stdin=b"a\0x\0"), b"x\0", "with NUL")
    kit.refused("query", "--only", "perhaps", "f", stdin=keys, names=["--only", "perhaps"])
    kit.refused("query", "--count", "missing", stdin=keys, names=["missing"])


@cpp_promise
def unseen_keys_are_selected_by_no(kit):
    kit.build("s", [b"a"], "--kind", "stable")
    expect_equal(kit.output("query", "--only", "no", "s", stdin=b"a\nx\n"), b"x\n", "of a kind that forgets")
