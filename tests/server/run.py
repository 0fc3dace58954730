#!/usr/bin/env python3
"""The module inside real servers: every command in RESP2 and RESP3, files, replicas, bad input.

usage: run.py MODULE SERVER... [--only TEXT,..] [--times]
                                                   SERVER is a redis-server or valkey-server; a missing one is skipped by
                                                   name, and without any the exit status is 77
"""
import pathlib
import sys
import time
import traceback

sys.dont_write_bytecode = True
import bf_tests  # noqa: E402
import blm_tests  # noqa: E402
import cf_tests  # noqa: E402
import cluster_tests  # noqa: E402
import pause_tests  # noqa: E402
import push_tests  # noqa: E402
import store_tests  # noqa: E402
import system_tests  # noqa: E402
from servers import FOUND, Server  # noqa: E402

COMMAND_SUITES = [bf_tests, cf_tests, blm_tests]


def cases(server_binary, module):
    """(name, function) of all tests: those of commands twice, by either protocol, on one server that is emptied between."""
    shared = {}

    def with_client(test, resp):
        def run():
            if "server" not in shared:
                shared["server"] = Server(server_binary, module)
            client = shared["server"].client(resp)
            client("FLUSHALL")
            test(client)
            assert client("PING") == "PONG"
            client.close()
        return run

    for suite in COMMAND_SUITES:
        for test in suite.TESTS:
            for resp in (2, 3):
                yield f"{suite.__name__[:-6]}.{test.__name__}.resp{resp}", with_client(test, resp)
    for suite in (system_tests, store_tests, pause_tests, push_tests, cluster_tests):
        for test in suite.TESTS:
            yield f"{suite.__name__[:-6]}.{test.__name__}", lambda test=test: test(server_binary, module)
    yield "the server stops", lambda: shared["server"].remove() if "server" in shared else None


def main():
    words = sys.argv[1:]
    only = ""
    if "--only" in words:
        at = words.index("--only")
        only = words[at + 1]
        del words[at:at + 2]
    times = "--times" in words
    words = [word for word in words if word != "--times"]
    module, binaries = str(pathlib.Path(words[0]).resolve()), words[1:]
    passed, failed, ran = 0, [], 0
    for binary in binaries:
        if not pathlib.Path(binary).exists():
            print(f"skipped: {pathlib.Path(binary).name} is not there (tools/servers.sh fetches it)")
            continue
        ran += 1
        began = time.time()
        for name, run in cases(str(pathlib.Path(binary).absolute()), module):
            if not any(word in name for word in only.split(",")) and name != "the server stops":
                continue
            start = time.time()
            try:
                run()
                passed += 1
                if times:
                    print(f"{time.time() - start:6.2f} s {name}")
            except push_tests.Skipped as why:
                print(f"skipped {name}: {why}")
            except Exception:  # a test that fails, whatever the reason
                failed.append(f"FAILED {pathlib.Path(binary).name} {name}")
                print(f"{failed[-1]} after {time.time() - start:.1f} s\n{traceback.format_exc()}", flush=True)
        print(f"{pathlib.Path(binary).name}: {time.time() - began:.1f} s")
    print("\n".join([*failed, f"{passed} passed, {len(failed)} failed"]))  # again, for who has the end of the log
    return 77 if ran == 0 else 1 if failed or FOUND else 0


sys.exit(main())
