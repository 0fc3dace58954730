// Do the kinds keep what their plan says, and what do the kinds that change cost? Bits and rates of all kinds, measured
// beside `bloomery plan`; the bars of cuckoo, quotient and counting; what growing costs a scalable filter.
#include <cmath>
#include <cstdio>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/kind_kit.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"

namespace bloomery::bench {
namespace {

constexpr double kFpr = 0.01;
constexpr double kBitsTolerance = 0.02;
constexpr double kBatchRatio = 5;   // of the ceiling times the lines that a lookup must touch
constexpr double kCuckooFill = 50;  // of the ceiling, per key of a fill to full load
constexpr double kGrownBytes = 2;   // of a filter that was sized right
constexpr std::uint64_t kGrownFrom = 1'000;

// What a kind is held to. Lines: those that an absent key must touch. Of counting and partitioned the second is read
// when the first bit is set, which is one time in two, and so on.
struct Held {
  Kind kind;
  double one_key;  // times the ceiling, n = 1M
  double lines;
};
constexpr Held kHeld[] = {{Kind::cuckoo, 7, 2}, {Kind::quotient, 10, 2}, {Kind::counting, 12, 2}};

AnyFilter filled(Kind kind, std::uint64_t n, std::uint64_t keys) {
  if (!can(kind, Ability::add)) {
    Result<AnyFilter> built = AnyFilter::build(kind, some_hashes(0, keys), {kFpr});
    if (!built.ok()) give_up(built.error());
    return *std::move(built);
  }
  Result<AnyFilter> filter = AnyFilter::with_capacity(kind, n, kFpr);
  if (!filter.ok()) give_up(filter.error());
  constexpr std::uint64_t kPiece = 100'000;
  for (std::uint64_t first = 0; first < keys; first += kPiece)
    if (Status status = filter->add_many(some_hashes(first, std::min(kPiece, keys - first))); !status.ok())
      give_up(status.error());
  return *std::move(filter);
}

// A row of the table of plans: what was built, beside what was planned. One that forgets is at its plateau after many
// times its n.
void held_to_plan(const Options& options, Kind kind, std::uint64_t n, Table& table, Report& report) {
  const SizePlan plan = *plan_size(kind, n, {kFpr});
  constexpr std::uint64_t kForgotten = 10;
  const AnyFilter filter = filled(kind, n, forgets(kind) ? kForgotten * n : n);
  const double keys = static_cast<double>(n);
  const double planned_bits = static_cast<double>(plan.bits) / keys;
  const double bits = static_cast<double>(filter.view().payload_bits()) / keys;
  const double rate = rate_of(filter.view(), options.absent_asked);
  table.row({to_string(kind), format("%.3f", planned_bits), format("%.3f", bits),
             format("%.4g %%", 100 * plan.predicted_fpr), format("%.4g %%", 100 * rate)});
  const std::string question = std::string(to_string(kind)) + ", plan";
  report.figure(question, n, "bits_per_key", "bloomery", bits, "bits");
  report.figure(question, n, "fpr", "bloomery", rate, "rate");
  const double room = room_of(plan.predicted_fpr, options.absent_asked);
  const bool met =
      std::abs(bits / planned_bits - 1) <= kBitsTolerance && std::abs(rate / plan.predicted_fpr - 1) <= room;
  report.bar(met,
             format("%s, n = %s: %.3f bits/key for %.3f planned (bar: within 2 %%), rate %.4g %% for %.4g %% (bar: "
                    "within %.0f %%)",
                    to_string(kind), count_text(n).c_str(), bits, planned_bits, 100 * rate, 100 * plan.predicted_fpr,
                    100 * room));
}

void plans(const Options& options, Report& report) {
  for (const std::uint64_t n : options.changing_sizes) {
    std::printf("Built for %s keys at 1 %%, beside `bloomery plan`\n", count_text(n).c_str());
    Table table({"kind", "planned bits/key", "bits/key", "planned fpr", "fpr"});
    for (Kind kind : kAllKinds) held_to_plan(options, kind, n, table, report);
    table.print();
    std::printf("\n");
  }
}

// From empty to the full load that it was sized for, over the ceiling of the same memory.
void cuckoo_fill(const Options& options, std::uint64_t n, Report& report) {
  CuckooFilter filter = *CuckooFilter::with_capacity(n, kFpr);
  Ceiling ceiling;
  std::vector<double> one, many;
  for (std::size_t round = 0; round < options.windows; ++round) {
    const std::vector<Hash> keys = some_hashes(round * n, n);
    const auto refused = [](const Status& status) {
      if (!status.ok()) give_up(status.error());
    };
    ceiling.window(filter.view().payload(), options.window_keys);
    filter.clear();
    one.push_back(ns_per_item(n, [&] {
      for (Hash key : keys) refused(filter.add(key));
    }));
    filter.clear();
    many.push_back(ns_per_item(n, [&] { refused(filter.add_many(keys)); }));
  }
  std::printf("cuckoo, n = %s: filled to a load of %.2f %% in %s ns a key, in batches %s; one random line takes %s\n\n",
              count_text(n).c_str(), 100 * filter.fill(), ns_text(median(one)).c_str(), ns_text(median(many)).c_str(),
              ns_text(ceiling.ns()).c_str());
  report.figure("cuckoo", n, "fill", "bloomery", median(one));
  hold(report, Kind::cuckoo, format("adds up to a load of %.2f %%, against the ceiling", 100 * filter.fill()), n,
       median(one) / ceiling.ns(), kCuckooFill);
}

void bars(const Options& options, Report& report) {
  const std::uint64_t small = options.changing_sizes.front(), large = options.changing_sizes.back();
  for (const Held& held : kHeld) {
    const FilterRows found = rows_of(options, held.kind, small, report);
    hold(report, held.kind, "contains_absent against the ceiling", small, found.find("contains_absent")->ratio,
         held.one_key);
    const Row batch = *rows_of(options, held.kind, large, report).find("contains_many_absent");
    hold(report, held.kind, format("contains_many_absent against the ceiling times %.0f lines", held.lines), large,
         batch.ratio / held.lines, kBatchRatio);
  }
  cuckoo_fill(options, small, report);
}

// A chain that grew from few keys, and what each of its links costs a lookup.
void growing(const Options& options, Report& report) {
  const std::uint64_t n = options.changing_sizes.front();
  ScalableFilter filter = *ScalableFilter::with_capacity(kGrownFrom, kFpr);
  Table table({"links", "keys", "bytes", "of one sized right", "ns, absent", "ns a link"});
  const std::vector<Hash> keys = some_hashes(0, n), absent = some_hashes(std::uint64_t{1} << 50, options.window_keys);
  std::vector<std::uint8_t> answers(absent.size());
  double share = 0;
  for (std::uint64_t in = 0; in < n;) {
    const std::uint64_t links = filter.geometry().links, first = in;
    while (in < n && filter.geometry().links == links)
      if (Status status = filter.add(keys[in++]); !status.ok()) give_up(status.error());
    if (in == first + 1) continue;
    std::vector<double> ns;
    for (std::size_t w = 0; w < options.windows; ++w)
      ns.push_back(ns_per_item(absent.size(), [&] { filter.contains_many(absent, answers); }));
    const double right = static_cast<double>(BlockGeometry::for_capacity(in, kFpr)->payload_bytes());
    share = static_cast<double>(filter.bytes()) / right;
    const std::uint64_t now = filter.geometry().links;
    table.row({std::to_string(now), std::to_string(in), std::to_string(filter.bytes()), format("%.2f", share),
               ns_text(median(ns)), ns_text(median(ns) / static_cast<double>(now))});
  }
  std::printf("scalable, grown from %s keys\n", count_text(kGrownFrom).c_str());
  table.print();
  std::printf("\n");
  report.bar(share <= kGrownBytes, format("scalable grown from %s to %s keys: %.2fx the bytes of a filter sized right "
                                          "(bar: at most %.0fx)",
                                          count_text(kGrownFrom).c_str(), count_text(n).c_str(), share, kGrownBytes));
  const double rate = rate_of(filter.view(), options.absent_asked);
  report.bar(rate <= kFpr, format("scalable grown from %s to %s keys: rate %.3g %% (bar: at most 1 %%)",
                                  count_text(kGrownFrom).c_str(), count_text(n).c_str(), 100 * rate));
}

}  // namespace

void changing_speed(const Options& options, Report& report) {
  plans(options, report);
  bars(options, report);
  growing(options, report);
}

}  // namespace bloomery::bench
