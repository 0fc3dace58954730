// One key of Python to its hash, by the rule of all languages (spec/keys.md): str by its UTF-8, bytes as they are, int
// as 8 bytes. Everything else is refused, bool and float among it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string_view>

#include "bloomery/hash.h"

namespace bloomery::python {

namespace nb = nanobind;

enum class KeyType : std::uint8_t { integer, text, bytes };

// Whether it is a bool of Python or of NumPy. A bool of an older NumPy has an __index__, as integers have.
inline bool is_bool(PyObject* key) {
  const std::string_view type = Py_TYPE(key)->tp_name;
  return PyBool_Check(key) || type == "numpy.bool" || type == "numpy.bool_";
}

// What is not one of the exact types below: subclasses, integers of NumPy, text that is not ASCII, and what is refused.
// Throws nb::python_error with KeyTypeError or InvalidArgumentError.
Hash hash_other(const Hasher& hasher, PyObject* key, KeyType& type);

// The hash of a key, and what it is. Throws as hash_other does.
inline Hash hash_object(const Hasher& hasher, PyObject* key, KeyType& type) {
  if (PyLong_CheckExact(key)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(key, &overflow);
    if (overflow == 0) [[likely]] {
      type = KeyType::integer;
      return hasher(static_cast<std::uint64_t>(value));
    }
  } else if (PyUnicode_CheckExact(key) && PyUnicode_IS_COMPACT_ASCII(key)) {
    type = KeyType::text;
    return hasher(PyUnicode_1BYTE_DATA(key), static_cast<std::size_t>(PyUnicode_GET_LENGTH(key)));
  } else if (PyBytes_CheckExact(key)) {
    type = KeyType::bytes;
    return hasher(PyBytes_AS_STRING(key), static_cast<std::size_t>(PyBytes_GET_SIZE(key)));
  }
  return hash_other(hasher, key, type);
}

const char* to_string(KeyType type);

}  // namespace bloomery::python
