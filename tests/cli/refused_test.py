"""What is refused: with exit status 2, one line that names the culprit, and every file as it was."""

import os
import resource
import subprocess

from kit import PATIENCE, cpp_promise, expect, expect_equal, popen, promise


@promise
def impossible_numbers_are_refused(kit):
    kit.build("f")
    for options in ("-n 0", "--fpr 2", "--fpr 1", "--fpr nan", "--fpr 0", "--fpr -1", "-n 1.5", "-n -1", "-n 99999999999999999999",
                    "-m 0 -k 1", "-m 8 -k 31", "-m 8", "-k 8", "-n 1G --fpr 0.01"):  # fmt: skip
        kit.refused("build", *options.split(), "-o", "f", kit.keys)


@promise
def empty_values_are_refused(kit):
    kit.build("f", None, "--envelope")
    for option in ("--kind", "--fpr", "-n", "--bits-per-key", "-m", "-k", "--blocks", "--geometry", "--hash", "--seed", "--secret"):
        name = "" if option in ("--kind", "--hash", "--secret") else option.lstrip("-")
        kit.refused("build", "--envelope", option, "", "-o", "g", kit.keys, names=[name])
        if option.startswith("--") and option != "--kind":  # which the tests keep for themselves
            kit.refused("build", "--envelope", option + "=", "-o", "g", kit.keys, names=[name])
    for kind in ("split", "block"):  # whose hashes take a seed
        kit.refused("build", "--kind", kind, "--seed", "", "-o", "g", kit.keys, names=["seed"])
    kit.refused("build", "-o", "", kit.keys)
    kit.refused("build", "-o", "g", "")
    kit.refused("hash", "--hash", "xxh3", "--seed", "", kit.keys, names=["seed"])
    kit.refused("query", "--secret", "", "f", kit.keys)
    kit.refused("query", "f", "")
    kit.refused("inspect", "")


@cpp_promise
def empty_values_are_refused_by_every_command(kit):
    kit.build("f", None, "--kind", "counting")
    kit.output("table", "build", "-q", "-o", "t", stdin=b"a\tb\n")
    for args in (["add", "f", ""], ["add", "f", kit.keys, "-o", ""], ["add", "--secret", "", "f", kit.keys], ["plan", "-n", ""], ["plan", "-n", "1k", "--fpr", ""],
                 ["merge", "--secret", "", "f", "f", "-o", "g"], ["convert", "f", "--to", "", "-o", "g"], ["convert", "f", "--kind", "", "-o", "g"],
                 ["bench", "-n", ""], ["bench", "--fpr", ""], ["build", "--kind", "iblt", "--differences", "", "-o", "g", kit.keys],
                 ["build", "--kind", "iblt", "--differences", "5", "--key-bytes", "", "-o", "g", kit.keys], ["iblt-size", "--differences", ""],
                 ["build", "--kind", "split", "--parquet", "--key-type", "", "-o", "g", kit.keys], ["table", "build", "-o", "g", "--fpr", "", kit.keys],
                 ["table", "build", "-o", "g", "--expect", "", kit.keys], ["table", "scan", "--limit", "", "t"], ["table", "bench", "-n", ""], ["table", "refilter", "t", "-o", ""]):  # fmt: skip
        kit.refused(*args)
    kit.run("table", "get", "t", "", status=1)  # but the empty key is a key
    expect_equal(kit.output("table", "scan", "--prefix", "", "t"), b"a\tb\n", "scan of all")


