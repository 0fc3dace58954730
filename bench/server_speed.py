#!/usr/bin/env python3
"""How fast the module answers inside a server, beside the server's own commands in the same run: pipelines of 16 from 50
connections over loopback. Each bar is met or missed. The largest filter has 100 million keys, whose adding takes two minutes and
the filter 140 MB. It stands beside GET of as many keys, which take 10 GB and four minutes; with less memory beside GET of a
million, which it stands beside in any case. --keys 10000000 is enough to see that it runs. --only exists leaves out what is not
BF.EXISTS beside GET.
"""
import argparse
import os
import pathlib
import random
import select
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "server"))
from servers import Server, free_port  # noqa: E402


def two_processors():
    """One for the server's thread and one for the client, of different cores, so that the system moves neither in the middle of
    a run. The same twice where there is but one."""
    first, *others = sorted(os.sched_getaffinity(0))
    siblings = pathlib.Path(f"/sys/devices/system/cpu/cpu{first}/topology/thread_siblings_list")
    same_core = siblings.read_text().strip().replace("-", ",").split(",") if siblings.exists() else []
    return first, next((other for other in others if str(other) not in same_core), first)


MILLION = 1000000
SLOW = 500  # microseconds from which a command is in the slow log
BYTES_OF_A_VALUE = 100
asked_among = MILLION  # keys with numbers below it are asked for


def per_second(folder, port, requests, *words, stdin=None):
    """Commands a second in one run of redis-benchmark. What stdin gives is the last argument; it is cut at a zero byte."""
    command = [folder / "redis-benchmark", "-p", port, "-P", 16, "-c", 50, "-n", requests, "-r", asked_among, "--csv"]
    command += ["-x"] if stdin is not None else []
    run = subprocess.run([str(word) for word in [*command, *words]], input=stdin, capture_output=True, check=True,
                         preexec_fn=lambda: os.sched_setaffinity(0, {two_processors()[1]}))
    return float(run.stdout.decode().splitlines()[-1].split('","')[1])


def processor_seconds(client):
    """What the server's main thread has used."""
    lines = [line.partition(":") for line in client("INFO", "cpu").decode().splitlines()]
    return sum(float(value) for name, _, value in lines if name.endswith("_main_thread"))


def timed(folder, port, requests, client, words, stdin=None):
    """Commands a second, and how many seconds the server's thread worked on one: that is the same on a machine that has more to do."""
    before = processor_seconds(client)
    rate = per_second(folder, port, requests, *words, stdin=stdin)
    return rate, (processor_seconds(client) - before) / requests


def tell(name, rate, seconds):
    print(f"       {name}: {rate / 1000:.1f} thousand a second, {1e6 * seconds:.2f} us of the server's thread each", flush=True)


def best_in_turn(folder, port, requests, commands, client):
    """Commands a second of each, the best of five runs. They take turns, so that a slow minute of the machine is everyone's."""
    runs = {name: [] for name in commands}
    for _ in range(5):
        for name, (words, stdin) in commands.items():
            runs[name].append(timed(folder, port, requests, client, words, stdin))
    best = {name: max(rate for rate, _ in of_name) for name, of_name in runs.items()}
    for name, of_name in runs.items():
        tell(name, best[name], min(seconds for _, seconds in of_name))
    return best


