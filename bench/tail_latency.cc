// How long can a lookup in a live filter take while others add, save or rebuild it? Histograms rather than means: every
// call is timed on its own, and the cost of the timer stands beside.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <thread>

#include "bench/keys.h"
#include "bench/machine.h"
#include "bench/questions.h"
#include "bench/team.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/live/live.h"

namespace bloomery::bench {
namespace {

using Live = LiveFilter<BlockFilter>;

Hash hash_of(std::uint64_t number) { return Hash(detail::splitmix64(number)); }

struct Tail {
  double p50 = 0, p99 = 0, p999 = 0, largest = 0;
};

Tail tail_of(std::vector<float>& ns) {
  std::sort(ns.begin(), ns.end());
  const auto at = [&](double share) {
    return static_cast<double>(ns[static_cast<std::size_t>(share * static_cast<double>(ns.size() - 1))]);
  };
  return {at(0.5), at(0.99), at(0.999), at(1)};
}

// Times so many calls one by one.
template <class Call>
Tail time_calls(std::size_t count, Call call) {
  std::vector<float> ns;
  ns.reserve(count);
  while (ns.size() < count) {
    const double start = elapsed_ns();
    call();
    ns.push_back(static_cast<float>(elapsed_ns() - start));
  }
  return tail_of(ns);
}

struct Row {
  std::string during;
  Tail one, batch;
};

// Lookups while `other` runs on a thread of its own, over and over until told to stop.
Row measure(const std::string& during, const Live& live, std::size_t calls, std::uint64_t& next,
            const std::function<void(const std::atomic<bool>&)>& other) {
  std::atomic<bool> stop{false};
  std::thread thread;
  if (other) thread = std::thread([&] { other(stop); });
  Row row{during, {}, {}};
  row.one = time_calls(calls, [&] { asm volatile("" ::"r"(live.contains(hash_of(next++)))); });
  std::vector<Hash> keys(64);
  std::vector<std::uint8_t> answers(keys.size());
  row.batch = time_calls(calls / 8, [&] {
    for (Hash& key : keys) key = hash_of(next++);
    live.contains_many(keys, answers);
  });
  stop = true;
  if (thread.joinable()) thread.join();
  return row;
}

}  // namespace

void tail_latency(const Options& options, Report& report) {
  const bool quick = options.windows < 10;
  const std::uint64_t n = quick ? 2'000'000 : 866'000'000;  // 1 GiB
  const std::size_t calls = quick ? 50'000 : 4'000'000;
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "bloomery-bench-snapshot.blm";
  const std::uint64_t needed = 3 * n * 10 / 8;
  if (available_memory() != 0 && available_memory() < needed) {
    report.no_bar(format("tail latency: %.1f GiB of memory are needed", static_cast<double>(needed) / (1 << 30)));
    return;
  }
  auto live = *Live::make({.n = n, .fpr = 0.01});
  std::uint64_t next = kAbsent, added = 0;
  for (; added < std::min<std::uint64_t>(n, 50'000'000); ++added) live->add(hash_of(added));

  std::vector<Row> rows;
  rows.push_back({"the timer itself", time_calls(calls, [] {}), {}});
  rows.push_back(measure("nothing else", *live, calls, next, {}));
  rows.push_back(measure("adds", *live, calls, next, [&](const std::atomic<bool>& stop) {
    for (; !stop; ++added) live->add(hash_of(added));
  }));
  bool saved = true;
  rows.push_back(measure("a snapshot", *live, calls, next, [&](const std::atomic<bool>& stop) {
    while (!stop && saved) saved = live->snapshot(file.string()).ok();
  }));
  rows.push_back(measure("a rebuild", *live, calls, next, [&](const std::atomic<bool>& stop) {
    while (!stop) {
      if (!live->begin_rebuild(n, 0.01).ok()) return;
      for (std::uint64_t i = 0; i < 20'000'000 && !stop; ++i) (void)live->feed(hash_of(i));
      (void)live->commit();
    }
  }));
  std::error_code ignored;
  std::filesystem::remove(file, ignored);

  std::printf("lookups of absent keys in a live block filter of %.0f MiB, ns of the clock, while others do:\n",
              static_cast<double>(live->stats(0)->bytes) / (1 << 20));
  Table table({"", "call p50", "p99", "p99.9", "64 keys p50", "p99", "p99.9"});
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.during};
    for (const Tail& tail : {row.one, row.batch})
      for (const double ns : {tail.p50, tail.p99, tail.p999}) cells.push_back(ns > 0 ? format("%.0f", ns) : "-");
    table.row(cells);
  }
  table.print();
  std::printf("\n");
  if (!saved) report.no_bar("tail latency during a snapshot: no room for it in " + file.parent_path().string());
  const double ratio = rows[3].one.p999 / rows[1].one.p999;
  report.bar(
      ratio <= 2,
      format("p99.9 of contains during a snapshot: %.2fx of that without (bar: at most 2x); %.0f against %.0f ns",
             ratio, rows[3].one.p999, rows[1].one.p999));
}

}  // namespace bloomery::bench
