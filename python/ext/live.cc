// Live filters: shared by the threads of a service, rebuilt and swapped without a pause, watched by Prometheus.
#include "bloomery/live/live.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "answers.h"
#include "bloomery/block.h"
#include "column.h"
#include "errors.h"
#include "gather.h"
#include "guard.h"
#include "key.h"
#include "module.h"
#include "options.h"
#include "progress.h"

namespace bloomery::python {
namespace {

using namespace nb::literals;
using Filter = LiveFilter<BlockFilter>;

void refuse(Refusal why) {
  if (why == Refusal::none) return;
  if (why == Refusal::forked)
    raise_invalid(
        "this process was forked while another thread was in begin_rebuild, commit, abort or snapshot: lookups and "
        "adds go on here, and to rebuild, save or measure make a Live of this process's own");
  raise_refusal(why);
}

// The hash is fixed when the filter is made: a rebuild keeps it. Locks of the filter that another thread held when the
// process forked are held in the child for good. The guards know of that: one is held wherever they are for long.
struct PyLive {
  std::unique_ptr<Filter> live;
  Hasher hasher;
  Guard rebuilding, saving;

  bool contains(nb::handle key) const {
    KeyType type{};
    return live->contains(hash_object(hasher, key.ptr(), type));
  }
  bool add(nb::handle key) const {
    KeyType type{};
    return live->add(hash_object(hasher, key.ptr(), type));
  }
  nb::object contains_many(nb::handle keys, std::string_view form, const char* nulls, nb::handle progress) const;
  void update(nb::handle keys, const char* nulls, nb::handle progress) const {
    for_hashes(keys, nulls, progress, [&](std::span<const Hash> hashes) -> Status {
      for (const Hash hash : hashes) live->add(hash);
      return {};
    });
  }
  void feed(nb::handle keys, const char* nulls, nb::handle progress) const {
    for_hashes(keys, nulls, progress, [&](std::span<const Hash> hashes) { return live->feed_many(hashes); });
  }
  // begin_rebuild, commit and abort: calls work(filter), one at a time.
  template <class Work>
  void rebuild(Work work) {
    refuse(rebuilding.lock());
    const Status status = without_gil([&] { return work(*live); });
    rebuilding.unlock();
    check(status);
  }
  // Saves it, one call at a time, without waiting for a rebuild.
  void snapshot(const std::string& path) {
    if (rebuilding.left_behind()) refuse(Refusal::forked);
    refuse(saving.lock());
    const Status status = without_gil([&] { return live->snapshot(path); });
    saving.unlock();
    check(status);
  }
  // Returns work(filter), which measures, without waiting for a rebuild.
  template <class Work>
  auto look(Work work) {
    if (rebuilding.left_behind()) refuse(Refusal::forked);
    return without_gil([&] { return work(*live); });
  }

