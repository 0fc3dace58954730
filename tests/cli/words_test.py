"""The command line itself: help, words that are nearly right, and how options may be written."""

import resource
import subprocess

from kit import PATIENCE, cpp_promise, expect, expect_equal, popen, promise

COMMANDS = ("plan", "build", "query", "inspect", "verify", "add", "remove", "merge", "table", "bench", "demo", "help")
SHARED_COMMANDS = ("hash", "build", "query", "inspect")


@cpp_promise
def a_bare_command_shows_help(kit):
    for args in ((), ("--help",), ("-h",), ("help",)):
        text = kit.output(*args).decode()
        expect(text.startswith("Filters that answer"), f"{args}: {text[:100]}")
        for command in COMMANDS:
            expect(f"\n  {command} " in text, f"{args}: no word of {command}")
    text = kit.output("table").decode()
    expect("Usage: bloomery table COMMAND" in text and "\n  refilter " in text, text)


@promise
def a_bare_command_tells_of_hash_build_query_and_inspect(kit):
    shown = kit.output()
    for args in (("--help",), ("-h",), ("help",)):
        expect_equal(kit.output(*args), shown, f"{args}")
    for command in SHARED_COMMANDS:
        expect(f"\n  {command} ".encode() in shown, f"no word of {command}: {shown!r}")
        text = kit.output(command, "--help").decode()
        expect(f"Usage: {kit.command.name} {command} " in text, f"{command} --help: {text}")
        expect_equal(kit.output(command, "-h").decode(), text, f"{command} -h")
        wide = [line for line in text.splitlines() if len(line) > 80]
        expect(not wide, f"{command}: {wide}")


@cpp_promise
def every_help_fits_80_columns_and_says_what_help_says(kit):
    text = kit.output("--help").decode()
    names = [line.split()[0] for line in text.split("\nCommands:\n")[1].split("\n\n")[0].splitlines() if line[2] != " "]
    expect(len(names) > 20, f"{names}")
    for name in names:
        shown = kit.output(name, "--help").decode()
        expect_equal(kit.output("help", name).decode(), shown, f"help {name}")
        wide = [line for line in shown.splitlines() if len(line) > 80]
        expect(not wide, f"{name}: {wide}")
        expect("Usage: bloomery " + name in shown, f"{name}: {shown}")


@cpp_promise
def topics_have_help_of_their_own(kit):
    expect(b"0 yes or done; 1 no" in kit.output("help", "exit-status"), "exit-status")
    choosing = kit.output("help", "choosing").decode()
    for kind in ("block", "ribbon", "quotient", "iblt"):
        expect(f"\n  {kind} " in choosing, f"no word of {kind}: {choosing}")
    expect(b"envelope" in kit.output("help", "formats"), "formats")
    kit.refused("help", "exit-stats", names=["'exit-status'", "'bloomery help --help'"])


@cpp_promise
def words_of_table_that_are_nearly_right_are_answered_with_the_right_one(kit):
    kit.refused("table", "refliter", names=["'refilter'", "see 'bloomery table --help'"])
    kit.refused("table", "get", "--stat", "t", "k", names=["'--stats'", "see 'bloomery table get --help'"])


@promise
def words_that_are_nearly_right_are_answered_with_the_right_one(kit):
    name = kit.command.name
    kit.refused("biuld", names=["'build'", f"see '{name} --help'"])
    kit.refused("quer", names=["'query'"])
    kit.refused("build", "--frp", "0.1", "-o", "f", kit.keys, names=["'--fpr'", f"see '{name} build --help'"])
    done = kit.run("completely-different", status=2)
    expect(b"did you mean" not in done.stderr, f"{done.stderr!r}")


@promise
def errors_of_the_command_line_name_the_help_of_their_command(kit):
    for args, name in ((["build", kit.keys], "-o, --output FILE is missing"), (["inspect"], "FILE is missing"),
                       (["query"], "FILE is missing"), (["build", "--fpr"], "--fpr needs a value"), (["build", "--fpr", "--envelope"], "--fpr needs a value"),
                       (["build", "-n", "1", "-n", "2"], "-n is given twice"), (["inspect", "--json=1", "f"], "--json takes no value")):  # fmt: skip
        kit.refused(*args, names=[name, f"see '{kit.command.name} {args[0]} --help'"])


@cpp_promise
def one_argument_too_many_is_named(kit):
    kit.refused("plan", "-n", "1k", "extra", names=["'extra'", "see 'bloomery plan --help'"])


