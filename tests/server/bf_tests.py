"""BF.*: replies in RESP2 and RESP3, error texts, corner cases. Each function is a promise; it gets a client."""
import inspect

from resp import ReplyError, Simple

FULL = ReplyError("ERR non scaling filter is full")
WRONGTYPE = ReplyError("WRONGTYPE Operation against a key holding the wrong kind of value")


def tests_of(names):
    """The functions of a module whose one argument is `client`."""
    return [value for value in names.values() if inspect.isfunction(value) and value.__module__ == names["__name__"]
            and str(inspect.signature(value)) == "(client)"]


def same(got, expected):
    assert got == expected and type(got) is type(expected), f"{got!r}, not {expected!r}"


def truth(client, value):
    return bool(value) if client.resp == 3 else int(value)


def refused(client, error, *words):
    got = client(*words)
    assert isinstance(got, ReplyError) and got == error, f"{words[:3]}: {got!r:.200}, not {error!r}"


def wrong_arity(client, *words):
    got = client(*words)
    assert isinstance(got, ReplyError) and "wrong number of arguments" in got, f"{words}: {got!r:.200}"


def add_tells_new_from_seen(client):
    same(client("BF.ADD", "k", "a"), truth(client, 1))
    same(client("BF.ADD", "k", "a"), truth(client, 0))
    same(client("BF.EXISTS", "k", "a"), truth(client, 1))
    same(client("BF.EXISTS", "k", "b"), truth(client, 0))
    same(client("BF.CARD", "k"), 1)


def madd_and_mexists_answer_in_order(client):
    assert client("BF.MADD", "k", "a", "b", "a") == [truth(client, x) for x in (1, 1, 0)]
    replies = client("BF.MEXISTS", "k", "b", "x", "a")
    for reply, expected in zip(replies, (1, 0, 1)):
        same(reply, truth(client, expected))
    items = [f"i{i}" for i in range(1000)]
    assert sum(client("BF.MADD", "k", *items)) == 1000
    assert sum(client("BF.MEXISTS", "k", *items)) == 1000


def missing_keys_and_other_types_have_no_items(client):
    same(client("BF.EXISTS", "nothing", "a"), truth(client, 0))
    assert client("BF.MEXISTS", "nothing", "a", "b") == [0, 0]
    same(client("BF.CARD", "nothing"), 0)
    client("SET", "text", "x")
    same(client("BF.EXISTS", "text", "a"), truth(client, 0))
    assert client("BF.MEXISTS", "text", "a", "b") == [0, 0]
    for words in (["BF.ADD", "text", "a"], ["BF.MADD", "text", "a"], ["BF.INSERT", "text", "ITEMS", "a"], ["BF.INFO", "text"],
                  ["BF.CARD", "text"], ["BF.RESERVE", "text", "0.1", "10"], ["BF.SCANDUMP", "text", "0"],
                  ["BF.LOADCHUNK", "text", "1", "x"], ["BF.DEBUG", "text"]):
        refused(client, WRONGTYPE, *words)
    client("CF.ADD", "cuckoo", "a")
    refused(client, WRONGTYPE, "BF.ADD", "cuckoo", "a")
    for words in (["BF.INFO", "nothing"], ["BF.DEBUG", "nothing"], ["BF.SCANDUMP", "nothing", "0"]):
        refused(client, "ERR not found", *words)
    assert client("EXISTS", "nothing") == 0


