// What do adds cost to a block filter that threads share, and do they scale (cuckoo_adds.cc asks the same of a cuckoo
// filter)? They are held to what no such add can do without: one atomic read-modify-write for each word that a key
// touches, with the line at hand. Every window begins with an empty filter and fills it with keys that nobody added
// before, up to what it is made for: adds to a filter that is full write nothing and would prove nothing.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "bench/clock.h"
#include "bench/columns.h"
#include "bench/machine.h"
#include "bench/questions.h"
#include "bench/shared_fill.h"
#include "bench/team.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "bloomery/detail/salts.h"
#include "bloomery/live/shared.h"

namespace bloomery::bench {
namespace {

// Nanoseconds of one fetch_or by one thread on words that nobody else has, in the first-level cache.
double read_modify_write_ns() {
  constexpr std::size_t kTimes = 200'000;
  alignas(64) static std::uint64_t words[8];
  return Team{1}.ns_of_call(kTimes, [] {
    for (std::size_t i = 0; i < kTimes; ++i)
      std::atomic_ref(words[i % 8]).fetch_or(std::uint64_t{1} << i % 64, std::memory_order_relaxed);
  });
}

// Words of a block that the bits of a key lie in, on average.
double words_touched(std::uint32_t k) {
  constexpr std::uint64_t kKeys = 100'000;
  std::uint64_t touched = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    unsigned words = 0;
    for (std::uint32_t j = 0; j < k; ++j)
      words |= 1u << (static_cast<std::uint32_t>(hash_of_number(i).bits) * detail::kSalt[j] >> 29);
    touched += static_cast<unsigned>(std::popcount(words));
  }
  return static_cast<double>(touched) / static_cast<double>(kKeys);
}

// Nanoseconds of CPU time per key of filling a filter with n new keys by add(hashes). Making the hashes is not timed.
template <class Add>
double price_of_fill(Shared<BlockFilter>& shared, std::uint64_t n, std::uint64_t& next, const Add& add) {
  shared.clear();
  std::vector<Hash> hashes(1 << 16);
  double ns = 0;
  for (std::uint64_t done = 0; done < n; done += hashes.size()) {
    for (Hash& hash : hashes) hash = hash_of_number(next++);
    ns += ns_per_item(1, [&] { add(std::span<const Hash>(hashes)); });
  }
  const std::uint64_t pieces = (n + hashes.size() - 1) / hashes.size();
  return ns / static_cast<double>(pieces * hashes.size());
}

// One thread against the words touched by one read-modify-write. Each round has a ratio of its own, and the median of
// these counts: a neighbour slows a machine down for both.
void block_bars(const char* where, Shared<BlockFilter>& shared, std::uint64_t n, std::size_t rounds,
                std::uint64_t& next, Report& report) {
  const double touched = words_touched(shared.geometry().k);
  std::vector<double> one, many, rmw, one_ratio, many_ratio;
  for (std::size_t round = 0; round < rounds; ++round) {
    rmw.push_back(read_modify_write_ns());
    one.push_back(price_of_fill(shared, n, next, [&](std::span<const Hash> hashes) {
      for (const Hash hash : hashes) keep(shared.add(hash));
    }));
    many.push_back(
        price_of_fill(shared, n, next, [&](std::span<const Hash> hashes) { (void)shared.add_many(hashes); }));
    one_ratio.push_back(one.back() / (touched * rmw.back()));
    many_ratio.push_back(many.back() / (touched * rmw.back()));
  }
  const auto bar = [&](const char* call, const std::vector<double>& ns, const std::vector<double>& ratio,
                       double limit) {
    report.bar(median(ratio) <= limit,
               format("Shared %s of new keys %s, 1 thread: %.1f ns, %.2fx of %.2f words touched by %.2f ns of one "
                      "read-modify-write (bar: at most %.1fx)",
                      call, where, median(ns), median(ratio), touched, median(rmw), limit));
    report.figure(std::string("sharing, ") + where, n, call, "Shared, CPU time", median(ns));
  };
  bar("add", one, one_ratio, 1.3);
  bar("add_many", many, many_ratio, 1.1);
  report.figure(std::string("sharing, ") + where, n, "read-modify-write", "ceiling", median(rmw));
}

void block_adds(const char* where, std::uint64_t n, const Options& options, Report& report) {
  auto shared = *Shared<BlockFilter>::with_capacity(n, 0.01);
  auto plain = *BlockFilter::with_geometry(shared.geometry());
  std::mutex mutex;
  (void)shared.prefault(std::thread::hardware_concurrency());
  (void)plain.prefault(std::thread::hardware_concurrency());
  std::uint64_t next = 0;
  const auto of_shared = [&](auto add) {
    return [&, add](unsigned threads) {
      shared.clear();
      return fill_ns(Team{threads, true}, n, next, add);
    };
  };
  std::vector<Column> columns = {{"Shared add", of_shared(one_by_one(shared))},
                                 {"Shared add_many", of_shared(in_batches(shared))},
                                 {"plain + mutex",
                                  [&](unsigned threads) {
                                    plain.clear();
                                    return fill_ns(Team{threads, true}, n, next, under_mutex(plain, mutex));
                                  }},
                                 {"plain add, alone",
                                  [&](unsigned) {
                                    plain.clear();
                                    return fill_ns(Team{1, true}, n, next, one_by_one(plain));
                                  }},
                                 {"one read-modify-write, alone", [](unsigned) { return read_modify_write_ns(); }}};
  const std::vector<unsigned> threads = thread_counts();
  measure(columns, threads, n > 10'000'000 ? 3 : std::max<std::size_t>(options.windows / 2, 3));
  print_columns(format("add of new keys, block %s, %.1f MiB", where, static_cast<double>(shared.bytes()) / (1 << 20)),
                threads, columns);
  for (const Column& column : columns)
    for (std::size_t i = 0; i < threads.size(); ++i)
      report.figure(std::string("sharing, ") + where, n, format("add by %u", threads[i]), column.name, column.ns[i]);
  const unsigned most = threads.back();
  const double scaling = columns[0].ns.front() / columns[0].ns.back();
  const std::string text = format("Shared add of new keys %s: %.1fx at %u threads", where, scaling, most);
  if (most >= 16) report.bar(scaling >= 8, text + " (bar: at least 8x at 16)");
  else report.no_bar(text + "; the bar of 8x is for 16");
  block_bars(where, shared, n, n > 10'000'000 ? 3 : options.windows, next, report);
}

// All threads add the same key, which is there from the second add on.
void hot_key(const Options& options, Report& report) {
  auto shared = *Shared<BlockFilter>::with_capacity(1'000'000, 0.01);
  const auto window = [&](unsigned threads) {
    return Team{threads, true}.ns_per_item(
        threads * options.window_keys, [] {},
        [&](std::size_t from, std::size_t to) {
          for (std::size_t i = from; i < to; ++i) keep(shared.add(hash_of_number(1)));
        });
  };
  std::vector<Column> columns = {{"Shared, all the same key", window}};
  const std::vector<unsigned> threads = thread_counts();
  measure(columns, threads, std::max<std::size_t>(options.windows / 2, 3));
  print_columns("add of one key, block in cache", threads, columns);
  // Elapsed time over the adds of all threads, so each thread pays that times their number.
  const double same = columns[0].ns.back() * threads.back() / columns[0].ns.front();
  report.bar(same <= 3,
             format("Shared add of one key by %u threads: each pays %.2fx of what one alone pays (bar: at most 3x)",
                    threads.back(), same));
}

}  // namespace

void shared_adds(const Options& options, Report& report) {
  if (!options.asks_for("block")) return;
  const bool quick = options.windows < 10;
  const std::uint64_t small = quick ? 100'000 : 1'000'000, large = quick ? 1'000'000 : 100'000'000;
  block_adds("in cache", small, options, report);
  hot_key(options, report);
  const std::uint64_t needed = 4 * large * 10 / 8;
  if (available_memory() != 0 && available_memory() < needed) {
    report.no_bar(
        format("adds to large shared filters: %.1f GiB of memory are needed", static_cast<double>(needed) / (1 << 30)));
    return;
  }
  block_adds("in memory", large, options, report);
}

}  // namespace bloomery::bench
