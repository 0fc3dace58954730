"""What all tests share: the kinds, small sets of keys, and the sizes of the soak."""

import os
import pathlib
import sys

import pytest

KINDS = [
    "classic", "split", "block", "counting", "partitioned", "scalable", "stable", "cuckoo", "quotient", "fuse", "ribbon",
]
STATIC = ["fuse", "ribbon"]
REMOVING = ["counting", "cuckoo", "quotient"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOAK = bool(os.environ.get("BLOOMERY_SOAK"))
sys.path.insert(0, str(ROOT / "python/fuzz"))  # for the arrays and doors that tests and fuzzer share


def pytest_report_header(config):
    import bloomery

    return f"bloomery {bloomery.__version__} from {pathlib.Path(bloomery.__file__).parent}"


@pytest.fixture(params=["cpp", "rust", "go"])
def command(request):
    """The command of each language: those of Rust and Go lie in build/, or where the environment says."""
    beside = {"cpp": "", "rust": ROOT / "build/bloomery-rs", "go": ROOT / "build/bloomery-go"}[request.param]
    path = os.environ.get("BLOOMERY_COMMAND" + {"cpp": "", "rust": "_RUST", "go": "_GO"}[request.param], beside)
    if not os.access(path, os.X_OK):
        pytest.skip(f"the command of {request.param} was not built")
    return str(path)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param
