"""Shows that the matrix can go red. Each saboteur passes its work to a real command and spoils one thing in what comes
back, and the checks have to notice it in the group where it belongs; one that spoils nothing has to pass everything.
A part of the matrix runs with the saboteur alone and few of the golden rows where that is enough to notice."""

import pathlib

import kinds
import matrix
import refusals
from cases import Case
from harness import DEFAULT_KIND, FILE, Command, Report, numbered


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


EVERY = 12  # so many-th of the golden rows


# The parts of the matrix, each a function of (commands, report, folder), the first command being the saboteur.
def alone(part):
    def run(bins, report, folder):
        label = next(iter(bins))
        part({label: bins[label]}, report, folder)

    return run


def refusal(name):
    def part(bins, report, folder):
        label, command = next(iter(bins.items()))
        getattr(refusals.Checks(label, command, report, folder, EVERY), name)()

    return part


def one_filter(bins, report, folder):
    golden = "6e99dda6232de657832b98bb299357aa83e835a3f299316be83c44186328a6e1"
    case = Case("1,000 keys", [], numbered(b"key", 1000), sha256=golden, maybes=10)
    pairs = {(writer, reader): [0, 0] for writer in bins for reader in bins}
    matrix.build_and_read(bins, case, report, folder, pairs)


def by_default(bins, report, folder):
    case = Case("1,000 keys, the default kind", [DEFAULT_KIND], numbered(b"key", 1000))
    pairs = {(writer, reader): [0, 0] for writer in bins for reader in bins}
    matrix.build_and_read(bins, case, report, folder, pairs)


NAMES = ("geometries", "blocks", "warnings", "invalid_files", "wrong_options", "wrong_secrets")
REFUSALS = {name: refusal(name) for name in NAMES}
HASHES, OUTPUT, ENVELOPES = alone(matrix.golden_hashes), alone(matrix.golden_output), alone(matrix.golden_envelopes)
ALL = [HASHES, OUTPUT, ENVELOPES, matrix.golden_blocks, kinds.run, one_filter, by_default, *REFUSALS.values()]

# what it does, how, the parts that run, the group that must notice
SABOTEURS = [
    ("does nothing wrong", nothing, ALL, None),
    ("changes a digit of a hash", hash_digit, [HASHES], "hash, golden rows"),
    ("flips a bit of the filter's last byte", flip(-1), [one_filter], "build, files equal"),
    ("flips a bit of the filter's header", flip(4), [one_filter], "build, files equal"),
    ("makes one m too many", flip(4), [REFUSALS["geometries"]], "sizing.json"),
    ("makes one block too many", flip(48), [REFUSALS["blocks"]], "blocked.json, sizes"),
    ("flips a bit of the default kind", flip(-1), [by_default], "build, files equal"),
    ("denies a present key", replace("query", b"maybe", b"no"), [one_filter], "query"),
    ("says maybe to an absent key", replace("query", b"no\t", b"maybe\t"), [one_filter], "query"),
    ("answers a golden file wrongly", replace("query", b"no\t", b"maybe\t"), [ENVELOPES],
     "query, golden envelopes"),
    ("exits 0 when a key is absent", status("query", 1, 0), [one_filter], "query"),
    ("drops the last answer", drop_last_answer, [one_filter], "query"),
    ("prints another fill", replace("inspect", b"0.5", b"0.6"), [OUTPUT], "inspect, golden output"),
    ("prints another key count", replace("build", b" keys", b"0 keys"), [OUTPUT], "build, golden output"),
    ("accepts a damaged file", status("inspect", 2, 0), [REFUSALS["invalid_files"]], "invalid files of envelope.json"),
    ("dies on a damaged file", status("query", 2, -6), [REFUSALS["invalid_files"]], "invalid files of classic.json"),
    ("says two lines where one is due", second_line, [REFUSALS["wrong_options"]], "wrong options"),
    ("spoils the old file before it fails", half_written, [REFUSALS["wrong_options"]], "wrong options"),
    ("leaves out the warning", no_warning, [REFUSALS["warnings"]], "sizing.json, verdicts"),
    ("reads a kind that it does not know", status("inspect", 2, 0), [matrix.golden_blocks], "other kinds"),
    ("answers a file of some kind wrongly", replace("query", b"maybe", b"no"), [kinds.run], "every kind, golden files"),
    ("answers a kind of C++ alone otherwise", replace("query", b"no\t", b"maybe\t"), [kinds.run], "every kind, answers equal"),
    ("takes the wrong secret", status("query", 2, 1), [REFUSALS["wrong_secrets"]], "secrets"),
]  # fmt: skip


def saboteur(bins, group):
    """The label of the command that is spoiled: C++ knows every kind, so that is for another to refuse."""
    others = [label for label in bins if label != "cpp"]
    return others[0] if group == "other kinds" and others else next(iter(bins))


def self_test(bins, folder):
    missed, honest = 0, {}  # what fails without sabotage proves nothing, so it is not counted
    for number, (deed, spoil, parts, group) in enumerate(SABOTEURS):
        if group == "other kinds" and set(bins) == {"cpp"}:
            print(f"skipped cpp {deed}")
            continue
        label = saboteur(bins, group)
        spoiled = {label: Saboteur(bins[label], spoil), **{other: bins[other] for other in bins if other != label}}
        report, work = Report(quiet=group is not None), folder / str(number)
        work.mkdir()
        for part in parts:
            part(spoiled, report, work)
        if group is None:
            honest, seen = report.groups, report.failed == 0
        else:
            seen = report.groups[group][1] > honest[group][1]
        missed += not seen
        print(f"{'good' if seen else 'MISSED':8}{label} {deed}: {report.passed} passed, {report.failed} failed")
    print(f"{len(SABOTEURS) - missed} passed, {missed} failed")
    return 1 if missed else 0
