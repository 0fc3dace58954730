#include "key.h"

#include "errors.h"

namespace bloomery::python {
namespace {

[[noreturn]] void refuse(PyObject* key) {
  std::string message = "a key is a str, bytes or an int, not a " + name_of_type(key);
  if (is_bool(key)) message += ": int(key) says that 0 and 1 are meant";
  else if (PyFloat_Check(key)) message += ": equal floats may differ in their bytes; say what is meant by str or int";
  else if (PyByteArray_Check(key) || PyMemoryView_Check(key)) message += ": bytes(key) is one";
  raise_key_type(message);
}

Hash hash_text(const Hasher& hasher, PyObject* key) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(key, &size);
  if (text == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
    PyErr_Clear();
    raise_invalid("the text has a lone surrogate and therefore no UTF-8, which is what keys are made of");
  }
  return hasher(text, static_cast<std::size_t>(size));
}

// An int of any size, or a subclass.
Hash hash_integer(const Hasher& hasher, PyObject* key) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(key, &overflow);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (overflow == 0) return hasher(static_cast<std::uint64_t>(value));
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(key);
    if (PyErr_Occurred() == nullptr) return hasher(static_cast<std::uint64_t>(large));
    PyErr_Clear();
  }
  raise_invalid("an int that is a key lies between -2**63 and 2**64 - 1; str(key) takes larger ones");
}

}  // namespace

Hash hash_other(const Hasher& hasher, PyObject* key, KeyType& type) {
  if (PyBool_Check(key) || PyFloat_Check(key)) refuse(key);
  if (PyUnicode_Check(key)) return type = KeyType::text, hash_text(hasher, key);
  if (PyBytes_Check(key)) {
    type = KeyType::bytes;
    return hasher(PyBytes_AS_STRING(key), static_cast<std::size_t>(PyBytes_GET_SIZE(key)));
  }
  type = KeyType::integer;
  if (PyLong_Check(key)) return hash_integer(hasher, key);
  if (!PyIndex_Check(key) || is_bool(key)) refuse(key);
  const nb::object index = nb::steal(PyNumber_Index(key));  // integers of NumPy
  if (!index.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    refuse(key);
  }
  return hash_integer(hasher, index.ptr());
}

const char* to_string(KeyType type) {
  switch (type) {
    case KeyType::integer: return "int";
    case KeyType::text: return "str";
    case KeyType::bytes: return "bytes";
  }
  return "";
}

}  // namespace bloomery::python