def reserve_refuses_by_the_known_texts(client):
    refused(client, "ERR bad error rate", "BF.RESERVE", "k", "x", "10")
    for rate in ("0", "1", "2", "-0.5", "nan", "inf"):
        refused(client, "ERR error rate must be in the range (0.000000, 1.000000)", "BF.RESERVE", "k", rate, "10")
    refused(client, "ERR bad capacity", "BF.RESERVE", "k", "0.01", "x")
    refused(client, "ERR bad capacity", "BF.RESERVE", "k", "0.01", 2**63)
    for capacity in (0, -1, 2**30 + 1, 2**62):
        refused(client, "ERR capacity must be in the range [1, 1073741824]", "BF.RESERVE", "k", "0.01", capacity)
    refused(client, "ERR no expansion", "BF.RESERVE", "k", "0.01", "10", "EXPANSION")
    refused(client, "ERR bad expansion", "BF.RESERVE", "k", "0.01", "10", "EXPANSION", "x")
    for expansion in (-1, 32769):
        refused(client, "ERR expansion must be in the range [0, 32768]", "BF.RESERVE", "k", "0.01", "10", "EXPANSION", expansion)
    refused(client, "Nonscaling filters cannot expand", "BF.RESERVE", "k", "0.01", "10", "NONSCALING", "EXPANSION", "2")
    same(client("BF.RESERVE", "k", "0.01", "10"), Simple("OK"))
    refused(client, "ERR item exists", "BF.RESERVE", "k", "0.01", "10")


def commands_count_their_arguments(client):
    for name, fewest in (("BF.RESERVE", 3), ("BF.ADD", 2), ("BF.MADD", 2), ("BF.INSERT", 3), ("BF.EXISTS", 2), ("BF.MEXISTS", 2),
                         ("BF.CARD", 1), ("BF.INFO", 1), ("BF.SCANDUMP", 2), ("BF.LOADCHUNK", 3), ("BF.DEBUG", 1)):
        wrong_arity(client, name, *["x"] * (fewest - 1))
    for words in (["BF.ADD", "k", "a", "b"], ["BF.EXISTS", "k", "a", "b"], ["BF.CARD", "k", "a"], ["BF.INFO", "k", "SIZE", "x"],
                  ["BF.INSERT", "k", "CAPACITY", "10", "ITEMS"], ["BF.INSERT", "k", "NOCREATE", "CAPACITY", "5"],
                  ["BF.RESERVE", "k", "0.1", "10", "NOTHING"]):
        wrong_arity(client, *words)
    assert client("DBSIZE") == 0


def insert_creates_as_told(client):
    assert client("BF.INSERT", "k", "CAPACITY", "500", "ERROR", "0.001", "EXPANSION", "4", "ITEMS", "a", "a") == [1, 0]
    info = dict_of(client("BF.INFO", "k"))
    assert info["Capacity"] == 500 and info["Expansion rate"] == 4 and info["Number of items inserted"] == 1
    refused(client, "ERR not found", "BF.INSERT", "nothing", "NOCREATE", "ITEMS", "a")
    assert client("BF.INSERT", "k", "NOCREATE", "ITEMS", "b") == [1]
    refused(client, "Bad capacity", "BF.INSERT", "n", "CAPACITY", "x", "ITEMS", "a")
    refused(client, "Bad error rate", "BF.INSERT", "n", "ERROR", "x", "ITEMS", "a")
    refused(client, "Bad expansion", "BF.INSERT", "n", "EXPANSION", "x", "ITEMS", "a")
    refused(client, "Unknown argument received", "BF.INSERT", "n", "COLOUR", "red", "ITEMS", "a")
    refused(client, "Nonscaling filters cannot expand", "BF.INSERT", "n", "NONSCALING", "EXPANSION", "2", "ITEMS", "a")
    assert client("EXISTS", "n") == 0


def a_full_filter_ends_the_array_with_an_error(client):
    client("BF.RESERVE", "k", "0.01", "3", "NONSCALING")
    replies = client("BF.MADD", "k", "a", "b", "a", "c", "d", "e")
    assert replies == [1, 1, 0, 1, FULL] and isinstance(replies[4], ReplyError), replies
    refused(client, FULL, "BF.ADD", "k", "f")
    same(client("BF.ADD", "k", "a"), truth(client, 0))
    assert client("BF.INSERT", "k", "ITEMS", "b", "z") == [0, FULL]
    assert client("BF.CARD", "k") == 3 and client("BF.MEXISTS", "k", "a", "b", "c") == [1, 1, 1]


def dict_of(reply):
    return reply if isinstance(reply, dict) else dict(zip(reply[::2], reply[1::2]))


