#include "options.h"

#include <nanobind/stl/string.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "errors.h"

namespace bloomery::python {

std::string path_of(nb::handle path) {
  const nb::object given = nb::steal(PyOS_FSPath(path.ptr()));
  if (!given.is_valid()) throw nb::python_error();  // its own, or a TypeError that says which types are paths
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(given.ptr(), &bytes) == 0) {
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw nb::python_error();
    PyErr_Clear();
    raise_invalid("the path is no name of a file: it has a null character, or text that file names cannot hold");
  }
  const nb::object owner = nb::steal(bytes);
  return {PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes))};
}

std::string text_of(nb::handle text, const char* name) {
  if (!PyUnicode_Check(text.ptr())) raise_invalid(std::string(name) + " is a " + name_of_type(text) + ", not a str");
  Py_ssize_t size = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) return {utf8, static_cast<std::size_t>(size)};
  PyErr_Clear();
  raise_invalid(std::string(name) + " has a lone surrogate and therefore no UTF-8");
}

std::uint64_t number_of(nb::handle number, const char* name) {
  if (PyIndex_Check(number.ptr()) == 0) throw nb::next_overload();  // nanobind says what the function takes
  const nb::object integer = nb::steal(PyNumber_Index(number.ptr()));
  if (!integer.is_valid()) throw nb::python_error();
  const std::uint64_t value = PyLong_AsUnsignedLongLong(integer.ptr());
  if (value != std::numeric_limits<std::uint64_t>::max() || PyErr_Occurred() == nullptr) return value;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
  PyErr_Clear();
  raise_invalid(std::string(name) + " is " + printable(integer) + ": give a number from 0 to 2^64 - 1");
}

std::optional<Secret> secret_of(nb::handle secret) {
  if (secret.is_none()) return {};
  if (!PyBytes_Check(secret.ptr()) || PyBytes_GET_SIZE(secret.ptr()) != 16)
    raise_invalid("a secret is 16 bytes: secrets.token_bytes(16) makes one");
  std::array<std::uint8_t, 16> bytes;
  std::memcpy(bytes.data(), PyBytes_AS_STRING(secret.ptr()), bytes.size());
  return Secret(bytes);
}

Hasher hasher_of(Kind kind, nb::handle name, std::uint64_t seed, nb::handle secret_object) {
  const std::optional<Secret> secret = secret_of(secret_object);
  const HashId id = !name.is_none() ? checked(hash_id_from_name(text_of(name, "hash")))
                    : secret        ? HashId::siphash13
                                    : default_hasher(kind).id();
  if (takes_secret(id) != secret.has_value())
    raise_invalid(std::string(to_string(id)) + (secret ? " takes no secret: siphash13 does" : " needs a secret"));
  if (seed != 0 && !takes_seed(id)) raise_invalid(std::string(to_string(id)) + " takes no seed: xxh3 does");
  switch (id) {
    case HashId::xxh3: return Hasher::xxh3(seed);
    case HashId::xxh64: return Hasher::xxh64(seed);
    case HashId::siphash13: return Hasher::siphash13(*secret);
    case HashId::siphash24: return Hasher::siphash24(*secret);
    case HashId::fnv_splitmix: break;
  }
  return Hasher::fnv_splitmix();
}

Kind kind_of(std::string_view name) { return checked(kind_from_name(name)); }

Format format_of(std::string_view name) {
  for (const Format format : {Format::raw, Format::envelope, Format::parquet})
    if (name == to_string(format)) return format;
  raise_invalid("format is '" + std::string(name) + "' and must be 'envelope', 'raw' or 'parquet'");
}

}  // namespace bloomery::python
