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


@pytest.fixture
def command():
    """The command of C++."""
    path = os.environ.get("BLOOMERY_COMMAND", "")
    if not os.access(path, os.X_OK):
        pytest.skip("the command was not built")
    return path


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param
