// Differences of sets by invertible Bloom lookup tables: what one side has and the other lacks, from tables as large as
// the difference.
#include "bloomery/iblt.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bloomery/iblt_file.h"
#include "errors.h"
#include "guard.h"
#include "module.h"
#include "options.h"
#include "text.h"

namespace bloomery::python {
namespace {

using namespace nb::literals;

struct PyIblt {
  explicit PyIblt(Iblt made) : table(std::move(made)) {}
  Iblt table;
  Guard guard;
};

std::span<const std::uint8_t> bytes_span(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void create(PyIblt* self, nb::handle differences, std::uint32_t key_bytes, bool variable) {
  const std::uint64_t n = number_of(differences, "differences");
  const IbltGeometry geometry = checked(IbltGeometry::for_differences(n, key_bytes, 0, variable));
  new (self) PyIblt(checked(without_gil([&] { return Iblt::with_geometry(geometry); })));
}

void change(PyIblt& self, nb::handle key, bool adds) {
  std::string room;
  const auto bytes = bytes_span(bytes_of_key(key, room));
  const Status status = [&] {
    const Writing writing(self.guard);
    return adds ? self.table.add(bytes) : self.table.remove(bytes);
  }();
  check(status);
}

nb::list keys_of(const IbltItems& items) {
  nb::list keys;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto key = items.key(i);
    keys.append(nb::bytes(key.data(), key.size()));
  }
  return keys;
}

// (keys that only the first has, keys that only the second has, whether these are all)
nb::tuple difference(PyIblt& a, PyIblt& b) {
  const IbltListing listing = checked([&] {
    const ReadingTwo reading(a.guard, b.guard);
    return without_gil([&]() -> Result<IbltListing> {
      Result<Iblt> left = a.table.clone();
      BLOOMERY_TRY(left);
      BLOOMERY_TRY(left->subtract(b.table));
      return left->list();
    });
  }());
  return nb::make_tuple(keys_of(listing.added), keys_of(listing.removed), listing.complete);
}

nb::bytes to_bytes_of(PyIblt& self) {
  const auto bytes = checked([&] {
    const Reading reading(self.guard);
    return without_gil([&] { return encode(self.table); });
  }());
  return nb::bytes(bytes.data(), bytes.size());
}

PyIblt* from_bytes(nb::bytes data) {
  const std::span bytes(static_cast<const std::uint8_t*>(data.data()), data.size());
  IbltFile file = checked(without_gil([&] { return decode_iblt(bytes); }));
  Iblt* table = file.table();
  if (table == nullptr) raise_code(ErrorCode::unsupported, "the bytes are a strata estimator, which lists no keys");
  return new PyIblt(std::move(*table));
}

}  // namespace

void bind_iblt(nb::module_& module) {
  nb::class_<PyIblt>(
      module, "Iblt",
      "A table by which two sides find the keys in which their sets differ, for so many differences: each adds its "
      "keys, and bloomery.set_diff lists what one of them lacks. Safe from any thread.")
      .def("__init__", &create, "differences"_a, nb::kw_only(), "key_bytes"_a = 8, "variable"_a = false)
      .def(
          "add", [](PyIblt& self, nb::handle key) { change(self, key, true); }, "key"_a, "Adds one key.")
      .def(
          "remove", [](PyIblt& self, nb::handle key) { change(self, key, false); }, "key"_a,
          "Removes one key; one that was never added becomes a key that this side lacks.")
      .def(
          "update",
          [](PyIblt& self, nb::iterable keys) {
            refuse_one_key(keys);
            constexpr unsigned kBetweenSignals = 8192;
            unsigned added = 0;
            for (nb::handle key : keys) {
              change(self, key, true);
              if (++added % kBetweenSignals == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
            }
          },
          "keys"_a, "Adds the keys of any iterable.")
      .def("_difference", &difference)
      .def("to_bytes", &to_bytes_of, "Its bytes, for the other side.")
      .def_static("from_bytes", &from_bytes, "data"_a, "The table of bytes that to_bytes gave. Verifies all of them.")
      .def_prop_ro("nbytes", [](PyIblt& self) { return self.table.payload().size(); })
      .def_prop_ro("capacity", [](PyIblt& self) { return self.table.geometry().capacity(); });
}

}  // namespace bloomery::python
