"""CF.*: replies in RESP2 and RESP3, error texts, corner cases. Each function is a promise; it gets a client."""
from bf_tests import WRONGTYPE, dict_of, dump, refused, same, tests_of, truth, wrong_arity
from resp import ReplyError, Simple


def items_come_and_go(client):
    same(client("CF.ADD", "k", "a"), truth(client, 1))
    same(client("CF.ADD", "k", "a"), truth(client, 1))
    same(client("CF.ADDNX", "k", "a"), truth(client, 0))
    same(client("CF.ADDNX", "k", "b"), truth(client, 1))
    same(client("CF.COUNT", "k", "a"), 2)
    same(client("CF.EXISTS", "k", "b"), truth(client, 1))
    same(client("CF.EXISTS", "k", "c"), truth(client, 0))
    assert client("CF.MEXISTS", "k", "a", "c", "b") == [1, 0, 1]
    for expected in (1, 1, 0):
        same(client("CF.DEL", "k", "a"), truth(client, expected))
    same(client("CF.EXISTS", "k", "a"), truth(client, 0))


def inserts_answer_with_numbers(client):
    replies = client("CF.INSERT", "k", "CAPACITY", "100", "ITEMS", "a", "a", "b")
    assert replies == [1, 1, 1] and all(type(reply) is int for reply in replies)
    assert client("CF.INSERTNX", "k", "ITEMS", "a", "c") == [0, 1]
    refused(client, "ERR not found", "CF.INSERT", "nothing", "NOCREATE", "ITEMS", "a")
    refused(client, "Bad capacity", "CF.INSERT", "n", "CAPACITY", "x", "ITEMS", "a")
    refused(client, "Unknown argument received", "CF.INSERT", "n", "COLOUR", "ITEMS", "a")
    assert client("EXISTS", "n") == 0


def a_full_filter_says_so(client):
    client("CF.RESERVE", "k", "10", "EXPANSION", "0")
    replies = client("CF.INSERT", "k", "ITEMS", *range(100))
    assert -1 in replies and replies.count(1) >= 10, replies
    full = next(i for i, reply in enumerate(replies) if reply == -1)
    refused(client, "Filter is full", "CF.ADD", "k", full)
    assert all(client("CF.EXISTS", "k", i) for i, reply in enumerate(replies) if reply == 1)
    client("CONFIG", "SET", "bloomery.cf-max-expansions", "2")
    try:
        client("CF.RESERVE", "n", "10")
        replies = client("CF.INSERT", "n", "ITEMS", *range(100))
        refused(client, "Maximum expansions reached", "CF.ADD", "n", next(i for i, r in enumerate(replies) if r == -1))
    finally:
        client("CONFIG", "SET", "bloomery.cf-max-expansions", "32")


def missing_keys_and_other_types(client):
    same(client("CF.EXISTS", "nothing", "a"), truth(client, 0))
    assert client("CF.MEXISTS", "nothing", "a") == [0]
    same(client("CF.COUNT", "nothing", "a"), 0)
    refused(client, "Not found", "CF.DEL", "nothing", "a")
    refused(client, "ERR not found", "CF.INFO", "nothing")
    refused(client, "ERR not found", "CF.COMPACT", "nothing")
    client("SET", "text", "x")
    for words in (["CF.ADD", "text", "a"], ["CF.ADDNX", "text", "a"], ["CF.INSERT", "text", "ITEMS", "a"], ["CF.INFO", "text"],
                  ["CF.DEL", "text", "a"], ["CF.COMPACT", "text"], ["CF.RESERVE", "text", "10"], ["CF.DEBUG", "text"],
                  ["CF.SCANDUMP", "text", "0"], ["CF.LOADCHUNK", "text", "1", "x"]):
        refused(client, WRONGTYPE, *words)


def reserve_reports_what_it_was_given(client):
    same(client("CF.RESERVE", "k", "1000", "BUCKETSIZE", "4", "MAXITERATIONS", "50", "EXPANSION", "2"), Simple("OK"))
    reply = client("CF.INFO", "k")
    assert isinstance(reply, dict if client.resp == 3 else list)
    info = dict_of(reply)
    assert list(info) == ["Size", "Number of buckets", "Number of filters", "Number of items inserted",
                          "Number of items deleted", "Bucket size", "Expansion rate", "Max iterations"], info
    assert (info["Bucket size"], info["Max iterations"], info["Expansion rate"]) == (4, 50, 2)
    refused(client, "ERR item exists", "CF.RESERVE", "k", "10")
    refused(client, "Bad capacity", "CF.RESERVE", "n", "x")
    refused(client, "Bad capacity", "CF.RESERVE", "n", 2**63)
    refused(client, "Bad capacity", "CF.RESERVE", "n", "0")
    got = client("CF.RESERVE", "n", 2**40)
    assert isinstance(got, ReplyError) and "max-filter-bytes" in got, got


