"""Our replies as redis-py and valkey-py read them, in RESP2 and RESP3: a second opinion, by code that was written for the
existing modules. clients.py runs it."""
import os

import pytest
import redis
import valkey

from servers import Server, free_port

SERVERS = os.environ["BLOOMERY_SERVERS"].split(os.pathsep)
CLIENTS = {"redis-py": (redis.Redis, redis.ResponseError), "valkey-py": (valkey.Valkey, valkey.ResponseError)}


@pytest.fixture(scope="module", params=SERVERS, ids=lambda path: os.path.basename(path))
def server(request):
    with Server(request.param, os.environ["BLOOMERY_MODULE"], port=free_port()) as running:
        yield running


@pytest.fixture(params=[(name, protocol) for name in CLIENTS for protocol in (2, 3)], ids=lambda pair: f"{pair[0]}-resp{pair[1]}")
def client(server, request):
    name, protocol = request.param
    kind, error = CLIENTS[name]
    connected = kind(host="127.0.0.1", port=server.port, protocol=protocol)
    connected.flushall()
    connected.error, connected.resp = error, protocol
    yield connected
    connected.close()


def fields(info):
    """The attributes of the client's own class for INFO, or the map it got."""
    return info if isinstance(info, dict) else {name: getattr(info, name) for name in dir(info) if not name.startswith("_")}


def number(info, attribute, name):
    found = fields(info)
    return found[attribute] if attribute in found else found[name if name in found else name.encode()]


def test_bloom_commands(client):
    bf = client.bf()
    assert bf.create("k", 0.01, 1000) in (True, b"OK")
    assert bf.add("k", "a") == 1 and bf.add("k", "a") == 0
    assert [int(x) for x in bf.madd("k", "b", "c", "a")] == [1, 1, 0]
    assert bf.exists("k", "a") == 1 and bf.exists("k", "never") == 0
    assert [int(x) for x in bf.mexists("k", "a", "never", "c")] == [1, 0, 1]
    assert [int(x) for x in bf.insert("n", ["x", "y"], capacity=50, error=0.001, expansion=4)] == [1, 1]
    assert bf.card("k") == 3 and bf.card("nothing") == 0
    info = bf.info("k")
    assert number(info, "capacity", "Capacity") == 1000 and number(info, "insertedNum", "Number of items inserted") == 3
    assert number(info, "filterNum", "Number of filters") == 1 and number(info, "expansionRate", "Expansion rate") == 2
    with pytest.raises(client.error, match="item exists"):
        bf.create("k", 0.01, 1000)
    with pytest.raises(client.error, match="error rate must be in the range"):
        bf.create("n2", 2, 1000)


def test_dumps(client):
    bf = client.bf()
    bf.create("k", 0.001, 10000)
    bf.madd("k", *range(500))
    iterator, parts = 0, []
    while True:
        iterator, part = bf.scandump("k", iterator)
        if iterator == 0:
            break
        parts.append((iterator, part))
    for iterator, part in parts:
        assert bf.loadchunk("n", iterator, part) in (True, b"OK", "OK")
    assert all(bf.mexists("n", *range(500))) and bf.card("n") == bf.card("k")


def test_cuckoo_commands(client):
    cf = client.cf()
    assert cf.create("k", 1000, expansion=2, bucket_size=4, max_iterations=30) in (True, b"OK")
    assert cf.add("k", "a") == 1 and cf.addnx("k", "a") == 0 and cf.addnx("k", "b") == 1
    assert cf.insert("k", ["c", "d"]) == [1, 1] and cf.insertnx("k", ["c", "e"]) == [0, 1]
    assert cf.exists("k", "c") == 1 and [int(x) for x in cf.mexists("k", "c", "never")] == [1, 0]
    assert cf.count("k", "a") == 1 and cf.delete("k", "a") == 1 and cf.delete("k", "a") == 0
    info = cf.info("k")
    assert number(info, "bucketSize", "Bucket size") == 4 and number(info, "maxIteration", "Max iterations") == 30
    assert number(info, "insertedNum", "Number of items inserted") == 4 and number(info, "deletedNum", "Number of items deleted") == 1
    with pytest.raises(client.error, match="Not found"):
        cf.delete("nothing", "a")


def test_what_nobody_has(client):
    do = client.execute_command
    assert do("BLM.RESERVE", "k", "KIND", "cuckoo", "CAPACITY", 1000, "LABEL", "users") in (True, b"OK")
    assert [int(x) for x in do("BLM.ADD", "k", "a", "b")] == [1, 1] and [int(x) for x in do("BLM.EXISTS", "k", "a", "x")] == [1, 0]
    info = do("BLM.INFO", "k")
    info = info if isinstance(info, dict) else dict(zip(info[::2], info[1::2]))
    info = {k.decode() if isinstance(k, bytes) else k: v for k, v in info.items()}
    assert info["kind"] == b"cuckoo" and info["items"] == 2 and info["label"] == b"users" and float(info["fill"]) > 0
    cursor, _, file = do("BLM.EXPORT", "k")
    assert cursor == 0 and do("BLM.IMPORT", "n", 0, len(file), file) == len(file)
    assert [int(x) for x in do("BLM.EXISTS", "n", "a", "b", "x")] == [1, 1, 0]
    with pytest.raises(client.error, match="not found"):
        do("BLM.EXISTS", "nothing", "a")


def test_in_transactions_and_pipelines(client):
    with client.pipeline(transaction=True) as pipe:
        pipe.execute_command("BF.ADD", "k", "a")
        pipe.execute_command("BF.EXISTS", "k", "a")
        pipe.execute_command("BF.EXISTS", "k", "b")
        assert [int(x) for x in pipe.execute()] == [1, 1, 0]
    assert client.eval("return redis.call('BF.EXISTS', KEYS[1], 'a')", 1, "k") == 1
