// Tables: sorted files with a filter in front.
#include "bloomery/table/table.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <mutex>
#include <vector>

#include "errors.h"
#include "module.h"
#include "options.h"
#include "text.h"

namespace bloomery::python {
namespace {

using namespace nb::literals;

// Builders take one thread at a time: a second one waits.
struct PyTableBuilder {
  explicit PyTableBuilder(TableBuilder made) : builder(std::move(made)) {}

  TableBuilder builder;
  std::mutex mutex;
  bool done = false;

  void add(nb::handle key, nb::handle value, nb::handle sequence, bool deleted) {
    const std::uint64_t number = number_of(sequence, "sequence");
    std::string key_room, value_room;
    const Entry entry{bytes_of_key(key, key_room), bytes_of_key(value, value_room), number, deleted};
    check(without_gil([&]() -> Status {
      const std::lock_guard lock(mutex);
      if (done) return Error{ErrorCode::invalid_argument, "the table is finished or given up", "", ""};
      return builder.add(entry);
    }));
  }
};

nb::dict to_dict(const TableProperties& p) {
  nb::dict d;
  d["entries"] = p.entries;
  d["keys"] = p.keys;
  d["deleted"] = p.deleted;
  d["blocks"] = p.blocks;
  d["file_bytes"] = p.file_bytes;
  d["filter_bytes"] = p.filter_bytes;
  d["index_bytes"] = p.index_bytes;
  d["smallest"] = to_bytes(p.smallest);
  d["largest"] = to_bytes(p.largest);
  d["filter"] = p.filter ? nb::cast(to_string(*p.filter)) : nb::none();
  d["designed_fpr"] = p.designed_fpr;
  return d;
}

// Each call holds the table while it uses it, so that another thread may close it meanwhile. Without a GIL the methods
// take the lock of the object (nb::lock_self) for the moment in which they copy the pointer.
struct PyTable {
  std::shared_ptr<Table> table;

  std::shared_ptr<Table> open() const {
    if (!table) raise_invalid("the table is closed");
    return table;
  }
  // The value, or nothing for a key that is absent or deleted.
  nb::object get(nb::handle key, nb::object otherwise) const {
    std::string room;
    const std::string_view bytes = bytes_of_key(key, room);
    const std::shared_ptr<Table> from = open();
    const Lookup found = checked(without_gil([&] { return from->get(bytes); }));
    return found.found() ? nb::object(to_bytes(found.value)) : otherwise;
  }
  nb::list get_many(nb::iterable keys) const {
    refuse_one_key(keys);
    const std::shared_ptr<Table> from = open();
    std::vector<std::string> texts;
    for (nb::handle key : keys) {
      std::string room;
      texts.emplace_back(bytes_of_key(key, room));
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    auto results = checked(without_gil([&] { return from->multi_get(views); }));
    nb::list values;
    for (Result<Lookup>& result : results) {
      const Lookup found = checked(std::move(result));
      values.append(found.found() ? nb::object(to_bytes(found.value)) : nb::none());
    }
    return values;
  }
};

// Walks over the entries from `first` on, up to `last`; newest entries alone, and no deleted keys.
struct PyTableWalk {
  TableIterator iterator;
  std::optional<std::string> last;
  std::optional<std::string> before;

