// What do the operations of a table cost, beside LevelDB and RocksDB on the same entries, and beside the same reader
// without its filter?
#include <algorithm>
#include <cstdio>
#include <functional>

#include "bench/clock.h"
#include "bench/questions.h"
#include "bench/table_kit.h"
#include "bench/team.h"
#include "bench/text.h"

namespace bloomery::bench {
namespace {

// One way to read the entries, and what it took: nanoseconds of CPU per key, or per entry of a scan.
struct Reader {
  std::string name;
  std::unique_ptr<Store> store;
  std::vector<double> absent = {}, present = {}, scan = {};
};

// A cache that holds all of the entries with room to spare, since shards fill unevenly.
std::uint64_t cache_bytes(const Entries& entries) { return entries.size() * 200 + (std::uint64_t{64} << 20); }

Reader our_reader(const std::string& name, const std::string& path, const Entries& entries, bool map, bool cache,
                  bool filter) {
  TableReadOptions options;
  if (cache) options.cache = std::make_shared<BlockCache>(cache_bytes(entries));
  options.map = map;
  options.use_filter = filter;
  return {name, store_of(got(bloomery::Table::open(path, options)))};
}

void expect(std::uint64_t found, std::uint64_t right, const Reader& reader) {
  if (found != right)
    store_failed(reader.name, format("found %llu keys where there are %llu", static_cast<unsigned long long>(found),
                                     static_cast<unsigned long long>(right)));
}

void time_gets(Reader& reader, bool present, const Questions& warm, const Questions& questions) {
  (void)reader.store->get_all(warm.keys());
  std::uint64_t found = 0;
  (present ? reader.present : reader.absent).push_back(ns_per_item(questions.keys().size(), [&] {
    found = reader.store->get_all(questions.keys());
  }));
  expect(found, present ? questions.keys().size() : 0, reader);
}

// The readers take turns, another one first in each window, and each first gets some untimed keys.
void measure(std::vector<Reader>& readers, const Entries& entries, const Options& options) {
  std::uint64_t next = 0;
  const auto fresh = [&](bool present, std::size_t count) {
    return Questions(entries, present, std::exchange(next, next + count), count);
  };
  for (std::size_t w = 0; w < 3; ++w)  // the first fills the caches
    for (Reader& reader : readers) {
      std::uint64_t found = 0;
      const double ns = ns_per_item(entries.size(), [&] { found = reader.store->scan(); });
      expect(found, entries.size(), reader);
      if (w > 0) reader.scan.push_back(ns);
    }
  // Gets all over, so that nearly every block has been asked for a key.
  const Questions everywhere = fresh(true, entries.size() / 10);
  for (Reader& reader : readers) expect(reader.store->get_all(everywhere.keys()), everywhere.keys().size(), reader);
  for (std::size_t w = 0; w < options.windows; ++w) {
    for (const bool present : {false, true}) {
      const Questions questions = fresh(present, options.table_window), warm = fresh(present, options.table_window / 4);
      for (std::size_t r = 0; r < readers.size(); ++r)
        time_gets(readers[(r + w) % readers.size()], present, warm, questions);
    }
  }
}

void print(const std::vector<Reader>& readers, const Entries& entries, Report& report) {
  Table table(
      {"all cached, " + count_text(entries.size()) + " keys", "absent get, ns", "present get, ns", "scan, million/s"});
  for (const Reader& reader : readers) {
    table.row({reader.name, ns_text(median(reader.absent)), ns_text(median(reader.present)),
               format("%.2f", 1e3 / median(reader.scan))});
    report.figure("table", entries.size(), "get_absent", reader.name, median(reader.absent));
    report.figure("table", entries.size(), "get_present", reader.name, median(reader.present));
    report.figure("table", entries.size(), "scan", reader.name, median(reader.scan));
  }
  table.print();
  std::printf("\n");
}

const Reader& named(const std::vector<Reader>& readers, const std::string& name) {
  return *std::find_if(readers.begin(), readers.end(), [&](const Reader& reader) { return reader.name == name; });
}

constexpr const char* kMapped = "mapped";
constexpr const char* kMappedBare = "mapped, no filter";
constexpr const char* kCached = "mapped, block cache";
constexpr const char* kCachedBare = "mapped, block cache, no filter";
constexpr const char* kPread = "pread, block cache";
constexpr const char* kSplit = "mapped, filter of kind split";
constexpr const char* kXxh64 = "mapped, filter of kind split by xxh64";

void bars(const std::vector<Reader>& readers, const std::vector<StoreKind>& peers, const std::string& n,
          Report& report) {
  const auto absent = [&](const char* name) { return median(named(readers, name).absent); };
  for (const auto& [with, without] : {std::pair{kMapped, kMappedBare}, std::pair{kCached, kCachedBare}})
    report.bar(absent(with) <= absent(without) / 10,
               format("table, %s keys, absent get, %s: %.1f ns with the filter, %.0f without: 1/%.1f (bar: at most "
                      "1/10)",
                      n.c_str(), with, absent(with), absent(without), absent(without) / absent(with)));
  const double present = median(named(readers, kMapped).present);  // of the reader as it is by default
  for (const StoreKind& peer : peers) {
    const Reader& theirs = named(readers, peer.name);
    report.bar(median(theirs.absent) >= 8 * absent(kMapped),
               format("table, %s keys, absent get: %.1fx as fast as %s (bar: at least 8x)", n.c_str(),
                      median(theirs.absent) / absent(kMapped), peer.name.c_str()));
    report.bar(present <= median(theirs.present),
               format("table, %s keys, present get, %s: %.2fx the time of %s (bar: at most 1x)", n.c_str(), kMapped,
                      present / median(theirs.present), peer.name.c_str()));
  }
  const double scan = 1e3 / median(named(readers, kMapped).scan);
  report.bar(scan >= 5,
             format("table, %s keys, scan, mapped: %.2f million entries a second (bar: at least 5)", n.c_str(), scan));
}

// Which filter makes the cheaper get of an absent key? Its question alone, and the get with what false positives cost:
// of as many bits, block has fewer.
void kinds(const std::vector<std::pair<const char*, std::string>>& paths, const std::vector<Reader>& readers,
           const Entries& entries, const Options& options, Report& report) {
  std::vector<std::shared_ptr<bloomery::Table>> tables;
  tables.reserve(paths.size());
  for (const auto& [name, path] : paths) tables.push_back(got(bloomery::Table::open(path)));
  std::vector<std::vector<double>> ns(tables.size());
  for (std::size_t w = 0; w < options.windows; ++w) {
    const Questions questions(entries, false, (w + 1) << 34, options.table_window);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::size_t which = (i + w) % tables.size();
      ns[which].push_back(ns_per_item(questions.keys().size(), [&] {
        std::uint64_t maybe = 0;
        for (const std::string_view key : questions.keys()) maybe += tables[which]->may_contain(key) ? 1 : 0;
        keep(maybe);
      }));
    }
  }
  Table table({"filter of 10.5 bits a key, " + count_text(entries.size()) + " keys", "may_contain, ns",
               "absent get, ns", "designed rate"});
  for (std::size_t i = 0; i < tables.size(); ++i) {
    table.row({paths[i].first, ns_text(median(ns[i])), ns_text(median(named(readers, paths[i].first).absent)),
               format("%.3f %%", 100 * tables[i]->properties().designed_fpr)});
    report.figure("table", entries.size(), "may_contain", paths[i].first, median(ns[i]));
  }
  table.print();
  std::printf("\n");
}

// By the clock on the wall, because a wait for the disk is no CPU time.
void cold(const std::string& title, const std::string& path, const Entries& entries,
          const std::function<std::unique_ptr<Store>()>& open, Table& table, Report& report) {
  constexpr std::size_t kGets = 300;  // few, because each may wait for the disk
  std::vector<std::string> row = {title};
  for (const bool present : {false, true}) {
    drop_from_page_cache(path);
    const std::unique_ptr<Store> store = open();
    const Questions questions(entries, present, std::uint64_t{7} << 40, kGets);
    const double ns = Team{1, true}.ns_of_call(kGets, [&] { keep(store->get_all(questions.keys())); });
    row.push_back(format("%.2f", ns / 1e3));
    report.figure("table, cold", entries.size(), present ? "get_present" : "get_absent", title, ns);
  }
  table.row(row);
}

void cold_gets(const std::string& path, const Folder& folder, const std::vector<StoreKind>& peers,
               const Entries& entries, Report& report) {
  std::printf(
      "Cold: the files are put out of the page cache (posix_fadvise) and opened again before 300 gets of keys all "
      "over, by "
      "the clock.\nOpening, which reads the filter, is not timed. What the disk or its host remembers stays: no disk "
      "of "
      "any make is measured here.\n");
  Table table({"cold, " + count_text(entries.size()) + " keys", "absent get, us", "present get, us"});
  const auto ours = [&](const char* name, bool map, bool filter) {
    cold(
        name, path, entries, [&] { return std::move(our_reader(name, path, entries, map, false, filter).store); },
        table, report);
  };
  ours("mapped", true, true);
  ours("mapped, no filter", true, false);
  ours("pread", false, true);
  ours("pread, no filter", false, false);
  for (const StoreKind& peer : peers)
    cold(
        peer.name, folder / peer.name, entries, [&] { return peer.open(folder / peer.name, 8 << 20); }, table, report);
  table.print();
  std::printf("\n");
}

void gets(std::uint64_t n, const Options& options, Report& report) {
  const Entries entries(n);
  const Folder folder;
  const std::string ours = folder / "ours.blt", split = folder / "split.blt", xxh64 = folder / "xxh64.blt";
  const std::vector<StoreKind> peers = store_peers();
  TableOptions with_split, with_xxh64;
  with_split.filter = with_xxh64.filter = Kind::split;
  with_xxh64.hasher = Hasher::xxh64();
  const TableProperties properties = build_table(entries, ours, {});
  (void)build_table(entries, split, with_split);
  (void)build_table(entries, xxh64, with_xxh64);
  for (const StoreKind& peer : peers) peer.build(entries, folder / peer.name);
  cold_gets(ours, folder, peers, entries, report);
  {
    std::vector<Reader> readers;
    readers.push_back(our_reader(kMapped, ours, entries, true, false, true));
    readers.push_back(our_reader(kMappedBare, ours, entries, true, false, false));
    readers.push_back(our_reader(kCached, ours, entries, true, true, true));
    readers.push_back(our_reader(kCachedBare, ours, entries, true, true, false));
    readers.push_back(our_reader(kPread, ours, entries, false, true, true));
    readers.push_back(our_reader(kSplit, split, entries, true, false, true));
    readers.push_back(our_reader(kXxh64, xxh64, entries, true, false, true));
    for (const StoreKind& peer : peers)
      readers.push_back({peer.name, peer.open(folder / peer.name, cache_bytes(entries))});
    measure(readers, entries, options);
    print(readers, entries, report);
    kinds({{kMapped, ours}, {kSplit, split}, {kXxh64, xxh64}}, readers, entries, options, report);
    bars(readers, peers, count_text(n), report);
  }
  table_multi_get(ours, entries, options, report);
  table_opening(ours, report);
  std::printf("filter of %s keys: %.2f MiB of %.1f, designed for a rate of %.4f\n\n", count_text(n).c_str(),
              static_cast<double>(properties.filter_bytes) / (1 << 20),
              static_cast<double>(properties.file_bytes) / (1 << 20), properties.designed_fpr);
}

}  // namespace

void table_speed(const Options& options, Report& report) {
  table_building(options, report);
  for (const std::uint64_t n : options.table_sizes) {
    // Three of ours, one of each peer, and LevelDB's before its compaction.
    const std::uint64_t needed = 7 * n * (Entries::kKeyBytes + Entries::kValueBytes + 10);
    const Folder folder;
    if (folder.free_bytes() < needed) {
      report.no_bar(format("table, %s keys: %.1f GiB of disk are needed", count_text(n).c_str(),
                           static_cast<double>(needed) / (1 << 30)));
      continue;
    }
    gets(n, options, report);
  }
  table_cases(options, report);
}

}  // namespace bloomery::bench