def median_and_span(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def beside(folder, port, requests, reference, commands, client):
    """How many times as fast as the reference each command is. Every run of a command stands between two runs of the reference
    and is divided by their mean, so that a machine that slows down for a while slows both; the median of eleven such
    ratios counts. The same of the time of the server's thread is printed beside it."""
    before, runs, medians = timed(folder, port, requests, client, reference), {name: [] for name in commands}, {}
    for _ in range(11):
        for name, words in commands.items():
            run, after = [timed(folder, port, requests, client, each) for each in (words, reference)]
            runs[name].append((before, run, after))
            before = after
    tell(reference[0], *map(statistics.median, zip(*[after for of_name in runs.values() for _, _, after in of_name])))
    for name, of_name in runs.items():
        tell(name, *map(statistics.median, zip(*[run for _, run, _ in of_name])))
        by_rate = [2 * run[0] / (before[0] + after[0]) for before, run, after in of_name]
        by_thread = [(before[1] + after[1]) / (2 * run[1]) for before, run, after in of_name]
        print(f"       beside {reference[0]}: {median_and_span(by_rate)}; by the time of the server's thread "
              f"{median_and_span(by_thread)}", flush=True)
        medians[name] = statistics.median(by_rate)
    return medians


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


def fill(client, key, keys):
    """Adds that many items inside the server, as key:000000000000 and on, which redis-benchmark asks for."""
    script = ("for i = ARGV[1], ARGV[1] + 99999, 1000 do local t = {} for j = i, i + 999 do t[#t + 1] = string.format('key:%012d', j) end "
              "redis.call('BF.MADD', KEYS[1], unpack(t)) end")
    for first in range(0, keys, 100000):
        client("EVAL", script, 1, key, first)


def set_values(client, first, last):
    """Seven of eight keys with these numbers are there for GET."""
    script = "for i = ARGV[1], ARGV[1] + 99999 do if i % 8 > 0 then redis.call('SET', string.format('key:%012d', i), 'x') end end"
    for i in range(first, last, 100000):
        client("EVAL", script, 0, i)


def exists_beside_get(folder, port, client, filters):
    """The medians of BF.EXISTS on these filters, {key: what it is}, beside GET of the same keys."""
    ones = {f"BF.EXISTS of {what}": ["BF.EXISTS", key, "key:__rand_int__"] for key, what in filters.items()}
    medians = beside(folder, port, 300000, ["GET", "key:__rand_int__"], ones, client)
    return dict(zip(filters, medians.values()))


def has_room_for(values):
    lines = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    return int(lines["MemAvailable"].split()[0]) * 1024 > 1.3 * BYTES_OF_A_VALUE * values


def measure_exists(folder, port, keys, client):
    """The bars of BF.EXISTS on filters of a million keys: "k", which grew, and "r", which was reserved. A filter of one key
    takes nothing but the server's own work for a command of a module with a key and an item, and so is the ceiling."""
    set_values(client, 0, MILLION)
    client("BF.ADD", "single", "x")
    large = f"{keys // MILLION}M keys"
    medians = exists_beside_get(folder, port, client, {"k": "1M keys, grown", "r": "1M keys, reserved", "large": large, "single": "1 key"})
    met = bar("BF.EXISTS of 1M keys, grown, beside GET", medians["k"], least=1.15)
    met &= bar("BF.EXISTS of 1M keys, reserved, beside GET", medians["r"], least=1.15)
    if has_room_for(keys):
        return met
    return bar(f"BF.EXISTS of {large}, beside GET of 1M keys (no memory for as many values)", medians["large"], least=1.15) and met


def measure_far_exists(folder, port, keys, client):
    """The bar of BF.EXISTS on the filter "large" beside GET of as many keys, where memory has room for them."""
    if not has_room_for(keys):
        return True
    global asked_among
    set_values(client, MILLION, keys)
    asked_among = keys
    large = f"{keys // MILLION}M keys"
    return bar(f"BF.EXISTS of {large}, beside GET of as many", exists_beside_get(folder, port, client, {"large": large})["large"], least=1.15)


def measure_batches(folder, port, keys, client):
    """The bars of commands that ask for many keys; the server has the empty filter "b" besides."""
    met, millions = True, keys // MILLION
    absent = ["absent:__rand_int__"] * 100
    blob = bytes(random.Random(1).choices(range(1, 256), k=8000))
    mget, small, large, hashes = best_in_turn(folder, port, 50000, {
        "MGET of 100": (["MGET", *absent], None), "BF.MEXISTS of 100": (["BF.MEXISTS", "r", *absent], None),
        f"BF.MEXISTS of 100 on {millions}M keys": (["BF.MEXISTS", "large", *absent], None),
        "BLM.HASHES of 1,000": (["BLM.HASHES", "b"], blob)}, client).values()
    met &= bar("BF.MEXISTS of 100 beside MGET of 100 missing keys", small / mget, least=1.0)
    met &= bar(f"BF.MEXISTS of 100 on {millions}M keys, times that on 1M", small / large, most=1.2)
    met &= bar("BLM.HASHES of 1,000, million keys a second", hashes / 1000, least=50)
    met &= bar("the same beside BF.MEXISTS", 10 * hashes / small, least=8)
    return met


def longest_add(folder, port, client, family):
    """Milliseconds of the longest single add while a chain takes a link of tens of MB; those below half of one are not told apart."""
    client("CONFIG", "SET", "slowlog-log-slower-than", SLOW)
    client("CONFIG", "SET", "slowlog-max-len", 10000)
    client("SLOWLOG", "RESET")
    reserve = ["BF.RESERVE", "growing", "0.01", 300000] if family == "BF" else ["CF.RESERVE", "growing", 300000]
    client(*reserve, "EXPANSION", 64)
    before = client("MEMORY", "USAGE", "growing")
    for _ in range(3):
        per_second(folder, port, 150000, f"{family}.ADD", "growing", "item:__rand_int__")
    assert client("MEMORY", "USAGE", "growing") > before + (16 << 20), "it has not grown"
    client("DEL", "growing")
    return max((entry[2] / 1000 for entry in client("SLOWLOG", "GET", -1) if entry[3][0].upper() == f"{family}.ADD".encode()), default=SLOW / 1000)


def longest_wait(server):
    """Milliseconds of the longest command of another client while two filters of 110 MB are merged."""
    client, merging = server.client(), server.client()
    for key in ("one", "other"):
        assert client("BLM.RESERVE", key, "KIND", "block", "CAPACITY", 90000000) == "OK"
    merging.send("BLM.MERGE", "both", "one", "other")
    longest = 0.0
    while not select.select([merging.socket], [], [], 0)[0]:
        began = time.perf_counter()
        client("BF.EXISTS", "k", "x")
        longest = max(longest, 1000 * (time.perf_counter() - began))
    assert merging.read() == "OK"
    return longest


def measure_growth(folder, port, server, client):
    """The bars of waiting and of memory while filters grow."""
    met = True
    for family in ("BF", "CF"):
        met &= bar(f"{family}.ADD that grows by tens of MB, milliseconds", longest_add(folder, port, client, family), most=5)
    met &= bar("others while BLM.MERGE runs, milliseconds", longest_wait(server), most=10)
    above_10, above_50, filled = memory_after_growth(client)
    met &= bar("memory above 10,000 keys, times one filter sized right", above_10, most=4.5)
    met &= bar("memory above 50,000 keys", above_50, most=3.6)
    met &= bar("memory when a link has just filled", filled, most=1.8)
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, help="where redis-server and redis-benchmark are")
    parser.add_argument("--keys", type=int, default=100000000, help="of the largest filter")
    parser.add_argument("--only", choices=["exists"], help="the bars of BF.EXISTS beside GET and no others")
    arguments = parser.parse_args()
    folder, keys, port = arguments.folder.resolve(), arguments.keys, free_port()
    if not (folder / "redis-server").exists():
        print("skipped: no redis-server (tools/servers.sh fetches it)")
        return 0
    with Server(str(folder / "redis-server"), str(arguments.module.resolve()), port=port) as server:
        os.sched_setaffinity(server.process.pid, {two_processors()[0]})
        client = server.client()
        client("CONFIG", "SET", "bloomery.max-filter-bytes", "4gb")
        assert client("BF.RESERVE", "r", "0.01", MILLION) == client("BF.RESERVE", "large", "0.01", keys) == "OK"
        for key, count in (("k", MILLION), ("r", MILLION), ("large", keys)):
            fill(client, key, count)
        assert client("BLM.RESERVE", "b", "KIND", "block", "CAPACITY", MILLION) == "OK"
        met = measure_exists(folder, port, keys, client)
        if arguments.only is None:
            met &= measure_batches(folder, port, keys, client)
            met &= measure_growth(folder, port, server, client)
        met &= measure_far_exists(folder, port, keys, client)
    return 0 if met else 1


sys.exit(main())
