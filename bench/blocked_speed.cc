// What do the operations of split and block cost, by instruction set, beside the ceiling? Keys are hashes here: the
// question is the memory and the probe, not the hash function.
#include <algorithm>
#include <cstdio>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/keys.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "bloomery/detail/fnv.h"
#include "kernel/kernel.h"

namespace bloomery::bench {
namespace {

constexpr double kFpr = 0.01;

// How many times the ceiling contains_many of absent keys may cost.
double most_of_ceiling(Kind kind, std::uint64_t n) {
  if (kind == Kind::split) return n <= 1'000'000 ? 1.5 : 1.2;
  return n <= 100'000 ? 1.9 : n <= 1'000'000 ? 1.5 : 1.25;
}

std::vector<Hash> hashes_from(std::uint64_t first, std::size_t count) {
  std::vector<Hash> hashes(count);
  for (std::size_t i = 0; i < count; ++i) hashes[i] = Hash(detail::splitmix64(first + i));
  return hashes;
}

std::span<const std::uint64_t> bits_of(const std::vector<Hash>& hashes) {
  return {&hashes.data()->bits, hashes.size()};
}

struct Samples {
  std::vector<double> one_absent, many_absent, many_present, add_many;
  std::vector<std::vector<double>> by_isa;  // contains_many of absent keys, forced
};

void contains_with(const kernel::Kernel& isa, const AnyView& view, const std::vector<Hash>& hashes,
                   std::vector<std::uint8_t>& answers, unsigned ahead) {
  const auto fields = view.geometry_fields();
  const kernel::Batch batch{fields[0].second, static_cast<std::uint32_t>(fields.back().second), &hashes.data()->bits,
                            hashes.size(), ahead};
  const auto contains = view.kind() == Kind::split ? isa.split_contains : isa.block_contains;
  contains(view.payload().data(), batch, answers.data());
}

template <class Filter>
Filter built(std::uint64_t n) {
  Filter filter = *Filter::with_capacity(n, kFpr);
  constexpr std::size_t kPiece = 1 << 16;
  for (std::uint64_t first = 0; first < n; first += kPiece)
    filter.add_many(hashes_from(first, std::min<std::uint64_t>(kPiece, n - first)));
  return filter;
}

// One window: each operation once on fresh keys, and the ceiling on the same memory.
template <class Filter>
void window(Filter& filter, std::uint64_t n, std::size_t round, std::size_t keys, Samples& samples, Ceiling& ceiling) {
  const std::vector<Hash> absent = hashes_from(kAbsent + round * keys, keys);
  const std::vector<Hash> present =
      hashes_from((round * keys) % (n > keys ? n - keys : 1), std::min<std::uint64_t>(keys, n));
  std::vector<std::uint8_t> answers(keys);
  ceiling.window(filter.view().payload(), bits_of(absent));
  samples.many_absent.push_back(ns_per_item(keys, [&] { filter.contains_many(absent, answers); }));
  samples.many_present.push_back(ns_per_item(present.size(), [&] { filter.contains_many(present, answers); }));
  std::uint64_t hits = 0;
  samples.one_absent.push_back(ns_per_item(keys, [&] {
    for (Hash hash : absent) hits += filter.contains(hash);
  }));
  asm volatile("" ::"r"(hits));  // the answers are used
  samples.add_many.push_back(ns_per_item(present.size(), [&] { filter.add_many(present); }));
  const std::vector<const kernel::Kernel*> isas = kernel::available();
  samples.by_isa.resize(isas.size());
  for (std::size_t i = 0; i < isas.size(); ++i)
    samples.by_isa[i].push_back(ns_per_item(
        keys, [&] { contains_with(*isas[i], filter.view(), absent, answers, filter.bytes() > (1 << 20) ? 32 : 0); }));
}

template <class Filter>
double measured_fpr(const Filter& filter, std::size_t asked) {
  const std::vector<Hash> absent = hashes_from(2 * kAbsent, asked);
  std::vector<std::uint8_t> answers(asked);
  filter.contains_many(absent, answers);
  return static_cast<double>(std::count(answers.begin(), answers.end(), 1)) / static_cast<double>(asked);
}

template <class Filter>
void measure_kind(Kind kind, std::uint64_t n, const Options& options, Report& report) {
  Filter filter = built<Filter>(n);
  Samples samples;
  Ceiling ceiling;
  for (std::size_t round = 0; round < options.windows; ++round)
    window(filter, n, round, options.window_keys, samples, ceiling);
  const std::string question = std::string(to_string(kind)) + ", hashes";
  Table table({"ns per key", "ours", "ceiling", "ours/ceiling"});
  const auto row = [&](const std::string& operation, const std::vector<double>& values) {
    const double ns = median(values);
    table.row({operation, ns_text(ns), ns_text(ceiling.ns()), ratio_text(ns / ceiling.ns())});
    report.figure(question, n, operation, "bloomery", ns);
  };
  row("contains_absent", samples.one_absent);
  row("contains_many_absent", samples.many_absent);
  row("contains_many_present", samples.many_present);
  row("add_many", samples.add_many);
  const std::vector<const kernel::Kernel*> isas = kernel::available();
  for (std::size_t i = 0; i < isas.size(); ++i)
    row(std::string("contains_many_absent, ") + isas[i]->name, samples.by_isa[i]);
  report.figure(question, n, "random_line", "ceiling", ceiling.ns());

  const double bits = 8 * static_cast<double>(filter.bytes()) / static_cast<double>(n);
  std::printf("%s, n = %s, hashes, 1 %%: %.2f bits per key, %.3f %% false positives, %s in use\n", to_string(kind),
              count_text(n).c_str(), bits, 100 * measured_fpr(filter, options.fpr_asked), kernel::active().name);
  table.print();
  std::printf("\n");
  const auto hold = [&](const char* what, double ratio, double most) {
    report.bar(ratio <= most, format("%s %s, n = %s: %.2fx (bar: at most %.2fx)", to_string(kind), what,
                                     count_text(n).c_str(), ratio, most));
  };
  hold("contains_many_absent against the ceiling", median(samples.many_absent) / ceiling.ns(),
       most_of_ceiling(kind, n));
  if (n == 1'000'000) {
    hold("one-key contains against the ceiling", median(samples.one_absent) / ceiling.ns(), 4);
    hold("add_many against contains_many", median(samples.add_many) / median(samples.many_absent),
         kind == Kind::split ? 1.5 : 2.5);
    report.bar(bits <= (kind == Kind::split ? 10.6 : 9.95),
               format("%s: %.2f bits per key at 1 %% (bar: at most %s)", to_string(kind), bits,
                      kind == Kind::split ? "10.6" : "9.95"));
  }
}

}  // namespace

void blocked_speed(const Options& options, Report& report) {
  for (const std::uint64_t n : options.sizes) {
    measure_kind<SplitFilter>(Kind::split, n, options, report);
    measure_kind<BlockFilter>(Kind::block, n, options, report);
  }
}

}  // namespace bloomery::bench
