// What do adds cost to a cuckoo filter that threads share, and do they scale? Beside them stands what this machine can
// do at all (random_writes.h). Every window fills an empty filter up to what it is made for: at the end most buckets
// are full and keys move.
#include <algorithm>
#include <mutex>
#include <thread>

#include "bench/columns.h"
#include "bench/machine.h"
#include "bench/questions.h"
#include "bench/random_writes.h"
#include "bench/shared_fill.h"
#include "bench/text.h"
#include "bloomery/cuckoo.h"
#include "bloomery/live/shared_cuckoo.h"

namespace bloomery::bench {
namespace {

constexpr double kFpr = 0.002;                   // takes 12 bits a slot
constexpr std::uint64_t kLargeFill = 1'000'000;  // filters above it are filled but a few times

unsigned all_cores() { return std::thread::hardware_concurrency(); }

template <class Filter>
Filter fresh_filter(std::uint64_t n, double fpr) {
  Filter filter = *Filter::with_capacity(n, fpr);
  (void)filter.prefault(all_cores());
  return filter;
}

// What 8 threads do of what one does; 0 where there are no 8.
double of_eight(const std::vector<unsigned>& threads, const Column& column) {
  const auto eight = std::find(threads.begin(), threads.end(), 8u);
  if (eight == threads.end()) return 0;
  return column.ns.front() / column.ns[static_cast<std::size_t>(eight - threads.begin())];
}

void scaling_bar(const std::string& what, const std::vector<unsigned>& threads, const Column& adds,
                 const Column& ceiling, const Column& own, Report& report) {
  const double scaling = of_eight(threads, adds);
  if (scaling == 0) return report.no_bar(what + ": the bar of 4x is for 8 threads");
  report.bar(scaling >= 4, format("%s: 8 threads do %.1fx of one, which takes %.1f ns (bar: at least 4x; \"%s\" does "
                                  "%.1fx, \"%s\" %.1fx)",
                                  what.c_str(), scaling, adds.ns.front(), ceiling.name, of_eight(threads, ceiling),
                                  own.name, of_eight(threads, own)));
}

// The adds and their ceilings, by numbers of threads.
void by_threads(const char* where, std::uint64_t n, const Options& options, Report& report) {
  std::uint64_t next = 0;
  const auto fill = [&](auto make_add) {
    return [&, make_add](unsigned threads) {
      auto filter = fresh_filter<Shared<CuckooFilter>>(n, kFpr);
      return fill_ns(Team{threads, true}, n, next, make_add(filter));
    };
  };
  RandomWrites writes(CuckooGeometry::for_capacity(n, kFpr)->payload_bytes());
  const auto limit = [&](auto ns) {
    return [&, ns](unsigned threads) { return (writes.*ns)(Team{threads, true}, n); };
  };
  std::vector<Column> columns = {{"Shared add", fill([](auto& filter) { return one_by_one(filter); })},
                                 {"Shared add_many", fill([](auto& filter) { return in_batches(filter); })},
                                 {"one write to a random word", limit(&RandomWrites::shared_ns)},
                                 {"one write, fetched ahead", limit(&RandomWrites::shared_fetched_ns)},
                                 {"one write, words of its own", limit(&RandomWrites::own_ns)}};
  // Threads at a mutex would take minutes for a large filter.
  if (n <= kLargeFill)
    columns.push_back({"plain + mutex", [&](unsigned threads) {
                         auto filter = fresh_filter<CuckooFilter>(n, kFpr);
                         std::mutex mutex;
                         return fill_ns(Team{threads, true}, n, next, under_mutex(filter, mutex));
                       }});
  const std::vector<unsigned> threads = thread_counts();
  measure(columns, threads, n > kLargeFill ? 3 : std::max<std::size_t>(options.windows / 2, 3));
  print_columns(format("add of new keys, cuckoo %s, from empty to %s keys, %.1f MiB", where, count_text(n).c_str(),
                       static_cast<double>(CuckooGeometry::for_capacity(n, kFpr)->payload_bytes()) / (1 << 20)),
                threads, columns);
  for (const Column& column : columns)
    for (std::size_t i = 0; i < threads.size(); ++i)
      report.figure(std::string("sharing, cuckoo ") + where, n, format("add by %u", threads[i]), column.name,
                    column.ns[i]);
  for (std::size_t c = 0; c < 2; ++c)
    scaling_bar(format("%s of cuckoo %s", columns[c].name, where), threads, columns[c], columns[c + 2], columns[4],
                report);
}

// One thread against a plain filter behind a mutex, in turns and by CPU time. A round has a ratio of its own: a
// neighbour slows a machine down for both. The process has had other threads by now, without which glibc would take a
// mutex for nothing.
void by_one_thread(const char* where, std::uint64_t n, double fpr, const Options& options, Report& report) {
  std::vector<double> shared_ns, plain_ns, ratio;
  for (std::size_t round = 0; round < (n > kLargeFill ? 3 : options.windows); ++round) {
    std::uint64_t same = round * n, keys = same;
    auto shared = fresh_filter<Shared<CuckooFilter>>(n, fpr);
    shared_ns.push_back(fill_ns(Team{1}, n, same, one_by_one(shared)));
    auto plain = fresh_filter<CuckooFilter>(n, fpr);
    std::mutex mutex;
    plain_ns.push_back(fill_ns(Team{1}, n, keys, under_mutex(plain, mutex)));
    ratio.push_back(shared_ns.back() / plain_ns.back());
  }
  const std::uint32_t bits = CuckooGeometry::for_capacity(n, fpr)->fingerprint_bits;
  report.bar(median(ratio) <= 1,
             format("Shared add of cuckoo %s, %u bits, 1 thread: %.1f ns of CPU time, %.2fx of a plain filter behind a "
                    "mutex, %.1f ns (bar: at most 1x)",
                    where, bits, median(shared_ns), median(ratio), median(plain_ns)));
  for (const auto& [who, ns] : {std::pair("Shared", &shared_ns), std::pair("plain + mutex", &plain_ns)})
    report.figure(std::string("sharing, cuckoo ") + where, n, format("add by 1, CPU time, %u bits", bits), who,
                  median(*ns));
}

}  // namespace

void cuckoo_adds(const Options& options, Report& report) {
  if (!options.asks_for("cuckoo")) return;
  const bool quick = options.quick;
  const std::uint64_t small = quick ? 100'000 : 1'000'000, large = quick ? 1'000'000 : 10'000'000;
  by_threads("in cache", small, options, report);
  for (const double fpr : {0.02, kFpr, 0.0001}) by_one_thread("in cache", small, fpr, options, report);
  const std::uint64_t needed = (all_cores() + 2) * 5 * large * 2;
  if (available_memory() != 0 && available_memory() < needed) {
    report.no_bar(format("adds to large shared cuckoo filters: %.1f GiB of memory are needed",
                         static_cast<double>(needed) / (1 << 30)));
    return;
  }
  by_threads("beyond the caches of a core", large, options, report);
  by_one_thread("beyond the caches of a core", large, kFpr, options, report);
  if (!quick) by_threads("in memory", 5 * large, options, report);
}

}  // namespace bloomery::bench