 private:
  // Calls use(hashes), without the GIL, for each group of keys that are not null, until one fails.
  template <class Use>
  void for_hashes(nb::handle keys, const char* nulls, nb::handle progress, Use use) const {
    const std::unique_ptr<Source> source = open_source(keys, hasher, nulls, progress);
    while (const Column* column = source->next()) {
      Status status;
      std::array<Hash, Column::kGroup> kept;
      const bool good = without_gil([&] {
        return column->for_groups(hasher, [&](std::size_t first, std::span<const Hash> hashes) {
          if (status.ok()) status = use(without_nulls(*column, first, hashes, kept));
        });
      });
      if (!good) raise_malformed();
      check(status);
    }
  }
};

nb::object PyLive::contains_many(nb::handle keys, std::string_view form, const char* nulls, nb::handle progress) const {
  Answers answers(answer_form_from_name(form));
  const std::unique_ptr<Source> source = open_source(keys, hasher, nulls, progress);
  while (const Column* column = source->next()) {
    bool room = true;
    const bool good = without_gil([&] {
      return column->for_groups(hasher, [&](std::size_t first, std::span<const Hash> hashes) {
        std::array<std::uint8_t, Column::kGroup> group;
        const std::span<std::uint8_t> to = std::span(group).first(hashes.size());
        live->contains_many(hashes, to);
        for (std::size_t i = 0; column->has_nulls() && i < to.size(); ++i)
          if (column->is_null(first + i)) to[i] = 0;
        room = room && answers.reserve(hashes.size());
        if (room) answers.append(to);
      });
    });
    if (!good) raise_malformed();
    if (!room) raise_code(ErrorCode::out_of_memory, "no memory for the answers");
  }
  return std::move(answers).to_numpy();
}

LiveOptions options_of(nb::handle n, double fpr, const std::string& name, nb::handle secret) {
  LiveOptions options;
  options.n = number_of(n, "n");
  options.fpr = fpr;
  options.name = name;
  options.hasher = hasher_of(Kind::block, nb::none(), 0, secret);
  return options;
}

// Empty, or from a file.
void create(PyLive* self, nb::handle n, double fpr, const std::string& name, nb::object secret, nb::object path) {
  LiveOptions options = options_of(n, fpr, name, secret);
  OpenOptions open;
  open.secret = secret_of(secret);
  const std::optional<std::string> file = path.is_none() ? std::nullopt : std::optional(path_of(path));
  if (file) options.hasher.reset();  // that of the file
  auto live = checked(without_gil([&] { return file ? Filter::load(*file, options, open) : Filter::make(options); }));
  const Hasher hasher = live->read().filter().hasher();
  new (self) PyLive{std::move(live), hasher, {}, {}};
}

nb::dict stats(PyLive& self, nb::handle sample) {
  const std::uint64_t samples = number_of(sample, "sample");
  const LiveStats s = checked(self.look([&](Filter& live) { return live.stats(samples); }));
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
      .def("contains", &PyLive::contains_many, "keys"_a.none(), nb::kw_only(), "answers"_a = "bool",
           "nulls"_a = "refuse", "progress"_a = false, "Answers of many keys, as those of Filter.contains.")
      .def("add", &PyLive::add, "key"_a.none(),
           "Adds one key, to the filter under way too. False says that nothing changed: it was there, or seems to be.")
      .def("update", &PyLive::update, "keys"_a.none(), nb::kw_only(), "nulls"_a = "refuse", "progress"_a = false,
           "Adds many keys, to the filter under way too. Releases the GIL; lookups and other adds go on.")
      .def(
          "begin_rebuild",
          [](PyLive& self, nb::handle n, double fpr) {
            const std::uint64_t keys = number_of(n, "n");
            self.rebuild([&](Filter& live) { return live.begin_rebuild(keys, fpr); });
          },
          "n"_a, "fpr"_a = 0.01,
          "Starts a new filter beside the one in use. From its return on every add goes to both; feed it every key of "
          "the source of truth, then commit.")
      .def("feed", &PyLive::feed, "keys"_a.none(), nb::kw_only(), "nulls"_a = "refuse", "progress"_a = false,
           "Adds many keys to the filter under way alone. Any number of threads may feed at once.")
      .def(
          "commit", [](PyLive& self) { self.rebuild([](Filter& live) { return live.commit(); }); },
          "Puts the filter under way in the place of the one in use, in one step.")
      .def(
          "abort", [](PyLive& self) { self.rebuild([](Filter& live) { return live.abort(); }); },
          "Drops the filter under way; the one in use was never touched.")
      .def(
          "snapshot", [](PyLive& self, nb::handle path) { self.snapshot(path_of(path)); }, "path"_a,
          "Saves it while adds and lookups go on, with every add that returned before. A damaged one is refused.")
      .def(
          "disable", [](PyLive& self) { self.live->disable(); },
          "The kill switch: every answer is \"maybe\" until enable(). Adds go on.")
      .def(
          "enable", [](PyLive& self) { self.live->enable(); }, "Ends disable().")
      .def(
          "self_check", [](PyLive& self) { return without_gil([&] { return self.live->self_check(); }); },
          "Whether its memory is sound. When not, every answer is \"maybe\" until a rebuild.")
      .def(
          "was_false_positive", [](PyLive& self) { self.live->was_false_positive(); },
          "Tells it of a \"maybe\" that the truth denied, for its figures.")
      .def(
          "was_false_negative", [](PyLive& self) { self.live->was_false_negative(); },
          "Tells it of a \"no\" that the truth did not share, which must never be, for its figures.")
      .def("_stats", &stats, "sample"_a = 100'000)
      .def(
          "prometheus", [](PyLive& self) { return checked(self.look([](Filter& live) { return live.prometheus(); })); },
          "Its figures as text that Prometheus scrapes.")
      .def(
          "json", [](PyLive& self) { return checked(self.look([](Filter& live) { return live.json(); })); },
          "Its figures as JSON.");
}

}  // namespace bloomery::python
