// How far off the estimates are: of a strata estimator, and of the counts of a table made for 1,000 differences. The
// figures of spec/iblt.md. For each d: the mean of the estimate over d, its standard deviation and its largest error in
// percent, and how often the 95 % interval holds the truth.
//
//   g++ -std=c++20 -O2 -Iinclude tools/iblt_estimate.cc build/release/libbloomery.a -o /tmp/iblt_estimate &&
//   /tmp/iblt_estimate
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bloomery/iblt.h"

namespace {

using namespace bloomery;

struct Score {
  double tries = 0, sum = 0, squares = 0, worst = 0, inside = 0, exact = 0;

  void count(double d, const IbltEstimate& estimate) {
    const double ratio = static_cast<double>(estimate.count) / d;
    ++tries, sum += ratio, squares += (ratio - 1) * (ratio - 1), worst = std::max(worst, std::abs(ratio - 1));
    inside += static_cast<double>(estimate.low) <= d && d <= static_cast<double>(estimate.high) ? 1 : 0;
    exact += ratio == 1 ? 1 : 0;
  }
  void print(const char* what, std::uint64_t d) const {
    std::printf("%-8s %8lu  %.4f  %6.2f %%  %6.2f %%  %5.1f %% inside  %5.1f %% exact\n", what, d, sum / tries,
                100 * std::sqrt(squares / tries), 100 * worst, 100 * inside / tries, 100 * exact / tries);
  }
};

std::string_view bytes_of(const std::uint64_t& x) { return {reinterpret_cast<const char*>(&x), sizeof x}; }

}  // namespace

int main() {
  std::uint64_t next = 0;
  for (const std::uint64_t d :
       {1u, 10u, 50u, 100u, 150u, 200u, 300u, 500u, 1000u, 3000u, 10'000u, 100'000u, 1'000'000u}) {
    Score strata, counts;
    for (std::uint64_t i = 0; i < std::clamp<std::uint64_t>(20'000'000 / d, 40, 2000); ++i) {
      StrataEstimator estimator = StrataEstimator::make().value();
      Iblt table = Iblt::for_differences(1000, 8).value();
      for (std::uint64_t j = 0; j < d; ++j, ++next) {
        estimator.add(bytes_of(next));
        if (!table.add(bytes_of(next)).ok()) return 1;
      }
      strata.count(static_cast<double>(d), estimator.estimate().value());
      counts.count(static_cast<double>(d), table.estimate());
    }
    strata.print("strata", d);
    counts.print("counts", d);
  }
}
