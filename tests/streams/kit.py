"""Servers, replicas as processes, and a proxy between them, for tests/streams/processes.py."""
import json
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # noqa: E402

LINEAGE = "00112233445566778899aabbccddeeff"
PROMISES = []
PATIENCE = 180  # seconds; nothing takes so long but on a machine that is very busy


def promise(test):
    PROMISES.append(test)
    return test


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def until(condition, what):
    """Waits until it holds."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not in time: {what()}")
        time.sleep(0.05)
    return found


class Server:
    """A server with an append-only file; killed and started again as the test likes."""

    def __init__(self, program, folder, *more):
        self.program, self.folder, self.more = str(program), folder, more
        folder.mkdir(parents=True)
        for _ in range(5):
            self.port = free_port()
            if self.starts():
                return
        raise AssertionError(f"the server does not start: {self.log()}")

    def start(self):
        until(self.starts, self.log)

    def starts(self):
        """Returns when it answers, or has ended: its port was free a moment ago, and may be taken now."""
        # Without fsync: a process that is killed loses nothing by that, and a busy disk holds nobody up.
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--appendonly", "yes", "--appendfsync", "no", "--save", "",
                 "--logfile", str(self.folder / "log"), *self.more]  # fmt: skip
        self.process = subprocess.Popen([self.program, *words])
        until(lambda: self.process.poll() is not None or self.answers(), self.log)
        return self.process.poll() is None

    def log(self):
        path = self.folder / "log"
        return path.read_text()[-500:] if path.exists() else "no log"

    def answers(self):
        try:
            return not self.run("PING").startswith("-LOADING")
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def run(self, *words):
        """The answer's bytes as text; enough for status lines, numbers and short strings."""
        text = b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(text)
            return connection.recv(65536).decode(errors="replace").strip()


class Proxy:
    """Passes bytes on to a port, which may change; cut, it refuses everybody."""

    def __init__(self, target):
        self.target, self.is_cut, self.open, self.lock = target, False, set(), threading.Lock()
        self.speaks = threading.Event()  # until it is cleared: then it takes connections, and keeps silent
        self.speaks.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            with self.lock:  # whoever cuts or switches it meets every connection there is
                try:
                    if self.is_cut:
                        raise OSError
                    server = socket.create_connection(("127.0.0.1", self.target), timeout=10)
                except OSError:
                    client.close()
                    continue
                server.settimeout(None)
                self.open |= {client, server}
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self.relay, args=pair, daemon=True).start()

    def relay(self, source, sink):
        try:
            while data := source.recv(65536):
                self.speaks.wait()
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def disconnect(self):
        for one in self.open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open.clear()

    def cut(self):
        with self.lock:
            self.is_cut = True
            self.disconnect()

    def heal(self):
        self.is_cut = False

    def switch(self, target):
        with self.lock:
            self.target = target
            self.disconnect()


class Process:
    """A command that prints lines of JSON and ends by SIGINT."""

    def __init__(self, program, *words, env=None):
        self.lines, self.input = [], None
        self.process = subprocess.Popen([str(program), *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=env)  # fmt: skip
        self.complaints = []
        self.threads = [threading.Thread(target=self.collect, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.complaints))]  # fmt: skip
        for thread in self.threads:
            thread.start()

    @staticmethod
    def collect(stream, lines):
        for line in stream:
            lines.append(line)

    @property
    def last(self):
        whole = [line for line in self.lines[-2:] if line.endswith("\n")]  # the last one of a process that was killed may be half
        return json.loads(whole[-1]) if whole else {}

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it as a person would, and expects it to end well."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(PATIENCE)
        for thread in self.threads:
            thread.join(PATIENCE)
        expect(status == 0, f"exit status {status}: {''.join(self.complaints)}")


class Follower(Process):
    """A replica. What it was fed and has not confirmed is fed again by `restarted`, as a source of events would."""

    def __init__(self, kit, origin, url, *more, first=True, site="main"):
        self.kit, self.origin, self.url, self.more, self.site, self.fed = kit, origin, url, more, site, []
        self.output = kit.folder / f"{origin}.blm"
        super().__init__(kit.bloomery, "replica", "follow", "--server", url, "--lineage", LINEAGE, "--origin", origin, "-n", "200k", "--every", 1,
                         "--json", "--site", site, "-o", self.output, *(["--first"] if first else []), *more)  # fmt: skip

    def feed(self, keys):
        keys = list(keys)
        self.fed += keys
        try:
            self.process.stdin.write("".join(f"{key}\n" for key in keys))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def restarted(self):
        self.process.wait(PATIENCE)
        for thread in self.threads:
            thread.join(PATIENCE)
        again = Follower(self.kit, self.origin, self.url, *self.more, first=False, site=self.site)
        again.feed(self.fed[self.last.get("keys_confirmed", 0):])
        return again

    def settled(self):
        last = self.last
        return last.get("whole") and last.get("connected") and last.get("keys_confirmed") == len(self.fed)


class Kit:
    def __init__(self, bloomery, program, folder):
        self.bloomery, self.program, self.folder, self.running = bloomery, program, folder, []

    def server(self, name="server", *more):
        return self.keep(Server(self.program, self.folder / name, *more))

    def follower(self, *args, **more):
        return self.keep(Follower(self, *args, **more))

    def keep(self, one):
        self.running.append(one)
        return one

    def command(self, *words, env=None):
        return subprocess.run([str(self.bloomery), *map(str, words)], capture_output=True, text=True, timeout=PATIENCE, env=env)

    def end(self):
        for one in self.running:
            one.kill()

    def settle_and_stop(self, followers):
        """Waits until all are whole and equal; then no key may be missing in any of them. How many there were."""
        until(lambda: all(one.settled() for one in followers) and len({one.last["bits_set"] for one in followers}) == 1,
              lambda: [(len(one.fed), one.last, one.complaints[-2:]) for one in followers])  # fmt: skip
        for one in followers:
            one.stop()
        return followers

    def lost(self, followers, keys):
        """The keys that some replica denies."""
        path = pathlib.Path(self.folder / "keys")
        path.write_text("".join(f"{key}\n" for key in keys))
        return [key for one in followers for key in self.command("query", one.output, "--only", "no", path).stdout.split()]
