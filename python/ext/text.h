// Keys of tables and tables of differences, which are kept as bytes and not as hashes.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "errors.h"
#include "key.h"

namespace bloomery::python {

// The eight bytes of an int of Python, in `room`.
inline std::string_view bytes_of_integer(PyObject* key, std::string& room) {
  const unsigned long long bits = PyLong_AsUnsignedLongLongMask(key);
  int overflow = 0;
  static_cast<void>(PyLong_AsLongLongAndOverflow(key, &overflow));
  const bool large = overflow > 0 && PyLong_AsUnsignedLongLong(key) == bits && PyErr_Occurred() == nullptr;
  PyErr_Clear();
  if (overflow != 0 && !large) raise_invalid("an int that is a key lies between -2**63 and 2**64 - 1");
  room.assign(reinterpret_cast<const char*>(&bits), sizeof bits);
  return room;
}

// The bytes of a str (its UTF-8) or of bytes, which the object keeps alive; an int, of NumPy too, becomes its eight
// bytes, kept in `room`. Raises KeyTypeError for all else.
inline std::string_view bytes_of_key(nb::handle key, std::string& room) {
  if (PyBytes_Check(key.ptr()))
    return {PyBytes_AS_STRING(key.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(key.ptr()))};
  if (PyUnicode_Check(key.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(key.ptr(), &size);
    if (text != nullptr) return {text, static_cast<std::size_t>(size)};
    PyErr_Clear();
    raise_invalid("the text has a lone surrogate and therefore no UTF-8");
  }
  if (!is_bool(key.ptr()) && PyIndex_Check(key.ptr())) {
    const nb::object index = nb::steal(PyNumber_Index(key.ptr()));
    if (index.is_valid()) return bytes_of_integer(index.ptr(), room);
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
  }
  raise_key_type("a key is a str, bytes or an int, not a " + name_of_type(key));
}

// Whether it is text or bytes: where many keys are meant, its letters would be taken for keys.
inline bool is_one_key(nb::handle keys) {
  const bool of_bytes = PyMemoryView_Check(keys.ptr()) && PyMemoryView_GET_BUFFER(keys.ptr())->itemsize == 1;
  return PyUnicode_Check(keys.ptr()) || PyBytes_Check(keys.ptr()) || PyByteArray_Check(keys.ptr()) || of_bytes;
}
inline void refuse_one_key(nb::handle keys) {
  if (is_one_key(keys)) raise_key_type("keys is a " + name_of_type(keys) + ", which is one key: give a list of it");
}

inline nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

}  // namespace bloomery::python
