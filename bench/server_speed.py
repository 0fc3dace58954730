#!/usr/bin/env python3
"""How fast the module answers inside a server, beside the server's own commands in the same run: pipelines of 16 from 50
connections over loopback. Each bar is met or missed; the last ones are memory after growth.

usage: server_speed.py MODULE FOLDER-OF-SERVERS [--keys N]
"""
import pathlib
import random
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "server"))
from servers import Server, free_port  # noqa: E402


def per_second(folder, port, requests, *words, stdin=None):
    """Commands a second, the best of three runs."""
    best = 0.0
    for _ in range(3):
        command = [folder / "redis-benchmark", "-p", port, "-P", 16, "-c", 50, "-n", requests, "-r", 1000000, "--csv"]
        command += ["-x"] if stdin is not None else []
        run = subprocess.run([str(word) for word in [*command, *words]], input=stdin, capture_output=True, check=True)
        best = max(best, float(run.stdout.decode().splitlines()[-1].split('","')[1]))
    return best


def bar(name, value, least=None, most=None):
    met = (least is None or value >= least) and (most is None or value <= most)
    limit = f"at least {least}" if least is not None else f"at most {most}"
    print(f"{'met   ' if met else 'MISSED'} {name}: {value:.2f} ({limit})", flush=True)
    return met


def memory_after_growth(client):
    """The largest multiple of a filter sized right, at sizes above 10,000 and 50,000, and when a link has just filled."""
    above_10, above_50, filled, count, links, before = 0.0, 0.0, 0.0, 0, 1, 0.0
    client("BF.RESERVE", "right", "0.01", 1000000, "NONSCALING")
    bytes_a_key = client("MEMORY", "USAGE", "right") / 1e6
    while count < 2000000:
        client("BF.MADD", "grown", *range(count, count + 1000))
        count += 1000
        times = client("MEMORY", "USAGE", "grown") / (bytes_a_key * count)
        above_10 = max(above_10, times if count > 10000 else 0)
        above_50 = max(above_50, times if count > 50000 else 0)
        now = len(client("BF.DEBUG", "grown")) - 1
        if now > links and count > 50000:  # the link before has filled since the last look
            filled = max(filled, before)
        links, before = now, times
    return above_10, above_50, filled


def main():
    module, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    keys = int(sys.argv[sys.argv.index("--keys") + 1]) if "--keys" in sys.argv else 1000000
    if not (folder / "redis-server").exists():
        print("skipped: no redis-server (tools/servers.sh fetches it)")
        return 0
    port = free_port()
    met = True
    with Server(str(folder / "redis-server"), module, port=port) as server:
        client = server.client()
        client("CONFIG", "SET", "bloomery.max-filter-bytes", "4gb")
        for first in range(0, keys, 1000):
            client("BF.MADD", "k", *[f"key:{i:012d}" for i in range(first, first + 1000)])
        per_second(folder, port, 700000, "SET", "key:__rand_int__", "x")  # so that GET finds most of them
        client("BLM.RESERVE", "b", "KIND", "block", "CAPACITY", keys)
        absent = [f"absent:{i}" for i in range(100)]
        get = per_second(folder, port, 1000000, "GET", "key:__rand_int__")
        exists = per_second(folder, port, 1000000, "BF.EXISTS", "k", "key:__rand_int__")
        met &= bar("BF.EXISTS beside GET", exists / get, least=1.15)
        mget = per_second(folder, port, 50000, "MGET", *absent)
        many = per_second(folder, port, 50000, "BF.MEXISTS", "k", *absent)
        met &= bar("BF.MEXISTS of 100 beside MGET of 100 missing keys", many / mget, least=1.0)
        blob = random.Random(1).randbytes(8000)
        hashes = 1000 * per_second(folder, port, 50000, "BLM.HASHES", "b", stdin=blob)
        met &= bar("BLM.HASHES of 1,000, million keys a second", hashes / 1e6, least=50)
        met &= bar("the same beside BF.MEXISTS", hashes / (100 * many), least=8)
        above_10, above_50, filled = memory_after_growth(client)
        met &= bar("memory above 10,000 keys, times one filter sized right", above_10, most=4.5)
        met &= bar("memory above 50,000 keys", above_50, most=3.6)
        met &= bar("memory when a link has just filled", filled, most=1.8)
    return 0 if met else 1


sys.exit(main())
