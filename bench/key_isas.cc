// What do batches of hashes cost by each instruction set of the machine? All of them in turns on one filter in one
// process, beside the ceiling and beside plain code.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/keys.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "kernel/caches.h"
#include "kernel/kernel.h"
#include "kinds/common/run_hashes.h"
#include "kinds/ribbon/by_kernel.h"

namespace bloomery::bench {
namespace {

// By AVX2 alone: multiples of the ceiling up to 1M keys and above, and of the time that plain code takes.
constexpr double kSplitNear = 1.5, kBlockNear = 1.8, kFar = 1.15, kRibbonOfPlain = 0.5;
constexpr double kBarRate = 0.01;     // the bars are those of this rate
constexpr double kRibbonLines = 2.8;  // the line of its code, and those of its window (docs/performance.md)
constexpr std::uint64_t kNear = 1'000'000, kMostRibbon = 10'000'000;
constexpr std::size_t kAsked = 100'000;

void ask_by(const kernel::Kernel& isa, const RibbonView& view, std::span<const Hash> hashes, std::uint8_t* answers) {
  detail::ribbon_contains_by(isa, view.geometry(), view.payload().data(), detail::run_of(hashes), answers);
}

template <class View>
void ask_by(const kernel::Kernel& isa, const View& view, std::span<const Hash> hashes, std::uint8_t* answers) {
  constexpr bool kBlock = std::same_as<View, BlockView>;
  std::uint32_t k = 0;
  if constexpr (kBlock) k = view.geometry().k;
  const kernel::Batch batch{view.geometry().blocks, k, &hashes.data()->bits, hashes.size(),
                            kernel::prefetch_ahead(isa, view.payload().size())};
  (kBlock ? isa.block_contains : isa.split_contains)(view.payload().data(), batch, answers);
}

struct OfIsa {
  const kernel::Kernel* isa;
  std::vector<double> ns = {}, of_plain = {};
};

// Numbers of absent keys. Each call takes new ones.
class FreshNumbers {
 public:
  std::vector<std::uint64_t> take(std::size_t count) {
    std::vector<std::uint64_t> numbers(count);
    for (std::uint64_t& number : numbers) number = detail::splitmix64(next_++);
    return numbers;
  }

 private:
  std::uint64_t next_ = kAbsent;
};

// Times every instruction set once in each window; every window starts with another one. Each time the keys are new, as
// the lines of the ceiling are: keys that were asked before would find their lines in the caches. A short batch of
// other new keys comes first, which brings the filter into the caches where it fits.
template <class View>
std::vector<OfIsa> in_turns(const Options& options, const View& view, Ceiling& ceiling, Report& report) {
  std::vector<OfIsa> all;
  for (const kernel::Kernel* isa : kernel::available()) all.push_back({isa});
  FreshNumbers fresh;
  std::vector<std::uint8_t> right(kAsked), answers(kAsked);
  for (std::size_t w = 0; w < 2 * options.windows; ++w) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      OfIsa& one = all[(w + i) % all.size()];
      const std::vector<std::uint64_t> others = fresh.take(kAsked / 4), numbers = fresh.take(kAsked);
      const std::span<const Hash> hashes = as_hashes(numbers);
      ask_by(*one.isa, view, as_hashes(others), answers.data());
      one.ns.push_back(ns_per_item(kAsked, [&] { ask_by(*one.isa, view, hashes, answers.data()); }));
      ask_by(kernel::kScalar, view, hashes, right.data());
      if (answers != right) report.wrong_answer(std::string(one.isa->name) + " answers otherwise than plain code");
    }
    for (OfIsa& one : all) one.of_plain.push_back(one.ns.back() / all.front().ns.back());
    ceiling.window(view.payload(), kAsked);
  }
  return all;
}

template <class Filter>
void by_isa(const Options& options, std::uint64_t n, Kind kind, double fpr, Table& table, Report& report) {
  if (!options.asks_for(to_string(kind))) return;
  std::vector<std::uint64_t> numbers(n);
  for (std::uint64_t i = 0; i < n; ++i) numbers[i] = detail::splitmix64(i);
  const Result<Filter> filter = Filter::build(as_hashes(numbers), fpr);
  if (!filter.ok()) return report.no_bar(filter.error().message);
  Ceiling ceiling;
  const std::string name = format("%s, %g %%", to_string(kind), 100 * fpr);
  for (const OfIsa& one : in_turns(options, filter->view(), ceiling, report)) {
    const double ns = median(one.ns), of_ceiling = ns / ceiling.ns(), of_plain = median(one.of_plain);
    table.row({name, one.isa->name, ns_text(ns), ratio_text(of_ceiling), ratio_text(of_plain)});
    report.figure(name + " by " + one.isa->name, n, "contains_many_absent", "bloomery", ns);
    if (one.isa != kernel::avx2()) continue;
    const std::string what = format("%s by AVX2, batch from Hash, n = %s", name.c_str(), count_text(n).c_str());
    if (kind == Kind::ribbon && fpr == kBarRate)
      report.bar(what, of_plain, kRibbonOfPlain, "plain code",
                 format("; %.1fx of the ceiling, a line, where a lookup reads %.1f", of_ceiling, kRibbonLines));
    if (kind != Kind::ribbon)
      report.bar(what, of_ceiling, n > kNear ? kFar : kind == Kind::split ? kSplitNear : kBlockNear, "the ceiling");
  }
}

}  // namespace

void keys_by_isa(const Options& options, std::uint64_t n, Report& report) {
  if (!options.asks_for("split") && !options.asks_for("block") && !options.asks_for("ribbon")) return;
  Table table({"kind", "by", "ns per key", "ceilings", "of plain code"});
  by_isa<SplitFilter>(options, n, Kind::split, kBarRate, table, report);
  by_isa<BlockFilter>(options, n, Kind::block, kBarRate, table, report);
  for (const double fpr : {kBarRate, kBarRate / 10})
    if (n <= kMostRibbon) by_isa<RibbonFilter>(options, n, Kind::ribbon, fpr, table, report);
  std::printf("Batches of hashes, absent, by each instruction set in turns, n = %s\n", count_text(n).c_str());
  table.print();
  std::printf("\n");
}

}  // namespace bloomery::bench
