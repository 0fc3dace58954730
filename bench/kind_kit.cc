#include "bench/kind_kit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "bench/rows_text.h"
#include "bench/text.h"
#include "bloomery/detail/fnv.h"

namespace bloomery::bench {

void give_up(const Error& error) {
  std::fprintf(stderr, "bloomery_bench: %s\n", error.to_string().c_str());
  std::exit(error.code == ErrorCode::corrupt ? 1 : 2);  // a wrong answer, or no memory
}

RowSpec spec_of(const Options& options, Kind kind, std::uint64_t n) {
  RowSpec spec;
  spec.kind = kind;
  spec.n = n;
  spec.windows = options.windows;
  spec.window_keys = options.window_keys;
  spec.absent_keys = options.absent_asked;
  return spec;
}

FilterRows measured(const RowSpec& spec) {
  Result<FilterRows> found = measure_rows(spec);
  if (!found.ok()) give_up(found.error());
  return *std::move(found);
}

FilterRows rows_of(const Options& options, Kind kind, std::uint64_t n, Report& report, unsigned threads) {
  RowSpec spec = spec_of(options, kind, n);
  spec.threads = threads;
  FilterRows found = measured(spec);
  print(found);
  const std::string question =
      std::string(to_string(kind)) + (threads > 1 ? ", " + std::to_string(threads) + " threads" : "");
  for (const Row& row : found.rows) report.figure(question, n, row.op, "bloomery", row.ns);
  report.figure(question, n, "random_line", "ceiling", found.rows.back().ceiling_ns);
  return found;
}

std::vector<Hash> some_hashes(std::uint64_t first, std::uint64_t count) {
  std::vector<Hash> hashes;
  hashes.reserve(count);
  for (std::uint64_t i = first; i < first + count; ++i) hashes.emplace_back(detail::splitmix64(i));
  return hashes;
}

double rate_of(const AnyView& view, std::uint64_t asked) {
  constexpr std::uint64_t kAbsentKeys = std::uint64_t{1} << 50, kPiece = 100'000;
  std::vector<std::uint8_t> answers(kPiece);
  std::uint64_t hits = 0, done = 0;
  for (; done < asked; done += kPiece) {
    view.contains_many(some_hashes(kAbsentKeys + done, kPiece), answers);
    for (std::uint8_t answer : answers) hits += answer;
  }
  return static_cast<double>(hits) / static_cast<double>(done);
}

double room_of(double rate, std::uint64_t asked) {
  return std::max(0.1, 4 / std::sqrt(static_cast<double>(asked) * rate));
}

void hold(Report& report, Kind kind, const std::string& what, std::uint64_t n, double ratio, double most) {
  report.bar(ratio <= most, format("%s %s, n = %s: %.2fx (bar: at most %.4gx)", to_string(kind), what.c_str(),
                                   count_text(n).c_str(), ratio, most));
}

}  // namespace bloomery::bench
