// Live filters: shared by the threads of a service, rebuilt and swapped without a pause, watched by Prometheus.
#include "bloomery/live/live.h"

#include <nanobind/stl/string.h>

#include "bloomery/block.h"
#include "column.h"
#include "errors.h"
#include "gather.h"
#include "key.h"
#include "module.h"
#include "options.h"

namespace bloomery::python {
namespace {

using namespace nb::literals;
using Filter = LiveFilter<BlockFilter>;

// The hash is fixed when the filter is made: a rebuild keeps it.
struct PyLive {
  std::unique_ptr<Filter> live;
  Hasher hasher;

  bool contains(nb::handle key) const {
    KeyType type{};
    return live->contains(hash_object(hasher, key.ptr(), type));
  }
  bool add(nb::handle key) const {
    KeyType type{};
    return live->add(hash_object(hasher, key.ptr(), type));
  }
  void feed(nb::handle keys, const char* nulls) const {
    const std::unique_ptr<Source> source = open_source(keys, hasher, nulls_from_name(nulls));
    while (const Column* column = source->next()) {
      Status status;
      std::array<Hash, Column::kGroup> kept;
      const bool good = without_gil([&] {
        return column->for_groups(hasher, [&](std::size_t first, std::span<const Hash> hashes) {
          if (status.ok()) status = live->feed_many(without_nulls(*column, first, hashes, kept));
        });
      });
      if (!good) raise_malformed();
      check(status);
    }
  }
};

LiveOptions options_of(std::uint64_t n, double fpr, const std::string& name, nb::handle secret) {
  LiveOptions options;
  options.n = n;
  options.fpr = fpr;
  options.name = name;
  options.hasher = hasher_of(Kind::block, nb::none(), 0, secret);
  return options;
}

// Empty, or from a file.
void create(PyLive* self, std::uint64_t n, double fpr, const std::string& name, nb::object secret, nb::object path) {
  const LiveOptions options = options_of(n, fpr, name, secret);
  OpenOptions open;
  open.secret = secret_of(secret);
  const std::string file = path.is_none() ? "" : path_of(path);
  auto live =
      checked(without_gil([&] { return file.empty() ? Filter::make(options) : Filter::load(file, options, open); }));
  const Hasher hasher = live->read().filter().hasher();
  new (self) PyLive{std::move(live), hasher};
}

nb::dict stats(const PyLive& self, std::uint64_t sample) {
  const LiveStats s = checked(without_gil([&] { return self.live->stats(sample); }));
  nb::dict d;
  d["queries"] = s.queries;
  d["maybes"] = s.maybes;
  d["adds"] = s.adds;
  d["new_adds"] = s.new_adds;
  d["rebuilds"] = s.rebuilds;
  d["bytes"] = s.bytes;
  d["designed_count"] = s.designed_count;
  d["estimated_count"] = or_none(s.estimated_count);
  d["fill"] = s.fill;
  d["capacity_used"] = s.capacity_used;
  d["designed_fpr"] = s.designed_fpr;
  d["predicted_fpr"] = s.predicted_fpr;
  d["sampled_fpr"] = s.sampled_fpr.rate;
  d["rebuilding"] = s.rebuilding;
  d["disabled"] = s.disabled;
  d["damaged"] = s.damaged;
  return d;
}

}  // namespace

void bind_live(nb::module_& module) {
  nb::class_<PyLive>(module, "Live")
      .def("__init__", &create, "n"_a, "fpr"_a = 0.01, nb::kw_only(), "name"_a = "filter", "secret"_a = nb::none(),
           "path"_a = nb::none())
      .def("__contains__", &PyLive::contains, "key"_a.none())
      .def("add", &PyLive::add, "key"_a.none())
      .def(
          "begin_rebuild",
          [](PyLive& self, std::uint64_t n, double fpr) {
            check(without_gil([&] { return self.live->begin_rebuild(n, fpr); }));
          },
          "n"_a, "fpr"_a = 0.01)
      .def("feed", &PyLive::feed, "keys"_a, nb::kw_only(), "nulls"_a = "refuse")
      .def("commit", [](PyLive& self) { check(without_gil([&] { return self.live->commit(); })); })
      .def("abort", [](PyLive& self) { check(without_gil([&] { return self.live->abort(); })); })
      .def(
          "snapshot",
          [](PyLive& self, nb::handle path) {
            const std::string name = path_of(path);
            check(without_gil([&] { return self.live->snapshot(name); }));
          },
          "path"_a)
      .def("disable", [](PyLive& self) { self.live->disable(); })
      .def("enable", [](PyLive& self) { self.live->enable(); })
      .def("self_check", [](PyLive& self) { return without_gil([&] { return self.live->self_check(); }); })
      .def("was_false_positive", [](PyLive& self) { self.live->was_false_positive(); })
      .def("_stats", &stats, "sample"_a = 100'000)
      .def("prometheus", [](PyLive& self) { return checked(without_gil([&] { return self.live->prometheus(); })); })
      .def("json", [](PyLive& self) { return checked(without_gil([&] { return self.live->json(); })); });
}

}  // namespace bloomery::python
