// What a table costs beside its gets: batches of absent keys, opening, building.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/table_kit.h"
#include "bench/team.h"
#include "bench/text.h"
#include "core/io/file.h"
#include "table/format.h"

namespace bloomery::bench {
namespace {

constexpr double kMega = 1e6;

// The bytes of the filter in a table's file.
std::span<const std::uint8_t> filter_in(std::span<const std::uint8_t> file) {
  const std::string end(file.end() - table::kFooterBytes, file.end());
  const table::Footer footer = got(table::decode_footer(end, file.size()));
  return file.subspan(footer.filter.offset, footer.filter.bytes);
}

// Keys of a window, by batches of 64.
template <class Work>
void in_batches(std::span<const std::string_view> keys, const Work& work) {
  constexpr std::size_t kBatch = 64;
  for (std::size_t at = 0; at < keys.size(); at += kBatch) work(keys.subspan(at, std::min(kBatch, keys.size() - at)));
}

}  // namespace

// Asks for all absent keys, and for those that the filter denies: the difference is what its false positives cost. All
// is cached, so every block has been read before, and has left its sketch.
void table_multi_get(const std::string& path, const Entries& entries, const Options& options, Report& report) {
  const auto ours = got(bloomery::Table::open(path));
  const io::MappedFile file = got(io::MappedFile::open(path));
  const std::span<const std::uint8_t> filter = filter_in(file.bytes());
  const std::size_t count = options.table_window;
  Ceiling ceiling;
  std::vector<double> hash, all, denied;
  const Hasher hasher = Hasher::xxh3();  // that of the filter
  std::vector<Hash> hashes(64);
  std::vector<Result<Lookup>> results(64, Lookup{});
  const auto ask = [&](std::span<const std::string_view> batch) {
    if (!ours->multi_get(batch, std::span(results).first(batch.size())).ok()) std::abort();
  };
  for (std::uint64_t i = 0; i < entries.size(); i += 10) (void)got(ours->get(view_of(entries.key(i))));
  for (std::size_t w = 0; w < options.windows; ++w) {
    ceiling.window(filter, count);
    const auto fresh = [&](std::uint64_t which) { return Questions(entries, false, (3 * w + which) << 32, count); };
    const Questions warm = fresh(1), questions = fresh(2), others = fresh(3);
    std::vector<std::string_view> only_denied;
    for (const std::string_view key : others.keys())
      if (!ours->may_contain(key)) only_denied.push_back(key);
    hash.push_back(ns_per_item(count, [&] {
      in_batches(warm.keys(), [&](std::span<const std::string_view> batch) {
        hasher.hash_many(batch, hashes);
        keep(hashes.front().bits);
      });
    }));
    in_batches(warm.keys(), ask);
    all.push_back(ns_per_item(count, [&] { in_batches(questions.keys(), ask); }));
    denied.push_back(ns_per_item(only_denied.size(), [&] { in_batches(only_denied, ask); }));
  }
  const double limit = median(hash) + ceiling.ns();
  report.figure("table", entries.size(), "multi_get_absent", "mapped", median(all));
  report.figure("table", entries.size(), "multi_get_denied", "mapped", median(denied));
  for (const auto& [what, samples] :
       {std::pair{"absent keys", &all}, std::pair{"keys that the filter denies", &denied}})
    report.bar(
        median(*samples) <= 3 * limit,
        format("table, %s keys, multi_get of 64 %s: %.1f ns a key, %.2fx of hash (%.1f ns) and ceiling (%.1f ns) "
               "(bar: at most 3x)",
               count_text(entries.size()).c_str(), what, median(*samples), median(*samples) / limit, median(hash),
               ceiling.ns()));
}

// By the clock on the wall, which also sees others who want the core; the CPU time stands beside it.
void table_opening(const std::string& path, Report& report) {
  std::vector<double> mapped, read, wall;
  for (int i = 0; i < 20; ++i)
    for (const bool map : {true, false}) {
      TableReadOptions options;
      options.map = map;
      std::shared_ptr<bloomery::Table> opened;  // closed untimed
      const double start = elapsed_ns();
      (map ? mapped : read).push_back(ns_per_item(1, [&] { opened = got(bloomery::Table::open(path, options)); }));
      if (map) wall.push_back(elapsed_ns() - start);
    }
  const auto table = got(bloomery::Table::open(path));
  const double gib = static_cast<double>(table->properties().file_bytes) / (1 << 30);
  const std::string text = format(
      "table of %.2f GiB (filter: %.1f MiB), open with a warm page cache: %.2f ms of the wall mapped (%.2f ms of CPU), "
      "%.2f ms of CPU by pread",
      gib, static_cast<double>(table->properties().filter_bytes) / (1 << 20), median(wall) / kMega,
      median(mapped) / kMega, median(read) / kMega);
  if (gib >= 1) report.bar(median(wall) < 5 * kMega, text + " (bar: under 5 ms)");
  else report.no_bar(text + "; the bar of 5 ms is for 1 GiB");
}

// Keys and values lie in memory before; the file is written and synced, which the clock on the wall sees and the CPU
// time of the thread does not.
void table_building(const Options& options, Report& report) {
  const Entries entries(options.table_sizes.front());
  const Folder folder;
  struct Way {
    const char* name;
    std::optional<Kind> filter;
    bool check;
    std::vector<double> cpu = {}, wall = {};
  };
  std::vector<Way> ways = {{"block, every key asked again", Kind::block, true},
                           {"block, unchecked", Kind::block, false},
                           {"split, every key asked again", Kind::split, true},
                           {"no filter", {}, false}};
  std::vector<Entries::Key> keys;
  for (std::uint64_t i = 0; i < entries.size(); ++i) keys.push_back(entries.key(i));
  for (std::size_t w = 0; w < std::max<std::size_t>(options.windows / 2, 3); ++w)
    for (Way& way : ways) {
      TableOptions made;
      made.filter = way.filter;
      made.check_filter = way.check;
      const double start = elapsed_ns();
      way.cpu.push_back(ns_per_item(keys.size(), [&] {
        TableBuilder builder = got(TableBuilder::create(folder / "built", made));
        for (std::size_t i = 0; i < keys.size(); ++i)
          if (!builder.add({.key = view_of(keys[i]), .value = entries.value(i)}).ok()) std::abort();
        (void)got(builder.finish());
      }));
      way.wall.push_back((elapsed_ns() - start) / static_cast<double>(keys.size()));
    }
  Table table({"build, " + count_text(entries.size()) + " entries", "CPU, ns", "wall, ns", "million/s of CPU"});
  for (const Way& way : ways) {
    table.row({way.name, ns_text(median(way.cpu)), ns_text(median(way.wall)), format("%.2f", 1e3 / median(way.cpu))});
    report.figure("table", entries.size(), "build", way.name, median(way.cpu));
  }
  table.print();
  std::printf("\n");
  const double rate = 1e3 / median(ways[0].cpu);
  report.bar(rate >= 1, format("table, build of %s entries: %.2f million a second of CPU, %.2f of the wall (bar: at "
                               "least 1); asking every key again costs %.1f ns of %.0f",
                               count_text(entries.size()).c_str(), rate, 1e3 / median(ways[0].wall),
                               median(ways[0].cpu) - median(ways[1].cpu), median(ways[0].cpu)));
}

}  // namespace bloomery::bench
