#!/usr/bin/env python3
"""Runs client_test.py, the clients' own opinion of our replies, by pytest in an environment of its own: redis-py and valkey-py
from PyPI, against each server that is there. What cannot be had is skipped by name.

usage: clients.py MODULE FOLDER-OF-SERVERS
"""
import os
import pathlib
import subprocess
import sys

PACKAGES = ["pytest", "redis>=5,<8", "valkey>=6,<7"]
HERE = pathlib.Path(__file__).resolve().parent


def environment(folder):
    """The path of a Python that has the packages, or why there is none."""
    python = folder / "bin" / "python3"
    if (folder / "complete").exists():
        return python, ""
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True, capture_output=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True, capture_output=True,
                       text=True, timeout=600)
    except (subprocess.SubprocessError, OSError) as error:
        return None, (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1]
    (folder / "complete").touch()
    return python, ""


def main():
    module, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    servers = [str(folder / f"{name}-server") for name in ("redis", "valkey") if (folder / f"{name}-server").exists()]
    if not servers:
        print("skipped: no server is there (tools/servers.sh fetches them)")
        return 77
    python, why = environment(folder / "server-clients")
    if python is None:
        print(f"skipped: redis-py and valkey-py cannot be had from PyPI: {why}")
        return 77
    given = {**os.environ, "BLOOMERY_MODULE": str(module), "BLOOMERY_SERVERS": os.pathsep.join(servers), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / "client_test.py")], env=given, cwd=HERE).returncode


sys.exit(main())