def commands_count_their_arguments(client):
    for name, fewest in (("CF.RESERVE", 2), ("CF.ADD", 2), ("CF.ADDNX", 2), ("CF.INSERT", 3), ("CF.INSERTNX", 3), ("CF.EXISTS", 2),
                         ("CF.MEXISTS", 2), ("CF.COUNT", 2), ("CF.DEL", 2), ("CF.COMPACT", 1), ("CF.INFO", 1), ("CF.DEBUG", 1),
                         ("CF.SCANDUMP", 2), ("CF.LOADCHUNK", 3)):
        wrong_arity(client, name, *["x"] * (fewest - 1))


def growth_keeps_every_item(client):
    items = list(range(20000))
    for first in range(0, len(items), 500):
        assert client("CF.INSERT", "k", "CAPACITY", "2000", "ITEMS", *items[first:first + 500]) == [1] * 500
    info = dict_of(client("CF.INFO", "k"))
    assert info["Number of filters"] >= 8 and info["Number of items inserted"] == 20000, info
    assert all(client("CF.MEXISTS", "k", *items))
    wrong = sum(client("CF.MEXISTS", "k", *[f"other{i}" for i in range(20000)]))
    assert wrong <= 0.05 * 20000, wrong


def compact_drops_links_and_no_item(client):
    client("CF.INSERT", "k", "CAPACITY", "1000", "ITEMS", *range(8000))
    for i in range(7000):
        client.send("CF.DEL", "k", i)
    removed = [client.read() for _ in range(7000)]
    assert all(removed)
    before = dict_of(client("CF.INFO", "k"))
    same(client("CF.COMPACT", "k"), Simple("OK"))
    after = dict_of(client("CF.INFO", "k"))
    assert after["Number of filters"] < before["Number of filters"] / 2, (before, after)
    assert all(client("CF.MEXISTS", "k", *range(7000, 8000)))
    assert after["Number of items inserted"] == 1000 and after["Number of items deleted"] == 7000
    assert all(client("CF.DEL", "k", i) for i in range(7000, 8000))
    assert sum(client("CF.MEXISTS", "k", *range(8000))) == 0


def removals_from_links_of_unequal_size_lose_no_other_item(client):
    """A link may take another item's entry for the one that goes, which no other link has. Then nothing is removed: 0."""
    client("CF.RESERVE", "k", "100", "EXPANSION", "2")
    client("CF.INSERT", "k", "ITEMS", *range(50000))
    for i in range(0, 50000, 2):
        client.send("CF.DEL", "k", i)
    removed = sum(client.read() for _ in range(0, 50000, 2))
    assert all(client("CF.MEXISTS", "k", *range(1, 50000, 2)))
    info = dict_of(client("CF.INFO", "k"))
    assert (info["Number of items inserted"], info["Number of items deleted"]) == (50000 - removed, removed), info
    assert 0 < 25000 - removed < 0.03 * 25000, removed


def an_item_in_links_of_two_sizes_stays(client):
    """Whoever deletes until nothing is deleted comes to an end, and what was not deleted is still found."""
    client("CF.RESERVE", "k", "100", "EXPANSION", "2")
    for _ in range(9):  # eight copies fill both buckets of the first link
        client("CF.ADD", "k", "x")
    assert client("CF.COUNT", "k", "x") == 9
    digest = client("DEBUG", "DIGEST-VALUE", "k")
    same(client("CF.DEL", "k", "x"), truth(client, 0))
    assert client("CF.COUNT", "k", "x") == 9
    assert client("DEBUG", "DIGEST-VALUE", "k") == digest


def dumps_load_again(client):
    client("CF.INSERT", "k", "CAPACITY", "1000", "ITEMS", *range(5000))
    for part in dump(client, "CF", "k"):
        same(client("CF.LOADCHUNK", "n", *part), Simple("OK"))
    assert client("DEBUG", "DIGEST-VALUE", "k") == client("DEBUG", "DIGEST-VALUE", "n")
    assert all(client("CF.DEL", "n", i) for i in range(5000))


def a_dump_of_a_changed_filter_begins_again(client):
    client("CF.ADD", "k", "a")
    iterator, _ = client("CF.SCANDUMP", "k", 0)
    assert client("CF.SCANDUMP", "k", iterator)[0] > 0
    client("CF.ADD", "k", "b")
    refused(client, "ERR the filter has changed, begin again with 0", "CF.SCANDUMP", "k", iterator)
    assert dump(client, "CF", "k")


def a_dump_with_a_wrong_count_is_refused(client):
    client("CF.ADD", "one", "a")
    client("CF.INSERT", "two", "ITEMS", "a", "b")
    (iterator, header), _ = dump(client, "CF", "one")
    _, (end, data) = dump(client, "CF", "two")
    same(client("CF.LOADCHUNK", "n", iterator, header), Simple("OK"))
    refused(client, "ERR received bad data", "CF.LOADCHUNK", "n", end, data)
    assert client("EXISTS", "n") == 0


TESTS = tests_of(globals())
