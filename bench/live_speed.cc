// What do lookups cost in a filter that threads share, and do they scale (shared_adds.cc asks the same of adds)? Each
// way of sharing is held to the same loop over a plain filter that nobody writes, by as many threads in the same run:
// cores, hyper-threads and memory set that limit, not we.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "bench/columns.h"
#include "bench/keys.h"
#include "bench/machine.h"
#include "bench/questions.h"
#include "bench/sharded.h"
#include "bench/team.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/live/live.h"
#include "bloomery/live/per_node.h"
#ifdef BLOOMERY_BENCH_LIBURCU
#include "bench/peers/liburcu.h"
#endif

namespace bloomery::bench {
namespace {

constexpr double kFpr = 0.01;

Hash hash_of(std::uint64_t number) { return Hash(detail::splitmix64(number)); }

// A window of op(i) on numbers i that no window has seen. Each thread calls enter() first.
template <class Op>
std::function<double(unsigned)> window_of(
    const Options& options, std::uint64_t& next, Op op, void (*enter)() = [] {}) {
  return [&options, &next, op, enter](unsigned threads) {
    const std::size_t items = threads * options.window_keys;
    const std::uint64_t first = std::exchange(next, next + items), warm = std::exchange(next, next + items);
    return Team{threads, true}.ns_per_item(
        items,
        [&] {  // the filter comes back into the caches where it fits
          enter();
          for (std::size_t i = 0; i < options.window_keys / 4; ++i) asm volatile("" ::"r"(op(warm + i)));
        },
        [&](std::size_t from, std::size_t to) {
          std::uint64_t yes = 0;
          for (std::size_t i = from; i < to; ++i) yes += op(first + i) ? 1 : 0;
          asm volatile("" ::"r"(yes));  // the answers are used
        });
  };
}

// The ways to share a filter, each with its lookups.
struct Ways {
  explicit Ways(std::uint64_t n)
      : plain(*BlockFilter::with_capacity(n, kFpr)),
        shared(*Shared<BlockFilter>::with_capacity(n, kFpr)),
        words(*Shared<BlockFilter, Reads::words>::with_capacity(n, kFpr)),
        sharded(n, kFpr),
        live(*LiveFilter<BlockFilter>::make({.n = n, .fpr = kFpr})),
        replicated(*PerNode<BlockFilter>::make({.n = n, .fpr = kFpr})) {}

  // So many keys in each: a filter in use.
  void fill(std::uint64_t keys) {
    std::vector<Hash> piece(1 << 16);
    for (std::uint64_t first = 0; first < keys; first += piece.size()) {
      for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = hash_of(first + i);
      (void)plain.add_many(piece);
      for (const Hash hash : piece) live->add(hash), sharded.add(hash);
    }
    (void)shared.merge(plain.view());
    (void)words.merge(plain.view());
    (void)replicated.merge(plain.view());
  }

