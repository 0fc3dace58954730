"""Ports for servers of the tests."""
import random
import socket


def free_port():
    """A port that nobody listens on, below those that Linux gives to outgoing connections: while a server that has it is
    started again, no connection takes it."""
    while True:
        port = random.SystemRandom().randrange(10_000, 32_768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
