"""Servers for the tests: each in a folder of its own, on a Unix socket, with the module loaded."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # noqa: E402
from resp import Client  # noqa: E402

PATIENCE = 180  # seconds; nothing takes so long but on a machine that is very busy
FOUND = []  # servers in which a sanitizer has found something


def server_environment():
    """BLOOMERY_PRELOAD is for servers alone: the runtime of a sanitizer that the module was built with."""
    preload = os.environ.get("BLOOMERY_PRELOAD")
    return {**os.environ, "LD_PRELOAD": preload} if preload else None


class Server:
    """A running server. `stop` ends it as an administrator does, `kill` as a power cut does; `start` goes on with its files."""

    def __init__(self, binary, module, *settings, module_arguments=(), port=0, most_file_bytes=None):
        self.binary, self.module, self.settings, self.arguments = binary, module, settings, module_arguments
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bloomery-server-"))
        self.path = str(self.folder / "socket")
        self.port = port
        self.most_file_bytes = most_file_bytes
        self.process = None
        for tries_left in range(4, -1, -1):
            try:
                return self.start(patience=0)
            except RuntimeError as problem:  # a port that was free a moment ago may be taken
                if not (tries_left and self.port and "listening" in str(problem)):
                    raise
                self.port = free_port()
                (self.folder / "log").unlink()

    def start(self, expect_failure=False, patience=10):
        """Returns when it answers, or has ended where that is expected. For so many seconds it is started again when its port is
        taken: a listener that was killed may be there for a moment."""
        end = time.monotonic() + patience
        while True:
            log_was = len(self.log())
            try:
                return self.launch(expect_failure)
            except RuntimeError:
                if not (self.port and "listening" in self.log()[log_was:]) or time.monotonic() > end:
                    raise
            time.sleep(0.2)

    def launch(self, expect_failure):
        words = [self.binary, "--port", self.port, "--unixsocket", self.path, "--dir", self.folder, "--save", "",
                 "--logfile", self.folder / "log", "--enable-debug-command", "local", *self.settings,
                 "--loadmodule", self.module, *self.arguments]
        with open(self.folder / "errors", "ab") as errors:
            self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=errors, env=server_environment(),
                                            restore_signals=False, preexec_fn=self.limit)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                if expect_failure:
                    return
                raise RuntimeError(f"the server did not start:\n{self.log()}")
            try:
                client = Client(self.path)
                if client("PING") == "PONG":
                    client.close()
                    return
                client.close()
            except OSError:
                pass
            time.sleep(0.05)
        raise RuntimeError(f"the server does not answer:\n{self.log()}")

    def limit(self):
        """A disk that is full after so many bytes of a file; the signal of that is ignored, as Python does."""
        if self.most_file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.most_file_bytes, self.most_file_bytes))

    def log(self):
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def client(self, resp=2):
        return Client(self.path, resp)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)

    def remove(self):
        if self.process.poll() is None:
            self.kill()
        found = (self.folder / "errors").read_text(errors="replace")
        if "Sanitizer" in found or "runtime error" in found:  # whatever test was running
            print(found[:6000])
            FOUND.append(self.binary)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()
