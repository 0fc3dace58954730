#!/usr/bin/env python3
"""Replicas as processes on real servers: members and servers are killed, servers fail over, sites are cut and healed.
At rest no key that anybody was given may be missing anywhere.

usage: processes.py SOURCE BLOOMERY SERVER [TEXT]     TEXT: only the tests whose name has it
"""
import fcntl
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
from kit import LINEAGE, PATIENCE, PROMISES, Kit, Process, Proxy, expect, promise, until  # noqa: E402

SOURCE, BLOOMERY, SERVER = map(pathlib.Path, sys.argv[1:4])
KEYS = 3000  # of a feed


def keys(name, count=KEYS):
    return [f"{name}-{i}" for i in range(count)]


def nothing_is_lost(kit, followers, fed):
    kit.settle_and_stop(followers)
    lost = kit.lost(followers, fed)
    expect(not lost, f"{len(lost)} keys lost, the first of them {lost[:3]}")
    expect(len({one.output.read_bytes() for one in followers}) == 1, "the filters differ")


@promise
def three_followers_learn_from_each_other_and_end_cleanly(kit):
    server, fed = kit.server(), []
    followers = [kit.follower(i, server.url) for i in (1, 2, 3)]
    for one in followers:
        one.feed(keys(one.origin))
        fed += keys(one.origin)
    nothing_is_lost(kit, followers, fed)


@promise
def members_that_are_killed_come_back_and_lack_nothing(kit):
    server, fed = kit.server(), []
    followers = [kit.follower(i, server.url, "--checkpoint-after", 20) for i in (1, 2, 3)]
    for round in range(3):
        for i, one in enumerate(followers):
            one.feed(keys(f"{round}.{i}"))
            fed += keys(f"{round}.{i}")
        victim = followers[round]
        until(lambda: victim.last.get("keys_read", 0) > 0, lambda: victim.complaints)
        victim.kill()
        followers[round] = kit.keep(victim.restarted())
        # If all lost their memory at once, nobody could say any more that nothing is missing.
        until(lambda: followers[round].last.get("whole"), lambda: followers[round].last)
    nothing_is_lost(kit, followers, fed)


@promise
def a_server_that_is_killed_comes_back_from_its_disk_and_nothing_is_lost(kit):
    server, fed = kit.server(), []
    followers = [kit.follower(i, server.url) for i in (1, 2, 3)]
    until(lambda: all(one.lines for one in followers), lambda: [one.complaints for one in followers])
    for round in range(3):
        for one in followers:
            one.feed(keys(f"{round}.{one.origin}"))
            fed += keys(f"{round}.{one.origin}")
        server.kill()
        server.start()
    nothing_is_lost(kit, followers, fed)


@promise
def a_failover_to_a_replica_without_the_tail_loses_nothing(kit):
    old, fed = kit.server("old"), []
    new = kit.server("new", "--replicaof", "127.0.0.1", str(old.port))
    until(lambda: "master_link_status:up" in new.run("INFO", "replication"), lambda: new.run("INFO", "replication"))
    proxy = Proxy(old.port)
    followers = [kit.follower(i, proxy.url) for i in (1, 2, 3)]
    for one in followers:
        one.feed(keys(f"early {one.origin}"))
        fed += keys(f"early {one.origin}")
    until(lambda: all(one.last.get("keys_applied", 0) > KEYS for one in followers), lambda: [one.last for one in followers])
    new.run("REPLICAOF", "NO", "ONE")
    newest = lambda server: server.run("XREVRANGE", f"{{blm:{LINEAGE}}}:stream", "+", "-", "COUNT", "1")  # noqa: E731
    for one in followers:
        one.feed(keys(f"late {one.origin}"))
        fed += keys(f"late {one.origin}")
    until(lambda: newest(old) != newest(new), lambda: "the new server has the tail")
    old.kill()
    proxy.switch(new.port)
    nothing_is_lost(kit, followers, fed)


