// What does one call cost in a program that is compiled for AVX2, where the probe is inline, and what does the call of
// the best probe for the machine cost elsewhere?
#include <string>
#include <vector>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/keys.h"
#include "bench/one_call.h"
#include "bench/questions.h"
#include "bench/text.h"

namespace bloomery::bench {
namespace {

constexpr double kSplitRatio = 1.9, kBlockRatio = 2.6, kDispatchedRatio = 1.3, kIntegerRatio = 1.1;

template <class Filter>
[[gnu::noinline]] std::uint64_t ask_dispatched_loop(const Filter& filter, std::span<const Hash> hashes) {
  std::uint64_t found = 0;
  for (const Hash& hash : hashes) found += filter.contains(hash) ? 1 : 0;
  return found;
}

// One call in a program that is compiled for AVX2, and as the library dispatches it.
template <class Filter>
void inlined(const Options& options, std::uint64_t n, Kind kind, double most, Report& report) {
  if (!one_call::has_avx2()) return report.no_bar("one call compiled for AVX2: this machine has none");
  constexpr std::size_t kAsked = 100'000;
  std::vector<std::uint64_t> numbers(n);
  for (std::uint64_t i = 0; i < n; ++i) numbers[i] = detail::splitmix64(i);
  const Result<Filter> filter = Filter::build(as_hashes(numbers), 0.01);
  if (!filter.ok()) return report.no_bar(filter.error().message);
  const auto& view = filter->view();
  std::vector<double> inline_ns, dispatched_ns, integers_ns, hash_ns, both_ns;
  Ceiling ceiling;
  numbers.resize(kAsked);
  for (std::size_t w = 0; w < 2 * options.windows; ++w) {
    for (std::uint64_t i = 0; i < kAsked; ++i) numbers[i] = detail::splitmix64(kAbsent + kAsked * w + i);
    const std::span<const Hash> hashes = as_hashes(numbers);
    keep(one_call::count_avx2(view, hashes.first(kAsked / 4)));  // brings the filter into the caches where it fits
    std::uint64_t found = 0, again = 0;
    const auto ask_inline = [&] {
      inline_ns.push_back(ns_per_item(kAsked, [&] { found = one_call::count_avx2(view, hashes); }));
    };
    const auto ask_dispatched = [&] {
      dispatched_ns.push_back(ns_per_item(kAsked, [&] { again = ask_dispatched_loop(*filter, hashes); }));
    };
    // In turns: the first after other work is slower.
    if (w % 2 == 0) ask_inline(), ask_dispatched();
    else ask_dispatched(), ask_inline();
    const std::span<const std::uint64_t> keys(numbers);
    const auto ask_integers = [&] {
      integers_ns.push_back(ns_per_item(kAsked, [&] { keep(one_call::count_avx2(view, keys)); }));
    };
    const auto hash_and_ask = [&] {
      both_ns.push_back(ns_per_item(kAsked, [&] { keep(one_call::hash_and_count_avx2(view, keys)); }));
    };
    if (w % 2 == 0) ask_integers(), hash_and_ask();
    else hash_and_ask(), ask_integers();
    hash_ns.push_back(ns_per_item(kAsked, [&] { keep(one_call::hash_avx2(view.hasher(), keys)); }));
    ceiling.window(view.payload(), kAsked);
    if (found != again) report.wrong_answer("the inline probe answers otherwise than the dispatched one");
  }
  const std::string which = format("%s, n = %s", to_string(kind), count_text(n).c_str());
  const double here = median(inline_ns), there = median(dispatched_ns), limit = ceiling.ns();
  const double integers = median(integers_ns), both = median(both_ns), sum = median(hash_ns) + here;
  report.bar(which + ": one call from Hash compiled for AVX2", here / limit, most, "the ceiling",
             format("; %.2f ns", here));
  report.bar(which + ": one call from Hash dispatched", there / here, kDispatchedRatio, "the inline one",
             format("; %.2f ns", there));
  report.bar(which + ": one call from uint64_t compiled for AVX2", integers / both, kIntegerRatio,
             "hash and one call from a hash in one loop",
             format("; %.2f ns, %.2fx of two loops", integers, integers / sum));
}

}  // namespace

void keys_inline(const Options& options, std::uint64_t n, Report& report) {
  if (options.asks_for("split")) inlined<SplitFilter>(options, n, Kind::split, kSplitRatio, report);
  if (options.asks_for("block")) inlined<BlockFilter>(options, n, Kind::block, kBlockRatio, report);
}

}  // namespace bloomery::bench