def info_has_five_pairs(client):
    client("BF.RESERVE", "k", "0.01", "1000")
    reply = client("BF.INFO", "k")
    assert isinstance(reply, dict if client.resp == 3 else list), reply
    info = dict_of(reply)
    assert list(info) == ["Capacity", "Size", "Number of filters", "Number of items inserted", "Expansion rate"], info
    assert info["Capacity"] == 1000 and info["Number of filters"] == 1 and info["Expansion rate"] == 2
    for word, name in (("CAPACITY", "Capacity"), ("size", "Size"), ("Filters", "Number of filters"),
                       ("ITEMS", "Number of items inserted"), ("EXPANSION", "Expansion rate")):
        same(client("BF.INFO", "k", word), {name: info[name]} if client.resp == 3 else [info[name]])
    refused(client, "Invalid information value", "BF.INFO", "k", "COLOUR")
    client("BF.RESERVE", "single", "0.01", "1000", "NONSCALING")
    assert dict_of(client("BF.INFO", "single"))["Expansion rate"] is None


def growth_keeps_every_item_and_the_rate(client):
    items = [f"item{i}" for i in range(30000)]
    for first in range(0, len(items), 500):
        client("BF.MADD", "k", *items[first:first + 500])
    info = dict_of(client("BF.INFO", "k"))
    assert info["Number of filters"] == 3 and info["Capacity"] == 8192 + 16384 + 32768, info
    wrong = 0
    for first in range(0, len(items), 500):
        assert all(client("BF.MEXISTS", "k", *items[first:first + 500]))
        wrong += sum(client("BF.MEXISTS", "k", *[f"other{i}" for i in range(first, first + 500)]))
    assert wrong <= 300, f"{wrong} of 30000 are false positives: more than 1 %"
    assert info["Number of items inserted"] >= 30000 - 300


def the_first_4096_are_exact(client):
    items = [f"item{i}" for i in range(4096)]
    assert sum(client("BF.MADD", "k", *items)) == 4096
    assert sum(client("BF.MEXISTS", "k", *[f"other{i}" for i in range(50000)])) == 0
    assert len(client("BF.DEBUG", "k")) == 1
    client("BF.ADD", "k", "one more")
    assert len(client("BF.DEBUG", "k")) == 2 and all(client("BF.MEXISTS", "k", *items))
    assert client("BF.CARD", "k") == 4097


def items_are_bytes(client):
    odd = [b"", b"\0", b"a\0b", b"\xff" * 3, b"x" * 100000]
    assert client("BF.MADD", "k", *odd) == [1] * 5
    assert client("BF.MEXISTS", "k", *odd, b"a", b"\0\0") == [1] * 5 + [0, 0]


def dump(client, family, key):
    """The parts of SCANDUMP with their iterators."""
    parts, iterator = [], 0
    while True:
        iterator, part = client(f"{family}.SCANDUMP", key, iterator)
        if iterator == 0:
            assert part == b"", part
            return parts
        parts.append((iterator, part))


def dumps_load_again(client):
    client("BF.MADD", "small", "a", "b")
    client("BF.RESERVE", "large", "0.01", "20000000")
    client("BF.MADD", "large", *[f"i{i}" for i in range(1000)])
    for key in ("small", "large"):
        parts = dump(client, "BF", key)
        assert len(parts) == (1 if key == "small" else 3) and all(len(part) <= 16 << 20 for _, part in parts)
        for i, (iterator, part) in enumerate(parts):
            same(client("BF.LOADCHUNK", key + "2", iterator, part), Simple("OK"))
            if i + 1 < len(parts):
                same(client("BF.EXISTS", key + "2", "never added"), truth(client, 1))  # in doubt, maybe
                refused(client, "ERR the filter is being loaded", "BF.ADD", key + "2", "x")
        assert client("DEBUG", "DIGEST-VALUE", key) == client("DEBUG", "DIGEST-VALUE", key + "2")
    assert all(client("BF.MEXISTS", "large2", *[f"i{i}" for i in range(1000)]))
    refused(client, "ERR received bad data: the key exists, remove it first", "BF.LOADCHUNK", "large2", *parts[0])


