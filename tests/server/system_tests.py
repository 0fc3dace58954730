"""What a server demands of a module: files, replicas, copies, settings. Each function is a promise; it gets the path of a
server and that of the module."""
import collections
import inspect
import itertools
import os
import random
import threading
import time

from bf_tests import dict_of, field_of
from crc64 import crc64
from link import Link
from resp import ReplyError, encoded
from servers import PATIENCE, Server, free_port

SOAK = bool(os.environ.get("BLOOMERY_SOAK"))


def fill(client):
    """A value of each type and shape; returns their keys."""
    client("BF.MADD", "exact", *range(100))
    for first in range(0, 20000, 1000):
        client("BF.MADD", "grown", *range(first, first + 1000))
    client("BF.RESERVE", "single", "0.001", "5000", "NONSCALING")
    client("BF.MADD", "single", *range(3000))
    client("BF.RESERVE", "large", "0.01", "3000000")
    client("BF.MADD", "large", *range(3000))
    client("CF.INSERT", "cuckoo", "CAPACITY", "1000", "ITEMS", *range(3000))
    client("CF.DEL", "cuckoo", "1")
    client("BLM.RESERVE", "quotient", "KIND", "quotient", "CAPACITY", "1000", "LABEL", "a label", "KEYS", "int")
    client("BLM.ADD", "quotient", *range(800))
    client("BLM.RESERVE", "scalable", "KIND", "scalable", "CAPACITY", "100")
    client("BLM.ADD", "scalable", *range(2000))
    client("BLM.WINDOW", "window", "WINDOWS", "3", "CAPACITY", "1000")
    client("BLM.ADD", "window", "a")
    client("BLM.ROTATE", "window")
    client("BLM.ADD", "window", "b")
    # One that is being loaded.
    iterator, header = client("BF.SCANDUMP", "large", 0)
    client("BF.LOADCHUNK", "partial", iterator, header)
    return ["exact", "grown", "single", "large", "cuckoo", "quotient", "scalable", "window", "partial"]


def digests(client, keys):
    return client("DEBUG", "DIGEST-VALUE", *keys)


def nothing_is_missing(client):
    assert all(client("BF.MEXISTS", "exact", *range(100))) and all(client("BF.MEXISTS", "grown", *range(20000)))
    assert all(client("BF.MEXISTS", "single", *range(3000))) and all(client("BF.MEXISTS", "large", *range(3000)))
    assert all(client("CF.MEXISTS", "cuckoo", *range(2, 3000))) and all(client("BLM.EXISTS", "quotient", *range(800)))
    assert all(client("BLM.EXISTS", "scalable", *range(2000))) and client("BLM.EXISTS", "window", "a", "b") == [1, 1]
    assert client("BF.EXISTS", "partial", "anything") == 1


def wait_for(condition, pause=0.05):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it does not come true"
        time.sleep(pause)


