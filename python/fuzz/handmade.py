"""Arrays of the Arrow C data interface whose every field the caller chooses, for tests and for the fuzzer."""

import ctypes

import numpy as np


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p),
]  # fmt: skip


class Array(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]  # fmt: skip


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Handmade:
    """An array whose every field the caller chooses; `children` and `dictionary` are others of the kind."""

    def __init__(
        self, format, length=3, null_count=0, offset=0, buffers=(), n_buffers=None, n_children=None, children=(),
        dictionary=None,
    ):  # fmt: skip
        self.released = []
        self.release = RELEASE(lambda pointer: self.released.append(pointer))
        release = ctypes.cast(self.release, ctypes.c_void_p)
        n_children = len(children) if n_children is None else n_children
        self.parts = [*children, dictionary]
        self.schema = Schema(format, b"", None, 2, n_children, None, None, release, None)
        self.kept = [None if b is None else ctypes.create_string_buffer(b) for b in buffers]
        pointers = (ctypes.c_void_p * max(1, len(buffers)))(*[b if b is None else ctypes.addressof(b) for b in self.kept])
        self.array = Array(length, null_count, offset, len(buffers) if n_buffers is None else n_buffers, n_children,
                           pointers, None, None, release, None)  # fmt: skip
        self.pointers = pointers
        for struct, of in ((self.schema, lambda part: part.schema), (self.array, lambda part: part.array)):
            if children:
                struct.kept = (ctypes.c_void_p * len(children))(*[ctypes.addressof(of(child)) for child in children])
                struct.children = ctypes.addressof(struct.kept)
            if dictionary is not None:
                struct.dictionary = ctypes.addressof(of(dictionary))

    def __arrow_c_array__(self, requested_schema=None):
        self.names = [b"arrow_schema", b"arrow_array"]
        structs = [self.schema, self.array]
        return tuple(capsule_new(ctypes.addressof(s), n, None) for s, n in zip(structs, self.names))


def ints(*values, type="i4"):
    return np.array(values, type).tobytes()
