"""Standard streams that are closed, full or gone: no input is an error, and a line that nobody reads is none."""

import os
import subprocess

from kit import PATIENCE, cpp_promise, expect, expect_equal, popen, promise


# Each makes a stream that cannot be written to; closed before the command starts where it returns None.
def full():
    return os.open("/dev/full", os.O_WRONLY)


def gone():
    """A pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def closed():
    return None


def with_streams(kit, *args, stdin=None, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close=()):
    """Runs the command; close: descriptors that it does not have."""

    def prepare():
        for fd in close:
            os.close(fd)

    with popen(kit, *args, stdin=stdin, stdout=stdout, stderr=stderr, preexec_fn=prepare) as process:
        out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(args, process.returncode, out, err)


def with_stream(kit, number, make, *args):
    """Runs the command with what make makes as its standard output (1) or error (2)."""
    fd = make()
    if fd is None:
        return with_streams(kit, *args, close=[number])
    try:
        return with_streams(kit, *args, **{"stdout" if number == 1 else "stderr": fd})
    finally:
        os.close(fd)


@promise
def a_closed_input_is_an_error(kit):
    kit.build("f")
    before = kit.snapshot()
    for args in (["build", "-o", "f"], ["build", "-o", "g"], ["build", "-n", "1000", "-o", "g", "-"], ["build", "--kind", "fuse", "-o", "g"],
                 ["query", "f"], ["hash"]):  # fmt: skip
        kit.check_refusal(with_streams(kit, *args, close=[0]), f"{args} with its input closed", ["standard input"])
        expect_equal(kit.snapshot(), before, f"folder after {args}")
    kit.output("build", "-q", "-o", "g", kit.keys)  # what reads no input does not miss it
    expect_equal(with_streams(kit, "build", "-q", "-o", "g", kit.keys, close=[0]).returncode, 0, "a build from a file")


@cpp_promise
def a_closed_input_is_an_error_to_the_other_commands_too(kit):
    kit.build("f", None, "--kind", "counting")
    kit.output("table", "build", "-q", "-o", "t", stdin=b"a\tb\n")
    before = kit.snapshot()
    for args in (["add", "f"], ["remove", "f"], ["set-diff", "-", kit.keys], ["build", "--kind", "iblt", "--differences", "5", "-o", "g"],
                 ["table", "build", "-o", "g"], ["table", "get", "--key-file", "-", "t"]):  # fmt: skip
        kit.check_refusal(with_streams(kit, *args, close=[0]), f"{args} with its input closed", ["standard input"])
        expect_equal(kit.snapshot(), before, f"folder after {args}")


@promise
def a_warning_that_nobody_reads_does_not_end_a_build(kit):
    good = kit.build("good", None, "-n", "10")
    for make in (closed, full, gone):
        done = with_stream(kit, 2, make, "build", "-n", "10", "-q", "-o", "f", kit.keys)
        expect_equal(done.returncode, 0, f"standard error {make.__name__}: exit status")
        expect_equal(kit.read("f"), good, f"standard error {make.__name__}: file")
        expect_equal(with_stream(kit, 2, make, "inspect", "no-such-file").returncode, 2, f"standard error {make.__name__}: exit status of an error")


@cpp_promise
def a_summary_on_standard_error_that_nobody_reads_is_no_error(kit):
    kit.output("table", "build", "-q", "-o", "t", stdin=b"a\tb\n")
    kit.write("none", b"")
    for make in (closed, full, gone):
        kit.build("f", None, "--kind", "counting")
        for args, status in ((["remove", "f", kit.keys], 0), (["set-diff", kit.keys, kit.keys], 0), (["set-diff", kit.keys, "none"], 1),
                             (["table", "get", "--stats", "t", "a"], 0)):  # fmt: skip
            expect_equal(with_stream(kit, 2, make, *args).returncode, status, f"standard error {make.__name__}: exit status of {args}")


@promise
def a_summary_that_nobody_reads_is_no_error(kit):
    good = kit.build("good")
    for make in (closed, full, gone):
        kit.build("f", [b"old"])
        done = with_stream(kit, 1, make, "build", "-o", "f", kit.keys)
        expect_equal(done.returncode, 0, f"standard output {make.__name__}: exit status; {done.stderr!r}")
        expect_equal(kit.read("f"), good, f"standard output {make.__name__}: file")
        expect_equal(kit.snapshot().keys() - {"keys", "good", "f", "f.keys"}, set(), "other files")


@cpp_promise
def no_command_that_writes_a_file_fails_for_its_summary(kit):
    kit.output("table", "build", "-q", "-o", "t", stdin=b"a\tb\n")
    kit.write("lines", b"c\td\n")
    for make in (closed, full, gone):
        kit.build("quotient", None, "--kind", "quotient")
        kit.build("scalable", [b"a"], "--kind", "scalable")
        for args in (["add", "scalable", kit.keys], ["resize", "quotient"], ["fold", "scalable", kit.keys, "-o", "folded"],
                     ["build", "--kind", "iblt", "--differences", "5", "-o", "g", kit.keys], ["table", "build", "-o", "u", "lines"],
                     ["table", "compact", "-o", f"compact-{make.__name__}", "t"], ["table", "refilter", "t"]):  # fmt: skip
            done = with_stream(kit, 1, make, *args)
            expect_equal(done.returncode, 0, f"standard output {make.__name__}: {args}; {done.stderr!r}")
            expect(make is gone or b"standard output" in done.stderr, f"{args} said {done.stderr!r}")


@promise
def answers_that_cannot_be_written_are_an_error(kit):
    kit.build("f")
    for args in (["query", "f", kit.keys], ["hash", kit.keys], ["inspect", "f"], ["inspect", "--json", "f"]):
        kit.check_refusal(without_output(with_stream(kit, 1, full, *args)), f"{args} to a full device")


@cpp_promise
def answers_to_a_closed_output_are_an_error(kit):
    kit.build("f")
    for args in (["query", "f", kit.keys], ["query", "--count", "f", kit.keys], ["hash", kit.keys], ["inspect", "f"], ["verify", "f"], ["--help"]):
        kit.check_refusal(without_output(with_stream(kit, 1, closed, *args)), f"{args} to a closed output")


def without_output(done):
    return subprocess.CompletedProcess(done.args, done.returncode, b"", done.stderr)


@cpp_promise
def remove_says_that_its_answers_are_lost_and_the_file_is_not(kit):
    kit.build("f", None, "--kind", "counting", "--fpr", "1e-6")
    kit.write("some", b"key0\nabsent\n")
    done = with_stream(kit, 1, full, "remove", "-q", "f", "some")
    kit.check_refusal(without_output(done), "remove to a full device", ["standard output", "f is written"])
    expect_equal(kit.output("query", "f", stdin=b"key0\n", status=1), b"no\tkey0\n", "query")


@cpp_promise
def an_output_that_takes_no_more_is_named_with_the_reason(kit):
    kit.build("f", None, "--kind", "block")
    for args in (["plan", "-n", "1k"], ["plan", "-n", "1k", "--json"], ["man"], ["help"], ["inspect", "f"], ["inspect", "--json", "f"], ["verify", "f"],
                 ["verify", "--json", "f"], ["hash", kit.keys]):  # fmt: skip
        done = with_stream(kit, 1, full, *args)
        expect_equal((done.returncode, done.stderr), (2, b"bloomery: standard output: cannot write: No space left on device\n"), f"{args}")
