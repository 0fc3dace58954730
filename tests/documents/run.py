#!/usr/bin/env python3
"""Holds the documents to the truth: the README's example is the one that is compiled and run, its commands exist, links
lead somewhere, and man page and completions, which the command makes itself, have the options and the kinds it takes.

usage: run.py SOURCE BLOOMERY      of a build without tables or replicas the checks that need them are skipped by name
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BLOOMERY = pathlib.Path(sys.argv[1]), sys.argv[2]
README = (SOURCE / "README.md").read_text()


class NotInThisBuild(Exception):
    """The command was built without a part, such as tables, that the documents describe."""


def helped(*args):
    done = subprocess.run([BLOOMERY, *args, "--help"], capture_output=True, text=True)
    if "this build has no " in done.stderr:
        raise NotInThisBuild(done.stderr.strip())
    done.check_returncode()
    return done.stdout


def commands(*group):
    """Those of `bloomery`, and in place of a group such as table those in it: "table build"."""
    listed = helped(*group).split("\nCommands:\n")[1].split("\n\n")[0]
    found = []
    for name in re.findall(r"^  ([a-z-]+)(?: |$)", listed, re.MULTILINE):
        words = [*group, name]
        found += commands(*words) if "\nCommands:\n" in helped(*words) else [" ".join(words)]
    return found


def options(command):
    """Every -x and --long of `bloomery COMMAND --help`, but for help itself."""
    lines = re.findall(r"^  ((?:-\S+ ?)+)", helped(*command.split()).split("\nOptions:\n")[1], re.MULTILINE)
    return {option.strip(",") for line in lines for option in line.split()} - {"-h", "--help"}


def man_page():
    return subprocess.run([BLOOMERY, "man"], capture_output=True, text=True, check=True).stdout


def the_readme_example_is_the_compiled_one():
    code = re.findall(r"```cpp\n(.*?)```", README, re.DOTALL)
    return code[:1] == [(SOURCE / "examples/readme.cc").read_text()]


def the_keys_of_own_types_are_the_compiled_ones():
    page = (SOURCE / "docs/embedding.md").read_text().split("## Keys of your own type\n")[1].split("\n## ")[0]
    code, compiled = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL), (SOURCE / "tests/compile/right.cc").read_text()
    return len(code) >= 3 and all(part in compiled for part in code)


def the_readme_example_has_at_most_fifteen_lines_of_code():
    lines = (SOURCE / "examples/readme.cc").read_text().splitlines()
    return len([line for line in lines if line.strip()]) <= 15


def every_make_target_of_the_documents_exists():
    named = {word for text in (README, (SOURCE / "HACKING.md").read_text()) for word in re.findall(r"`make ([a-z]+)`", text)}
    named |= set(re.findall(r"^make ([a-z]+)", README, re.MULTILINE))
    targets = set(re.findall(r"^([a-z]+):", (SOURCE / "Makefile").read_text(), re.MULTILINE))
    return {"demo", "test"} <= named <= targets


def every_command_stands_in_the_command_page():
    text = (SOURCE / "docs/command.md").read_text()
    missing = [command for command in commands() if not re.search(rf"\b{command}\b", text)]
    if missing:
        print(f"       {missing}")
    return not missing


def the_man_page_has_every_command_with_exactly_its_options():
    page = man_page().replace("\\-", "-")
    sections = dict(re.findall(r"^\.SS ([a-z -]+)\n(.*?)(?=^\.S[SH])", page, re.MULTILINE | re.DOTALL))
    titles = {name: " ".join(re.findall(r"^\.TP\n(.*)", text, re.MULTILINE)) for name, text in sections.items()}
    known = {name: set(re.findall(r"\\fB(-[^\\]+)\\fP", text)) for name, text in titles.items()}
    real = {command: options(command) for command in commands()}
    for name in known.keys() | real.keys():
        if known.get(name) != real.get(name):
            print(f"       {name}: {known.get(name)}, really {real.get(name)}")
    return known == real


def the_man_page_is_proper_roff():
    """As groff sees it, where that is installed; no line may be lost for a stray backslash or dot."""
    if not shutil.which("groff"):
        return True
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=man_page(), capture_output=True, text=True)
    if done.stderr:
        print(f"       {done.stderr[:400]}")
    shown = re.sub("\x1b\\[[0-9;]*m|.\b", "", done.stdout)
    return done.returncode == 0 and not done.stderr and "printf 'key%d\\n'" in shown


def the_library_names_no_option_of_the_command():
    """It is used by programs: it names fields, and the command adds what to type."""
    good = True
    for source in [*SOURCE.glob("src/**/*.cc"), *SOURCE.glob("src/**/*.h"), *SOURCE.glob("include/**/*.h")]:
        if source.name.endswith("_test.cc"):
            continue
        for number, line in enumerate(source.read_text().splitlines(), 1):
            if re.search(r"\"[^\"]*(?<![\w-])(--[a-z]|-[nmk]\b|'bloomery )[^\"]*\"", line.split("//")[0]):
                print(f"       {source.relative_to(SOURCE)}:{number}: {line.strip()}")
                good = False
    return good


def kinds_taken():
    """By command with --kind, the kinds that it does not refuse."""
    plan = json.loads(subprocess.run([BLOOMERY, "plan", "-n", "1M", "--json"], capture_output=True, check=True).stdout)
    every = [row["kind"] for row in plan["kinds"]] + ["iblt"]
    helped("table")

    with tempfile.TemporaryDirectory() as folder:
        def run(command, *args):
            program = pathlib.Path(BLOOMERY).resolve()
            return subprocess.run([program, *command.split(), *args], cwd=folder, capture_output=True).returncode == 0

        (pathlib.Path(folder) / "keys").write_text("".join(f"key{i}\tvalue\n" for i in range(100)))
        ready = [run("build", "--kind", "counting", "-o", "counting", "keys"), run("table build", "-o", "table", "keys")]
        assert all(ready)
        trials = {"plan": ["-n", "1k"], "build": ["keys"], "bench": ["-n", "1000", "--quick"], "convert": ["counting"], "table build": ["keys"],
                  "table compact": ["table"], "table refilter": ["table"]}  # fmt: skip
        # Those of replica need a server.
        assert set(trials) == {command for command in commands() if "--kind" in options(command) and not command.startswith("replica ")}

        def takes(command, kind):
            if (command, kind) == ("convert", "counting"):
                return False  # the kind that the file has already
            more = ["--differences", "10"] if (command, kind) == ("build", "iblt") else []
            more += [] if command in ("bench", "plan") else ["-o", f"{command} {kind}"]
            return run(command, "--kind", kind, *more, *trials[command])

        return {command: {kind for kind in every if takes(command, kind)} for command in trials}


def script_of(shell):
    return subprocess.run([BLOOMERY, "completion", shell], capture_output=True, text=True, check=True).stdout


def in_a_shell(*command, stdin=None):
    """Its standard output as words, with this very command called `bloomery`."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "bloomery").symlink_to(pathlib.Path(BLOOMERY).resolve())
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": folder}
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment, cwd=folder)
    return done.stdout.split() if done.returncode == 0 else [f"status {done.returncode}: {done.stderr[:300]}"]


