"""BLM.*: any kind, packed hashes, windows, merges, files. Each function is a promise; it gets a client."""
import struct
import time

from bf_tests import WRONGTYPE, dict_of, dump, refused, same, tests_of, truth, wrong_arity
from resp import ReplyError, Simple

KINDS = ["classic", "split", "block", "counting", "partitioned", "scalable", "stable", "cuckoo", "quotient"]


def every_kind_that_takes_keys_is_served(client):
    for kind in KINDS:
        same(client("BLM.RESERVE", kind, "KIND", kind, "CAPACITY", "5000", "FPR", "0.01"), Simple("OK"))
        assert client("BLM.ADD", kind, *range(1000))[0] == 1
        replies = client("BLM.EXISTS", kind, *range(1000))
        same(replies[0], truth(client, 1))
        assert all(replies), kind
        assert sum(client("BLM.EXISTS", kind, *range(10000, 11000))) <= 40, kind
        info = dict_of(client("BLM.INFO", kind))
        assert info["kind"] == kind.encode() and float(info["predicted rate"]) <= 0.012, info
    for kind in ("fuse", "ribbon", "nonsense"):
        assert isinstance(client("BLM.RESERVE", "n", "KIND", kind), ReplyError)
    assert client("EXISTS", "n") == 0


def kinds_that_remove_and_count_do(client):
    for kind in ("counting", "cuckoo", "quotient"):
        client("BLM.RESERVE", kind, "KIND", kind, "CAPACITY", "1000")
        client("BLM.ADD", kind, "a", "a", "b")
        same(client("BLM.COUNT", kind, "a"), 2)
        assert client("BLM.DEL", kind, "a", "a", "b", "c") == [1, 1, 1, 0]
        assert client("BLM.EXISTS", kind, "a", "b") == [0, 0]
    client("BLM.RESERVE", "block", "KIND", "block")
    for words in (["BLM.DEL", "block", "a"], ["BLM.COUNT", "block", "a"]):
        got = client(*words)
        assert isinstance(got, ReplyError) and "counting, cuckoo and quotient" in got, got


def a_missing_key_is_told_from_a_missing_item(client):
    for words in (["BLM.EXISTS", "n", "a"], ["BLM.ADD", "n", "a"], ["BLM.HASHES", "n", b"12345678"], ["BLM.INFO", "n"], ["BLM.DEL", "n", "a"],
                  ["BLM.COUNT", "n", "a"], ["BLM.HASHER", "n"], ["BLM.ROTATE", "n"], ["BLM.EXPORT", "n"], ["BLM.OVERLAP", "n", "m"],
                  ["BLM.MERGE", "n", "m"], ["BLM.ADDHASH", "n", b"12345678"], ["BLM.SCANDUMP", "n", "0"]):
        refused(client, "ERR not found", *words)
    client("SET", "text", "x")
    for words in (["BLM.EXISTS", "text", "a"], ["BLM.ADD", "text", "a"], ["BLM.INFO", "text"], ["BLM.MERGE", "text", "m"], ["BLM.EXPORT", "text"]):
        refused(client, WRONGTYPE, *words)


def bad_arguments_are_named(client):
    for words, needle in ((["KIND", "block", "FPR", "0"], "FPR"), (["KIND", "block", "FPR", "nan"], "FPR"), (["KIND", "block", "FPR", "x"], "FPR"),
                          (["KIND", "block", "CAPACITY", "0"], "CAPACITY"), (["KIND", "block", "CAPACITY", 2**63], "fewer keys"),
                          (["KIND", "block", "CAPACITY", 2**40], "max-filter-bytes"),
                          (["KIND", "block", "CAPACITY", 2**64], "CAPACITY"), (["FPR", "0.1"], "KIND"), (["KIND", "block", "HASH", "md5"], "hash"),
                          (["KIND", "block", "HASH", "siphash13"], "secret-file"), (["KIND", "block", "COLOUR", "red"], "unknown"),
                          (["KIND", "block", "LABEL", "a\nb"], "label"), (["KIND", "block", "WINDOWS", "3"], "unknown")):
        got = client("BLM.RESERVE", "k", *words)
        assert isinstance(got, ReplyError) and needle in got, (words, got)
    for words in (["BLM.RESERVE", "k"], ["BLM.RESERVE", "k", "KIND"], ["BLM.ADD", "k"], ["BLM.HASHES", "k"], ["BLM.IMPORT", "k", "0", "5"]):
        wrong_arity(client, *words)
    assert client("DBSIZE") == 0


