// What Python's arguments say: paths, kinds, hashes, secrets.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/bloomery.h"

namespace bloomery::python {

namespace nb = nanobind;

// The bytes of a str, bytes or os.PathLike that names a file.
std::string path_of(nb::handle path);

// The UTF-8 of a str; `name` is the argument, for the error of what is none.
std::string text_of(nb::handle text, const char* name);

// A number from 0 to 2^64 - 1; `name` is the argument, for the error of one that is less or more. What is no integer
// is a TypeError, as with arguments of any other type.
std::uint64_t number_of(nb::handle number, const char* name);

// 16 bytes, or nothing.
std::optional<Secret> secret_of(nb::handle secret);

// The hash by its name; the kind's own without one. Refuses a seed or a secret for one that takes none.
Hasher hasher_of(Kind kind, nb::handle name, std::uint64_t seed, nb::handle secret);

Kind kind_of(std::string_view name);
Format format_of(std::string_view name);

// A number, or None.
template <class T>
nb::object or_none(const std::optional<T>& value) {
  return value ? nb::cast(*value) : nb::none();
}

}  // namespace bloomery::python
