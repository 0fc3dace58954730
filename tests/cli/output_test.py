"""The file a command writes: what it may replace, what stays as it was of what it replaces, and links to it."""

import os
import signal
import subprocess

from kit import PATIENCE, cpp_promise, expect, expect_equal, popen, promise


def names_of(kit, name):
    """Ways to call a file: its name, a hard link and a symbolic one."""
    for number, make in enumerate((os.link, os.symlink)):
        make(kit.folder / name, kit.folder / f"{name}-link{number}")
    return [name, f"./{name}", f"{name}-link0", f"{name}-link1"]


def refused_with_input(kit, path, *args, names):
    before = kit.snapshot()
    with open(kit.folder / path, "rb") as file, popen(kit, *args, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.communicate(timeout=PATIENCE)
    kit.check_refusal(subprocess.CompletedProcess([], process.returncode, out, err), f"{args} < {path}", names)
    expect_equal(kit.snapshot(), before, f"folder after {args} < {path}")


@promise
def build_does_not_replace_its_own_keys(kit):
    kit.write("mine", b"a\nb\n")
    for output in names_of(kit, "mine"):
        for options in ([], ["-n", "10"], ["--kind", "fuse"]):
            kit.refused("build", *options, "-o", output, "mine", names=[output, "name another file"])
            refused_with_input(kit, "mine", "build", *options, "-o", output, names=[output, "name another file"])


@promise
def build_does_not_replace_its_secret(kit):
    kit.write("secret", b"00112233445566778899aabbccddeeff\n")
    for output in names_of(kit, "secret"):
        kit.refused("build", "--envelope", "--hash", "siphash13", "--secret", "secret", "-o", output, kit.keys, names=[output])


@cpp_promise
def nothing_else_replaces_what_it_only_reads(kit):
    keyed = ["--secret", "secret"]
    kit.write("secret", b"00112233445566778899aabbccddeeff\n")
    kit.build("f", None, "--kind", "counting", "--hash", "siphash13", *keyed)
    kit.build("scalable", None, "--kind", "scalable")
    kit.write("mine", b"key1\nkey2\n")
    for output in names_of(kit, "mine"):
        kit.refused("add", *keyed, "f", "mine", "-o", output, names=[output])
        kit.refused("remove", *keyed, "f", "mine", "-o", output, names=[output])
        kit.refused("fold", "scalable", "mine", "-o", output, names=[output])
        kit.refused("build", "--kind", "iblt", "--differences", "5", "-o", output, "mine", names=[output])
        kit.refused("build", "--kind", "iblt", "--estimator", "-o", output, "mine", names=[output])
    for output in names_of(kit, "f"):
        kit.refused("add", *keyed, "f", output, names=["f"])
        refused_with_input(kit, output, "remove", *keyed, "f", names=["f"])
    for output in names_of(kit, "secret"):
        kit.refused("add", *keyed, "f", kit.keys, "-o", output, names=[output])
        kit.refused("merge", *keyed, "f", "f", "-o", output, names=[output])
        kit.refused("convert", *keyed, "--kind", "classic", "f", "-o", output, names=[output])


@cpp_promise
def a_filter_may_be_merged_or_converted_in_place(kit):
    kit.build("f", [b"a"], "-n", "100", "--fpr", "1e-6")
    kit.build("g", [b"b"], "-n", "100", "--fpr", "1e-6")
    kit.output("merge", "f", "g", "-o", "f")
    kit.output("convert", "f", "-o", "f")
    expect_equal(kit.read("f")[:4], b"\x89BLM", "start")
    expect_equal(kit.output("query", "f", stdin=b"a\nb\n"), b"maybe\ta\nmaybe\tb\n", "query")


@promise
def a_link_to_the_output_stays_one(kit):
    (kit.folder / "sub").mkdir()
    kit.build("there", [b"old"])
    for link, to, file in (("here", "there", "there"), ("free", "later", "later"), ("sub/up", "../above", "above"),
                           ("twice", "free2", "end"), ("away", str(kit.folder / "sub" / "absolute"), "sub/absolute")):  # fmt: skip
        os.symlink(to, kit.folder / link)
        if link == "twice":
            os.symlink("sub/../end", kit.folder / "free2")
        kit.output("build", "-q", "-o", link, kit.keys)
        expect_equal(os.readlink(kit.folder / link), to, f"link {link}")
        expect(not (kit.folder / file).is_symlink() and len(kit.read(file)) == 1211, f"{file} is not the filter")
    os.symlink("none/such", kit.folder / "nowhere")
    kit.refused("build", "-o", "nowhere", kit.keys, names=["nowhere"])
    os.symlink("round", kit.folder / "round")
    kit.refused("build", "-o", "round", kit.keys, names=["round"])


@promise
def a_replaced_file_keeps_its_mode(kit):
    kit.build("f", [b"old"])
    for mode in (0o600, 0o640, 0o666, 0o777):
        os.chmod(kit.folder / "f", mode)
        kit.output("build", "-q", "-o", "f", kit.keys)
        expect_equal(oct(os.stat(kit.folder / "f").st_mode & 0o7777), oct(mode), "mode")


@cpp_promise
def a_replaced_file_keeps_its_owner_and_group(kit):
    owner = 12345 if os.geteuid() == 0 else os.geteuid()  # only root gives files away
    group = 23456 if os.geteuid() == 0 else os.getgroups()[-1]
    kit.build("f", None, "--envelope", "-n", "1000")
    for command in (["build", "--envelope", "-n", "1000", "-q", "-o", "f", kit.keys], ["add", "-q", "f", kit.keys],
                    ["merge", "f", "f", "-o", "f"], ["convert", "f", "-o", "f"]):  # fmt: skip
        os.chmod(kit.folder / "f", 0o640)
        os.chown(kit.folder / "f", owner, group)
        kit.output(*command)
        info = os.stat(kit.folder / "f")
        expect_equal((info.st_uid, info.st_gid, oct(info.st_mode & 0o777)), (owner, group, "0o640"), f"after {command[0]}")


@cpp_promise
def a_signal_while_the_file_is_written_leaves_no_temporary(kit):
    kit.build("big", [b"a"], "--kind", "counting", "-m", "100M", "-k", "1")
    for command in (["merge", "big", "big", "-o", "new"], ["convert", "--kind", "classic", "--to", "envelope", "big", "-o", "new"],
                    ["add", "big", "-o", "new", kit.keys], ["build", "-m", "400M", "-k", "1", "-o", "new", kit.keys]):  # fmt: skip
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            before = set(os.listdir(kit.folder))
            with popen(kit, *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                if command[0] == "build":
                    while not growing(kit) and process.poll() is None:  # the trial before the work is of no length
                        pass
                while set(os.listdir(kit.folder)) <= before and process.poll() is None:
                    pass
                process.send_signal(number)
                process.communicate(timeout=PATIENCE)
            expect_equal([name for name in os.listdir(kit.folder) if ".tmp" in name], [], f"temporaries after {command[0]} and signal {number}")
            (kit.folder / "new").unlink(missing_ok=True)


def growing(kit):
    """Whether a temporary file has bytes in it."""
    try:
        return any(".tmp" in entry.name and entry.stat().st_size > 0 for entry in os.scandir(kit.folder))
    except FileNotFoundError:
        return False


@promise
def a_name_may_be_as_long_as_the_system_lets_it(kit):
    for name in ("n" * 255, "\N{SNOWMAN}" * 85):
        kit.output("build", "--kind", "block", "-q", "-o", name, kit.keys)
        kit.output("build", "--kind", "block", "-q", "-o", name, kit.keys)  # which replaces it
        kit.output("query", "--count", name, kit.keys)
        expect_equal(sorted(kit.snapshot()), sorted(["keys", name]), "folder")
        os.unlink(kit.folder / name)


@promise
def names_that_are_no_text_are_printed_as_they_are(kit):
    name = os.fsdecode(b"b\xff")
    line = kit.output("build", "--kind", "block", "-o", name, kit.keys)
    for shown in (line, kit.output("verify", name)):
        expect(shown.startswith(b"b\xff: "), shown)
    shown = kit.output("inspect", name, name)
    expect_equal([line.split()[-1] for line in shown.splitlines() if line.startswith(b"file  ")], [b"b\xff"] * 2, shown)


@cpp_promise
def a_file_with_the_longest_name_is_changed_too(kit):
    name = "n" * 255
    kit.output("build", "--kind", "block", "-q", "-o", name, kit.keys)
    kit.output("add", "-q", name, kit.keys)
    kit.output("label", name, "a label")
    expect_equal(kit.output("label", name), b"a label\n", "label")
