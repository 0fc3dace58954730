"""libbloomery_c.so by ctypes, for the scripts beside it: the functions they call, errors as exceptions."""
import ctypes as c

P, SIZE, U64 = c.c_void_p, c.c_size_t, c.c_uint64


class Options(c.Structure):
    _fields_ = [("struct_size", SIZE), ("hash", c.c_char_p), ("seed", U64), ("secret", P), ("memory", P)]


class Number(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", U64)]


class Geometry(c.Structure):
    _fields_ = [("count", SIZE), ("numbers", Number * 8)]


class SizeSpec(c.Structure):
    _fields_ = [("struct_size", SIZE), ("fpr", c.c_double), ("bits_per_key", c.c_double), ("geometry", c.POINTER(Geometry))]


class OpenOptions(c.Structure):
    _fields_ = [("struct_size", SIZE), ("secret", P), ("without_secret", c.c_bool), ("parquet", c.c_bool)]


class SaveOptions(c.Structure):
    _fields_ = [("struct_size", SIZE), ("format", c.c_char_p), ("label", c.c_char_p), ("keys", c.c_char_p), ("created", U64),
                ("chunks", c.c_bool), ("chunk_bytes", U64), ("align", U64)]


class Keys(c.Structure):
    _fields_ = [("struct_size", SIZE), ("type", c.c_int), ("count", SIZE), ("data", P), ("stride", c.c_ssize_t), ("width", SIZE),
                ("offsets", P), ("data_bytes", SIZE)]


class Entry(c.Structure):
    _fields_ = [("key", P), ("key_length", SIZE), ("value", P), ("value_length", SIZE), ("sequence", U64), ("deleted", c.c_bool)]


class TableReadOptions(c.Structure):
    _fields_ = [("struct_size", SIZE), ("cache", P), ("no_map", c.c_bool), ("no_verify", c.c_bool), ("no_filter", c.c_bool),
                ("secret", P)]


def sized(kind, **fields):
    return kind(struct_size=c.sizeof(kind), **fields)


def secret(text):
    """16 bytes of hexadecimal digits, or None."""
    return c.cast(c.create_string_buffer(bytes.fromhex(text), 16), P) if text else None


def strings(keys):
    """A run of byte strings; `alive` keeps what it points to."""
    data, offsets = b"".join(keys), (c.c_int32 * (len(keys) + 1))()
    for i, key in enumerate(keys):
        offsets[i + 1] = offsets[i] + len(key)
    run = sized(Keys, type=10, count=len(keys), data=c.cast(c.c_char_p(data), P), offsets=c.cast(offsets, P), data_bytes=len(data))
    run.alive = (data, offsets)
    return run


class Failure(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Library:
    """library.filter_open(path, None) returns the handle that the last argument would be set to."""

    TEXTS = ("error_text", "code_name", "filter_kind", "filter_hash_name", "kind_name")

    def __init__(self, path):
        self.so = c.CDLL(path)
        for name in self.TEXTS:
            self.function(name).restype = c.c_char_p
        for name in ("filter_contains", "filter_contains_uint64", "filter_is_verified", "filter_key_count", "table_iterator_valid"):
            self.function(name).restype = c.c_bool
        for name in ("filter_bytes", "filter_seed"):
            self.function(name).restype = U64
        self.function("filter_payload").restype = P
        self.function("table_iterator_entry").restype = Entry

    def function(self, name):
        return getattr(self.so, "bloomery_" + name)

    def call(self, name, *arguments):
        """Of a function that returns an error."""
        function = self.function(name)
        function.restype = P
        error = P(function(*arguments))
        if error:
            code, text = self.so.bloomery_error_code(error), self.so.bloomery_error_text(error).decode()
            self.so.bloomery_error_free(error)
            raise Failure(code, text)

    def make(self, name, *arguments):
        """The same, of one whose last argument gives a handle."""
        handle = P()
        self.call(name, *arguments, c.byref(handle))
        return handle