@promise
def sites_that_are_cut_and_healed_lack_nothing(kit):
    servers, fed = {site: kit.server(site) for site in "ab"}, []
    road = {site: Proxy(servers[site].port) for site in "ab"}  # of the bridges alone
    followers = [kit.follower(i, servers[site].url, site=site) for i, site in ((1, "a"), (2, "a"), (3, "b"))]
    bridges = []
    for source, sink in (("a", "b"), ("b", "a")):
        bridges.append(kit.keep(Process(kit.bloomery, "replica", "bridge", "--from", road[source].url, "--to", road[sink].url, "--lineage", LINEAGE,
                                        "--site", source, "--name", f"{source} to {sink}", "--every", 1, "--json")))  # fmt: skip
    until(lambda: all(one.lines for one in bridges), lambda: [one.complaints for one in bridges])
    for round in range(2):
        if round == 1:
            for proxy in road.values():
                proxy.cut()
        for one in followers:
            one.feed(keys(f"{round}.{one.origin}"))
            fed += keys(f"{round}.{one.origin}")
        until(lambda: all(one.last.get("keys_read") == len(one.fed) for one in followers), lambda: [one.last for one in followers])
    apart = len({one.last["bits_set"] for one in followers})
    expect(apart > 1, "nothing was cut")
    for proxy in road.values():
        proxy.heal()
    nothing_is_lost(kit, followers, fed)
    for one in bridges:
        one.stop()
        expect(one.last["forwarded"] > 0, one.last)


