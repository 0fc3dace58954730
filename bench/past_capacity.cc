// What is the rate of a filter past its capacity? For kinds that take all keys this measures the rate at every quarter
// of the capacity, up to four times the capacity; for kinds that can be full, where they are.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/keys.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/any.h"

namespace bloomery::bench {
namespace {

constexpr double kFpr = 0.01;
constexpr std::uint64_t kSteps = 16, kStepsPerCapacity = 4;  // quarters, to four times the capacity
constexpr std::size_t kPiece = 50'000;

// Keys are added in pieces until the step is reached or none fits any more; returns how many are in.
std::uint64_t add_up_to(AnyFilter& filter, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t at = from; at < to; at += kPiece) {
    const KeyList<Hash> some(at, std::min<std::uint64_t>(kPiece, to - at));
    if (!filter.add_many(some.keys()).ok()) return filter.key_count().value_or(at);
  }
  return to;
}

double rate_of(const AnyView& view, std::uint64_t asked) {
  std::vector<std::uint8_t> answers(kPiece);
  std::uint64_t hits = 0, done = 0;
  for (; done < asked; done += kPiece) {
    const KeyList<Hash> absent(kAbsent + done, kPiece);
    view.contains_many(absent.keys(), answers);
    for (const std::uint8_t answer : answers) hits += answer;
  }
  return static_cast<double>(hits) / static_cast<double>(done);
}

double share(std::uint64_t keys, std::uint64_t n) { return static_cast<double>(keys) / static_cast<double>(n); }

// The row of a kind: its rates, or where it was full.
std::vector<std::string> measure(Kind kind, std::uint64_t n, std::uint64_t asked, Report& report) {
  std::vector<std::string> row = {to_string(kind)};
  Result<AnyFilter> filter = AnyFilter::with_capacity(kind, n, kFpr);
  std::uint64_t keys = 0;
  for (std::uint64_t step = 1; filter.ok() && step <= kSteps; ++step) {
    const std::uint64_t wanted = n * step / kStepsPerCapacity;
    keys = add_up_to(*filter, keys, wanted);
    const double rate = rate_of(filter->view(), asked);
    report.figure("past", n, format("%.4g", share(keys, n)), to_string(kind), rate, "rate");
    if (keys < wanted) {
      report.figure("full", n, "at", to_string(kind), share(keys, n), "times");
      row.push_back(format("full at %.2f", share(keys, n)));
      return row;
    }
    if (step % kStepsPerCapacity == 0) row.push_back(format("%.3g %%", 100 * rate));
  }
  if (!filter.ok()) row.emplace_back("takes none");
  return row;
}

}  // namespace

void past_capacity(const Options& options, Report& report) {
  const std::uint64_t n = options.past_keys;
  std::printf("Filled past the capacity of %s keys at 1 %%: false positives at once, twice, three and four times it\n",
              count_text(n).c_str());
  Table table({"kind", "1x", "2x", "3x", "4x"});
  for (const Kind kind : kAllKinds) {
    std::vector<std::string> row = measure(kind, n, options.fpr_asked, report);
    row.resize(5);
    table.row(row);
  }
  table.print();
  std::printf("\n");
}

}  // namespace bloomery::bench
