"""Shows that the matrix can go red. Each saboteur passes its work to a real command and spoils one thing in what comes
back, and the checks have to notice it in the group where it belongs; one that spoils nothing has to pass everything."""

import pathlib

import matrix
import refusals
from cases import Case
from harness import FILE, Command, Report, numbered


class Saboteur(Command):
    def __init__(self, real, spoil):
        super().__init__(real.path, real.name)
        self.spoil = spoil

    def run(self, *args, cwd, **options):
        done = super().run(*args, cwd=cwd, **options)
        self.spoil(done, args[0] if args else "", pathlib.Path(cwd))
        return done


def nothing(done, command, cwd):
    pass


def hash_digit(done, command, cwd):
    if command == "hash" and done.stdout:
        done.stdout = bytes([done.stdout[0] ^ 1]) + done.stdout[1:]


def flip(at):
    def spoil(done, command, cwd):
        if command == "build" and done.returncode == 0:
            data = bytearray((cwd / FILE).read_bytes())
            data[at] ^= 1
            (cwd / FILE).write_bytes(data)

    return spoil


def replace(which, old, new, times=1):
    def spoil(done, command, cwd):
        if command == which:
            done.stdout = done.stdout.replace(old, new, times)

    return spoil


def drop_last_answer(done, command, cwd):
    if command == "query":
        done.stdout = done.stdout[: done.stdout[:-1].rfind(b"\n") + 1]


def status(which, old, new):
    def spoil(done, command, cwd):
        if command == which and done.returncode == old:
            done.returncode = new

    return spoil


def second_line(done, command, cwd):
    if done.returncode == 2:
        done.stderr += b"more\n"


def half_written(done, command, cwd):
    if command == "build" and done.returncode == 2 and (cwd / FILE).exists():
        (cwd / FILE).write_bytes(b"half")


def no_warning(done, command, cwd):
    if done.returncode == 0:
        done.stderr = b""


# The parts of the matrix, each a function of (commands, report, folder).
def refusal(name):
    def part(bins, report, folder):
        for label, command in bins.items():
            getattr(refusals.Checks(label, command, report, folder), name)()

    return part


def one_filter(bins, report, folder):
    golden = "6e99dda6232de657832b98bb299357aa83e835a3f299316be83c44186328a6e1"
    case = Case("1,000 keys", [], numbered(b"key", 1000), sha256=golden, maybes=10)
    pairs = {(writer, reader): [0, 0] for writer in bins for reader in bins}
    matrix.build_and_read(bins, case, report, folder, pairs)


REFUSALS = {name: refusal(name) for name in ("geometries", "warnings", "invalid_files", "wrong_options", "wrong_secrets")}
GOLDEN = [matrix.golden_hashes, matrix.equal_hashes, matrix.golden_output, matrix.golden_envelopes]
ALL = GOLDEN + [one_filter, *REFUSALS.values()]

# what it does, how, the parts that run, the group that must notice
SABOTEURS = [
    ("does nothing wrong", nothing, ALL, None),
    ("changes a digit of a hash", hash_digit, [matrix.golden_hashes], "hash, golden rows"),
    ("flips a bit of the filter's last byte", flip(-1), [one_filter], "build, files equal"),
    ("flips a bit of the filter's header", flip(4), [one_filter], "build, files equal"),
    ("makes one m too many", flip(4), [REFUSALS["geometries"]], "sizing.json"),
    ("denies a present key", replace("query", b"maybe", b"no"), [one_filter], "query"),
    ("says maybe to an absent key", replace("query", b"no\t", b"maybe\t"), [one_filter], "query"),
    ("answers a golden file wrongly", replace("query", b"no\t", b"maybe\t"), [matrix.golden_envelopes],
     "query, golden envelopes"),
    ("exits 0 when a key is absent", status("query", 1, 0), [one_filter], "query"),
    ("drops the last answer", drop_last_answer, [one_filter], "query"),
    ("prints another fill", replace("inspect", b"0.5", b"0.6"), [matrix.golden_output], "inspect, golden output"),
    ("prints another key count", replace("build", b" keys", b"0 keys"), [matrix.golden_output], "build, golden output"),
    ("accepts a damaged file", status("inspect", 2, 0), [REFUSALS["invalid_files"]], "invalid files of envelope.json"),
    ("dies on a damaged file", status("query", 2, -6), [REFUSALS["invalid_files"]], "invalid files of classic.json"),
    ("says two lines where one is due", second_line, [REFUSALS["wrong_options"]], "wrong options"),
    ("spoils the old file before it fails", half_written, [REFUSALS["wrong_options"]], "wrong options"),
    ("leaves out the warning", no_warning, [REFUSALS["warnings"]], "sizing.json, verdicts"),
    ("takes the wrong secret", status("query", 2, 1), [REFUSALS["wrong_secrets"]], "secrets"),
]  # fmt: skip


def self_test(bins, folder):
    label, real = next(iter(bins.items()))
    missed, honest = 0, {}  # what fails without sabotage proves nothing, so it is not counted
    for number, (deed, spoil, parts, group) in enumerate(SABOTEURS):
        report, work = Report(quiet=group is not None), folder / str(number)
        work.mkdir()
        for part in parts:
            part({**bins, label: Saboteur(real, spoil)}, report, work)
        if group is None:
            honest, seen = report.groups, report.failed == 0
        else:
            seen = report.groups[group][1] > honest[group][1]
        missed += not seen
        print(f"{'good' if seen else 'MISSED':8}{label} {deed}: {report.passed} passed, {report.failed} failed")
    print(f"{len(SABOTEURS) - missed} passed, {missed} failed")
    return 1 if missed else 0
