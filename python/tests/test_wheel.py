"""What is installed: no library of the system but those of every Linux, notices of what is inside, a module that says that it
needs no GIL."""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import sysconfig

import pytest

import bloomery
from bloomery import _core

USUAL = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
         "libpthread.so.0"}  # fmt: skip


def test_the_module_needs_no_package_of_the_system():
    """Names of shared libraries end with .so and a number; those that it is linked with stand in its table of strings."""
    named = set(re.findall(rb"(?<=\0)[\w+.-]+\.so\.\d+(?=\0)", pathlib.Path(_core.__file__).read_bytes()))
    assert {name.decode() for name in named} <= USUAL, named
    assert b"libc.so.6" in named, "this test finds no names"


def test_notices_of_all_that_is_inside():
    files = [file for file in importlib.metadata.files("bloomery") if file.name in ("LICENSE", "THIRD_PARTY.md")]
    assert len(files) == 2
    notices = next(file for file in files if file.name == "THIRD_PARTY.md").read_text()
    for name in ("nanobind", "tsl::robin_map", "xxHash", "LZ4", "Zstandard"):
        assert re.search(rf"\| {re.escape(name)}[^|]*Copyright", notices), name
        assert re.search(rf"^## .*{re.escape(name)}", notices, re.MULTILINE), f"{name}: no text of its licence"


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter has a GIL")
def test_the_gil_stays_off():
    """An interpreter without a GIL turns it on, with a warning, for a module that does not declare that it needs none."""
    code = "import sys, bloomery; print(sys._is_gil_enabled())"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_numpy_is_all_that_is_needed():
    needed = [line for line in importlib.metadata.requires("bloomery") if "extra" not in line]
    assert [re.match(r"\w+", line)[0] for line in needed] == ["numpy"]
    code = (
        "import sys; before = set(sys.modules); import bloomery; bloomery.Filter.build(['a']).contains(['a', 'b'])\n"
        "print([name for name in ('pyarrow', 'polars', 'pandas', 'duckdb', 'tqdm') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n" and bloomery.__version__


def test_a_second_interpreter_is_refused_and_leaves_the_first_alone():
    code = """
import bloomery, importlib
filter = bloomery.Filter(10)
for name in ("_interpreters", "_xxsubinterpreters"):
    try:
        interpreters = importlib.import_module(name)
        break
    except ImportError:
        continue
else:
    raise SystemExit("no interpreters")
for kind in [("isolated",), ("legacy",)] if name == "_interpreters" else [()]:
    second = interpreters.create(*kind)
    inside = "try:\\n import bloomery\\nexcept ImportError as error:\\n assert 'sub-interpreter' in str(error), error\\nelse:\\n raise ValueError"
    if getattr(interpreters, "exec", None):
        assert interpreters.exec(second, inside) is None
    else:
        interpreters.run_string(second, inside)
    interpreters.destroy(second)
    filter.add(1)
    assert 1 in filter and bloomery.Filter(5).kind == "block" and (filter | filter).contains([1]).all()
    try:
        filter.add(None)
    except bloomery.KeyTypeError:
        print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.stderr == "no interpreters\n":
        pytest.skip("this Python has no sub-interpreters")
    assert done.returncode == 0 and set(done.stdout.split()) == {"refused"}, done.stderr
