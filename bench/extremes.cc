// What do lookups cost at the ends: a filter of 4 KB that never leaves the nearest cache, and one of 10 GB; on small
// pages against huge ones; and one call at a time, at its median and in its tail. Filters are filled with random bits,
// half of them set, as in a filter at capacity: what a lookup of an absent key costs depends on the bits alone.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/counters.h"
#include "bench/keys.h"
#include "bench/machine.h"
#include "bench/questions.h"
#include "bench/team.h"
#include "bench/text.h"
#include "bloomery/block.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/memory.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kBitsPerKey = 10;

// Pages of one size: small ones, or huge ones where the system has them.
class Pages : public MemorySource {
 public:
  explicit Pages(bool huge) : huge_(huge) {}

  void* allocate(std::size_t bytes, std::size_t) noexcept override {
    void* const memory = ::mmap(nullptr, size_of(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    (void)::madvise(memory, size_of(bytes), huge_ ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return memory;
  }
  void release(void* memory, std::size_t bytes, std::size_t) noexcept override { ::munmap(memory, size_of(bytes)); }

 private:
  static std::size_t size_of(std::size_t bytes) { return (bytes + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB); }
  bool huge_;
};

struct Row {
  std::string name;
  double one = 0, many = 0, ceiling = 0;
  std::optional<Misses> misses = {};
};

std::vector<Hash> absent_keys(std::uint64_t first, std::size_t count) {
  std::vector<Hash> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = Hash(detail::splitmix64(kAbsent + first + i));
  return keys;
}

Result<BlockFilter> filter_of(std::uint64_t bytes, MemorySource* memory) {
  Result<BlockGeometry> geometry = BlockGeometry::for_bytes(bytes, 8 * bytes / kBitsPerKey);
  BLOOMERY_TRY(geometry);
  Result<BlockFilter> filter = BlockFilter::with_geometry(*geometry, FilterOptions{{}, memory});
  BLOOMERY_TRY(filter);
  const std::span<std::uint8_t> payload = filter->mutable_payload();
  for (std::size_t i = 0; i + 8 <= payload.size(); i += 8) detail::store_le(&payload[i], detail::splitmix64(i));
  return filter;
}

// Medians of windows of keys that nobody asked for before; each window has all columns, one after the other.
Row measure(std::string name, const BlockFilter& filter, const Options& options, const Counters* counters) {
  std::vector<double> one, many, cache, tlb;
  Ceiling ceiling;
  std::vector<std::uint8_t> answers(options.window_keys);
  std::uint64_t next = 0;
  for (std::size_t w = 0; w < options.windows; ++w) {
    ceiling.window(filter.view().payload(), options.window_keys);
    const auto keys = [&] { return absent_keys(std::exchange(next, next + options.window_keys), options.window_keys); };
    const std::vector<Hash> single = keys(), batch = keys(), counted = keys();
    one.push_back(ns_per_item(single.size(), [&] {
      std::uint64_t yes = 0;
      for (const Hash key : single) yes += filter.contains(key) ? 1 : 0;
      keep(yes);
    }));
    many.push_back(ns_per_item(batch.size(), [&] { filter.contains_many(batch, answers); }));
    if (counters == nullptr) continue;
    const Misses misses = counters->per_item(counted.size(), [&] { filter.contains_many(counted, answers); });
    cache.push_back(misses.cache);
    tlb.push_back(misses.tlb);
  }
  Row row{std::move(name), median(one), median(many), ceiling.ns()};
  if (counters != nullptr) row.misses = Misses{median(cache), median(tlb)};
  return row;
}

void print(const char* title, const std::vector<Row>& rows, Report& report) {
  std::printf("%s\n", title);
  Table table({"ns per absent key", "contains", "contains_many", "ceiling", "ratio", "cache misses", "TLB misses"});
  for (const Row& row : rows) {
    table.row({row.name, ns_text(row.one), ns_text(row.many), ns_text(row.ceiling), ratio_text(row.many / row.ceiling),
               row.misses ? format("%.2f", row.misses->cache) : "-",
               row.misses ? format("%.2f", row.misses->tlb) : "-"});
    report.figure("extremes", 0, "contains", row.name, row.one);
    report.figure("extremes", 0, "contains_many", row.name, row.many);
    report.figure("extremes", 0, "ceiling", row.name, row.ceiling);
  }
  table.print();
  std::printf("\n");
}

// Whether there is memory for so many bytes; else says so.
bool fits(std::uint64_t bytes, const char* what, Report& report) {
  if (available_memory() == 0 || available_memory() > bytes + bytes / 8) return true;
  report.no_bar(format("%s: %.1f GiB of memory are needed", what, static_cast<double>(bytes) / (1 << 30)));
  return false;
}

void sizes(const Options& options, const Counters* counters, Report& report) {
  struct Size {
    const char* name;
    std::uint64_t bytes;
  };
  std::vector<Size> all = {{"4 KB", 4096}, {"1 MB", kMiB}};
  if (!options.quick) all.push_back({"1 GB", 1000 * 1000 * 1000});
  if (options.huge) all.push_back({"10 GB", std::uint64_t{10} * 1000 * 1000 * 1000});
  std::vector<Row> rows;
  for (const Size& size : all) {
    if (!fits(size.bytes, size.name, report)) continue;
    const Result<BlockFilter> filter = filter_of(size.bytes, nullptr);
    if (filter.ok()) rows.push_back(measure(size.name, *filter, options, counters));
    else report.no_bar(std::string(size.name) + ": " + filter.error().message);
  }
  print("block filters by size, half of the bits set", rows, report);
  if (!options.huge) std::printf("  (10 GB is measured with --huge)\n\n");
}

void pages(const Options& options, const Counters* counters, Report& report) {
  const std::uint64_t bytes = options.quick ? 8 * kMiB : 512 * kMiB;
  std::vector<Row> rows;
  for (const bool huge : {false, true}) {
    Pages source(huge);
    const Result<BlockFilter> filter = filter_of(bytes, &source);
    if (filter.ok()) rows.push_back(measure(huge ? "huge pages" : "small pages", *filter, options, counters));
  }
  print(format("a block filter of %.0f MiB by the pages it lies in", static_cast<double>(bytes) / kMiB).c_str(), rows,
        report);
  if (rows.size() == 2)
    report.bar(
        rows[1].many <= 1.05 * rows[0].many,
        format(
            "contains_many on huge pages: %.2fx of the time on small ones (bar: at most 1.05x); %.1f against %.1f ns",
            rows[1].many / rows[0].many, rows[1].many, rows[0].many));
}

// Every call timed on its own; the timer alone stands beside.
void calls(const Options& options, Report& report) {
  const std::size_t count = options.quick ? 50'000 : 2'000'000;
  Table table({"ns of the clock, one call", "p50", "p99", "p99.9"});
  const auto row = [&](const std::string& name, auto call) {
    std::vector<double> ns(count);
    for (double& each : ns) {
      const double start = elapsed_ns();
      call();
      each = elapsed_ns() - start;
    }
    std::sort(ns.begin(), ns.end());
    const auto at = [&](double share) { return ns[static_cast<std::size_t>(share * static_cast<double>(count - 1))]; };
    table.row({name, format("%.0f", at(0.5)), format("%.0f", at(0.99)), format("%.0f", at(0.999))});
    report.figure("extremes", 0, name + ", p50", "block", at(0.5));
    report.figure("extremes", 0, name + ", p99", "block", at(0.99));
    report.figure("extremes", 0, name + ", p99.9", "block", at(0.999));
  };
  row("the timer itself", [] {});
  std::uint64_t next = 0;
  for (const std::uint64_t bytes : {kMiB, options.quick ? 4 * kMiB : 1024 * kMiB}) {
    Result<BlockFilter> filter = filter_of(bytes, nullptr);
    if (!filter.ok()) continue;
    const std::string where = format(", %.0f MiB", static_cast<double>(bytes) / kMiB);
    row("contains" + where, [&] { keep(filter->contains(Hash(detail::splitmix64(kAbsent + next++)))); });
    row("add" + where, [&] { keep(filter->add(Hash(detail::splitmix64(next++)))); });
  }
  table.print();
  std::printf("\n");
}

}  // namespace

void extremes(const Options& options, Report& report) {
  std::optional<Counters> counters;
  if (options.counters) {
    Result<Counters> opened = Counters::open();
    if (opened.ok()) counters.emplace(*std::move(opened));
    else std::printf("%s\n\n", opened.error().message.c_str());
  }
  const Counters* const counting = counters ? &*counters : nullptr;
  sizes(options, counting, report);
  pages(options, counting, report);
  calls(options, report);
}

}  // namespace bloomery::bench