  BlockFilter plain;
  Shared<BlockFilter> shared;
  Shared<BlockFilter, Reads::words> words;
  Sharded<BlockFilter> sharded;
  std::unique_ptr<LiveFilter<BlockFilter>> live;
  PerNode<BlockFilter> replicated;
  std::mutex mutex;
  std::shared_mutex shared_mutex;
};

void lookups(const char* where, std::uint64_t n, std::uint64_t filled, const Options& options, Report& report) {
  Ways ways(n);
  ways.fill(filled);
  const std::vector<unsigned> threads = thread_counts();
  std::uint64_t next = kAbsent;
  const auto of = [&](auto op) { return window_of(options, next, op); };
  // The place of a filter that is read under a guard, ours and liburcu's.
  const detail::Published<BlockView> published(std::make_unique<const BlockView>(ways.plain.view()));
  std::vector<Column> columns = {
      {"plain, read-only", of([&](std::uint64_t i) { return ways.plain.contains(hash_of(i)); })},
      {"Shared", of([&](std::uint64_t i) { return ways.shared.contains(hash_of(i)); })},
      {"Shared, 64-bit loads", of([&](std::uint64_t i) { return ways.words.contains(hash_of(i)); })},
      {"LiveFilter", of([&](std::uint64_t i) { return ways.live->contains(hash_of(i)); })},
      {"PerNode", of([&](std::uint64_t i) { return ways.replicated.contains(hash_of(i)); })},
      {"plain + mutex", of([&](std::uint64_t i) {
         const std::lock_guard lock(ways.mutex);
         return ways.plain.contains(hash_of(i));
       })},
      {"plain + shared_mutex", of([&](std::uint64_t i) {
         const std::shared_lock lock(ways.shared_mutex);
         return ways.plain.contains(hash_of(i));
       })},
      {"Sharded", of([&](std::uint64_t i) { return ways.sharded.contains(hash_of(i)); })},
      {"plain + our guard", of([&](std::uint64_t i) {
         const detail::ReadGuard guard(published.readers());
         return published.read(guard).contains(hash_of(i));
       })}};
#ifdef BLOOMERY_BENCH_LIBURCU
  const RcuPublished<const BlockView> rcu(&ways.plain.view());
  const auto read = [&](std::uint64_t i) {
    return rcu.read([&](const BlockView& view) { return view.contains(hash_of(i)); });
  };
  columns.push_back({"plain + liburcu", window_of(options, next, read, register_rcu_reader)});
#endif
  measure(columns, threads, std::max<std::size_t>(options.windows / 2, 3));
  print_columns(
      format("contains of absent keys, block %s, %.1f MiB", where, static_cast<double>(ways.plain.bytes()) / (1 << 20)),
      threads, columns);
  for (const Column& column : columns)
    report.figure(std::string("sharing, ") + where, n, "contains", column.name, column.ns.back());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const double share = columns[0].ns[i] / columns[1].ns[i];
    report.bar(share >= 0.9,
               format("Shared contains %s, %u threads: %.2f of a plain read-only filter (bar: at least 0.9)", where,
                      threads[i], share));
  }
  report.bar(
      columns[1].ns[0] <= 1.3 * columns[0].ns[0],
      format("Shared contains %s, 1 thread: %.2fx the cost of a plain filter (bar: at most 1.3x; 64-bit loads %.2fx)",
             where, columns[1].ns[0] / columns[0].ns[0], columns[2].ns[0] / columns[0].ns[0]));
}

// How many of the numbers are found; a function of its own, so that nothing around it takes its registers.
template <class Ask>
[[gnu::noinline]] std::uint64_t found(std::uint64_t first, std::uint64_t last, Ask ask) {
  std::uint64_t yes = 0;
  for (std::uint64_t i = first; i < last; ++i) yes += ask(hash_of(i)) ? 1 : 0;
  return yes;
}

// What the figures cost: lookups in one filter under the same guard, by contains, which counts and looks at the switch,
// and through a Reading, which does neither. Short windows that take turns, because a nanosecond is looked for.
void counting(const Options& options, Report& report) {
  auto live = *LiveFilter<BlockFilter>::make({.n = 1'000'000, .fpr = kFpr});
  for (std::uint64_t i = 0; i < 1'000'000; ++i) live->add(hash_of(i));
  std::uint64_t next = kAbsent;
  const auto window = [&](auto ask) {
    const std::size_t items = options.window_keys / 4;
    const std::uint64_t first = std::exchange(next, next + items);
    return Team{1}.ns_of_call(items, [&] { asm volatile("" ::"r"(found(first, first + items, ask))); });
  };
  std::vector<double> with, without, cost;
  for (std::size_t w = 0; w < 20 * options.windows; ++w) {
    without.push_back(window([&filter = *live](Hash hash) {
      const auto reading = filter.read();
      return reading.filter().contains(hash);
    }));
    with.push_back(window([&filter = *live](Hash hash) { return filter.contains(hash); }));
    cost.push_back(with.back() - without.back());
  }
  report.figure("sharing, in cache", 1'000'000, "contains", "LiveFilter, counted", median(with));
  report.figure("sharing, in cache", 1'000'000, "contains", "LiveFilter, not counted", median(without));
  report.bar(median(cost) <= 1,
             format("LiveFilter: counting costs %.2f ns per lookup (bar: at most 1 ns); %.2f ns with, %.2f without",
                    median(cost), median(with), median(without)));
}

}  // namespace

void live_speed(const Options& options, Report& report) {
  const bool quick = options.windows < 10;
  shared_adds(options, report);
  cuckoo_adds(options, report);
  if (!options.asks_for("block")) return;
  counting(options, report);
  lookups("in cache", 1'000'000, 1'000'000, options, report);
  // 1 GiB at 9.92 bits a key; five of them, of which one is a live one, and one for each node.
  const std::uint64_t large = quick ? 10'000'000 : 866'000'000;
  const std::uint64_t needed = (6 + detail::numa_nodes()) * large * 10 / 8;
  if (available_memory() != 0 && available_memory() < needed) {
    report.no_bar(
        format("sharing of a 1 GiB filter: %.1f GiB of memory are needed", static_cast<double>(needed) / (1 << 30)));
    return;
  }
  lookups("in memory", large, quick ? large : 100'000'000, options, report);
}

}  // namespace bloomery::bench
