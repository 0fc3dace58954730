"""The grammar of numbers, by the tables of spec/cli.md."""

import pathlib
import re

from kit import cpp_promise, expect, expect_equal, promise

PAGE = pathlib.Path(__file__).resolve().parents[2] / "spec" / "cli.md"


def rows(name):
    """[(text, value or None)] of the table whose head is | name | ... |."""
    page = PAGE.read_text()
    table = re.search(rf"^\| {name} \|.*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)[1]
    found = [(text, None if value == "refused" else value) for text, value in re.findall(r"^\| `(.*)` \| (\S+) \|$", table, re.MULTILINE)]
    assert len(found) == table.count("\n") >= 10
    assert any(value is None for _, value in found)
    return found


def same_or_refused(kit, name, run):
    """run(text, file) builds or prints; of a text that is taken, the same as of its plain value."""
    for text, value in rows(name):
        if value is None:
            kit.refused(*run(text))
        else:
            expect_equal(kit.output(*run(text)), kit.output(*run(value)), f"{name} {text!r}, {value}")


@promise
def counts_are_read_as_the_page_says(kit):
    for text, value in rows("count"):
        args = ["build", "--kind", "classic", f"-n{text}", "-q", "-o", "f", kit.keys]
        if value is None:
            kit.refused(*args)
            continue
        kit.output(*args)
        kit.output("build", "--kind", "classic", "-n", value, "-q", "-o", "g", kit.keys)
        expect_equal(kit.read("f"), kit.read("g"), f"filter for {text}, {value}")
        (kit.folder / "f").unlink()


@promise
def rates_are_read_as_the_page_says(kit):
    for text, value in rows("rate"):
        args = ["build", "--kind", "classic", f"--fpr={text}", "-q", "-o", "f", kit.keys]
        if value is None:
            kit.refused(*args)
            continue
        kit.output(*args)
        kit.output("build", "--kind", "classic", "--fpr", value, "-q", "-o", "g", kit.keys)
        expect_equal(kit.read("f"), kit.read("g"), f"filter for {text}, {value}")
        (kit.folder / "f").unlink()


@cpp_promise
def growths_are_read_as_the_page_says(kit):
    def plan(text):
        args = ["plan", "--current", "1M", f"--growth={text}", "--json"]
        return kit.output(*args)

    for text, value in rows("growth"):
        if value is None:
            kit.refused("plan", "--current", "1M", f"--growth={text}", names=["growth"])
        elif value.startswith("0%"):
            expect_equal(kit.output("plan", "--current", "1M", f"--growth={text}"), kit.output("plan", "--current", "1M", "--growth", text), text)
            expect(b'"n":2000000,' in plan(text), f"no growth by {text}")
        else:
            expect_equal(plan(text), plan(value), f"growth {text}")
    for option, good, bad in (("--rebuild", ".5y", ("0x1y", "+1y", "1.y", " 1y")), ("--headroom", "2e0", ("0x2", "+2", "2.", "inf")),
                              ("--volatility", "2.5e1%", ("0x2%", "+2%", "2.%", "nan%"))):  # fmt: skip
        kit.output("plan", "--current", "1M", f"{option}={good}")
        for text in bad:
            kit.refused("plan", "--current", "1M", f"{option}={text}", names=[option[2:]])


@promise
def seeds_are_read_as_the_page_says(kit):
    same_or_refused(kit, "seed", lambda text: ("hash", "--hash", "xxh3", f"--seed={text}", kit.keys))
    expect(kit.output("hash", "--hash", "xxh3", "--seed", "1", kit.keys) != kit.output("hash", "--hash", "xxh3", kit.keys), "seeds")