  nb::object next() {
    while (true) {
      if (!iterator.valid()) {
        check(iterator.status());
        throw nb::stop_iteration();
      }
      const Entry entry = iterator.entry();
      if (last && entry.key >= *last) throw nb::stop_iteration();
      const bool old = before && *before == entry.key;
      const nb::object pair = nb::make_tuple(to_bytes(entry.key), to_bytes(entry.value));
      const bool skip = old || entry.deleted;
      before = std::string(entry.key);
      iterator.next();
      if (!skip) return pair;
    }
  }
};

std::optional<std::string> bound(nb::handle key) {
  if (key.is_none()) return {};
  std::string room;
  return std::string(bytes_of_key(key, room));
}

PyTableWalk* walk(const PyTable& self, nb::handle first, nb::handle last) {
  TableIterator iterator = self.open()->iterate();
  if (const auto from = bound(first)) iterator.seek(*from);
  else iterator.first();
  return new PyTableWalk{std::move(iterator), bound(last), {}};
}

void create_builder(PyTableBuilder* self, nb::handle path, nb::handle filter, double fpr, std::string_view compression,
                    nb::handle block_bytes) {
  TableOptions options;
  options.block_bytes = number_of(block_bytes, "block_bytes");
  options.compression = checked(compression_from_name(compression));
  options.filter = filter.is_none() ? std::nullopt : std::optional(kind_of(text_of(filter, "filter")));
  options.filter_size = SizeSpec();
  options.filter_size.fpr = fpr;
  const std::string name = path_of(path);
  new (self) PyTableBuilder(checked(without_gil([&] { return TableBuilder::create(name, options); })));
}

nb::dict finish(PyTableBuilder& self) {
  return to_dict(checked(without_gil([&]() -> Result<TableProperties> {
    const std::lock_guard lock(self.mutex);
    if (std::exchange(self.done, true))
      return Error{ErrorCode::invalid_argument, "the table is finished or given up", "", ""};
    return self.builder.finish();
  })));
}

}  // namespace

void bind_table(nb::module_& module) {
  nb::class_<PyTableWalk>(module, "_TableWalk")
      .def("__iter__", [](nb::object self) { return self; })
      .def("__next__", &PyTableWalk::next, nb::lock_self());
  nb::class_<PyTable>(module, "Table")
      .def(
          "__init__",
          [](PyTable* self, nb::handle path, nb::object secret) {
            const std::string name = path_of(path);
            TableReadOptions options;
            options.secret = secret_of(secret);
            new (self) PyTable{checked(without_gil([&] { return Table::open(name, options); }))};
          },
          "path"_a, nb::kw_only(), "secret"_a = nb::none())
      .def("get", &PyTable::get, "key"_a, "default"_a = nb::none(), nb::lock_self(),
           "The value of a key, or the default where it is absent or deleted.")
      .def("get_many", &PyTable::get_many, "keys"_a, nb::lock_self(),
           "The values of many keys, None for those that are absent: asked of the filter together, and read in the "
           "order of the file.")
      .def(
          "__getitem__",
          [](const PyTable& self, nb::handle key) {
            nb::object value = self.get(key, {});
            if (!value.is_valid()) {
              PyErr_SetObject(PyExc_KeyError, key.ptr());
              throw nb::python_error();
            }
            return value;
          },
          "key"_a, nb::lock_self())
      .def(
          "__contains__", [](const PyTable& self, nb::handle key) { return self.get(key, {}).is_valid(); },
          nb::lock_self())
      .def(
          "may_contain",
          [](const PyTable& self, nb::handle key) {
            std::string room;
            return self.open()->may_contain(bytes_of_key(key, room));
          },
          "key"_a, nb::lock_self(), "False: the key is not here, by the filter alone.")
      .def("items", &walk, "first"_a = nb::none(), "last"_a = nb::none(), nb::lock_self(),
           "Pairs of key and value in order, from the key first on and before the key last.")
      .def(
          "_properties", [](const PyTable& self) { return to_dict(self.open()->properties()); }, nb::lock_self())
      .def(
          "verify",
          [](const PyTable& self) {
            const std::shared_ptr<Table> held = self.open();
            check(without_gil([&] { return held->verify(); }));
          },
          nb::lock_self(), "Reads every block and compares all there is to compare.")
      .def(
          "close", [](PyTable& self) { self.table.reset(); }, nb::lock_self(),
          "Gives the file back, when the calls under way are done. Every later use raises InvalidArgumentError.");
  module.attr("Table").attr("__iter__") = nb::none();  // items() goes over it
  nb::class_<PyTableBuilder>(module, "TableBuilder")
      .def("__init__", &create_builder, "path"_a, nb::kw_only(), "filter"_a.none() = "split", "fpr"_a = 0.01,
           "compression"_a = "none", "block_bytes"_a = 4096)
      .def("add", &PyTableBuilder::add, "key"_a, "value"_a, nb::kw_only(), "sequence"_a = 0, "deleted"_a = false,
           "Adds an entry; keys ascend. Of one key the larger sequence number comes first; deleted hides older ones.")
      .def("_finish", &finish)
      .def(
          "_give_up",
          [](PyTableBuilder& self) {
            const std::lock_guard lock(self.mutex);
            self.done = true;
            const TableBuilder gone = std::move(self.builder);  // and its unfinished file
          },
          nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace bloomery::python
