// Does the filter of a table hold what it promises: its rate in place, reads saved in the cases that books work out,
// what a compaction leaves of deleted keys, and how much memory it takes?
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include "bench/clock.h"
#include "bench/questions.h"
#include "bench/table_kit.h"
#include "bench/team.h"
#include "bench/text.h"
#include "bloomery/table/compact.h"
#ifdef BLOOMERY_BENCH_POLICY
#include "bench/leveldb_rates.h"
#endif

namespace bloomery::bench {
namespace {

std::string decimal(std::uint64_t number) { return format("%016llu", static_cast<unsigned long long>(number)); }

std::string percent(double rate) { return format("%.3f %%", 100 * rate); }

// Filters that are better than 1 % because of their size are held to that.
void rate_bar(const std::string& who, std::uint64_t n, double by_size, double measured, Report& report) {
  const std::string text = format(
      "%s, even and odd decimal keys: designed for 1 %%, %s by its size, %s measured; nobody estimated the number "
      "of keys",
      who.c_str(), percent(by_size).c_str(), percent(measured).c_str());
  if (by_size * static_cast<double>(n) < 1'000) return report.no_bar(text + "; too few keys for the bar of 10 %");
  report.bar(measured <= 1.1 * 0.01 && std::abs(measured / by_size - 1) <= 0.1, text + " (bar: within 10 %)");
}

// Even numbers are there, odd ones are asked, all of 16 digits: keys that differ in a digit or two.
void rates_in_place(const Options& options, Report& report) {
  const std::uint64_t n = options.table_sizes.front();
  const Folder folder;
  Table table({count_text(n) + " decimal keys, even ones in, odd ones asked", "bits per key", "designed for",
               "by its size", "measured"});
  for (const Kind kind : {Kind::split, Kind::block}) {
    TableOptions made;
    made.filter = kind;
    made.filter_size = {.fpr = 0.01, .bits_per_key = {}, .numbers = {}};
    TableBuilder builder = got(TableBuilder::create(folder / to_string(kind), made));
    for (std::uint64_t i = 0; i < n; ++i)
      if (!builder.add({.key = decimal(2 * i), .value = "v"}).ok()) std::abort();
    const TableProperties properties = got(builder.finish());
    const auto ours = got(bloomery::Table::open(folder / to_string(kind)));
    for (std::uint64_t i = 0; i < n; ++i)
      if (got(ours->get(decimal(2 * i + 1))).found()) store_failed("bloomery", "found a key that is not there");
    const double measured = ours->stats().measured_fpr;
    const std::string who = std::string("our table, ") + to_string(kind);
    const double bits = 8 * static_cast<double>(properties.filter_bytes) / static_cast<double>(n);
    table.row({who, format("%.1f", bits), "1 %", percent(properties.designed_fpr), percent(measured)});
    report.figure("table, decimal keys", n, "fpr", who, measured, "rate");
    rate_bar(who, n, properties.designed_fpr, measured, report);
  }
#ifdef BLOOMERY_BENCH_POLICY
  for (const std::size_t value_bytes : {std::size_t{1}, Entries::kValueBytes})
    for (const LevelDbRate& rate : leveldb_rates(n, value_bytes, folder / "leveldb")) {
      const std::string who = rate.who + format(", values of %zu bytes", value_bytes);
      table.row({who, format("%.1f", rate.bits_per_key), "1 %", rate.by_size > 0 ? percent(rate.by_size) : "-",
                 percent(rate.measured)});
      report.figure("table, decimal keys", n, "fpr", who, rate.measured, "rate");
      if (rate.by_size > 0) rate_bar(who, n, rate.by_size, rate.measured, report);
    }
#endif
  table.print();
  std::printf("\n");
}

// So many keys, so many questions of which half are for absent keys: what a filter of each size saves. A wasted read is
// the read of a data block for a key that is not there.
void worked_case(std::uint64_t n, std::uint64_t asked, Report& report) {
  constexpr double kDiskSeconds = 100e-6;
  const Entries entries(n);
  const Folder folder;
  std::printf("%s keys, %s questions, half of them for absent keys\n", count_text(n).c_str(),
              count_text(asked).c_str());
  Table table({"bits per key", "table, MiB", "filter's share", "wasted reads", "seconds saved, 100 us disk",
               "get, cached, ns"});
  for (const double bits : {0.0, 8.0, 10.0, 10.5, 12.0, 16.0}) {
    const TableProperties properties = build_table(entries, folder / "case", with_bits(bits));
    TableReadOptions options;
    options.cache = std::make_shared<BlockCache>(2 * properties.file_bytes + (std::uint64_t{64} << 20));
    const auto ours = got(bloomery::Table::open(folder / "case", options));
    const std::unique_ptr<Store> store = store_of(ours);
    (void)store->scan();
    std::uint64_t found = 0;
    double ns = 0;
    for (std::uint64_t at = 0; at < asked; at += 20'000) {
      const std::size_t half = std::min<std::uint64_t>(asked - at, 20'000) / 2;
      const Questions absent(entries, false, at, half), present(entries, true, at, half);
      const double start = thread_ns();
      found += store->get_all(absent.keys());
      found += store->get_all(present.keys());
      ns += thread_ns() - start;
    }
    if (found != asked / 2) store_failed("bloomery", "a key was lost, or one was made up");
    const std::uint64_t absent = asked / 2;
    const std::uint64_t wasted = bits == 0 ? absent : ours->stats().filter_wrong;
    table.row({format("%g", bits), format("%.1f", static_cast<double>(properties.file_bytes) / (1 << 20)),
               percent(static_cast<double>(properties.filter_bytes) / static_cast<double>(properties.file_bytes)),
               std::to_string(wasted), format("%.2f", static_cast<double>(absent - wasted) * kDiskSeconds),
               ns_text(ns / static_cast<double>(asked))});
    report.figure(format("table, %s questions", count_text(asked).c_str()), n, "wasted_reads", format("%g bits", bits),
                  static_cast<double>(wasted), "reads");
    report.figure(format("table, %s questions", count_text(asked).c_str()), n, "get", format("%g bits", bits),
                  ns / static_cast<double>(asked));
  }
  table.print();
  std::printf("\n");
}

double maybe_share(const bloomery::Table& table, const Entries& entries, std::uint64_t step) {
  std::uint64_t asked = 0, maybe = 0;
  for (std::uint64_t i = 0; i < entries.size(); i += step, ++asked)
    maybe += table.may_contain(view_of(entries.key(i))) ? 1 : 0;
  return static_cast<double>(maybe) / static_cast<double>(asked);
}

// Every fourth key is deleted by a newer table. Kept tombstones answer "maybe"; the last level forgets them.
void deleted_keys(const Options& options, Report& report) {
  constexpr std::uint64_t kStep = 4;
  const Entries entries(options.table_sizes.front());
  const Folder folder;
  (void)build_table(entries, folder / "old", {});
  {
    TableBuilder builder = got(TableBuilder::create(folder / "new", {}));
    for (std::uint64_t i = 0; i < entries.size(); i += kStep)
      if (!builder.add({.key = view_of(entries.key(i)), .value = {}, .sequence = entries.size() + i, .deleted = true})
               .ok())
        std::abort();
    (void)got(builder.finish());
  }
  const std::vector<std::shared_ptr<bloomery::Table>> tables = {got(bloomery::Table::open(folder / "new")),
                                                                got(bloomery::Table::open(folder / "old"))};
  const auto share_after = [&](bool last_level) {
    std::string path = folder / (last_level ? "last" : "kept");
    CompactOptions compaction;
    compaction.last_level = last_level;
    (void)got(compact(
        tables, [&](unsigned) { return path; }, compaction));
    return maybe_share(*got(bloomery::Table::open(path)), entries, kStep);
  };
  const double before = maybe_share(*tables[1], entries, kStep), kept = share_after(false), last = share_after(true);
  const double designed = got(bloomery::Table::open(folder / "last"))->properties().designed_fpr;
  const std::string text = format(
      "deleted keys that a table answers \"maybe\": %s before, %s after a compaction that keeps tombstones, %s after "
      "the "
      "last level, whose filter is designed for %s",
      percent(before).c_str(), percent(kept).c_str(), percent(last).c_str(), percent(designed).c_str());
  const std::uint64_t keys_asked = entries.size() / kStep;
  if (designed * static_cast<double>(keys_asked) < 1'000) return report.no_bar(text + "; too few keys");
  report.bar(kept == 1 && last <= 1.1 * designed, text + " (bar: within 10 % of that)");
}

constexpr std::uint64_t kTables = 10;  // of a compaction

// Returns the memory of this process in bytes: VmRSS, RssAnon, RssFile.
std::map<std::string, double> memory_now() {
  std::map<std::string, double> memory;
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    for (const char* name : {"VmRSS:", "RssAnon:", "RssFile:"})
      if (line.starts_with(name)) memory[name] = std::stod(line.substr(line.find(':') + 1)) * 1024;
  return memory;
}

std::string input_of(const std::string& folder, std::uint64_t table) { return folder + "/" + std::to_string(table); }

// What table_compaction prints in a process of its own: a fork of this one would take over its heap.
std::map<std::string, double> peak_of_compaction(const std::string& folder, bool map) {
  const std::string command =
      "/proc/" + std::to_string(::getpid()) + "/exe --compaction '" + folder + "' " + (map ? "mapped" : "pread");
  std::fflush(stdout);
  std::FILE* child = ::popen(command.c_str(), "r");
  if (child == nullptr) return {};
  std::map<std::string, double> peak;
  char name[32];
  for (double value = 0; std::fscanf(child, "%31s %lf", name, &value) == 2;) peak[name] = value;
  if (::pclose(child) != 0) return {};
  return peak;
}

void compaction_memory(const Options& options, Report& report) {
  const std::uint64_t n = options.table_sizes.back();
  const Entries entries(n);
  const Folder folder;
  if (folder.free_bytes() < 4 * n * 130) return report.no_bar("compaction: not enough free disk");
  for (std::uint64_t t = 0; t < kTables; ++t) (void)build_table(entries, input_of(folder / ".", t), {}, t, kTables);
  for (const bool map : {false, true}) {
    const auto peak = peak_of_compaction(folder / ".", map);
    if (!peak.contains("seconds")) return report.no_bar("compaction: its process ended early");
    const auto mib = [&](const char* name) { return peak.at(name) / (1 << 20); };
    const std::string text = format(
        "10-way compaction of %s entries, %s: %.0f MiB at its most (memory of its own %.0f, pages of files %.0f), %.1f "
        "s",
        count_text(n).c_str(), map ? "mapped" : "pread", mib("VmRSS:"), mib("RssAnon:"), mib("RssFile:"),
        peak.at("seconds"));
    report.figure("table", n, "compaction_memory", map ? "mapped" : "pread", mib("RssAnon:"), "MiB");
    if (map) report.no_bar(text + "; pages of files go when others want the memory, so the bar is for pread");
    else report.bar(mib("VmRSS:") <= 256, text + " (bar: at most 256 MiB)");
  }
}

}  // namespace

int table_compaction(const std::string& folder, bool map) {
  const auto before = memory_now();
  std::map<std::string, double> most;
  std::atomic<bool> done = false;
  std::thread watcher([&] {
    while (!done.load()) {
      for (const auto& [name, bytes] : memory_now()) most[name] = std::max(most[name], bytes - before.at(name));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  const double start = elapsed_ns();
  TableReadOptions read;
  read.map = map;
  std::uint64_t entries = 0;
  std::vector<std::shared_ptr<bloomery::Table>> tables;
  for (std::uint64_t t = 0; t < kTables; ++t) {
    tables.push_back(got(bloomery::Table::open(input_of(folder, t), read)));
    entries += tables.back()->properties().entries;
  }
  const Compacted merged =
      got(compact(tables, [&](unsigned) { return folder + (map ? "/merged mapped" : "/merged"); }, {}));
  const double seconds = (elapsed_ns() - start) / 1e9;
  done = true;
  watcher.join();
  if (merged.entries.written != entries) store_failed("bloomery", "a compaction lost entries");
  for (const auto& [name, value] : most) std::printf("%s %.3f\n", name.c_str(), value);
  std::printf("seconds %.3f\n", seconds);
  return 0;
}

void table_cases(const Options& options, Report& report) {
  rates_in_place(options, report);
  const bool quick = options.windows < 10;
  for (const std::uint64_t n : {1'000u, 4'000u, 8'000u}) worked_case(n, quick ? 10'000 : 100'000, report);
  worked_case(quick ? 20'000 : 100'000, quick ? 20'000 : 100'000, report);
  if (!quick) worked_case(options.table_sizes.back(), 1'000'000, report);
  deleted_keys(options, report);
  compaction_memory(options, report);
}

}  // namespace bloomery::bench