@promise
def status_checkpoint_and_repair_tell_and_ask(kit):
    server = kit.server()
    where = ["--server", server.url, "--lineage", LINEAGE, "--json"]
    nobody = kit.command("replica", "status", *where)
    expect(nobody.returncode == 1 and json.loads(nobody.stdout)["peers"] == [], nobody)
    followers = [kit.follower(i, server.url) for i in (1, 2)]
    followers[0].feed(keys("x"))
    until(lambda: all(one.settled() for one in followers), lambda: [one.last for one in followers])
    asked = kit.command("replica", "checkpoint", "--wait", PATIENCE // 2, *where)
    expect(asked.returncode == 0 and json.loads(asked.stdout)["checkpoint"], asked)
    repaired = [one.last["repairs"] for one in followers]
    expect(kit.command("replica", "repair", "--wait", PATIENCE // 2, *where).returncode == 0, "repair")
    until(lambda: all(one.last["repairs"] > before for one, before in zip(followers, repaired)), lambda: [one.last for one in followers])
    told = json.loads(kit.command("replica", "status", *where).stdout)
    expect([peer["origin"] for peer in told["peers"]] == [1, 2] and all(peer["whole"] for peer in told["peers"]), told)
    expect("whole" in kit.command("replica", "status", *where[:-1]).stdout, "for people")
    newcomer = kit.follower(3, server.url, first=False)
    followers.append(newcomer)
    nothing_is_lost(kit, followers, keys("x"))


@promise
def once_ends_when_the_keys_are_safe(kit):
    server = kit.server()
    path = kit.folder / "given"
    path.write_text("".join(f"{key}\n" for key in keys("x")))
    done = kit.command("replica", "follow", "--server", server.url, "--lineage", LINEAGE, "--origin", 1, "-n", "10k", "--first", "--once", "--json",
                       "--checkpoint-after", 1, path)  # fmt: skip
    expect(done.returncode == 0 and json.loads(done.stdout.splitlines()[-1])["keys_confirmed"] == KEYS, done)


@promise
def a_server_that_is_silent_at_first_is_waited_for(kit):
    server = kit.server()
    proxy = Proxy(server.port)
    proxy.speaks.clear()
    follower = kit.follower(1, proxy.url, "--checkpoint-after", 1)
    bridge = kit.keep(Process(kit.bloomery, "replica", "bridge", "--from", proxy.url, "--to", server.url, "--lineage", LINEAGE, "--site", "other",
                              "--name", "x", "--stream-cap", "10k", "--every", 1, "--json"))  # fmt: skip
    until(lambda: follower.complaints and bridge.complaints, lambda: (follower.last, bridge.last))
    expect("no answer in time" in follower.complaints[0], follower.complaints)
    proxy.speaks.set()
    follower.feed(keys("x"))
    until(lambda: bridge.last.get("skipped", 0) > 0, lambda: bridge.complaints)
    bridge.stop()
    nothing_is_lost(kit, [follower], keys("x"))


def follow(server, *more):
    return ["replica", "follow", "--server", server.url, "--lineage", LINEAGE, "--origin", 1, "-n", "10k", "--first", "--checkpoint-after", 1, *more]


@promise
def a_follower_does_not_replace_its_own_input(kit):
    server = kit.server()
    keys_file, secret, link = kit.folder / "given", kit.folder / "secret", kit.folder / "link"
    keys_file.write_text("a\nb\n")
    secret.write_text("00112233445566778899aabbccddeeff\n")
    link.symlink_to(keys_file)
    for output in (keys_file, link):
        told = kit.command(*follow(server, "--once", "-o", output, keys_file))
        expect(told.returncode == 2 and "name another file" in told.stderr and keys_file.read_text() == "a\nb\n", told)
    for option in ("--secret", "--password-file"):
        told = kit.command(*follow(server, "--once", option, secret, "-o", secret, keys_file))
        expect(told.returncode == 2 and "name another file" in told.stderr and len(secret.read_text()) == 33, told)
    told = kit.command(*follow(server, "--once", "-o", kit.folder / "none/such", keys_file))
    expect(told.returncode == 2 and told.stdout == "" and "none/such" in told.stderr, told)


@promise
def a_follower_waits_its_turn_to_write_its_file(kit):
    server, keys_file, output = kit.server(), kit.folder / "given", kit.folder / "out"
    keys_file.write_text("a\n")
    output.write_text("old")
    with open(output) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        one = kit.keep(Process(kit.bloomery, *follow(server, "--once", "--json", "-o", output, keys_file)))
        until(lambda: one.last.get("keys_confirmed") == 1, lambda: (one.last, one.complaints))
        time.sleep(1)
        expect(one.process.poll() is None and output.read_text() == "old", "it did not wait")
    expect(one.process.wait(PATIENCE) == 0 and output.read_bytes() != b"old", one.complaints)


@promise
def a_signal_ends_the_wait_of_a_follower_for_its_turn(kit):
    server, keys_file, output = kit.server(), kit.folder / "given", kit.folder / "out"
    keys_file.write_text("a\n")
    for more in (["--once"], ["--every", 1]):
        output.write_text("old")
        with open(output) as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            one = kit.keep(Process(kit.bloomery, *follow(server, *more, "--json", "-o", output, keys_file)))
            until(lambda: one.last.get("keys_confirmed") == 1, lambda: (one.last, one.complaints))
            if "--once" not in more:
                one.process.terminate()  # ends the work; the next one ends the wait
            time.sleep(1)
            expect(one.process.poll() is None, "it did not wait")
            one.process.terminate()
            expect(one.process.wait(PATIENCE) == -signal.SIGTERM and output.read_text() == "old", one.complaints)
    expect(sorted(path.name for path in kit.folder.iterdir() if path.name.startswith("out")) == ["out"], "something is left")


@promise
def a_fifo_that_nobody_writes_to_holds_no_follower_up(kit):
    server, fifo = kit.server(), kit.folder / "fifo"
    os.mkfifo(fifo)
    one = kit.keep(Process(kit.bloomery, *follow(server, "--json", "--every", 1, fifo)))
    until(lambda: len(one.lines) > 2, lambda: one.complaints)
    fifo.write_text("a\nb\n")
    until(lambda: one.last["keys_read"] == 2, lambda: one.last)
    one.stop()
    for signal_of in (signal.SIGTERM, signal.SIGINT):
        one = kit.keep(Process(kit.bloomery, *follow(server, "--json", "--every", 1, fifo)))
        until(lambda: one.lines, lambda: one.complaints)
        one.process.send_signal(signal_of)
        expect(one.process.wait(PATIENCE) == 0, one.complaints)


@promise
def two_followers_share_a_fifo(kit):
    """What one of them has read the other looks for in vain."""
    server, fifo = kit.server(), kit.folder / "fifo"
    os.mkfifo(fifo)
    both = [kit.keep(Process(kit.bloomery, "replica", "follow", "--server", server.url, "--lineage", LINEAGE, "--origin", i, "-n", "10k",
                             *(["--first"] if i == 1 else []), "--json", "--every", 1, fifo)) for i in (1, 2)]  # fmt: skip
    with open(fifo, "w", buffering=1) as lines:
        for i in range(1000):
            print(i, file=lines)
            time.sleep(0.003)
    until(lambda: sum(one.last.get("keys_read", 0) for one in both) >= 1000 or any(one.process.poll() is not None for one in both),
          lambda: [one.complaints for one in both])  # fmt: skip
    for one in both:
        expect(one.process.poll() is None, one.complaints)
        one.stop()


@promise
def seconds_that_no_clock_can_wait_are_refused(kit):
    server = kit.server()
    where = ["--server", server.url, "--lineage", LINEAGE]
    for words in (["repair", *where, "--wait", "1e10"], ["checkpoint", *where, "--wait", "18446744073709551615"],
                  ["follow", *where, "--origin", 1, "-n", "10k", "--every", "18446744073709551615"],
                  ["bridge", "--from", server.url, "--to", server.url, "--lineage", LINEAGE, "--site", "x", "--name", "x", "--every", "1e10"]):  # fmt: skip
        told = kit.command("replica", *words)
        expect(told.returncode == 2 and "at most 1G seconds" in told.stderr and told.stderr.count("\n") == 1, told)


@promise
def what_is_wrong_is_told_in_a_line(kit):
    server = kit.server()
    wrong = {
        "password": ["status", "--server", f"redis://me:secret@127.0.0.1:{server.port}", "--lineage", LINEAGE],
        "32 hex": ["status", "--server", server.url, "--lineage", "xyz"],
        "bit by bit": ["follow", "--server", server.url, "--lineage", LINEAGE, "--origin", "1", "-n", "1k", "--kind", "cuckoo"],
        "connecting": ["status", "--server", "redis://127.0.0.1:1", "--lineage", LINEAGE],
        "incarnation": ["follow", "--server", server.url, "--lineage", LINEAGE, "--origin", "1", "-n", "1k", "--incarnation", "0"],
    }
    for part, words in wrong.items():
        told = kit.command("replica", *words)
        expect(told.returncode == 2 and part in told.stderr and told.stderr.count("\n") == 1, (part, told))


@promise
def the_recipe_of_the_handbook_lets_replicas_in_and_nobody_else(kit):
    """The ACL of docs/operations/replicas.md, as it stands there."""
    page = (SOURCE / "docs/operations/replicas.md").read_text()
    rules = [line.split() for line in re.search(r"```acl\n(.*?)```", page, re.DOTALL)[1].splitlines()]
    server, password = kit.server(), "correct horse"
    for words in rules:
        answer = server.run("ACL", "SETUSER", words[1], *[word.replace("PASSWORD", password).replace("LINEAGE", LINEAGE) for word in words[2:]])
        expect(answer == "+OK", (words, answer))
    server.run("ACL", "SETUSER", "default", "off")
    (kit.folder / "password").write_text(password + "\n")
    url = server.url.replace("redis://", "redis://replica@")
    followers = [kit.follower(i, url, "--password-file", kit.folder / "password", "--checkpoint-after", 1) for i in (1, 2)]
    followers[0].feed(keys("x"))
    env = dict(os.environ, BLOOMERY_FROM_PASSWORD=password, BLOOMERY_TO_PASSWORD=password)
    bridge_url = server.url.replace("redis://", "redis://bridge@")
    bridge = kit.keep(Process(kit.bloomery, "replica", "bridge", "--from", bridge_url, "--to", bridge_url, "--lineage", LINEAGE, "--site", "other",
                              "--name", "x", "--every", 1, "--json", env=env))  # fmt: skip
    watcher = dict(os.environ, BLOOMERY_PASSWORD=password)
    seen = lambda: kit.command("replica", "status", "--server", server.url.replace("redis://", "redis://watcher@"), "--lineage", LINEAGE, "--json", env=watcher)  # noqa: E731
    until(lambda: '"checkpoint":"' in seen().stdout, seen)
    until(lambda: bridge.last.get("skipped", 0) > 0, lambda: bridge.complaints)
    refused = kit.command("replica", "repair", "--server", server.url.replace("redis://", "redis://watcher@"), "--lineage", LINEAGE, env=watcher)
    expect(refused.returncode == 2 and "NOPERM" in refused.stderr, refused)
    other = kit.command("replica", "status", "--server", url, "--lineage", "ff" * 16, env=watcher)
    expect(other.returncode == 2 and "NOPERM" in other.stderr, other)
    expect(kit.command("replica", "status", "--server", server.url, "--lineage", LINEAGE).returncode == 2, "without a password")
    bridge.stop()
    nothing_is_lost(kit, followers, keys("x"))


def result(test):
    with tempfile.TemporaryDirectory(prefix="bloomery-streams-") as folder:
        kit = Kit(BLOOMERY.resolve(), SERVER, pathlib.Path(folder))
        try:
            test(kit)
        except Exception as problem:  # a test that breaks has failed, and the others still run
            return "FAILED", f": {type(problem).__name__}: {problem}"
        finally:
            kit.end()
    return "ok", ""


if not os.access(SERVER, os.X_OK):
    print(f"skipped: there is no {SERVER}")
    sys.exit(77)
counts = {"ok": 0, "FAILED": 0}
for test in PROMISES:
    if sys.argv[4:] and sys.argv[4] not in test.__name__:
        continue
    outcome, why = result(test)
    counts[outcome] += 1
    print(f"{outcome:7} {test.__name__}{why}", flush=True)
print(f"{counts['ok']} passed, {counts['FAILED']} failed")
sys.exit(1 if counts["FAILED"] or not counts["ok"] else 0)