@cpp_promise
def errors_of_values_name_the_help_of_their_command_too(kit):
    for args, name in ((["plan", "-n", "x"], "n is 'x'"), (["plan", "-n", "1M", "--fpr", "2"], "false-positive rate"), (["query", "--only", "x", kit.keys], "--only"),
                       (["build", "--kind", "blok", "-o", "f", kit.keys], "did you mean 'block'?"), (["hash", "--hash", "xhx3"], "did you mean 'xxh3'?"), (["build", "--keys", "roman", "-o", "f", kit.keys], "roman"),
                       (["bench", "--threads", "0"], "--threads"), (["table", "build", "--kind", "x", "-o", "t", "-"], "'x'")):  # fmt: skip
        group = " ".join(args[:2]) if args[0] == "table" else args[0]
        kit.refused(*args, names=[name, f": see 'bloomery {group} --help'"])
    expect(b"--help" not in kit.run("inspect", "no-such-file", status=2).stderr, "where a file is to blame")


@promise
def options_may_be_written_in_every_usual_way(kit):
    kit.output("build", "-n", "1000", "--fpr", "0.02", "-q", "-o", "a", kit.keys)
    kit.output("build", kit.keys, "-oa2", "-n1000", "-q", "--fpr=0.02")
    kit.output("build", "-qn", "1000", "--fpr=2e-2", "--output=a3", "--", kit.keys)
    expect_equal(kit.read("a2"), kit.read("a"), "file")
    expect_equal(kit.read("a3"), kit.read("a"), "file")
    kit.write("-odd", b"key1\n")
    expect_equal(kit.output("query", "a", "--", "-odd"), b"maybe\tkey1\n", "a file like an option")
    expect_equal(kit.output("query", "a", "./-odd"), b"maybe\tkey1\n", "the same by a path")
    kit.write("[a,b]", b"key2\n")
    expect_equal(kit.output("query", "a", "[a,b]"), b"maybe\tkey2\n", "a file like a list")


@promise
def errors_of_the_library_come_with_the_option_that_mends_them(kit):
    kit.write("secret", b"00112233445566778899aabbccddeeff\n")
    kit.build("keyed", None, "--envelope", "--hash", "siphash13", "--secret", "secret")
    kit.refused("query", "keyed", kit.keys, names=["--secret FILE"])
    kit.refused("build", "--kind", "block", "--geometry", "m=5", "-o", "x", kit.keys, names=["blocks and k", "--geometry"])


@cpp_promise
def errors_about_parquet_and_iblt_come_with_the_option_that_mends_them(kit):
    kit.build("parquet", None, "--kind", "split", "--parquet")
    kit.build("envelope", None, "--kind", "block")
    kit.refused("inspect", "parquet", names=["--parquet"])
    kit.refused("inspect", "--parquet", "envelope", names=["leave out --parquet"])
    kit.refused("set-diff", "envelope", kit.keys, names=["build --kind iblt"])


@promise
def a_value_may_be_called_like_an_argument(kit):
    kit.output("build", "--envelope", "-q", "--label", "KEYS", "-o", "KEYS", kit.keys)
    expect_equal(kit.output("query", "KEYS", "--key", "FILE", status=1), b"no\tFILE\n", "a key")
    expect(b"label           KEYS\n" in kit.output("inspect", "KEYS"), "a label")


@cpp_promise
def a_value_of_table_may_be_called_like_an_argument(kit):
    kit.output("table", "build", "-q", "-o", "INPUT", stdin=b"FILE\t1\nA\t2\n")
    expect_equal(kit.output("table", "scan", "--from", "FILE", "INPUT"), b"FILE\t1\n", "scan")


@cpp_promise
def no_command_is_told_to_give_an_option_that_it_has_not(kit):
    kit.build("parquet", None, "--kind", "split", "--parquet")
    for args in (["label", "parquet"], ["merge", "parquet", "parquet", "-o", "g"], ["convert", "parquet", "-o", "g"]):
        done = kit.run(*args, status=2)
        expect(b"give --parquet" not in done.stderr and b"query, add, inspect and verify do with --parquet" in done.stderr, done.stderr)
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # noqa: E731
    for args, gives_n in ((["build", "-o", "g"], True), (["build", "--kind", "iblt", "--differences", "5", "-o", "g"], False), (["set-diff", "-", kit.keys], False),
                          (["iblt-size", "-", kit.keys], False)):  # fmt: skip
        with popen(kit, *args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=full) as process:
            _, err = process.communicate(b"key\n" * 5000, timeout=PATIENCE)
        expect(process.returncode == 2 and b"set TMPDIR to a larger folder" in err and (b"or give -n" in err) == gives_n, f"{args}: {err!r}")
