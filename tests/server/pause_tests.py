"""What may take long holds nobody up: growth, merges, UNLINK. Each function is a promise; it gets the path of a server and
that of the module. No time is measured: what is looked at is the order of replies, and when memory is taken."""
import inspect
import random
import select
import time

from bf_tests import dict_of, field_of
from resp import ReplyError
from servers import Server, free_port
from system_tests import all_is_there, attach, digests, wait_for

LARGE = 40_000_000  # keys of a filter of 48 MiB


def two_large_filters(client, kind="block", capacity=LARGE):
    for key, first in (("a", 0), ("b", 1000)):
        assert client("BLM.RESERVE", key, "KIND", kind, "CAPACITY", capacity) == "OK"
        client("BLM.ADD", key, *range(first, first + 1000))


def replies_before_the_merge(server, *words):
    """Sends the command and asks other things on another connection until its reply is there: how often that went, and the reply."""
    waiting, other = server.client(), server.client()
    waiting.send(*words)
    waiting.socket.settimeout(0.0005)
    count = 0
    while True:
        try:
            first = waiting.socket.recv(1 << 16)
            return count, first
        except (TimeoutError, BlockingIOError):
            assert other("BF.EXISTS", "other", "x") == 0
            count += 1
            assert count < 1_000_000, "no reply"


def replies_are_there_before_that_of(server, *words):
    """On a busy machine we may be held up until the merge is done: then it is done again, which changes nothing."""
    for _ in range(30):
        count, reply = replies_before_the_merge(server, *words)
        assert reply == b"+OK\r\n", reply
        if count >= 10:
            return
    raise AssertionError(f"{words}: {count} replies before its own")


