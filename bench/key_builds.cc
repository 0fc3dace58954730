// What does a build from keys cost? Beside each: the hashes of these keys alone, and the same build from hashes, which
// together are what it is held to. One thread.
#include <cstdio>
#include <vector>

#include "bench/clock.h"
#include "bench/key_inputs.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"

namespace bloomery::bench {
namespace {

constexpr double kIntegers = 1.3, kStrings = 1.15;
constexpr std::uint64_t kBarKeys = 10'000'000;

// The fastest of some: a build that meets a page fault storm or a neighbour says nothing of the library.
template <class Work>
double best_ns(std::size_t items, std::size_t times, Work work) {
  double best = 0;
  for (std::size_t i = 0; i < times; ++i) {
    const double ns = ns_per_item(items, work);
    if (i == 0 || ns < best) best = ns;
  }
  return best;
}

template <class Filter, class Keys>
double build_ns(const Options& options, const Keys& keys) {
  return best_ns(keys.size(), options.times_built, [&] {
    const Result<Filter> filter = Filter::build(keys, 0.01);
    keep(filter.ok() ? filter->bytes() : 0);
  });
}

template <class Keys>
double hash_ns(const Options& options, const Hasher& hasher, const Keys& keys) {
  return best_ns(keys.size(), options.times_built, [&] {
    detail::for_hash_groups(hasher, keys, [](std::size_t, std::span<const Hash> all) { keep(all.back().bits); });
  });
}

struct KeysToBuild {
  std::vector<std::uint64_t> numbers;
  ColumnInput columns;
  ViewInput<16, 32> texts;
  std::vector<std::string_view> views;
  StringColumn<std::int32_t> column;

  explicit KeysToBuild(std::uint64_t n) : numbers(n) {
    for (std::uint64_t i = 0; i < n; ++i) numbers[i] = detail::splitmix64(i);
    views = texts.make(numbers);
    column = columns.make(numbers);
  }
};

template <class Filter>
void builds(const Options& options, const KeysToBuild& keys, Kind kind, Table& table, Report& report) {
  const Hasher hasher = typename Filter::View().hasher();
  const std::uint64_t n = keys.numbers.size();
  const std::span<const std::uint64_t> integers(keys.numbers);
  const std::span<const std::string_view> views(keys.views);
  // Not timed. The first build of a kind also pays for memory that the system has to find, and the next one is what
  // the others are held to.
  keep(Filter::build(as_hashes(integers), 0.01).ok() ? 1 : 0);
  const double hashes = build_ns<Filter>(options, as_hashes(integers)),
               from_integers = build_ns<Filter>(options, integers);
  const double hash_views = hash_ns(options, hasher, views), from_views = build_ns<Filter>(options, views);
  double hash_column = 0, from_column = 0;
  if (!options.bars) {
    hash_column = hash_ns(options, hasher, keys.column);
    from_column = build_ns<Filter>(options, keys.column);
  }
  table.row({to_string(kind), ns_text(hashes), ns_text(from_integers), ratio_text(from_integers / hashes),
             ns_text(hash_views), ns_text(from_views), ratio_text(from_views / (hashes + hash_views)),
             ns_text(hash_column), ns_text(from_column),
             ratio_text(options.bars ? 0 : from_column / (hashes + hash_column))});
  report.figure(to_string(kind), n, "build_from_hashes", "bloomery", hashes);
  report.figure(to_string(kind), n, "build_from_integers", "bloomery", from_integers);
  report.figure(to_string(kind), n, "build_from_strings", "bloomery", from_views);
  const std::string which = format("%s, build of %s", to_string(kind), count_text(n).c_str());
  if (n < kBarKeys) return report.no_bar(which + ": the bars are those of 10M keys, whose lines are far away");
  report.bar(which + " uint64_t", from_integers / hashes, kIntegers, "the same from hashes");
  report.bar(which + " strings", from_views / (hashes + hash_views), kStrings, "hashing and the same from hashes");
}

}  // namespace

void key_builds(const Options& options, Report& report) {
  const KeysToBuild keys(options.key_builds);
  std::printf("Builds of %s keys by what is passed, ns per key (strings of 16 to 32 bytes)\n\n",
              count_text(options.key_builds).c_str());
  Table table(
      {"kind", "hashes", "uint64_t", "ratio", "hash, strings", "strings", "ratio", "hash, column", "column", "ratio"});
#define BLOOMERY_BUILD(name, Class, number) \
  if (options.asks_for(#name)) builds<Class##Filter>(options, keys, Kind::name, table, report);
  BLOOMERY_KINDS(BLOOMERY_BUILD)
#undef BLOOMERY_BUILD
  table.print();
  std::printf("\n");
}

}  // namespace bloomery::bench
