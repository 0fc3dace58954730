// The class Filter as Python sees it. Names, arguments and defaults are here; docstrings are in filter_docs.h, and
// types in bloomery/_core.pyi.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "bloomery/inspect.h"
#include "filter.h"
#include "filter_bytes.h"
#include "filter_docs.h"
#include "module.h"
#include "options.h"

namespace bloomery::python {
namespace {

using namespace nb::literals;

Creation creation_of(std::string_view kind, double fpr, nb::handle hash, nb::handle seed, nb::handle secret) {
  Creation creation;
  creation.kind = kind_of(kind);
  creation.size.fpr = fpr;
  creation.options = FilterOptions(hasher_of(creation.kind, hash, number_of(seed, "seed"), secret));
  return creation;
}

void create(PyFilter* self, nb::handle n, double fpr, std::string_view kind, nb::object hash, nb::handle seed,
            nb::object secret) {
  const std::uint64_t keys = number_of(n, "n");
  const Creation c = creation_of(kind, fpr, hash, seed, secret);
  new (self) PyFilter(checked(without_gil([&] { return AnyFilter::with_capacity(c.kind, keys, fpr, c.options); })));
}

// `key in filter`, by way of the type's slot: no arguments to be parsed.
int contains_slot(PyObject* self, PyObject* key) noexcept {
  if (!nb::inst_ready(self)) {
    PyErr_SetString(PyExc_ValueError, "the filter was never created: __init__ did not run");
    return -1;
  }
  try {
    return nb::inst_ptr<PyFilter>(self)->contains(key) ? 1 : 0;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return -1;
}

std::string describe(PyFilter& filter) {
  if (filter.guard.closed()) return "<bloomery.Filter closed>";
  const Reading reading(filter.guard);
  const std::optional<std::uint64_t> count = filter.key_count();
  std::string text = std::string("<bloomery.Filter ") + to_string(filter.view().kind());
  if (count) text += ", " + std::to_string(*count) + (*count == 1 ? " key" : " keys");
  text += ", " + std::to_string(filter.view().bytes()) + " bytes";
  if (filter.is_mapped()) text += filter.is_verified() ? ", mapped" : ", mapped, not verified";
  if (const auto& label = filter.envelope().records.label) text += ", '" + *label + "'";
  return text + ">";
}

Py_ssize_t length(PyFilter& filter) {
  const std::optional<std::uint64_t> count = [&] {
    const Reading reading(filter.guard);
    const std::optional<std::uint64_t> known = filter.key_count();
    return known ? known : without_gil([&] { return filter.view().estimated_count(); });
  }();
  if (!count) raise_code(ErrorCode::unsupported, "the filter does not know how many keys it holds");
  if (*count > static_cast<std::uint64_t>(PY_SSIZE_T_MAX))
    raise_code(ErrorCode::unsupported, "the filter holds more keys than len() can say: key_count has their number");
  return static_cast<Py_ssize_t>(*count);
}

// A property that reads the view.
template <class Read>
auto reads(Read read) {
  return [read](PyFilter& filter) {
    const Reading reading(filter.guard);
    return without_gil([&] { return read(filter.view()); });
  };
}

// What a file says of itself; a closed filter knows it still.
template <class Read>
auto reads_records(Read read) {
  return [read](PyFilter& filter) -> std::optional<std::string> {
    if (filter.guard.closed()) return read(filter.envelope().records);
    const Reading reading(filter.guard);
    return read(filter.envelope().records);
  };
}

nb::dict geometry(PyFilter& filter) {
  const GeometryFields found = [&] {
    const Reading reading(filter.guard);
    return filter.view().geometry_fields();
  }();
  nb::dict fields;
  for (const auto& [name, value] : found) fields[name] = value;
  return fields;
}

nb::dict inspection(PyFilter& filter) {
  const Inspection found = checked([&] {
    const Reading reading(filter.guard);
    return without_gil([&] { return inspect(filter.view(), filter.key_count()); });
  }());
  nb::list along;
  for (const Inspection::Column& column : found.along)
    along.append(static_cast<double>(column.set) / static_cast<double>(column.bits));
  nb::dict fields;
  fields["fill"] = found.fill;
  fields["predicted_fpr"] = found.predicted_fpr;
  fields["estimated_count"] = or_none(found.estimated_count);
  fields["sampled_fpr"] = found.sampled.rate;
  fields["sampled_low"] = found.sampled.low;
  fields["sampled_high"] = found.sampled.high;
  fields["samples"] = found.samples;
  fields["fill_along"] = along;
  fields["retries"] = or_none(found.retries);
  fields["bits_per_key"] = or_none(found.bits_per_key);
  return fields;
}

PyFilter* merged(PyFilter& a, PyFilter& b) {
  std::unique_ptr<PyFilter> copy(a.copy());
  copy->merge(b);
  return copy.release();
}

PyFilter* intersected(PyFilter& a, PyFilter& b) {
  std::unique_ptr<PyFilter> copy(a.copy());
  copy->intersect(b);
  return copy.release();
}

// Threads of Python are counted by int; 0 and less are mistakes.
unsigned thread_count(int threads) {
  if (threads < 1 || threads > 4096) raise_invalid("threads must be from 1 to 4096");
  return static_cast<unsigned>(threads);
}

PyType_Slot slots[] = {{Py_sq_contains, reinterpret_cast<void*>(contains_slot)},
                       {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                       {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                       {0, nullptr}};

void bind_keys(nb::class_<PyFilter>& c) {
  c.def(
       "add", [](PyFilter& f, nb::handle key) { f.add(key); }, "key"_a.none(), docs::kAdd)
      .def(
          "remove", [](PyFilter& f, nb::handle key) { return f.remove(key); }, "key"_a.none(), docs::kRemove)
      .def("contains", &PyFilter::contains_many, "keys"_a.none(), nb::kw_only(), "answers"_a = "bool",
           "nulls"_a = "refuse", "progress"_a = false, docs::kContains)
      .def(
          "update",
          [](PyFilter& f, nb::handle keys, int threads, const char* nulls, nb::handle progress) {
            f.update(keys, thread_count(threads), nulls, progress);
          },
          "keys"_a.none(), nb::kw_only(), "threads"_a = 1, "nulls"_a = "refuse", "progress"_a = false, docs::kUpdate)
      .def("remove_many", &PyFilter::remove_many, "keys"_a.none(), nb::kw_only(), "nulls"_a = "refuse",
           "progress"_a = false, docs::kRemoveMany)
      .def("clear", &PyFilter::clear, docs::kClear);
}

void bind_bytes(nb::class_<PyFilter>& c) {
  c.def("save", &save_filter, "path"_a, nb::kw_only(), "label"_a = nb::none(), "keys"_a = nb::none(),
        "chunks"_a = false, "format"_a = "envelope", docs::kSave)
      .def_static("open", &open_filter, "path"_a, nb::kw_only(), "secret"_a = nb::none(), "parquet"_a = false,
                  docs::kOpen)
      .def_static("map", &map_filter, "path"_a, nb::kw_only(), "verify"_a = false, "secret"_a = nb::none(),
                  "parquet"_a = false, docs::kMap)
      .def_static("from_bytes", &filter_from_bytes, "data"_a, nb::kw_only(), "secret"_a = nb::none(),
                  "parquet"_a = false, docs::kFromBytes)
      .def("to_bytes", &filter_to_bytes, nb::kw_only(), "format"_a = "envelope", docs::kToBytes)
      .def("__bytes__", [](PyFilter& f) { return filter_to_bytes(f, "envelope"); })
      .def("verify", &PyFilter::verify, docs::kVerify)
      .def("close", &PyFilter::close, docs::kClose)
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", [](PyFilter& f, const nb::args&) { f.close(); })
      .def("_head", &envelope_head)
      .def("_parts", &envelope_parts)
      .def("_pieces_along", &pieces_along, "columns"_a, "most"_a)
      .def_static("_from_parts", &filter_from_parts, "head"_a, "payload"_a, "secret"_a = nb::none());
}

void bind_combining(nb::class_<PyFilter>& c) {
  c.def("__or__", &merged, nb::is_operator())
      .def("__and__", &intersected, nb::is_operator())
      .def(
          "__ior__",
          [](nb::object self, PyFilter& other) {
            nb::cast<PyFilter&>(self).merge(other);
            return self;
          },
          nb::is_operator())
      .def(
          "__iand__",
          [](nb::object self, PyFilter& other) {
            nb::cast<PyFilter&>(self).intersect(other);
            return self;
          },
          nb::is_operator())
      .def("__eq__", &PyFilter::equals, nb::is_operator())
      .def("copy", &PyFilter::copy, docs::kCopy)
      .def("__copy__", &PyFilter::copy)
      .def("__deepcopy__", [](PyFilter& f, nb::handle) { return f.copy(); });
  c.attr("__hash__") = nb::none();
}

void bind_properties(nb::class_<PyFilter>& c) {
  c.def("__repr__", &describe)
      .def("__len__", &length)
      .def_prop_ro("kind", reads([](const AnyView& view) { return to_string(view.kind()); }))
      .def_prop_ro("hash", reads([](const AnyView& view) { return to_string(view.hasher().id()); }))
      .def_prop_ro("seed", reads([](const AnyView& view) { return view.hasher().seed(); }))
      .def_prop_ro("nbytes", reads([](const AnyView& view) { return view.bytes(); }))
      .def_prop_ro("fill", reads([](const AnyView& view) { return view.fill(); }))
      .def_prop_ro("predicted_fpr", reads([](const AnyView& view) { return view.predicted_fpr(); }))
      .def_prop_ro("estimated_count", reads([](const AnyView& view) { return view.estimated_count(); }))
      .def_prop_ro("forgets", reads([](const AnyView& view) { return view.forgets(); }))
      .def_prop_ro("key_count", [](PyFilter& f) { return Reading(f.guard), f.key_count(); })
      .def_prop_ro("geometry", &geometry)
      .def("_inspect", &inspection)
      .def_prop_ro("label", reads_records([](const Records& records) { return records.label; }))
      .def_prop_ro("key_type", reads_records([](const Records& records) { return records.keys; }))
      .def_prop_ro("mapped", [](PyFilter& f) { return f.is_mapped(); })
      .def_prop_ro("verified", [](PyFilter& f) { return f.is_verified(); })
      .def_prop_ro("closed", [](PyFilter& f) { return f.guard.closed(); });
}

}  // namespace

void bind_filter(nb::module_& module) {
  nb::class_<PyFilter> c(module, "Filter", nb::type_slots(slots), nb::is_weak_referenceable(), docs::kFilter);
  c.def("__init__", &create, "n"_a, "fpr"_a = 0.01, "kind"_a = "block", nb::kw_only(), "hash"_a = nb::none(),
        "seed"_a = 0, "secret"_a = nb::none())
      .def_static(
          "build",
          [](nb::handle keys, double fpr, std::string_view kind, int threads, const char* nulls, nb::object progress,
             nb::object hash, nb::handle seed, nb::object secret) {
            return build_filter(keys, creation_of(kind, fpr, hash, seed, secret), thread_count(threads), nulls,
                                progress);
          },
          "keys"_a.none(), "fpr"_a = 0.01, "kind"_a = "block", nb::kw_only(), "threads"_a = 1, "nulls"_a = "refuse",
          "progress"_a = false, "hash"_a = nb::none(), "seed"_a = 0, "secret"_a = nb::none(), docs::kBuild);
  bind_keys(c);
  bind_bytes(c);
  bind_combining(c);
  bind_properties(c);
}

}  // namespace bloomery::python
