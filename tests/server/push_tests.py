"""bloomery push and pull against a real server. Each function is a promise; it gets the path of a server and that of the
module, beside which the command is."""
import inspect
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading

from servers import PATIENCE, Server, free_port
from system_tests import digests


class Skipped(Exception):
    """There is no command to test, or it was built without a client of Redis."""


def command_of(module):
    command = pathlib.Path(module).parent / "bloomery"
    if not command.exists():
        raise Skipped(f"{command} is not there")
    if "not in this build" in subprocess.run([command, "--help"], capture_output=True, text=True).stdout.split("push")[1].split("\n")[0]:
        raise Skipped("the command was built without hiredis (Debian: libhiredis-dev)")
    return command


class Kit:
    """A server, a folder and the command."""

    def __init__(self, binary, module, *settings):
        self.command = command_of(module)
        self.server = Server(binary, module, *settings, port=free_port())
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.server.folder))
        self.url = f"redis://127.0.0.1:{self.server.port}/0"

    def run(self, *words, status=0, variables=()):
        given = {**os.environ, **dict(variables)}
        got = subprocess.run([str(self.command), *map(str, words)], capture_output=True, text=True, env=given, timeout=PATIENCE)
        assert got.returncode == status, (words, got.returncode, got.stderr)
        return got.stderr

    def show(self, *words):
        return subprocess.run([str(self.command), *map(str, words)], check=True, stdout=subprocess.PIPE, text=True, timeout=PATIENCE).stdout

    def build(self, name, keys, *options):
        path = self.folder / name
        lines = self.folder / "keys"
        lines.write_text("".join(f"{key}\n" for key in keys))
        self.run("build", "-q", "-o", path, *options, lines)
        return path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.remove()


def files_are_pushed_and_pulled(binary, module):
    with Kit(binary, module) as kit:
        client = kit.server.client()
        for kind in ("block", "cuckoo", "fuse"):
            file, back = kit.build(kind, range(3000), "--kind", kind, "--label", "some keys"), kit.folder / "back"
            for url in (kit.url, f"unix:{kit.server.path}", f"valkey://localhost:{kit.server.port}"):
                kit.run("push", file, "--to", url, "--key", kind, *(["--replace"] if client("EXISTS", kind) else []))
                assert all(client("BLM.EXISTS", kind, *range(3000))), kind
                kit.run("pull", back, "--from", url, "--key", kind)
                assert back.read_bytes() == file.read_bytes(), kind
        shown = kit.show("push", "--json", file, "--to", f"redis://127.0.0.1:{kit.server.port}/5", "--key", "k")
        assert json.loads(shown) == {"file": str(file), "key": "k", "bytes": file.stat().st_size}, shown
        client("SELECT", 5)
        assert client("EXISTS", "k") == 1


def a_key_that_exists_is_not_replaced_unawares(binary, module):
    with Kit(binary, module) as kit:
        file = kit.build("f", range(100))
        kit.run("push", file, "--to", kit.url, "--key", "k")
        before = digests(kit.server.client(), ["k"])
        other = kit.build("g", range(200))
        assert "--replace" in kit.run("push", other, "--to", kit.url, "--key", "k", status=2)
        assert digests(kit.server.client(), ["k"]) == before
        kit.run("push", other, "--to", kit.url, "--key", "k", "--replace")
        assert digests(kit.server.client(), ["k"]) != before