def hashes_go_in_packed_and_come_out_as_bits(client):
    client("BLM.RESERVE", "k", "KIND", "block", "CAPACITY", "10000")
    hashes = [(i * 0x9E3779B97F4A7C15) % 2**64 for i in range(3000)]
    blob = struct.pack("<1000Q", *hashes[:1000])
    assert client("BLM.ADDHASH", "k", blob) >= 990
    bits = client("BLM.HASHES", "k", struct.pack("<3000Q", *hashes))
    assert len(bits) == 375
    answers = [bits[i // 8] >> (i % 8) & 1 for i in range(3000)]
    assert all(answers[:1000]) and sum(answers[1000:]) <= 40
    same(client("BLM.HASHES", "k", b""), b"")
    for blob in (b"1234567", b"123456789"):
        assert "8 bytes" in client("BLM.HASHES", "k", blob) and "8 bytes" in client("BLM.ADDHASH", "k", blob)
    how = dict_of(client("BLM.HASHER", "k"))
    assert how["hash"] == b"xxh3" and how["seed"] == b"0" and how["keys"] == b"bytes", how


def integer_keys_are_parsed(client):
    client("BLM.RESERVE", "k", "KIND", "block", "KEYS", "int", "LABEL", "users")
    assert client("BLM.ADD", "k", "42", "-7", 2**64 - 1) == [1, 1, 1]
    assert client("BLM.EXISTS", "k", "42", "042", "-7", 2**64 - 7, "43") == [1, 1, 1, 1, 0]
    for text in ("x", "", "4.2", "1e3", 2**64):
        got = client("BLM.ADD", "k", text)
        assert isinstance(got, ReplyError) and "decimals" in got, got
    info = dict_of(client("BLM.INFO", "k"))
    assert info["label"] == b"users" and info["keys"] == b"int" and info["items"] == 3


def merges_unite_and_intersect(client):
    for key, items in (("a", range(1000)), ("b", range(500, 1500))):
        client("BLM.RESERVE", key, "KIND", "block", "CAPACITY", "10000")
        client("BLM.ADD", key, *items)
    same(client("BLM.MERGE", "u", "a", "b"), Simple("OK"))
    assert all(client("BLM.EXISTS", "u", *range(1500)))
    same(client("BLM.INTERSECT", "i", "a", "b"), Simple("OK"))
    assert all(client("BLM.EXISTS", "i", *range(500, 1000))) and sum(client("BLM.EXISTS", "i", *range(500))) < 30
    same(client("BLM.MERGE", "a", "b"), Simple("OK"))
    assert all(client("BLM.EXISTS", "a", *range(1500)))
    found = dict_of(client("BLM.OVERLAP", "a", "b"))
    assert abs(float(found["intersection"][0]) - 1000) < 100, found
    client("BLM.RESERVE", "other", "KIND", "block", "CAPACITY", "500")
    before = client("DEBUG", "DIGEST-VALUE", "a")
    assert isinstance(client("BLM.MERGE", "a", "b", "other"), ReplyError)
    assert client("DEBUG", "DIGEST-VALUE", "a") == before


def filters_of_integers_combine_with_such_alone(client):
    """What 5 hashes to hangs on KEYS: a filter that forgot it would lose its keys."""
    client("BLM.RESERVE", "a", "KIND", "block", "KEYS", "int")
    client("BLM.ADD", "a", 5, 6)
    client("BLM.RESERVE", "b", "KIND", "block")
    client("BLM.RESERVE", "c", "KIND", "block", "KEYS", "int")
    client("BLM.ADD", "c", 5, 7)
    for words in (["BLM.MERGE", "a", "b"], ["BLM.MERGE", "b", "a"], ["BLM.MERGE", "n", "c", "b"], ["BLM.INTERSECT", "a", "b"], ["BLM.INTERSECT", "n", "b", "a"]):
        got = client(*words)
        assert isinstance(got, ReplyError) and "KEYS int" in got, (words, got)
    assert client("EXISTS", "n") == 0 and client("BLM.EXISTS", "a", 5, 6) == [1, 1]
    same(client("BLM.MERGE", "a", "c"), Simple("OK"))
    assert client("BLM.EXISTS", "a", 5, 6, 7, 8) == [1, 1, 1, 0]


def a_filter_that_has_no_windows_is_not_rotated(client):
    client("BLM.RESERVE", "k", "KIND", "block")
    client("BLM.ADD", "k", "a")
    got = client("BLM.ROTATE", "k")
    assert isinstance(got, ReplyError) and "BLM.WINDOW" in got, got
    assert client("BLM.EXISTS", "k", "a") == [1]


def windows_take_no_removals_and_are_counted_together(client):
    """What an item of an older window seems to be in the newest one is another item's: ten of these were lost by it."""
    for kind in ("counting", "cuckoo", "quotient"):
        client("DEL", "w")
        client("BLM.WINDOW", "w", "KIND", kind, "CAPACITY", 2000, "WINDOWS", 2)
        client("BLM.ADD", "w", *[f"x{i}" for i in range(1500)])
        client("BLM.ROTATE", "w")
        items = [f"y{i}" for i in range(1500)]
        client("BLM.ADD", "w", "x7", *items)
        for words in (["BLM.DEL", "w", *[f"x{i}" for i in range(1500)]], ["BLM.DELHASH", "w", b"12345678"]):
            got = client(*words)
            assert isinstance(got, ReplyError) and "no removals" in got, got
        assert all(client("BLM.EXISTS", "w", *items)), kind
        assert client("BLM.COUNT", "w", "x7") >= 2 and client("BLM.COUNT", "w", "x8") >= 1
        client("BLM.ROTATE", "w")
        assert client("BLM.COUNT", "w", "x7") >= 1 and sum(client("BLM.COUNT", "w", f"x{i}") for i in range(100, 200)) < 50


def windows_that_grow_share_the_limit(client):
    client("CONFIG", "SET", "bloomery.max-filter-bytes", "200kb")
    try:
        client("BLM.WINDOW", "w", "KIND", "scalable", "CAPACITY", 1000, "WINDOWS", 4)
        for turn in range(4):
            for first in range(0, 10**6, 1000):
                got = client("BLM.ADD", "w", *[f"{turn} {i}" for i in range(first, first + 1000)])
                if isinstance(got[-1], ReplyError):
                    break
            assert "bloomery.max-filter-bytes" in got[-1], got[-1]
            assert all(client("BLM.EXISTS", "w", *[f"{turn} {i}" for i in range(first)])), turn
            assert first >= 10000, (turn, first)
            if turn < 3:
                client("BLM.ROTATE", "w")
        assert 100_000 < dict_of(client("BLM.INFO", "w"))["bytes"] <= 200 * 1024
        for part in dump(client, "BLM", "w"):
            same(client("BLM.LOADCHUNK", "n", *part), Simple("OK"))
        assert client("DEBUG", "DIGEST-VALUE", "w") == client("DEBUG", "DIGEST-VALUE", "n")
    finally:
        client("CONFIG", "SET", "bloomery.max-filter-bytes", "128mb")


def windows_forget_the_oldest(client):
    same(client("BLM.WINDOW", "w", "WINDOWS", "3", "CAPACITY", "1000"), Simple("OK"))
    for turn in range(5):
        client("BLM.ADD", "w", f"t{turn}")
        answers = client("BLM.EXISTS", "w", *[f"t{i}" for i in range(turn + 1)])
        assert answers == [1 if i > turn - 3 else 0 for i in range(turn + 1)], (turn, answers)
        same(client("BLM.ROTATE", "w"), Simple("OK"))
    assert dict_of(client("BLM.INFO", "w"))["windows"] == 3
    for words in (["WINDOWS", "0"], ["WINDOWS", "65"], ["WINDOWS", "3", "EVERY", "0"]):
        assert isinstance(client("BLM.WINDOW", "n", *words), ReplyError)


def windows_turn_by_the_clock(client):
    """On a busy machine a second may pass between two commands: then what they answered tells nothing, and it is done again."""
    for _ in range(100):
        client("DEL", "w")
        began = time.monotonic()
        client("BLM.WINDOW", "w", "WINDOWS", "2", "EVERY", "1", "CAPACITY", "100")
        client("BLM.ADD", "w", "old")
        early = client("BLM.EXISTS", "w", "old")
        early_for_sure = time.monotonic() - began < 1
        time.sleep(2.1)
        assert client("BLM.EXISTS", "w", "old") == [0]
        began = time.monotonic()
        client("BLM.ADD", "w", "new")
        late = client("BLM.EXISTS", "w", "old", "new")
        if early_for_sure and time.monotonic() - began < 1:
            assert early == [1] and late == [0, 1], (early, late)
            return
    raise AssertionError("each time a second passed between two commands")


def export(client, key, between=lambda: None):
    """The file of a key; `between` is called between its parts."""
    file, cursor = bytearray(), 0
    while True:
        cursor, offset, part = client("BLM.EXPORT", key, cursor)
        file.extend(bytes(max(0, offset + len(part) - len(file))))
        file[offset:offset + len(part)] = part
        if cursor == 0:
            return bytes(file)
        between()


def files_go_out_and_in(client):
    for kind in KINDS:
        client("BLM.RESERVE", kind, "KIND", kind, "CAPACITY", "5000", "LABEL", kind)
        client("BLM.ADD", kind, *range(1000))
        file = export(client, kind)
        assert file[:8].startswith(b"BLOOMERY") or len(file) > 128
        third = len(file) // 3
        for first in range(0, len(file), third):
            part = file[first:first + third]
            same(client("BLM.IMPORT", kind + "2", first, len(file), part), min(first + third, len(file)))
            assert client("EXISTS", kind + "2") == (1 if first + third >= len(file) else 0)
        assert all(client("BLM.EXISTS", kind + "2", *range(1000))), kind
        assert client("DEBUG", "DIGEST-VALUE", kind) == client("DEBUG", "DIGEST-VALUE", kind + "2")


def imports_are_verified(client):
    client("BLM.RESERVE", "k", "KIND", "block", "CAPACITY", "1000")
    client("BLM.ADD", "k", *range(500))
    file = export(client, "k")
    for place in range(0, len(file), 37):
        broken = file[:place] + bytes([file[place] ^ 4]) + file[place + 1:]
        assert isinstance(client("BLM.IMPORT", "n", 0, len(file), broken), ReplyError), place
    assert isinstance(client("BLM.IMPORT", "n", 0, 100, b"x" * 100), ReplyError)
    assert isinstance(client("BLM.IMPORT", "n", 10, 100, b"x" * 10), ReplyError)
    assert isinstance(client("BLM.IMPORT", "n", 0, 2**62, b"x"), ReplyError)
    assert isinstance(client("BLM.IMPORT", "n", 0, 5, b"x" * 6), ReplyError)
    assert client("EXISTS", "n") == 0
    got = client("BLM.IMPORT", "k", 0, len(file), file)
    assert isinstance(got, ReplyError) and "REPLACE" in got, got
    same(client("BLM.IMPORT", "k", 0, len(file), file, "REPLACE"), len(file))


def an_empty_part_asks_how_much_is_there(client):
    client("BLM.RESERVE", "k", "KIND", "block", "CAPACITY", "1000")
    file = export(client, "k")
    same(client("BLM.IMPORT", "n", 0, len(file), b""), 0)
    same(client("BLM.IMPORT", "n", 0, len(file), file[:100]), 100)
    same(client("BLM.IMPORT", "n", 0, len(file), b""), 100)
    same(client("BLM.IMPORT", "n", 0, len(file) + 1, b""), 0)  # another file
    same(client("BLM.IMPORT", "n", 100, len(file), file[100:]), len(file))
    assert isinstance(client("BLM.IMPORT", "n", 0, len(file), b""), ReplyError)  # it exists
    same(client("BLM.IMPORT", "n", 0, len(file), b"", "REPLACE"), 0)


CHANGED = "ERR the filter has changed, begin again with 0"
LARGE = {"block": 16_000_000, "counting": 4_000_000}  # keys of a filter above 16 MiB, which is read in parts


def a_dump_of_a_bloom_filter_goes_on_while_keys_are_added(client):
    for kind, keys in LARGE.items():
        client("FLUSHALL")
        client("BLM.RESERVE", "k", "KIND", kind, "CAPACITY", keys)
        client("BLM.ADD", "k", *range(1000))
        added = iter(range(1_000_000, 2_000_000))

        def add():
            assert sum(client("BLM.ADD", "k", *[next(added) for _ in range(1000)])) > 900

        file = export(client, "k", add)
        assert next(added) > 1_001_000, "it had one part"
        same(client("BLM.IMPORT", "n", 0, len(file), file), len(file))  # its sum is right
        assert all(client("BLM.EXISTS", "n", *range(1000))), kind
        info = dict_of(client("BLM.INFO", "n"))
        assert info["items"] == 1000, info  # those of the beginning
        parts, iterator = [], 0
        while True:
            iterator, part = client("BLM.SCANDUMP", "k", iterator)
            if iterator == 0:
                break
            parts.append((iterator, part))
            add()
        assert len(parts) > 2
        for part in parts:
            same(client("BLM.LOADCHUNK", "m", *part), Simple("OK"))
        assert all(client("BLM.EXISTS", "m", *range(1000), *range(1_000_000, 1_001_000))), kind


def a_dump_of_a_scalable_filter_that_gained_keys_knows_how_many(client):
    client("BLM.RESERVE", "k", "KIND", "scalable", "CAPACITY", 20000)
    client("BLM.ADD", "k", *range(10))
    iterator, header = client("BLM.SCANDUMP", "k", 0)
    client("BLM.ADD", "k", *range(10, 19900))
    for part in ((iterator, header), client("BLM.SCANDUMP", "k", iterator)):
        same(client("BLM.LOADCHUNK", "n", *part), Simple("OK"))
    info = dict_of(client("BLM.INFO", "n"))
    assert 19500 <= info["items"] <= 20000, info
    client("BLM.ADD", "n", *range(20000, 40000))
    assert dict_of(client("BLM.INFO", "n"))["bytes"] > 2 * info["bytes"], "it has not grown"
    assert float(dict_of(client("BLM.INFO", "n"))["predicted rate"]) <= 0.01


def begun(client, key):
    """The cursors of an export and of a dump after their first parts."""
    cursor, _, _ = client("BLM.EXPORT", key, 0)
    iterator, _ = client("BLM.SCANDUMP", key, 0)
    assert cursor > 0 and iterator > 0
    return [("BLM.EXPORT", cursor), ("BLM.SCANDUMP", iterator)]


def a_dump_begins_again_when_bits_move_or_go(client):
    for kind, keys, change in (("cuckoo", 15_000_000, ["BLM.ADD", "k", "more"]), ("quotient", 10_000_000, ["BLM.ADD", "k", "more"]),
                               ("stable", 6_000_000, ["BLM.ADD", "k", "more"]), ("counting", LARGE["counting"], ["BLM.DEL", "k", "a"]),
                               ("block", LARGE["block"], ["BLM.INTERSECT", "k", "k"]), ("block", LARGE["block"], ["COPY", "other", "k", "REPLACE"])):
        client("FLUSHALL")
        for key in ("k", "other"):
            client("BLM.RESERVE", key, "KIND", kind, "CAPACITY", keys)
            client("BLM.ADD", key, "a")
        for command, cursor in begun(client, "k"):
            client("BLM.EXISTS", "k", "a")
            assert not isinstance(client(command, "k", cursor), ReplyError), (kind, command)
        cursors = begun(client, "k")
        assert not isinstance(client(*change), ReplyError), change
        for command, cursor in cursors:
            refused(client, CHANGED, command, "k", cursor)
        for command, cursor in begun(client, "k"):
            assert not isinstance(client(command, "k", cursor), ReplyError), (kind, command)


def the_last_part_of_a_file_can_be_asked_for_again(client):
    client("BLM.RESERVE", "k", "KIND", "block", "CAPACITY", LARGE["block"])
    client("BLM.ADD", "k", *range(1000))
    file, cursors = {}, [0]
    while True:
        client("BLM.EXPORT", "k", cursors[-1])  # its reply is lost
        client("BLM.ADD", "k", *range(len(file) * 1000, len(file) * 1000 + 1000))
        cursor, offset, part = client("BLM.EXPORT", "k", cursors[-1])
        file[offset] = part
        if cursor == 0:
            break
        cursors.append(cursor)
    assert len(cursors) > 2
    whole = b"".join(file[offset] for offset in sorted(file))
    same(client("BLM.IMPORT", "n", 0, len(whole), whole), len(whole))
    for cursor in (cursors[-1] + 64, 5, 2**63):
        assert "begin again" in client("BLM.EXPORT", "k", cursor)
    # One that was begun earlier goes on beside it.
    first = client("BLM.EXPORT", "k", 0)[0]
    client("BLM.EXPORT", "k", 0)
    assert not isinstance(client("BLM.EXPORT", "k", first), ReplyError)


def abandoned_imports_expire(client):
    client("CONFIG", "SET", "bloomery.import-timeout", "1")
    try:
        before = client("MEMORY", "STATS")
        client("BLM.IMPORT", "n", 0, 50 << 20, b"x" * 100)
        time.sleep(3.2)
        got = client("BLM.IMPORT", "n", 100, 50 << 20, b"x" * 100)
        assert isinstance(got, ReplyError) and "begin again" in got, got
        assert before
    finally:
        client("CONFIG", "SET", "bloomery.import-timeout", "3600")


def dumps_of_windows_load_again(client):
    client("BLM.WINDOW", "w", "WINDOWS", "3", "CAPACITY", "1000")
    for turn in range(3):
        client("BLM.ADD", "w", f"t{turn}")
        client("BLM.ROTATE", "w")
    for part in dump(client, "BLM", "w"):
        same(client("BLM.LOADCHUNK", "n", *part), Simple("OK"))
    assert client("DEBUG", "DIGEST-VALUE", "w") == client("DEBUG", "DIGEST-VALUE", "n")
    assert client("BLM.EXISTS", "n", "t0", "t1", "t2") == [0, 1, 1]


TESTS = tests_of(globals())