def offered_by_bash(words):
    """What the script itself answers in place of the last word."""
    script = script_of("bash") + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bloomery; printf "%s\\n" "${COMPREPLY[@]}"'
    return in_a_shell("bash", "-c", script, "bash", *words)


def offered_by_zsh(words):
    """The completion system of zsh needs a terminal; what the script hands to it does not."""
    script = '_describe() { print -rl -- ${found%%:*} }; _files() { print FILES }; compdef() { : }\n' + script_of("zsh")
    return in_a_shell("zsh", "-fc", script + 'words=("$@"); CURRENT=$#; _bloomery', "zsh", *words)


def offered_by_fish(words):
    script = script_of("fish") + f'complete -C "{" ".join(words)}" | string replace -r "\\t.*" ""'
    return in_a_shell("fish", "--no-config", "-c", script)


SHELLS = {"bash": offered_by_bash, "zsh": offered_by_zsh, "fish": offered_by_fish}


def installed_shells():
    missing = [shell for shell in SHELLS if not shutil.which(shell)]
    if missing:
        print(f"       not installed, so not asked: {', '.join(missing)}")
    return {shell: ask for shell, ask in SHELLS.items() if shell not in missing}


def the_completions_offer_exactly_the_kinds_that_each_command_takes():
    good = True
    for command, taken in kinds_taken().items():
        for shell, ask in installed_shells().items():
            names = set(ask(["bloomery", *command.split(), "--kind", ""]))
            if names != taken:
                print(f"       {shell}, {command}: {sorted(names ^ taken)}")
                good = False
    return good


def the_completions_offer_commands_options_values_and_files():
    cases = {("",): set(commands()) - {name for name in commands() if " " in name} | {name.split()[0] for name in commands() if " " in name}, ("qu",): {"query"},
             ("build", "--fp"): {"--fpr"}, ("build", "--hash", "sip"): {"siphash13", "siphash24"}, ("table", "ref"): {"refilter"},
             ("bench", "--kind", "split,bl"): {"split,block"}, ("help", "exi"): {"exit-status"}, ("completion", "f"): {"fish"}}  # fmt: skip
    good = True
    for words, wanted in cases.items():
        for shell, ask in installed_shells().items():
            offered = set(ask(["bloomery", *words]))
            if offered != wanted:
                print(f"       {shell}, {words}: {sorted(offered ^ wanted)}")
                good = False
    raw = subprocess.run([BLOOMERY, "complete", "query", "f"], capture_output=True, text=True).stdout
    return good and raw == ":file\n"


def the_completion_scripts_please_shellcheck():
    if not shutil.which("shellcheck"):
        print("       not installed: shellcheck")
        return True
    done = subprocess.run(["shellcheck", "-s", "bash", "-"], input=script_of("bash"), capture_output=True, text=True)
    print(done.stdout, end="")
    return done.returncode == 0


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


def the_measurements_of_the_literature_page_are_what_its_commands_print():
    page = (SOURCE / "docs/literature.md").read_text()
    parts = re.findall(r"^```sh\n(.*?)^```\n```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    good = len(parts) == page.count("\n## ") >= 5
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "build").mkdir()
        (pathlib.Path(folder) / "build/bloomery").symlink_to(pathlib.Path(BLOOMERY).resolve())
        (pathlib.Path(folder) / "spec").symlink_to((SOURCE / "spec").resolve())
        for commands, shown in parts:
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run(["bash", "-ec", commands], cwd=folder, capture_output=True, text=True, env=environment)
            if done.returncode != 0 or done.stdout != shown:
                print(f"       {commands}       printed {done.stdout}       instead of {shown}       {done.stderr}")
                good = False
    return good


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
failed = skipped = 0
for check in CHECKS:
    try:
        good = check()
    except NotInThisBuild as part:
        skipped += 1
        print("skipped", f"{check.__name__}: {part}")
        continue
    failed += not good
    print("ok    " if good else "FAILED", check.__name__)
print(f"{len(CHECKS) - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed else 0)
