"""How values are stored: what a newer module wrote, files in parts, memory to the byte. Each function is a promise; it gets the
path of a server and that of the module."""
import inspect

from bf_tests import field_of
from crc64 import crc64
from servers import Server
from system_tests import digests, fill, wait_for


def what_a_newer_module_stored_is_refused_by_name(binary, module):
    with Server(binary, module) as server:
        client = server.client()
        fill(client)
        for key, family in (("exact", "BF"), ("cuckoo", "CF"), ("quotient", "BLM")):
            sound = client("DUMP", key)
            body = sound[:-8]
            assert body[1] == 0x81, "the number of a type has 64 bits"  # its name, and ten bits of its version
            number = int.from_bytes(body[2:10], "big")
            assert number & 1023 == int(field_of(client("INFO", "bloomery"), "bloomery_encoding_version"))
            newer = body[:2] + (number + 1).to_bytes(8, "big") + body[10:]
            (server.folder / "log").write_text("")
            got = client("RESTORE", "n", 0, newer + crc64(newer).to_bytes(8, "little"))
            assert got == "ERR Bad data format" and client("EXISTS", "n") == 0, got
            assert "stored by a newer version of this module" in server.log(), server.log()
            iterator, header = client(f"{family}.SCANDUMP", key, 0)
            got = client(f"{family}.LOADCHUNK", "n", iterator, header[:4] + bytes([header[4] + 1]) + header[5:])
            assert "made by a newer version of this module" in got and client("EXISTS", "n") == 0, got


def an_aof_rewrite_has_parts_of_16_mib(binary, module):
    with Server(binary, module, "--appendonly", "yes", "--aof-use-rdb-preamble", "no") as server:
        client = server.client()
        assert client("BF.RESERVE", "b", "0.01", 15_000_000, "NONSCALING") == "OK"
        client("BF.MADD", "b", *range(1000))
        before = digests(client, ["b"])
        client("BGREWRITEAOF")
        wait_for(lambda: {b"aof_rewrite_in_progress:0", b"aof_rewrite_scheduled:0"} <= set(client("INFO", "persistence").split()))
        base = max(server.folder.glob("appendonlydir/*.base.aof"), key=lambda path: path.stat().st_size).read_bytes()
        assert base.count(b"BF.LOADCHUNK") == 3  # the header and two parts
        assert b"$16777216\r\n" in base and b"BF.MADD" not in base
        server.stop()
        server.start()
        client = server.client()
        assert digests(client, ["b"]) == before and all(client("BF.MEXISTS", "b", *range(1000)))


def memory_usage_is_what_the_allocator_spends(binary, module):
    """Sizes that jemalloc rounds up by more than what else may change meanwhile."""
    with Server(binary, module) as server:
        client = server.client()
        for words in (["BF.RESERVE", "b", "0.01", 9_000_000, "NONSCALING"], ["CF.RESERVE", "c", 9_000_000],
                      ["BLM.RESERVE", "f", "KIND", "block", "CAPACITY", 9_000_000]):
            client("INFO", "memory")
            used = int(field_of(client("INFO", "memory"), "used_memory"))
            assert client(*words) == "OK"
            taken = int(field_of(client("INFO", "memory"), "used_memory")) - used
            usage = client("MEMORY", "USAGE", words[1])
            assert abs(taken - usage) < 64 << 10, (words, taken, usage)
            assert usage > 10 << 20, usage


TESTS = [value for value in list(globals().values()) if inspect.isfunction(value) and value.__module__ == __name__
         and str(inspect.signature(value)) == "(binary, module)"]
