"""Examples run: those of docstrings and those of docs/python.md; types are as the stubs say."""

import doctest
import importlib.util
import re
import subprocess
import sys

import pytest
from conftest import ROOT, SOAK

import bloomery

DOCUMENTED = [bloomery, bloomery.Filter]


def docstrings():
    for owner in DOCUMENTED:
        yield f"{owner.__name__}", owner.__doc__
        for name, member in vars(owner).items():
            if getattr(member, "__doc__", None) and not name.startswith("_"):
                yield f"{owner.__name__}.{name}", member.__doc__


EXAMPLES = {name: text for name, text in docstrings() if text and ">>>" in text}


@pytest.mark.parametrize("name", EXAMPLES)
def test_docstrings(name):
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failed, tried = runner.run(test)
    assert tried > 0 and failed == 0


def test_everything_public_has_a_docstring():
    assert len(EXAMPLES) >= 10
    for name in bloomery.__all__:
        if name != "__version__":
            assert getattr(bloomery, name).__doc__, name
    for name, member in vars(bloomery.Filter).items():
        if not name.startswith("_") and callable(member):
            assert len(member.__doc__.splitlines()) > 2, f"Filter.{name} says nothing but its signature"
    for owner in (bloomery.Live, bloomery.Table, bloomery.TableBuilder, bloomery.Iblt):
        for name in dir(owner):
            text = getattr(owner, name).__doc__ or ""
            assert name.startswith("_") or len(re.sub(r"^\w+\(.*\) -> .*$", "", text, flags=re.MULTILINE).strip()) > 10, (
                f"{owner.__name__}.{name} says nothing but its signature"
            )


def snippets():
    text = (ROOT / "docs/python.md").read_text()
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_snippets_of_the_guide(tmp_path, monkeypatch):
    """All of docs/python.md from top to bottom in one interpreter; `# ->` says what an expression is."""
    monkeypatch.chdir(tmp_path)
    for name, version in (("pyarrow", None), ("pandas", "3"), ("polars", None), ("duckdb", None)):
        pytest.importorskip(name, minversion=version)
    found = snippets()
    assert len(found) >= 8
    scope, checked = {}, 0
    for snippet in found:
        for line in snippet.splitlines():
            if expected := re.match(r"(\S.*?) +# -> (.*)$", line):
                checked += 1
        code = re.sub(r"^(\S.*?) +# -> (.*)$", r"_expect(\1, \2)", snippet, flags=re.MULTILINE)

        def _expect(value, wanted):
            assert value == wanted, f"{value!r} instead of {wanted!r}"

        scope["_expect"] = _expect
        exec(compile(code, "docs/python.md", "exec"), scope)
    assert checked >= 10


@pytest.mark.parametrize("tool", ["mypy", *(["pyright"] if SOAK else [])])
def test_types(tool, tmp_path):
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    program = tmp_path / "typed.py"
    program.write_text(
        "import bloomery\nimport numpy as np\n"
        "f: bloomery.Filter = bloomery.Filter.build(np.arange(10), kind='fuse')\n"
        "answers: 'np.typing.NDArray[np.bool_]' = f.contains(['a', 'b'])\n"
        "found: bool = 'a' in f\nboth: bloomery.Filter = f | f\n"
        "plan: bloomery.Plan = bloomery.plan(10)\n"
    )
    package = str(ROOT / "python/src/bloomery") if tool == "pyright" else "-pbloomery"
    # Pyright would ask the first python of PATH where packages are.
    arguments = ["--strict", "--cache-dir", str(tmp_path)] if tool == "mypy" else ["--pythonpath", sys.executable]
    for what in ([package], [str(program)]):
        done = subprocess.run([sys.executable, "-m", tool, *arguments, *what], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    program.write_text("import bloomery\nbloomery.Filter('ten').add(1.5)\n")
    done = subprocess.run([sys.executable, "-m", tool, *arguments, str(program)], capture_output=True, text=True)
    assert done.returncode != 0, "a wrong program is not noticed"
