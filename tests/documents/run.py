#!/usr/bin/env python3
"""Holds the documents to the truth: the README's example is the one that is compiled and run, its commands exist, links
lead somewhere, and man page and completions know exactly the options the command has, completions the kinds it takes.

usage: run.py SOURCE BLOOMERY
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, BLOOMERY = pathlib.Path(sys.argv[1]), sys.argv[2]
README = (SOURCE / "README.md").read_text()


def helped(*args):
    return subprocess.run([BLOOMERY, *args, "--help"], capture_output=True, text=True, check=True).stdout


def commands(*group):
    """Those of `bloomery`, and in place of a group such as table those in it: "table build"."""
    listed = helped(*group).split("Subcommands:")[1].split("\n\n")[0]
    found = []
    for name in re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE):
        words = [*group, name]
        found += commands(*words) if "Subcommands:" in helped(*words) else [" ".join(words)]
    return found


def options(command):
    """Every -x and --long of `bloomery COMMAND --help`, but for help itself."""
    lines = re.findall(r"^  (-\S+)", helped(*command.split()), re.MULTILINE)
    return {option for line in lines for option in line.split(",")} - {"-h", "--help"}


def the_readme_example_is_the_compiled_one():
    code = re.findall(r"```cpp\n(.*?)```", README, re.DOTALL)
    return code[:1] == [(SOURCE / "examples/readme.cc").read_text()]


def the_readme_example_has_at_most_fifteen_lines_of_code():
    lines = (SOURCE / "examples/readme.cc").read_text().splitlines()
    return len([line for line in lines if line.strip()]) <= 15


def every_make_target_of_the_documents_exists():
    named = {word for text in (README, (SOURCE / "HACKING.md").read_text()) for word in re.findall(r"`make ([a-z]+)`", text)}
    named |= set(re.findall(r"^make ([a-z]+)", README, re.MULTILINE))
    targets = set(re.findall(r"^([a-z]+):", (SOURCE / "Makefile").read_text(), re.MULTILINE))
    return {"demo", "test"} <= named <= targets


def every_command_stands_in_command_page_man_page_and_completions():
    texts = [(SOURCE / "docs/command.md").read_text(), (SOURCE / "docs/bloomery.1").read_text().replace("\\-", "-")]
    texts += [(SOURCE / "cli/completion" / name).read_text() for name in ("bloomery.bash", "_bloomery")]
    return all(re.search(rf"\b{command}\b", text) for command in commands() for text in texts)


def the_man_page_knows_exactly_the_options():
    page = (SOURCE / "docs/bloomery.1").read_text().split(".SH OPTIONS")[1].split(".SH EXIT")[0].replace("\\-", "-")
    page += (SOURCE / "docs/bloomery.1").read_text().split(".SH OPTIONS")[0].replace("\\-", "-")
    known = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z0-9])\b", re.sub(r'"[ ,]*|\\fR|\\fP', " ", page)))
    real = set().union(*(options(command) for command in commands()))
    if known != real:
        print(f"       {sorted(known ^ real)}")
    return known == real


def the_bash_completion_knows_exactly_the_options():
    text = (SOURCE / "cli/completion/bloomery.bash").read_text()
    listed = dict(re.findall(r"^    '?([a-z -]+)'?\) options='([^']*)'", text, re.MULTILINE))
    wrong = [command for command in commands() if set(listed.get(command, "").split()) != options(command)]
    for command in wrong:
        print(f"       {command}: {sorted(set(listed.get(command, '').split()) ^ options(command))}")
    return not wrong


def the_zsh_completion_knows_exactly_the_options():
    text = (SOURCE / "cli/completion/_bloomery").read_text()
    listed = dict(re.findall(r"^  '?([a-z -]+)'?\) _arguments (.*?) ;;", text, re.MULTILINE | re.DOTALL))
    for command in commands():
        arguments = listed.get(command, "")
        known = set(re.findall(r"['\"](-{1,2}[a-z0-9][a-z-]*)\[", arguments))
        known |= {name for pair in re.findall(r"\{([^}]*)\}", arguments) for name in pair.split(",")}
        if known != options(command):
            print(f"       {command}: {sorted(known ^ options(command))}")
            return False
    return True


def kinds_taken():
    """By command with --kind, the kinds that it does not refuse."""
    plan = json.loads(subprocess.run([BLOOMERY, "plan", "-n", "1M", "--json"], capture_output=True, check=True).stdout)
    every = [row["kind"] for row in plan["kinds"]] + ["iblt"]

    with tempfile.TemporaryDirectory() as folder:
        def run(command, *args):
            program = pathlib.Path(BLOOMERY).resolve()
            return subprocess.run([program, *command.split(), *args], cwd=folder, capture_output=True).returncode == 0

        (pathlib.Path(folder) / "keys").write_text("".join(f"key{i}\tvalue\n" for i in range(100)))
        ready = [run("build", "--kind", "counting", "-o", "counting", "keys"), run("table build", "-o", "table", "keys")]
        assert all(ready)
        trials = {"build": ["keys"], "bench": ["-n", "1000", "--quick"], "convert": ["counting"], "table build": ["keys"],
                  "table compact": ["table"], "table refilter": ["table"]}  # fmt: skip
        assert set(trials) == {command for command in commands() if "--kind" in options(command)}

        def takes(command, kind):
            if (command, kind) == ("convert", "counting"):
                return False  # the kind that the file has already
            more = ["--differences", "10"] if (command, kind) == ("build", "iblt") else []
            more += [] if command == "bench" else ["-o", f"{command} {kind}"]
            return run(command, "--kind", kind, *more, *trials[command])

        return {command: {kind for kind in every if takes(command, kind)} for command in trials}


def offered_by_bash(command):
    """What the completion itself answers after --kind."""
    words = ["bloomery", *command.split(), "--kind", ""]
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bloomery; echo "${COMPREPLY[@]}"'
    asked = ["bash", "-c", script, "bash", SOURCE / "cli/completion/bloomery.bash", *words]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()


def offered_by_zsh(command):
    text = (SOURCE / "cli/completion/_bloomery").read_text()
    arguments = dict(re.findall(r"^  '?([a-z -]+)'?\) _arguments (.*?) ;;", text, re.MULTILINE | re.DOTALL))[command]
    return re.search(r"'--kind\[[^\]]*\]:kinds?:\(([^)]*)\)'", arguments)[1].split()


def the_completions_offer_exactly_the_kinds_that_each_command_takes():
    good = True
    for command, taken in kinds_taken().items():
        for shell, offered in (("bash", offered_by_bash(command)), ("zsh", offered_by_zsh(command))):
            names = {kind for word in offered for kind in word.split(",")}  # bench takes several, with commas
            if names != taken:
                print(f"       {shell}, {command}: {sorted(names ^ taken)}")
                good = False
    return good


def every_page_of_the_specification_stands_in_its_list():
    listed = set(re.findall(r"\]\(([^)/]+\.md)\)", (SOURCE / "spec/README.md").read_text()))
    pages = {page.name for page in SOURCE.glob("spec/*.md")} - {"README.md"}
    if listed != pages:
        print(f"       {sorted(listed ^ pages)}")
    return listed == pages


def the_decision_table_of_choosing_is_that_of_plan():
    """The same needs in the same order, and the same kind where this build has it."""
    plan = json.loads(subprocess.run([BLOOMERY, "plan", "-n", "1M", "--json"], capture_output=True, check=True).stdout)
    page = (SOURCE / "docs/choosing.md").read_text().split("## The decision table")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|`]+) \| `([a-z]+)` \|", page, re.MULTILINE)
    kinds = {row["kind"] for row in plan["kinds"]} | {"iblt"}
    choices = [(choice["words"], choice["kind"]) for choice in plan["choices"]]
    wrong = [(row, choice) for row, choice in zip(rows, choices) if row[0] != choice[0] or row[1] in kinds and row[1] != choice[1]]
    for pair in wrong:
        print(f"       {pair}")
    return len(rows) == len(choices) > 10 and not wrong


def the_prose_wraps_at_120_columns():
    """Tables and code may be wider."""
    good = True
    for page in [page for page in SOURCE.rglob("*.md") if not {"build", "target"} & set(page.relative_to(SOURCE).parts)]:
        code = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            code ^= line.lstrip().startswith("```")
            if len(line) > 120 and not code and not line.lstrip().startswith(("|", "![")):
                print(f"       {page.relative_to(SOURCE)}:{number}: {len(line)} columns")
                good = False
    return good


def every_relative_link_leads_somewhere():
    good = True
    for page in [*SOURCE.glob("*.md"), *SOURCE.glob("spec/*.md"), *SOURCE.glob("docs/*.md"), *SOURCE.glob("bench/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            if not (page.parent / link).exists():
                print(f"       {page.relative_to(SOURCE)}: {link}")
                good = False
    return good


CHECKS = [check for name, check in list(globals().items()) if callable(check) and name.startswith(("the_", "every_"))]
failed = 0
for check in CHECKS:
    good = check()
    failed += not good
    print("ok    " if good else "FAILED", check.__name__)
print(f"{len(CHECKS) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
