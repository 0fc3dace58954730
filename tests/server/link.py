"""A link between servers that a test can cut at a known byte: what is sent after `cut` returns never arrives."""
import socket
import threading


class Link:
    """Forwards connections on `port` to another port of this machine, until it is closed. After `cut` nothing that comes from
    there is passed on, and neither side is told: its connections stay open."""

    def __init__(self, target):
        self.target, self.lock, self.is_cut, self.sockets = target, threading.Lock(), False, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:  # closed, or the target is gone
                return
            self.sockets += [near, far]
            threading.Thread(target=self.forward, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self.forward, args=(far, near, True), daemon=True).start()

    def forward(self, source, sink, may_be_cut):
        try:
            while data := source.recv(1 << 16):
                with self.lock:  # a piece goes all before the cut or not at all
                    if not (may_be_cut and self.is_cut):
                        sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def cut(self):
        with self.lock:
            self.is_cut = True

    def close(self):
        self.listener.close()
        for end in self.sockets:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