@cpp_promise
def bits_per_key_that_no_kind_can_have_are_refused_before_keys_are_read(kit):
    for kind in ("split", "block", "classic", "partitioned", "counting", "cuckoo", "scalable"):
        argv = ["build", "--kind", kind, "--envelope", "--bits-per-key", "1e300", "-o", "g"]
        with popen(kit, *argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            done = subprocess.CompletedProcess(argv, process.returncode, process.stdout.read(), process.stderr.read())
        kit.check_refusal(done, kind)


@promise
def unknown_kinds_hashes_and_options_are_refused(kit):
    kit.build("f")
    kit.refused("build", "--kind", "bogus", "-o", "f", kit.keys, names=["bogus"])
    kit.refused("build", "--bogus", "-o", "f", kit.keys, names=["bogus"])
    kit.refused("build", "--envelope", "--hash", "bogus", "-o", "f", kit.keys, names=["bogus"])
    kit.refused("build", "--hash", "xxh3", "-o", "f", kit.keys, names=["--envelope"])
    kit.refused("bogus", names=["bogus"])
    kit.refused("query", "--bogus", "f", kit.keys, names=["bogus"])
    kit.refused("inspect", "f", "--bogus", names=["bogus"])


@promise
def a_missing_file_is_named(kit):
    kit.build("f")
    kit.refused("build", "-o", "g", "no-such-keys", names=["no-such-keys"])
    kit.refused("query", "f", "no-such-keys", names=["no-such-keys"])
    kit.refused("hash", "no-such-keys", names=["no-such-keys"])
    kit.refused("query", "no-such-filter", kit.keys, names=["no-such-filter"])
    kit.refused("inspect", "no-such-filter", names=["no-such-filter"])


@promise
def a_message_stays_one_line_whatever_the_file_is_called(kit):
    kit.refused("inspect", "two\nlines")
    kit.refused("query", "two\nlines", kit.keys)


@promise
def a_directory_is_neither_filter_nor_keys_nor_output(kit):
    kit.build("f")
    (kit.folder / "folder").mkdir()
    kit.refused("build", "-o", "folder", kit.keys, names=["folder"])
    kit.refused("build", "-o", "g", "folder", names=["folder"])
    kit.refused("query", "folder", kit.keys, names=["folder"])
    kit.refused("inspect", "folder", names=["folder"])


@promise
def output_into_a_missing_directory_is_refused(kit):
    kit.refused("build", "-o", "none/such", kit.keys, names=["none/such"])


@promise
def output_to_a_device_is_refused(kit):
    kit.refused("build", "-o", "/dev/stdout", kit.keys, names=["/dev/stdout", "regular file"])
    os.mkfifo(os.path.join(kit.folder, "pipe"))  # a test must not risk a real device
    kit.refused("build", "-o", "pipe", kit.keys, names=["pipe"])


@promise
def a_fifo_is_no_filter_file_and_is_not_waited_for(kit):
    os.mkfifo(kit.folder / "pipe")
    for args in (["query", "pipe", "--key", "a"], ["query", "--no-verify", "pipe", "--key", "a"], ["inspect", "pipe"], ["verify", "pipe"]):
        with popen(kit, *args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                out, err = process.communicate(timeout=20)
            finally:
                process.kill()
        expect(process.returncode == 2 and b"regular file" in err and out in (b"", b"file            pipe\n"), f"{args}: {out!r}, {err!r}")
    expect_equal(kit.run("verify", "/dev/null").returncode, 2, "exit status of verify, of a device")


@promise
def a_full_disk_leaves_the_old_file_and_no_other(kit):
    """The file-size limit stands for the disk: it stops a write in the middle too."""
    big = kit.folder / "big"
    big.write_bytes(b"".join(b"key%d\n" % i for i in range(10000)))
    for old in (True, False):
        if old:
            kit.build("f", [b"old"])
        else:
            (kit.folder / "f").unlink()
        before = kit.snapshot()
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        with popen(kit, "build", "-o", "f", "big", stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit) as process:
            out, err = process.communicate(timeout=PATIENCE)
        done = subprocess.CompletedProcess([], process.returncode, out, err)
        kit.check_refusal(done, "build with a file-size limit", ["f"])
        expect_equal(kit.snapshot(), before, "folder")


@promise
def a_keyed_file_needs_its_own_secret(kit):
    kit.write("right", b"00112233445566778899AABBCCDDEEFF\n")
    kit.write("wrong", b"00112233445566778899aabbccddeef0\n")
    kit.write("short", b"0011\n")
    kit.refused("build", "--envelope", "--hash", "siphash13", "-o", "f", kit.keys, names=["--secret"])
    kit.refused("build", "--envelope", "--hash", "siphash13", "--secret", "short", "-o", "f", kit.keys, names=["short"])
    data = kit.build("f", None, "--envelope", "--hash", "siphash13", "--secret", "right")
    expect(bytes.fromhex("00112233445566778899aabbccddeeff") not in data, "the file does not hold the secret")
    kit.refused("query", "f", kit.keys, names=["f: ", "secret"])
    kit.refused("query", "--secret", "wrong", "f", kit.keys, names=["f"])
    kit.refused("query", "--secret", "none", "f", kit.keys, names=["none"])
    kit.output("query", "--secret", "right", "f", kit.keys)
    kit.output("inspect", "f")


@promise
def a_secret_that_a_file_has_no_need_of_does_no_harm(kit):
    kit.write("secret", b"00112233445566778899aabbccddeeff\n")
    kit.build("f", None, "--envelope")
    expect_equal(kit.output("query", "--secret", "secret", "f", "--key", "key1"), b"maybe\tkey1\n", "query")