def others_are_answered_while_filters_merge(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        two_large_filters(client)
        for command, event in (("BLM.MERGE", "u"), ("BLM.INTERSECT", "i")):
            replies_are_there_before_that_of(server, command, event, "a", "b")
        assert all(client("BLM.EXISTS", "u", *range(2000))) and sum(client("BLM.EXISTS", "i", *range(2000))) < 40
        # Into itself: what was there takes part.
        replies_are_there_before_that_of(server, "BLM.MERGE", "a", "b")
        assert digests(client, ["a"]) == digests(client, ["u"])


def every_kind_merges_the_same_way(binary, module):
    """In slices and at once: the bytes are the same."""
    with Server(binary, module) as server:
        client = server.client()
        for kind in ("classic", "split", "block", "counting", "partitioned", "cuckoo", "quotient"):
            client("FLUSHALL")
            two_large_filters(client, kind, 2_000_000 if kind in ("counting", "cuckoo", "quotient") else 4_000_000)
            assert client("BLM.MERGE", "sliced", "a", "b") == "OK", kind
            client("MULTI")
            client("BLM.MERGE", "whole", "a", "b")
            assert client("EXEC") == ["OK"], kind
            assert digests(client, ["sliced"]) == digests(client, ["whole"]), kind
            assert all(client("BLM.EXISTS", "sliced", *range(2000))), kind


def has_reply(client):
    return bool(select.select([client.socket], [], [], 0)[0])


def wait_until_it_merges(client, merging):
    """Or is done: then we were too slow."""
    wait_for(lambda: b"blocked_clients:1" in client("INFO", "clients") or has_reply(merging), pause=0)


def a_change_meanwhile_ends_the_merge(binary, module):
    changes = {"a write to a source": ["BLM.ADD", "b", "more"], "its deletion": ["DEL", "b"], "its expiry": ["PEXPIRE", "b", 1],
               "a write to the destination": ["BLM.ADD", "d", "more"], "its creation": ["SET", "n", "x"], "a flush": ["FLUSHALL"]}
    with Server(binary, module) as server:
        client = server.client()
        for what, change in changes.items():
            for _ in range(100):  # a merge may be done before the change comes
                client("FLUSHALL")
                two_large_filters(client)
                client("BLM.RESERVE", "d", "KIND", "block", "CAPACITY", LARGE)
                before = digests(client, ["d"])
                merging = server.client()
                merging.send("BLM.MERGE", "n" if change[1:2] == ["n"] else "d", "a", "b")
                wait_until_it_merges(client, merging)
                client(*change)
                got = merging.read()
                if isinstance(got, ReplyError):
                    break
            assert isinstance(got, ReplyError) and "ask again" in got, (what, got)
            if change[0] not in ("FLUSHALL", "BLM.ADD") or change[1:2] == ["b"]:
                assert digests(client, ["d"]) == before, what
            assert client("PING") == "PONG"


def merges_in_scripts_and_transactions_run_at_once(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        two_large_filters(client)
        client("MULTI")
        client("BLM.MERGE", "u", "a", "b")
        client("BLM.EXISTS", "u", 5, 1500)
        assert client("EXEC") == ["OK", [1, 1]]
        assert client("EVAL", "redis.call('BLM.MERGE', KEYS[1], KEYS[2], KEYS[3]) return redis.call('BLM.EXISTS', KEYS[1], 5, 1500)",
                      3, "v", "a", "b") == [1, 1]


def a_merge_is_replicated_once_when_it_is_done(binary, module):
    # With `everysec` a write to the AOF is put off for up to two seconds while another is synced: the kill would lose it.
    with Server(binary, module, "--repl-diskless-sync-delay", "0", "--appendonly", "yes", "--appendfsync", "always",
                port=free_port()) as primary, Server(binary, module, port=free_port()) as replica:
        client = primary.client()
        attach(replica, primary)
        wait_for(lambda: b"master_link_status:up" in replica.client()("INFO", "replication"))
        client("SELECT", 3)
        two_large_filters(client)
        merging = primary.client()
        merging("SELECT", 3)
        merging.send("BLM.MERGE", "u", "a", "b")
        client("BF.ADD", "meanwhile", "x")
        assert merging.read() == "OK"
        all_is_there(client, 1)
        there = replica.client()
        there("SELECT", 3)
        assert digests(there, ["u", "a", "meanwhile"]) == digests(client, ["u", "a", "meanwhile"])
        assert b"calls=1," in next(line for line in there("INFO", "commandstats").lower().splitlines() if line.startswith(b"cmdstat_blm.merge:"))
        expected = digests(client, ["u"])
        primary.kill()
        primary.start()
        again = primary.client()
        again("SELECT", 3)
        assert digests(again, ["u"]) == expected


def a_paused_server_goes_on_with_the_merge_later(binary, module):
    """As in a failover that is prepared: nothing may be replicated meanwhile."""
    with Server(binary, module, "--repl-diskless-sync-delay", "0", port=free_port()) as primary, Server(binary, module, port=free_port()) as replica:
        client = primary.client()
        attach(replica, primary)
        wait_for(lambda: b"master_link_status:up" in replica.client()("INFO", "replication"))
        two_large_filters(client, capacity=LARGE // 2)
        merging = primary.client()
        for _ in range(100):  # a merge may be done before the pause comes
            merging.send("BLM.MERGE", "u", "a", "b")
            wait_until_it_merges(client, merging)
            assert client("CLIENT", "PAUSE", 600000, "WRITE") == "OK"
            if client("EXISTS", "u") == 0:
                break
            assert client("CLIENT", "UNPAUSE") == "OK" and merging.read() == "OK" and client("DEL", "u") == 1
        time.sleep(3)  # enough for the merge, were it not for the pause
        assert not has_reply(merging) and client("EXISTS", "u") == 0
        assert client("CLIENT", "UNPAUSE") == "OK" and merging.read() == "OK"
        all_is_there(client, 1)
        assert digests(replica.client(), ["u"]) == digests(client, ["u"])


def large_links_are_prepared_before_they_are_needed(binary, module):
    """Memory of the next link is there before the newest is full, and is counted."""
    for family, reserve in (("BF", ["BF.RESERVE", "k", "0.01", 150_000, "EXPANSION", 130]),
                            ("CF", ["CF.RESERVE", "k", 150_000, "EXPANSION", 130])):
        with Server(binary, module) as server:
            client = server.client()
            assert client(*reserve) == "OK"
            before, seen, number = client("MEMORY", "USAGE", "k"), False, 0
            add = ["BF.MADD", "k"] if family == "BF" else ["CF.INSERT", "k", "ITEMS"]
            while len(client(f"{family}.DEBUG", "k")) == 2 if family == "BF" else dict_links(client) == 1:
                seen = seen or client("MEMORY", "USAGE", "k") > before + (16 << 20)
                client(*add, *range(number, number + 1000))
                number += 1000
                assert number < 300_000, "it does not grow"
            assert seen, f"{family}: the next link was not there before it was needed"
            ask = f"{family}.MEXISTS"
            assert all(client(ask, "k", *range(0, number, 97)))
            used = client("MEMORY", "USAGE", "k")
            assert client("DEBUG", "RELOAD") == "OK" and abs(client("MEMORY", "USAGE", "k") - used) < 1 << 20


def scalable_chain(client, first):
    """A chain of two links and above 16 MiB, whose newest, of twice the first, has just begun; returns the hashes in it. With the
    third link its directory is longer, so that all links move."""
    assert client("BLM.RESERVE", "k", "KIND", "scalable", "CAPACITY", first, "FPR", "0.00001") == "OK"
    blob = random.Random(7).randbytes(8 * (first + 1000))
    for at in range(0, len(blob), 800_000):
        client("BLM.ADDHASH", "k", blob[at:at + 800_000])
    return blob


def all_there(client, key, blob):
    for at in range(0, len(blob), 8_000_000):
        part = blob[at:at + 8_000_000]
        bits = client("BLM.HASHES", key, part)
        if int.from_bytes(bits, "little") != (1 << len(part) // 8) - 1:
            return False
    return True


def a_scalable_filter_is_prepared_before_it_grows_and_dumps_go_on(binary, module):
    """The longer chain is there, and counted, before the newest link is full. A file and a dump that were begun before are of the
    links that they began with."""
    with Server(binary, module) as server:
        client = server.client()
        blob = scalable_chain(client, 1_200_000)
        file = {}
        cursor, offset, file_part = client("BLM.EXPORT", "k")
        file[offset] = file_part
        iterator, header = client("BLM.SCANDUMP", "k", 0)
        parts = [(iterator, header)]
        before, used = dict_of(client("BLM.INFO", "k"))["bytes"], client("MEMORY", "USAGE", "k")
        more = random.Random(8).randbytes(8 * 2_500_000)
        for at in range(0, 8 * 2_300_000, 800_000):
            client("BLM.ADDHASH", "k", more[at:at + 800_000])
        wait_for(lambda: client("MEMORY", "USAGE", "k") > used + (16 << 20))  # the longer chain is there
        assert dict_of(client("BLM.INFO", "k"))["bytes"] == before
        for at in range(8 * 2_300_000, len(more), 80_000):
            client("BLM.ADDHASH", "k", more[at:at + 80_000])
        assert dict_of(client("BLM.INFO", "k"))["bytes"] > before + (16 << 20)
        assert all_there(client, "k", blob) and all_there(client, "k", more)
        while cursor != 0:
            cursor, offset, file_part = client("BLM.EXPORT", "k", cursor)
            file[offset] = file_part
        while iterator != 0:
            iterator, part = client("BLM.SCANDUMP", "k", iterator)
            parts += [(iterator, part)] if iterator else []
        whole = b"".join(file[offset] for offset in sorted(file))
        assert client("BLM.IMPORT", "file", 0, len(whole), whole) == len(whole)
        for words in parts:
            assert client("BLM.LOADCHUNK", "dump", *words) == "OK"
        for key in ("file", "dump"):
            assert all_there(client, key, blob) and dict_of(client("BLM.INFO", key))["bytes"] == before, key
            assert client("BLM.ADD", key, "more") == [1]
            info = dict_of(client("BLM.INFO", key))  # it counts what its links took while they were read
            assert info["items"] > 0.98 * info["estimated items"] > 1_300_000, (key, info)
        digest = digests(client, ["k"])
        assert client("DEBUG", "RELOAD") == "OK" and digests(client, ["k"]) == digest


def dict_links(client):
    info = client("CF.INFO", "k")
    return info[info.index("Number of filters") + 1]


def growth_beyond_maxmemory_is_refused(binary, module):
    for family, reserve in (("BF", ["BF.RESERVE", "k", "0.01", 100_000, "EXPANSION", 200]),
                            ("CF", ["CF.RESERVE", "k", 100_000, "EXPANSION", 200])):
        with Server(binary, module) as server:
            client = server.client()
            client(*reserve)
            used = int(field_of(client("INFO", "memory"), "used_memory"))
            client("CONFIG", "SET", "maxmemory", used + (8 << 20))
            add = ["BF.MADD", "k"] if family == "BF" else ["CF.INSERT", "k", "ITEMS"]
            stopped = None
            for first in range(0, 300_000, 1000):
                replies = client(*add, *range(first, first + 1000))
                if isinstance(replies, ReplyError) or replies[-1] not in (0, 1):
                    stopped = replies if isinstance(replies, ReplyError) else replies[-1]
                    break
            assert stopped == -1 if family == "CF" else "maxmemory" in str(stopped), stopped
            assert int(field_of(client("INFO", "memory"), "used_memory")) < used + (8 << 20)
            assert all(client(f"{family}.MEXISTS", "k", *range(50_000, 51_000)))


def growth_of_a_scalable_filter_beyond_maxmemory_is_refused(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        client("BLM.RESERVE", "k", "KIND", "scalable", "CAPACITY", 200_000, "FPR", "0.00001")
        limit = int(field_of(client("INFO", "memory"), "used_memory")) + (4 << 20)
        client("CONFIG", "SET", "maxmemory", limit)
        blob = random.Random(9).randbytes(8 * 800_000)  # for three links
        stopped = None
        for at in range(0, len(blob), 80_000):
            stopped = client("BLM.ADDHASH", "k", blob[at:at + 80_000])
            if isinstance(stopped, ReplyError):
                break
        assert isinstance(stopped, ReplyError) and "maxmemory" in stopped, stopped
        assert int(field_of(client("INFO", "memory"), "used_memory")) < limit, "memory was taken first"
        assert all_there(client, "k", blob[:at])


def unlink_frees_on_another_thread(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        client("BF.RESERVE", "b", "0.01", 20_000_000)
        client("CF.RESERVE", "c", 20_000_000)
        client("BLM.RESERVE", "f", "KIND", "block", "CAPACITY", 20_000_000)
        freed = int(field_of(client("INFO", "memory"), "lazyfreed_objects"))
        assert client("UNLINK", "b", "c", "f") == 3
        wait_for(lambda: int(field_of(client("INFO", "memory"), "lazyfreed_objects")) == freed + 3)
        wait_for(lambda: int(field_of(client("INFO", "bloomery"), "bloomery_filters")) == 0)


TESTS = [value for value in list(globals().values()) if inspect.isfunction(value) and value.__module__ == __name__
         and str(inspect.signature(value)) == "(binary, module)"]