def restarts_from_rdb_keep_every_bit(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        keys = fill(client)
        before = digests(client, keys)
        assert client("SAVE") == "OK"
        server.kill()
        server.start()
        client = server.client()
        assert digests(client, keys) == before
        nothing_is_missing(client)


def restarts_from_aof_keep_every_bit(binary, module):
    for rewrite, preamble in ((False, "no"), (True, "no"), (True, "yes")):
        with Server(binary, module, "--appendonly", "yes", "--aof-use-rdb-preamble", preamble) as server:
            client = server.client()
            keys = fill(client)
            if rewrite:
                client("BGREWRITEAOF")
                wait_for(lambda: {b"aof_rewrite_in_progress:0", b"aof_rewrite_scheduled:0"} <= set(client("INFO", "persistence").split()))
                client("BF.ADD", "grown", "after")
            before = digests(client, keys)
            server.stop()
            server.start()
            client = server.client()
            assert digests(client, keys) == before, (rewrite, preamble)
            nothing_is_missing(client)


def a_flipped_bit_in_an_rdb_is_refused(binary, module):
    with Server(binary, module, "--rdbchecksum", "no") as server:
        client = server.client()
        client("BF.RESERVE", "k", "0.01", "2000")
        client("BF.MADD", "k", *range(1000))
        client("SAVE")
        server.kill()
        path = server.folder / "dump.rdb"
        sound = path.read_bytes()
        start = sound.index(b"BLMV")
        refused = 0
        for place in (start + 20, start + 60, start + 300, start + 900, start + 1500):
            path.write_bytes(sound[:place] + bytes([sound[place] ^ 8]) + sound[place + 1:])
            (server.folder / "log").unlink()
            server.start(expect_failure=True)
            if server.process.poll() is None:  # it must not serve a wrong filter
                raise AssertionError(f"a bit of byte {place - start} was flipped and the server started")
            assert "bloomery" in server.log() or "rror" in server.log(), server.log()
            refused += 1
        path.write_bytes(sound)
        server.start()
        assert all(server.client()("BF.MEXISTS", "k", *range(1000))) and refused == 5


def hostile_restores_are_refused(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        keys = fill(client)
        for key in keys:
            sound = client("DUMP", key)
            assert client("RESTORE", key + "2", 0, sound) == "OK"
            assert digests(client, [key]) == digests(client, [key + "2"]), key
        for key in ("exact", "cuckoo", "quotient"):
            sound = client("DUMP", key)
            body = sound[:-8]
            assert crc64(body).to_bytes(8, "little") == sound[-8:]
            refused = 0
            for place in range(0, len(body) - 2, max(1, len(body) // 200)):
                broken = body[:place] + bytes([body[place] ^ 1]) + body[place + 1:]
                got = client("RESTORE", "n", 0, broken + crc64(broken).to_bytes(8, "little"))
                if got == "OK":  # what describes no filter may differ: a version in the frame
                    assert digests(client, ["n"]) == digests(client, [key]), (key, place)
                    client("DEL", "n")
                else:
                    assert got == "ERR Bad data format", got
                    refused += 1
            assert refused > 100, refused
        assert client("PING") == "PONG"


def copies_are_equal_and_independent(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        for key in fill(client):
            assert client("COPY", key, key + "2") == 1
            assert digests(client, [key]) == digests(client, [key + "2"]), key
        client("BF.ADD", "exact2", "more")
        assert digests(client, ["exact"]) != digests(client, ["exact2"])
        assert client("BF.EXISTS", "exact", "more") == 0
        before = int(field_of(client("INFO", "bloomery"), "bloomery_filters"))
        client("UNLINK", *[key.decode() for key in client("KEYS", "*")])
        wait_for(lambda: int(field_of(client("INFO", "bloomery"), "bloomery_filters")) == 0)
        assert before == 18
        wait_for(lambda: int(field_of(client("INFO", "memory"), "used_memory")) < 4 << 20)


def all_is_there(client, replicas):
    """Waits until so many replicas have all that anybody has written: WAIT alone is for what this client wrote last."""
    assert client("INCR", "written last") >= 1
    assert client("WAIT", replicas, 120000) == replicas


def attach(replica, primary):
    assert replica.client()("REPLICAOF", "127.0.0.1", primary.port) == "OK"


def replicas_hold_the_same_bytes(binary, module):
    at_once = ("--repl-diskless-sync-delay", "0")
    with Server(binary, module, *at_once, port=free_port()) as primary, Server(binary, module, port=free_port()) as early, \
            Server(binary, module, module_arguments=["ERROR_RATE", "0.2", "INITIAL_SIZE", "50000"], port=free_port()) as late:
        client = primary.client()
        attach(early, primary)
        wait_for(lambda: b"master_link_status:up" in early.client()("INFO", "replication"))
        keys = fill(client)
        client("BF.RESERVE", "full", "0.01", "10", "NONSCALING")
        client("BF.MADD", "full", *range(30))
        client("CONFIG", "SET", "bloomery.cf-max-expansions", "2")
        client("CF.INSERT", "stopped", "CAPACITY", "20", "ITEMS", *range(200))
        client("BLM.MERGE", "merged", "scalable")
        client("BLM.RESERVE", "exported", "KIND", "block", "CAPACITY", "1000")
        client("BLM.ADD", "exported", *range(100))
        _, _, file = client("BLM.EXPORT", "exported")
        client("BLM.IMPORT", "imported", 0, len(file), file[:100])
        client("BLM.IMPORT", "imported", 100, len(file), file[100:])
        attach(late, primary)
        wait_for(lambda: b"master_link_status:up" in late.client()("INFO", "replication"))
        client("BF.MADD", "new", *range(5000))  # by the settings of the primary, whatever those of the replica are
        keys += ["full", "stopped", "merged", "imported", "new"]
        assert client("WAIT", 2, 120000) == 2
        expected = digests(client, keys)
        for replica in (early, late):
            assert digests(replica.client(), keys) == expected
            assert isinstance(replica.client()("BF.ADD", "exact", "x"), ReplyError)


def add_and_wait(client, items, milliseconds):
    """Adds items to both filters; whether all were taken and both replicas acknowledged them in time."""
    client("BF.MADD", "k", *items)
    taken = client("CF.INSERT", "c", "ITEMS", *items) == [1] * len(items)  # a full one refuses some
    return client("WAIT", 2, milliseconds) == 2 and taken


def write_until_it_dies(client, numbers, acknowledged):
    """Adds items until the server is gone, and notes those that both replicas have acknowledged."""
    try:
        while True:
            items = next_items(numbers)
            if add_and_wait(client, items, 120000):
                acknowledged += items
    except OSError:
        pass


def next_items(numbers):
    first = next(numbers) * 100
    return list(range(first, first + 100))


def attach_by_links(replicas, primary):
    """Each replica on a link of its own; returns the links by replica, when all are up."""
    links = {replica: Link(primary.port) for replica in replicas}
    for replica, link in links.items():
        assert replica.client()("REPLICAOF", "127.0.0.1", link.port) == "OK"
    for replica in replicas:
        wait_for(lambda: b"master_link_status:up" in replica.client()("INFO", "replication"))
    return links


def nothing_acknowledged_is_lost_in_a_failover(binary, module):
    """The primary dies while two clients write, after the link to its heir has been cut: what came later is not acknowledged."""
    servers, links = [], {}
    try:
        for _ in range(3):
            servers.append(Server(binary, module, "--repl-diskless-sync-delay", "0", port=free_port()))
        primary, acknowledged, numbers = servers[0], [], itertools.count()
        links = attach_by_links(servers[1:], primary)
        primary.client()("CF.RESERVE", "c", 1_000_000)  # room for all that the writers can add
        for round_number in range(3 if not SOAK else 50):
            before = len(acknowledged)
            writers = [threading.Thread(target=write_until_it_dies, args=(primary.client(), numbers, acknowledged)) for _ in range(2)]
            for writer in writers:
                writer.start()
            wait_for(lambda: len(acknowledged) > before + 1000)
            heir = servers[1] if primary is not servers[1] else servers[2]
            links[heir].cut()
            late = next_items(numbers)
            if add_and_wait(primary.client(), late, 100):  # whatever says so here says it of what the heir lacks
                acknowledged += late
            primary.kill()  # in the middle of what they write
            for writer in writers:
                writer.join()
            for link in links.values():
                link.close()
            heir.client()("REPLICAOF", "NO", "ONE")
            assert not all(heir.client()("BF.MEXISTS", "k", *late)), "the link was not cut"
            primary.start()
            links = attach_by_links([server for server in servers if server is not heir], heir)
            primary = heir
            for server in servers:
                for first in range(0, len(acknowledged), 5000):
                    part = acknowledged[first:first + 5000]
                    assert all(server.client()("BF.MEXISTS", "k", *part)), round_number
                    assert all(server.client()("CF.MEXISTS", "c", *part)), round_number
    finally:
        for link in links.values():
            link.close()
        for server in servers:
            server.remove()


def settings_are_settings(binary, module):
    with Server(binary, module, module_arguments=["ERROR_RATE", "0.05", "CF_MAX_EXPANSIONS", "16", "INITIAL_SIZE", "200"]) as server:
        client = server.client()
        got = client("CONFIG", "GET", "bloomery.*")
        settings = dict(zip(got[::2], got[1::2]))
        assert settings[b"bloomery.bf-error-rate"] == b"0.05" and settings[b"bloomery.cf-max-expansions"] == b"16", settings
        assert settings[b"bloomery.bf-initial-size"] == b"200" and settings[b"bloomery.max-filter-bytes"] == b"134217728"
        for name, value in (("bf-error-rate", "0.3"), ("bf-error-rate", "x"), ("bf-error-rate", "0"), ("cf-max-expansions", "0"),
                            ("secret-file", "/nonexistent")):
            assert isinstance(client("CONFIG", "SET", f"bloomery.{name}", value), ReplyError), name
        assert client("CONFIG", "SET", "bloomery.bf-error-rate", "0.001") == "OK"
        assert client("CONFIG", "SET", "bloomery.max-filter-bytes", "64mb") == "OK"
        secret = server.folder / "secret"
        secret.write_text("00112233445566778899aabbccddeeff\n")
        assert client("CONFIG", "SET", "bloomery.secret-file", secret) == "OK"
        assert client("BLM.RESERVE", "k", "KIND", "block", "HASH", "siphash13") == "OK"
        client("BLM.ADD", "k", "a")
        _, _, file = client("BLM.EXPORT", "k")
        assert client("CONFIG", "SET", "bloomery.secret-file", "") == "OK"
        assert client("BLM.IMPORT", "n", 0, len(file), file) == len(file)
        got = client("BLM.EXISTS", "n", "a")
        assert isinstance(got, ReplyError) and "secret-file" in got, got
        assert client("BLM.HASHES", "n", b"12345678") in (b"\0", b"\1")
        assert isinstance(client("BLM.ADDHASH", "n", b"12345678"), ReplyError)
        # It stays what it is: saved without its secret, it is still keyed, and answers once the secret is there.
        before = digests(client, ["n"])
        assert client("DEBUG", "RELOAD") == "OK" and digests(client, ["n"]) == before
        assert dict_of(client("BLM.HASHER", "n"))["hash"] == b"siphash13"
        assert client("CONFIG", "SET", "bloomery.secret-file", secret) == "OK"
        assert client("DEBUG", "RELOAD") == "OK" and client("BLM.EXISTS", "n", "a") == [1]


def wait_for_replicas(primary, replicas):
    for replica in replicas:
        attach(replica, primary)
    for replica in replicas:
        wait_for(lambda: b"master_link_status:up" in replica.client()("INFO", "replication"))


def write_secrets(server):
    """Files with two secrets."""
    for name, text in (("right", "00112233445566778899aabbccddeeff"), ("wrong", "ff" * 16)):
        (server.folder / name).write_text(text)
    return server.folder / "right", server.folder / "wrong"


def fill_keyed(client, prefix):
    """Keyed filters of several shapes, with what changes them; returns their keys."""
    options = ["CAPACITY", 1000, "HASH", "siphash13"]
    keys = [f"{prefix}{name}" for name in ("block", "counting", "window", "scalable", "union")]
    block, counting, window, scalable, union = keys
    assert client("BLM.RESERVE", block, "KIND", "block", *options) == "OK"
    assert client("BLM.ADD", block, "a", "b") == [1, 1] and client("BLM.ADDHASH", block, b"12345678") == 1
    assert client("BLM.RESERVE", counting, "KIND", "counting", *options[:-1], "siphash24", "KEYS", "int") == "OK"
    assert client("BLM.ADD", counting, 1, 2, 3) == [1, 1, 1] and client("BLM.DEL", counting, 2) == [1]
    assert client("BLM.ADDHASH", counting, b"12345678") == 1 and client("BLM.DELHASH", counting, b"12345678abcdefgh") == 1
    assert client("BLM.WINDOW", window, "WINDOWS", 3, *options) == "OK"
    for item in "xyz":
        assert client("BLM.ADD", window, item) == [1]
        client("BLM.ROTATE", window)
    assert client("BLM.RESERVE", scalable, "KIND", "scalable", *options) == "OK"
    client("BLM.ADD", scalable, *range(5000))
    assert client("BLM.MERGE", union, block) == "OK" and client("BLM.MERGE", union, block, union) == "OK"
    return keys


def keyed_filters_answer(client, prefix):
    assert client("BLM.EXISTS", f"{prefix}block", "a", "b", "c") == [1, 1, 0]
    assert client("BLM.EXISTS", f"{prefix}counting", 1, 2, 3) == [1, 0, 1]
    assert client("BLM.EXISTS", f"{prefix}window", "x", "y", "z") == [0, 1, 1]
    assert all(client("BLM.EXISTS", f"{prefix}scalable", *range(5000)))
    assert client("BLM.EXISTS", f"{prefix}union", "a", "b", "c") == [1, 1, 0]


def replicas_need_no_secret(binary, module):
    """One has none and one another: both hold the bytes of keyed filters that were acknowledged, and answer keys once they have
    the secret."""
    with Server(binary, module, "--repl-diskless-sync-delay", "0", port=free_port()) as primary, Server(binary, module, port=free_port()) as none, \
            Server(binary, module, port=free_port()) as other:
        client = primary.client()
        right, wrong = write_secrets(primary)
        assert client("CONFIG", "SET", "bloomery.secret-file", right) == "OK"
        assert other.client()("CONFIG", "SET", "bloomery.secret-file", wrong) == "OK"
        assert client("BLM.RESERVE", "before", "KIND", "block", "CAPACITY", 1000, "HASH", "siphash13") == "OK"
        wait_for_replicas(primary, [none, other])
        keys = ["before"] + fill_keyed(client, "")
        client("BLM.ADD", "before", "b")
        # One that has had the secret for some of them.
        late = none.client()
        assert client("WAIT", 2, 120000) == 2
        late("CONFIG", "SET", "bloomery.secret-file", right)
        assert late("BLM.EXISTS", "before", "b", "c") == [1, 0]
        late("CONFIG", "SET", "bloomery.secret-file", "")
        assert client("BLM.MERGE", "mixed", "before", "block") == "OK" and client("BLM.MERGE", "before", "block") == "OK"
        keys.append("mixed")
        assert client("WAIT", 2, 120000) == 2
        expected = digests(client, keys)
        for replica in (none, other):
            there = replica.client()
            assert digests(there, keys) == expected
            refused = there("BLM.EXISTS", "block", "a")
            assert isinstance(refused, ReplyError) and "secret-file" in refused, refused
            for key in keys:
                assert there("BLM.HASHER", key) == client("BLM.HASHER", key), key
            assert there("DEBUG", "RELOAD") == "OK" and digests(there, keys) == expected
            assert there("REPLICAOF", "NO", "ONE") == "OK"
            assert there("CONFIG", "SET", "bloomery.secret-file", right) == "OK"
            keyed_filters_answer(there, "")
            assert there("BLM.EXISTS", "mixed", "a", "b", "c") == [1, 1, 0]
            assert there("BLM.ADD", "block", "c") == [1] and there("BLM.EXISTS", "block", "c") == [1]


def an_aof_needs_no_secret(binary, module):
    with Server(binary, module, "--appendonly", "yes", "--aof-use-rdb-preamble", "no") as server:
        client = server.client()
        right, _ = write_secrets(server)
        assert client("CONFIG", "SET", "bloomery.secret-file", right) == "OK"
        keys = fill_keyed(client, "rewritten ")
        client("BGREWRITEAOF")
        wait_for(lambda: {b"aof_rewrite_in_progress:0", b"aof_rewrite_scheduled:0"} <= set(client("INFO", "persistence").split()))
        client("BLM.ADD", "rewritten window", "after")
        keys += fill_keyed(client, "")
        before = digests(client, keys)
        for _ in range(2):  # the second time from what was written without the secret
            server.stop()
            server.start()
            client = server.client()
            assert digests(client, keys) == before
            refused = client("BLM.EXISTS", "block", "a")
            assert isinstance(refused, ReplyError) and "secret-file" in refused, refused
            client("BGREWRITEAOF")
            wait_for(lambda: {b"aof_rewrite_in_progress:0", b"aof_rewrite_scheduled:0"} <= set(client("INFO", "persistence").split()))
        assert client("CONFIG", "SET", "bloomery.secret-file", right) == "OK"
        keyed_filters_answer(client, "")  # without a reload
        keyed_filters_answer(client, "rewritten ")
        assert client("BLM.EXISTS", "rewritten window", "after") == [1] and digests(client, keys) == before


def an_aof_that_a_client_sends_makes_the_same_filters(binary, module):
    """As `redis-cli --pipe` does it: keyed filters too, where the server has their secret."""
    with Server(binary, module, "--appendonly", "yes", "--aof-use-rdb-preamble", "no") as server, Server(binary, module) as there:
        client, other = server.client(), there.client()
        right, wrong = write_secrets(server)
        assert client("CONFIG", "SET", "bloomery.secret-file", right) == "OK"
        keys = fill_keyed(client, "rewritten ") + fill(client)
        client("BGREWRITEAOF")
        wait_for(lambda: {b"aof_rewrite_in_progress:0", b"aof_rewrite_scheduled:0"} <= set(client("INFO", "persistence").split()))
        keys += fill_keyed(client, "keyed ")
        expected = digests(client, keys)
        server.stop()
        folder = server.folder / "appendonlydir"
        commands = b"".join(path.read_bytes() for path in sorted(folder.glob("*.aof"), key=lambda path: "incr" in path.name))

        def errors():
            """The errors among the replies to the commands."""
            sender = threading.Thread(target=other.socket.sendall, args=(commands + encoded("ECHO", "the end"),))
            sender.start()
            replies = list(iter(other.read, b"the end"))
            sender.join()
            return [reply for reply in replies if isinstance(reply, ReplyError)]

        assert other("CONFIG", "SET", "bloomery.secret-file", right) == "OK"
        assert errors() == [] and digests(other, keys) == expected
        keyed_filters_answer(other, "keyed ")
        for secret in ("", wrong):
            other("FLUSHALL")
            assert other("CONFIG", "SET", "bloomery.secret-file", secret) == "OK"
            assert any("secret-file" in error for error in errors()) and other("EXISTS", "keyed block") == 0


def a_turn_in_the_future_is_one_of_now(binary, module):
    """What a client gives as AT stops no windows from turning, and is the same on replicas."""
    with Server(binary, module, "--repl-diskless-sync-delay", "0", port=free_port()) as primary, Server(binary, module, port=free_port()) as replica:
        client = primary.client()
        wait_for_replicas(primary, [replica])
        times = [2**64 - 1, 2**63, 2**63 - 1, 1000 * int(time.time() + 3600)]
        for at in times:
            assert client("BLM.WINDOW", f"rotated {at}", "WINDOWS", 2, "EVERY", 1) == "OK"
            assert client("BLM.WINDOW", f"made {at}", "WINDOWS", 2, "EVERY", 1, "AT", at) == "OK"
        keys = [f"{how} {at}" for how in ("made", "rotated") for at in times]
        for key in keys:
            assert client("BLM.ADD", key, "x") == [1]
        for at in times:
            assert client("BLM.ROTATE", f"rotated {at}", "AT", at) == "OK"
        all_is_there(client, 1)
        assert digests(replica.client(), keys) == digests(client, keys)
        time.sleep(2.1)
        for key in keys:
            assert client("BLM.EXISTS", key, "x") == [0], key


def wrong_load_arguments_stop_the_module(binary, module):
    for arguments in (["ERROR_RATE", "2"], ["ERROR_RATE"], ["COLOUR", "red"], ["INITIAL_SIZE", "x"]):
        try:
            Server(binary, module, module_arguments=arguments).remove()
        except RuntimeError as error:
            assert "bloomery:" in str(error), error
        else:
            raise AssertionError(f"the server started with {arguments}")


def the_server_knows_the_commands(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        names = [name.decode() for name in client("COMMAND", "LIST", "FILTERBY", "MODULE", "bloomery")]
        assert {"bf.add", "cf.add", "blm.add"} <= {name.lower() for name in names} and len(names) == 44, len(names)
        docs = client("COMMAND", "DOCS", "BF.ADD")
        assert docs and b"summary" in docs[1], docs
        assert client("COMMAND", "GETKEYS", "BLM.MERGE", "a", "b", "c") == [b"a", b"b", b"c"]
        assert client("COMMAND", "GETKEYS", "BLM.OVERLAP", "a", "b") == [b"a", b"b"]
        assert client("COMMAND", "GETKEYS", "BF.MADD", "a", "b", "c") == [b"a"]
        # Redis 7.0 lets no module name categories: there a user gets commands one by one.
        has_categories = b"bloom" in client("ACL", "CAT")
        client("ACL", "SETUSER", "reader", "on", "nopass", "~*", "+@read" if has_categories else "+bf.exists")
        reader = server.client()
        assert reader("AUTH", "reader", "x") == "OK"
        assert reader("BF.EXISTS", "k", "a") == 0
        assert reader("BF.ADD", "k", "a").startswith("NOPERM")
        assert ("@bloom" in client("COMMAND", "INFO", "BF.ADD")[0][6]) == has_categories
        assert has_categories == ("valkey" in binary)


def events_are_told(binary, module):
    with Server(binary, module, "--notify-keyspace-events", "KEA") as server:
        client, listener = server.client(), server.client()
        listener("PSUBSCRIBE", "__keyevent@0__:*")
        client("CONFIG", "SET", "notify-keyspace-events", "KEAd")
        client("BF.ADD", "k", "a")
        client("BF.ADD", "k", "a")  # changes nothing, tells nothing
        client("CF.ADD", "c", "a")
        client("CF.DEL", "c", "a")
        events = [listener.read()[2].split(b":")[1] for _ in range(3)]
        assert events == [b"bf.add", b"cf.add", b"cf.del"], events
        watcher = server.client()
        for item, expected in (("a", ["PONG"]), ("b", None)):
            watcher("WATCH", "k")
            client("BF.ADD", "k", item)
            watcher("MULTI")
            watcher("PING")
            assert watcher("EXEC") == expected, item


def the_first_part_of_a_dump_is_told_to_who_watches(binary, module):
    """The key exists from then on: a transaction that watches it fails, and clients that keep what they read are told."""
    with Server(binary, module, "--notify-keyspace-events", "KEAd") as server:
        client, listener = server.client(), server.client()
        listener("PSUBSCRIBE", "__keyevent@0__:*.loadchunk")
        for family, create in (("BF", ["BF.ADD", "source", "a"]), ("CF", ["CF.ADD", "source", "a"]), ("BLM", ["BLM.RESERVE", "source", "KIND", "block"])):
            client("FLUSHALL")
            client(*create)
            iterator, header = client(f"{family}.SCANDUMP", "source", 0)
            watcher, tracker = server.client(), server.client(resp=3)
            watcher("WATCH", "k")
            assert tracker("CLIENT", "TRACKING", "ON") == "OK" and tracker("EXISTS", "k") == 0
            assert client(f"{family}.LOADCHUNK", "k", iterator, header) == "OK"
            watcher("MULTI")
            watcher("PING")
            assert watcher("EXEC") is None, family
            tracker.send("PING")
            assert tracker.buffer.readline().startswith(b">"), family
            assert listener.read()[2] == b"__keyevent@0__:" + family.lower().encode() + b".loadchunk"


def a_full_disk_at_save_is_an_error_and_the_server_goes_on(binary, module):
    with Server(binary, module, "--rdbcompression", "no", most_file_bytes=1 << 20) as server:
        client = server.client()
        client("BF.RESERVE", "k", "0.01", "3000000")
        client("BF.MADD", "k", *range(1000))
        before = digests(client, ["k"])
        assert isinstance(client("SAVE"), ReplyError)
        client("BGSAVE")
        wait_for(lambda: b"rdb_last_bgsave_status:err" in client("INFO", "persistence"))
        assert client("CONFIG", "SET", "stop-writes-on-bgsave-error", "no") == "OK"
        assert digests(client, ["k"]) == before and client("BF.ADD", "k", "more") == 1


def hostile_arguments_get_an_answer(binary, module):
    """Every command with every number of odd arguments, on keys of each type; the server lives and keeps its filters."""
    odd = ["", "0", "-1", "1", "nan", "inf", "1e400", 2**31, 2**32, 2**63 - 1, 2**63, 2**64, "0.01", "x" * 5000, b"\0\xff\r\n", "ITEMS", "CAPACITY",
           "EXPANSION", "NONSCALING", "NOCREATE", "ERROR", "KIND", "block", "cuckoo", "FPR", "HASH", "AT", "WINDOWS", "REPLACE", "BLMV"]
    with Server(binary, module, "--maxmemory", "200mb") as server:
        client = server.client()
        keys = fill(client) + ["text", "nothing"]
        client("SET", "text", "x")
        # Sorted: the server lists them in an order of its own, by a seed that nobody knows.
        names = sorted(name.decode() for name in client("COMMAND", "LIST", "FILTERBY", "MODULE", "bloomery"))
        source, last = random.Random(1), collections.deque(maxlen=5)
        try:
            for _ in range(200 if not SOAK else 20000):
                for name in names:
                    words = [source.choice(odd) for _ in range(source.randrange(6))]
                    last.append([name, *([source.choice(keys)] if source.random() < 0.9 else []), *words])
                    client(*last[-1])
            assert client("PING") == "PONG" and server.process.poll() is None
        except Exception:
            print("the last commands:", *last, server.log()[-4000:], sep="\n")
            raise


def random_commands_agree_with_a_model(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        source = random.Random(2)
        added, counted = set(), collections.Counter()
        client("CF.RESERVE", "c", "100", "EXPANSION", "2")
        for step in range(4000 if not SOAK else 400000):
            item = f"i{source.randrange(6000)}"
            choice = source.randrange(7)
            if choice < 2:
                if client("BF.ADD", "b", item) == 1:
                    assert item not in added, "an item that was added is new"
                added.add(item)
            elif choice == 2:
                assert client("BF.EXISTS", "b", item) == 1 or item not in added
            elif choice == 3:
                counted[item] += client("CF.ADD", "c", item) == 1
            elif choice == 4 and counted[item] > 0:
                counted[item] -= client("CF.DEL", "c", item)  # 0 of one that lies in links of two sizes
            elif choice == 5:
                assert client("CF.COUNT", "c", item) >= counted[item]
            elif step % 500 == 6:
                client("CF.COMPACT", "c")
            if step % 1000 == 999:
                assert client("DEBUG", "RELOAD") == "OK"
        assert all(client("BF.MEXISTS", "b", *added))
        assert all(client("CF.MEXISTS", "c", *[item for item, times in counted.items() if times > 0]))
        info = dict_of(client("CF.INFO", "c"))
        assert info["Number of items inserted"] == sum(counted.values()) and info["Number of items deleted"] > 0, info


def a_filter_at_the_limit_migrates(binary, module):
    """As a slot of a cluster does when it moves."""
    with Server(binary, module, port=free_port()) as here, Server(binary, module, port=free_port()) as there:
        client = here.client()
        assert client("BF.RESERVE", "k", "0.01", "100000000", "NONSCALING") == "OK"
        assert client("MEMORY", "USAGE", "k") > 110 << 20
        client("BF.MADD", "k", *range(1000))
        before = digests(client, ["k"])
        assert client("MIGRATE", "127.0.0.1", there.port, "k", 0, 60000) == "OK"
        assert client("EXISTS", "k") == 0
        assert digests(there.client(), ["k"]) == before


TESTS = [value for value in list(globals().values()) if inspect.isfunction(value) and value.__module__ == __name__
         and str(inspect.signature(value)) == "(binary, module)"]
