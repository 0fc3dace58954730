// What do the operations of split and block cost, beside the ceiling, and what is each held to? The rows are those of
// `bloomery bench`.
#include <algorithm>
#include <thread>
#include <vector>

#include "bench/kind_kit.h"
#include "bench/questions.h"
#include "bench/rows_text.h"
#include "bench/text.h"

namespace bloomery::bench {
namespace {

constexpr Kind kKinds[] = {Kind::split, Kind::block};
constexpr std::uint64_t kMainBarsAt = 1'000'000;     // one key, add, size
constexpr std::uint64_t kBuildBarFrom = 10'000'000;  // below, starting threads is what counts
constexpr std::uint64_t kInCachesUpTo = 1'000'000;
constexpr int kFilters = 5;            // of these sizes: how well its pages share the caches is luck
constexpr double kStringRatio = 2.2;   // of hash and ceiling together
constexpr double kBuildScaling = 0.9;  // of the ceiling's own

// How many times the ceiling contains_many of absent keys may cost.
double most_of_ceiling(Kind kind, std::uint64_t n) {
  if (kind == Kind::split) return n <= 1'000'000 ? 1.5 : 1.2;
  return n <= 100'000 ? 1.9 : n <= 1'000'000 ? 1.5 : 1.25;
}

double batch_ratio(const FilterRows& found) { return found.find("contains_many_absent")->ratio; }

// Measures several filters, one after the other, and returns the one whose batches are the median against the ceiling.
FilterRows median_filter(const RowSpec& spec) {
  std::vector<FilterRows> found;
  found.reserve(kFilters);
  for (int i = 0; i < kFilters; ++i) found.push_back(measured(spec));
  std::ranges::sort(found, {}, batch_ratio);
  std::string ratios;
  for (const FilterRows& one : found) ratios.append(1, ' ').append(ratio_text(batch_ratio(one)));
  FilterRows median = found[kFilters / 2];
  median.notes.push_back(format("of %d filters the median; contains_many_absent of all:%s", kFilters, ratios.c_str()));
  return median;
}

// Prints, and leaves the figures in the report.
FilterRows show(const RowSpec& spec, const FilterRows& found, Report& report) {
  print(found);
  const std::string question = std::string(to_string(spec.kind)) +
                               (spec.keys == KeyType::u64 ? ", hashes" : ", strings") +
                               (spec.threads > 1 ? format(", %u threads", spec.threads) : "");
  for (const Row& row : found.rows) report.figure(question, spec.n, row.op, "bloomery", row.ns);
  for (const Row& row : found.by_isa) report.figure(question, spec.n, row.op + ", " + row.isa, "bloomery", row.ns);
  report.figure(question, spec.n, "random_line", "ceiling", found.rows.back().ceiling_ns);
  return found;
}

void hold_bars(const FilterRows& found, Report& report) {
  const Kind kind = found.kind;
  const Row& many = *found.find("contains_many_absent");
  hold(report, kind, "contains_many_absent against the ceiling", found.n, many.ratio, most_of_ceiling(kind, found.n));
  if (found.n != kMainBarsAt) return;
  hold(report, kind, "one-key contains against the ceiling", found.n, found.find("contains_absent")->ratio, 4);
  hold(report, kind, "add_many against contains_many_absent", found.n, found.find("add_many")->ratio / many.ratio,
       kind == Kind::split ? 1.5 : 2.5);
  report.bar(found.bits_per_key <= (kind == Kind::split ? 10.6 : 9.95),
             format("%s: %.2f bits per key at 1 %% (bar: at most %s)", to_string(kind), found.bits_per_key,
                    kind == Kind::split ? "10.6" : "9.95"));
}

void strings(const Options& options, Kind kind, Report& report) {
  RowSpec spec = spec_of(options, kind, options.string_keys);
  spec.keys = KeyType::string;
  const FilterRows found = show(spec, measured(spec), report);
  hold(report, kind, "contains_many_absent of strings of 16 to 32 bytes against hash and ceiling", spec.n,
       found.find("contains_many_absent")->ratio, kStringRatio);
}

// On two threads, held to what two threads of the ceiling's loop gain.
void two_threads(const Options& options, Kind kind, std::uint64_t n, Report& report) {
  RowSpec spec = spec_of(options, kind, n);
  spec.threads = 2;
  const FilterRows found = show(spec, measured(spec), report);
  const std::string what = format("%s build on 2 threads, n = %s: ", to_string(kind), count_text(n).c_str());
  if (!found.scaling) return report.no_bar(what + found.notes.back());
  const double build = found.scaling->build, ceiling = found.scaling->ceiling;
  report.bar(build >= kBuildScaling * ceiling,
             what + format("%.2fx as fast as on one, the ceiling's loop %.2fx (bar: at least %.1f of that)", build,
                           ceiling, kBuildScaling));
}

}  // namespace

void blocked_speed(const Options& options, Report& report) {
  for (const std::uint64_t n : options.sizes) {
    for (const Kind kind : kKinds) {
      RowSpec spec = spec_of(options, kind, n);
      spec.every_isa = true;
      hold_bars(show(spec, n <= kInCachesUpTo ? median_filter(spec) : measured(spec), report), report);
    }
  }
  for (const Kind kind : kKinds) strings(options, kind, report);
  if (std::thread::hardware_concurrency() < 2) return report.no_bar("build on 2 threads: there is one core");
  bool held = false;
  for (const std::uint64_t n : options.sizes) {
    if (n < kBuildBarFrom) continue;
    for (const Kind kind : kKinds) two_threads(options, kind, n, report);
    held = true;
  }
  if (!held) report.no_bar("build on 2 threads: no size of at least " + count_text(kBuildBarFrom) + " in this run");
}

}  // namespace bloomery::bench
