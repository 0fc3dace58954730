#!/usr/bin/env python3
"""Runs docs/c.md: its C as one C99 program, its Python and its Lua, and compares what they print with the text blocks below
them. Pieces of C that begin with # or static stand outside of main. The bindings have at most twenty lines.

usage: documents.py SOURCE LIBRARY CC LANGUAGE      LANGUAGE: c, python or lua; ends with 77 when it cannot be run
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, LIBRARY, CC, LANGUAGE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).absolute(), sys.argv[3], sys.argv[4]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", (SOURCE / "docs/c.md").read_text(), re.MULTILINE | re.DOTALL)


def pieces(language):
    """The code in that language, and what it prints."""
    code, printed, last = [], "", None
    for kind, text in BLOCKS:
        if kind == "text" and last == language:
            printed += text
        elif kind == language:
            code.append(text)
        last = kind if kind != "text" else last
    return code, printed


def c_program(code):
    outside = [piece for piece in code if re.match(r"#|static \w+\*? ?\w*\(|static void", piece)]
    inside = [piece for piece in code if piece not in outside]
    assert len(outside) >= 3 and len(inside) >= 10, "the page has lost its code"
    return "".join(outside) + "int main(void) {\n" + "".join(inside) + "return 0;\n}\n"


def command_of(language, code, folder):
    if language == "c":
        (folder / "page.c").write_text(c_program(code))
        subprocess.run([CC, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I", SOURCE / "include", "page.c", "-o", "page",
                        LIBRARY], cwd=folder, check=True)
        return ["./page"]
    assert all(len(piece.splitlines()) <= 20 for piece in code), "a binding has more than twenty lines"
    program = {"python": sys.executable, "lua": shutil.which("luajit")}[language]
    if program is None:
        print("luajit is not installed (Debian: luajit)")
        sys.exit(77)
    (folder / "binding").write_text("".join(code))
    return [program, "binding"]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)}
    if LANGUAGE == "lua":  # which reads what Python wrote
        subprocess.run(command_of("python", pieces("python")[0], folder), cwd=folder, env=environment, check=True, capture_output=True)
    code, expected = pieces(LANGUAGE)
    assert code and expected, f"no {LANGUAGE} in docs/c.md"
    run = subprocess.run(command_of(LANGUAGE, code, folder), cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode != 0 or run.stdout != expected:
        print(f"expected:\n{expected}\nprinted ({run.returncode}):\n{run.stdout}{run.stderr}")
        sys.exit(1)
print(f"{len(code)} pieces of {LANGUAGE} print what docs/c.md says")