def damaged_dumps_are_refused(client):
    client("BF.RESERVE", "k", "0.01", "20000")
    client("BF.MADD", "k", *range(1000))
    (first, header), (second, data) = dump(client, "BF", "k")
    foreign = client("BF.LOADCHUNK", "n", 1, b"\0" * 100)
    assert foreign.startswith("ERR received bad data") and "other modules" in foreign, foreign
    for place in range(0, len(header), 7):
        broken = header[:place] + bytes([header[place] ^ 1]) + header[place + 1:]
        assert client("BF.LOADCHUNK", "n", first, broken).startswith("ERR received bad data"), place
    for cut in (0, 1, 8, 20, len(header) - 1):
        assert client("BF.LOADCHUNK", "n", first, header[:cut]).startswith("ERR received bad data")
    refused(client, "ERR not found", "BF.LOADCHUNK", "n", second, data)
    client("BF.LOADCHUNK", "n", first, header)
    refused(client, "ERR received bad data", "BF.LOADCHUNK", "n", second, data[:100] + b"x" + data[101:])
    refused(client, "ERR received bad data", "BF.LOADCHUNK", "n", second, data[:-1])
    refused(client, "ERR invalid chunk - Too big for current filter", "BF.LOADCHUNK", "n", second + 1, data)
    refused(client, "ERR received bad data", "BF.LOADCHUNK", "n", second - 1, data)
    same(client("BF.LOADCHUNK", "n", second, data), Simple("OK"))
    refused(client, "ERR invalid offset - no link found", "BF.LOADCHUNK", "n", second, data)
    for iterator in ("x", "-1", "0"):
        assert isinstance(client("BF.LOADCHUNK", "n2", iterator, data), ReplyError)
    assert client("EXISTS", "n2") == 0


def a_dump_that_grows_meanwhile_is_of_the_links_it_began_with(client):
    client("BF.MADD", "k", *range(8000))
    iterator, header = client("BF.SCANDUMP", "k", 0)
    client("BF.MADD", "k", *range(8000, 12000))
    assert len(client("BF.DEBUG", "k")) == 3
    parts = [(iterator, header)]
    while True:
        iterator, part = client("BF.SCANDUMP", "k", iterator)
        if iterator == 0:
            break
        parts.append((iterator, part))
    for part in parts:
        same(client("BF.LOADCHUNK", "n", *part), Simple("OK"))
    assert all(client("BF.MEXISTS", "n", *range(8000)))
    same(client("BF.ADD", "n", "more"), truth(client, 1))


def false_positives(client, command, key):
    return sum(client(command, key, *[f"absent{i}" for i in range(20000)])) / 20000


def a_dump_that_gained_items_knows_how_many(client):
    """It was begun with ten items, and has all of the link: it grows as the filter it is of, and holds its rate."""
    for options in ([], ["NONSCALING"]):
        client("FLUSHALL")
        client("BF.RESERVE", "k", "0.01", 20000, *options)
        client("BF.MADD", "k", *range(10))
        iterator, header = client("BF.SCANDUMP", "k", 0)
        client("BF.MADD", "k", *range(10, 19900))
        parts = [(iterator, header), client("BF.SCANDUMP", "k", iterator)]
        for part in parts:
            same(client("BF.LOADCHUNK", "n", *part), Simple("OK"))
        assert 19500 <= client("BF.CARD", "n") <= 20000, client("BF.CARD", "n")
        more = client("BF.MADD", "n", *range(20000, 40000))
        if options:
            same(more[-1], FULL)
        else:
            assert len(client("BF.DEBUG", "n")) == 3
        rate = false_positives(client, "BF.MEXISTS", "n")
        assert rate < 0.012, rate


def a_dump_that_gained_nothing_is_what_it_was(client):
    """At rates at which many items seem to be there, too."""
    for rate in ("0.25", "0.01", "0.00001"):
        for items in (3, 300, 4900):
            client("FLUSHALL")
            client("BF.RESERVE", "k", rate, 5000)
            client("BF.MADD", "k", *range(items))
            for part in dump(client, "BF", "k"):
                same(client("BF.LOADCHUNK", "n", *part), Simple("OK"))
            assert client("DEBUG", "DIGEST-VALUE", "k") == client("DEBUG", "DIGEST-VALUE", "n"), (rate, items)


