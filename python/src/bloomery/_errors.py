"""The exceptions of the package. Each is a BloomeryError, and the exception of Python that it is a case of."""


from __future__ import annotations


class BloomeryError(Exception):
    """What the library refuses or cannot do; the message says what is wrong and how to put it right."""


class InvalidArgumentError(BloomeryError, ValueError):
    """Something that cannot be was asked for: no keys, a rate of 2, a closed filter."""


class KeyTypeError(BloomeryError, TypeError):
    """What was given is no key, or no keys."""


class OutOfMemoryError(BloomeryError, MemoryError):
    """The memory could not be had; nothing was changed."""


class FileError(BloomeryError, OSError):
    """The operating system refused: no permission, a full disk. Has errno and filename where these are known."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class CorruptError(BloomeryError, ValueError):
    """The bytes are no filter, or a damaged one."""


class UnsupportedError(BloomeryError, ValueError):
    """A valid request that this kind, version or build cannot serve."""


class MismatchError(BloomeryError, ValueError):
    """Two filters whose kind, geometry or hash differ."""


class WrongSecretError(BloomeryError, ValueError):
    """A keyed filter, opened without its secret or with another one."""


class FullError(BloomeryError, ValueError):
    """The filter has no room for a key."""
