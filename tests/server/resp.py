"""A client of Redis and Valkey that shows replies as they came: RESP2 and RESP3 type by type, errors as values.

Replies are Python values: int, bool (RESP3 only), bytes, None, float, Simple, ReplyError, list, and dict for a RESP3 map.
"""
import socket


class Simple(str):
    """A simple string: +OK."""


class ReplyError(str):
    """An error reply, in full."""


def encoded(*words):
    """A command as it is sent."""
    out = [b"*%d\r\n" % len(words)]
    for word in words:
        word = word if isinstance(word, bytes) else str(word).encode()
        out.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(out)


class Client:
    def __init__(self, path_or_port, resp=2, timeout=180):
        if isinstance(path_or_port, int):
            self.socket = socket.create_connection(("127.0.0.1", path_or_port), timeout)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(path_or_port)
        self.buffer = self.socket.makefile("rb")
        self.resp = resp
        if resp == 3:
            self("HELLO", 3)

    def send(self, *words):
        self.socket.sendall(encoded(*words))

    def __call__(self, *words):
        self.send(*words)
        return self.read()

    def pipeline(self, commands):
        """The replies of many commands that are sent at once."""
        commands = list(commands)
        for first in range(0, len(commands), 500):
            for words in commands[first:first + 500]:
                self.send(*words)
        return [self.read() for _ in commands]

    def answers(self, command, count):
        """The reply to an encoded command: an error, or `count` answers of 0 or 1, which are read at once (RESP2)."""
        self.socket.sendall(command)
        line = self.buffer.readline()
        if line != b"*%d\r\n" % count:
            return self.read(line)
        digits = self.buffer.read(4 * count)[1::4]
        assert len(digits) == count and not digits.strip(b"01"), digits
        return [digit - ord("0") for digit in digits] if b"0" in digits else [1] * count

    def read(self, line=None):
        line = self.buffer.readline() if line is None else line
        if not line:
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return Simple(rest.decode())
        if kind == b"-":
            return ReplyError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.buffer.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        if kind == b"%":
            pairs = [(self.read(), self.read()) for _ in range(int(rest))]
            return {bytes(k) if isinstance(k, bytes) else str(k): v for k, v in pairs}
        if kind == b"#":
            return rest == b"t"
        if kind == b"_":
            return None
        if kind == b",":
            return float(rest)
        if kind == b"=":
            return self.buffer.read(int(rest) + 2)[4:-2]
        if kind == b">":
            [self.read() for _ in range(int(rest))]
            return self.read()
        raise ValueError(f"unknown reply {line!r}")

    def close(self):
        self.buffer.close()
        self.socket.close()