def a_dump_of_another_filter_begins_again(client):
    """Of the same shape and under the same key."""
    for _ in range(2):
        client("DEL", "k")
        client("BF.RESERVE", "k", "0.01", 10000)
        client("BF.MADD", "k", *range(1000))
        iterator, _ = client("BF.SCANDUMP", "k", 0)
    client("DEL", "k")
    client("BF.RESERVE", "k", "0.01", 10000)
    refused(client, "ERR the filter has changed, begin again with 0", "BF.SCANDUMP", "k", iterator)
    client("BF.SCANDUMP", "k", 0)
    refused(client, "ERR the filter has changed, begin again with 0", "BF.SCANDUMP", "k", iterator)


def a_filter_beyond_the_limit_is_refused(client):
    client("CONFIG", "SET", "bloomery.max-filter-bytes", "64kb")
    try:
        got = client("BF.RESERVE", "k", "0.01", "10000000")
        assert isinstance(got, ReplyError) and "bloomery.max-filter-bytes" in got, got
        client("BF.RESERVE", "k", "0.01", "40000")
        replies = [client("BF.MADD", "k", *range(first, first + 10000)) for first in range(0, 50000, 10000)]
        stopped = replies[-1][-1]
        assert isinstance(stopped, ReplyError) and "bloomery.max-filter-bytes" in stopped, stopped
        assert all(client("BF.MEXISTS", "k", *range(39000, 40000)))
    finally:
        client("CONFIG", "SET", "bloomery.max-filter-bytes", "128mb")


def memory_is_counted_and_refused_before_it_is_taken(client):
    client("BF.RESERVE", "k", "0.01", "1000000", "NONSCALING")
    usage = client("MEMORY", "USAGE", "k")
    assert 1_200_000 <= usage <= 1_600_000, usage
    used = int(field_of(client("INFO", "memory"), "used_memory"))
    client("CONFIG", "SET", "maxmemory", used + (8 << 20))
    try:
        refused(client, "OOM command not allowed when used memory > 'maxmemory'.", "BF.RESERVE", "n", "0.01", "20000000")
        refused(client, "OOM command not allowed when used memory > 'maxmemory'.", "CF.RESERVE", "n", "20000000")
        assert int(field_of(client("INFO", "memory"), "used_memory")) < used + (2 << 20)
        same(client("BF.RESERVE", "n", "0.01", "1000"), Simple("OK"))
    finally:
        client("CONFIG", "SET", "maxmemory", 0)


def rates_too_low_for_a_link_are_refused(client):
    """A link reaches 5e-8. A chain that grows spends half of its rate on the first and shares of the rest on others."""
    for rate, single, expected in (("1e-7", False, "OK"), ("9e-8", False, None), ("5e-8", True, "OK"), ("1e-9", True, None), ("1e-300", True, None)):
        words = ["BF.RESERVE", f"k{rate}", rate, 64, *(["NONSCALING"] if single else [])]
        if expected is None:
            refused(client, "ERR could not create filter", *words)
        else:
            same(client(*words), Simple("OK"))
    too_low = "ERR its rate is too low for another link: reserve the capacity that it needs"
    replies = client("BF.MADD", "k1e-7", *range(100))
    assert replies[:64] == [1] * 64 and replies[64:] == [too_low], replies[60:]
    assert all(client("BF.MEXISTS", "k1e-7", *range(64)))
    client("CONFIG", "SET", "bloomery.bf-error-rate", "1e-9")
    try:
        assert client("BF.MADD", "exact", *range(5000))[4095:] == [1, too_low]
        assert all(client("BF.MEXISTS", "exact", *range(4096)))
    finally:
        client("CONFIG", "SET", "bloomery.bf-error-rate", "0.01")


def field_of(info, name):
    return next(line.split(b":", 1)[1].strip().decode() for line in info.splitlines() if line.startswith(name.encode() + b":"))


TESTS = tests_of(globals())