class CuttingProxy:
    """Passes bytes on to a port, and cuts the first connections after so many of them."""

    def __init__(self, port, cuts, after):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.target, self.cuts, self.after = self.listener.getsockname()[1], port, cuts, after
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            limit = self.after if self.cuts > 0 else None
            self.cuts -= 1
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(source, sink, limit, (near, far)), daemon=True).start()

    @staticmethod
    def pump(source, sink, limit, both):
        passed = 0
        try:
            while data := source.recv(65536):
                sink.sendall(data)
                passed += len(data)
                if limit is not None and passed > limit:
                    break
        except OSError:
            pass
        for end in both:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def a_link_that_breaks_is_taken_up_again(binary, module):
    with Kit(binary, module) as kit:
        file, back = kit.build("f", range(1000), "-n", "40M"), kit.folder / "back"
        proxy = CuttingProxy(kit.server.port, 2, 9 << 20)
        said = kit.run("push", file, "--to", f"redis://127.0.0.1:{proxy.port}", "--key", "k")
        assert said.count("trying again") >= 2, said
        proxy = CuttingProxy(kit.server.port, 2, 20 << 20)
        said = kit.run("pull", back, "--from", f"redis://127.0.0.1:{proxy.port}", "--key", "k")
        assert said.count("trying again") >= 2 and back.read_bytes() == file.read_bytes(), said


def a_push_goes_on_where_another_ended(binary, module):
    with Kit(binary, module) as kit:
        client = kit.server.client()
        file = kit.build("f", range(1000), "-n", "3M")
        contents = file.read_bytes()
        for begin, what in ((contents[:1 << 20], "its own"), (b"x" * (1 << 20), "of another file")):
            client("FLUSHALL")
            assert client("BLM.IMPORT", "k", 0, len(contents), begin) == 1 << 20
            said = kit.run("push", file, "--to", kit.url, "--key", "k")
            assert "goes on at byte 1048576" in said, (what, said)
            cursor, offset, part = client("BLM.EXPORT", "k")
            assert (cursor, offset) == (0, 0) and part == contents, what


def passwords_come_from_files_and_the_environment(binary, module):
    with Kit(binary, module) as kit:
        client = kit.server.client()
        file = kit.build("f", range(100))
        client("ACL", "SETUSER", "ann", "on", ">hush", "~*", "+@all")
        client("CONFIG", "SET", "requirepass", "secret")
        secret, other = kit.folder / "secret", kit.folder / "other"
        secret.write_text("secret\n")
        other.write_text("hush")
        push = ["push", file, "--replace", "--key", "k", "--to"]
        assert "NOAUTH" in kit.run(*push, kit.url, status=2)
        kit.run(*push, kit.url, "--password", secret)
        kit.run(*push, kit.url, variables={"BLOOMERY_PASSWORD": "secret"})
        ann = f"redis://ann@127.0.0.1:{kit.server.port}"
        kit.run(*push, ann, "--password", other)
        assert "WRONGPASS" in kit.run(*push, ann, "--password", secret, status=2)
        for end in (f":{kit.server.port}", ":x", "/x"):  # not repeated, whatever else is wrong
            said = kit.run(*push, f"redis://ann:hush@127.0.0.1{end}", status=2)
            assert "--password" in said and "hush" not in said, said


def what_cannot_be_pushed_is_refused(binary, module):
    with Kit(binary, module) as kit:
        file = kit.build("f", range(100))
        for url in ("http://localhost", "redis://", "redis://h:x", "redis://h/x", "rediss://h", "unix:", "localhost:6379"):
            assert "redis://" in kit.run("push", file, "--to", url, "--key", "k", status=2), url
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))  # and does not listen
            closed = kit.run("push", file, "--to", f"redis://127.0.0.1:{nobody.getsockname()[1]}", "--key", "k", status=2)
        assert "refused" in closed, closed
        broken = kit.folder / "broken"
        broken.write_bytes(file.read_bytes()[:-1])
        kit.run("push", broken, "--to", kit.url, "--key", "k", status=2)
        raw = kit.build("raw", range(100), "--kind", "classic")
        kit.run("convert", raw, "--to", "raw", "-o", raw)
        assert "convert" in kit.run("push", raw, "--to", kit.url, "--key", "k", status=2)
        assert kit.server.client()("DBSIZE") == 0
        assert "not found" in kit.run("pull", kit.folder / "n", "--from", kit.url, "--key", "nothing", status=2)
        assert not (kit.folder / "n").exists()


TESTS = [value for value in list(globals().values()) if inspect.isfunction(value) and value.__module__ == __name__
         and str(inspect.signature(value)) == "(binary, module)"]
