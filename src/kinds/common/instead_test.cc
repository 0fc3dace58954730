// A refusal names kinds that can do what was asked, at rates and numbers of keys where most kinds cannot.
#include "kinds/common/instead.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bloomery/any.h"

namespace bloomery {
namespace {

// The kinds in quotes behind the colon of a message, where the way out stands.
std::vector<Kind> named_kinds(const std::string& message) {
  std::vector<Kind> kinds;
  const std::string way_out = message.substr(std::min(message.find(": "), message.size()));
  for (std::size_t at = 0; (at = way_out.find('\'', at)) != std::string::npos;) {
    const std::size_t end = way_out.find('\'', at + 1);
    kinds.push_back(*kind_from_name(way_out.substr(at + 1, end - at - 1)));
    at = end + 1;
  }
  return kinds;
}

TEST(Sizing, a_refusal_names_no_kind_that_refuses_as_well) {
  int named = 0, unnamed = 0;
  for (const Kind kind : kAllKinds) {
    for (const std::uint64_t n : {1ull, 10ull, 1000ull, 1'000'000ull, 1'000'000'000ull, 100'000'000'000ull}) {
      for (const double fpr : {0.01, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12, 1e-16}) {
        const Result<SizePlan> plan = plan_size(kind, n, {.fpr = fpr, .bits_per_key = {}, .numbers = {}});
        if (plan.ok()) continue;
        const std::vector<Kind> others = named_kinds(plan.error().message);
        ++(others.empty() ? unnamed : named);
        for (const Kind other : others) {
          const Result<SizePlan> can = plan_size(other, n, {.fpr = fpr, .bits_per_key = {}, .numbers = {}});
          EXPECT_TRUE(can.ok() && can->warning.empty())
              << n << " keys at " << fpr << ": " << plan.error().message << "; " << to_string(other) << ": "
              << (can.ok() ? can->warning : can.error().message);
        }
      }
    }
  }
  EXPECT_GT(named, 100);
  EXPECT_LT(unnamed, named / 2);
}

TEST(Sizing, a_refusal_of_bits_per_key_names_no_kind_that_refuses_as_well) {
  int named = 0;
  for (const Kind kind : kAllKinds) {
    for (const std::uint64_t n : {1ull, 10ull, 100ull, 1000ull, 1'000'000ull, 1'000'000'000ull, 100'000'000'000ull}) {
      for (const double bits : {1e-9, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, 1e4, 1e9, 1e18, 1e300}) {
        const SizeSpec size = {.fpr = {}, .bits_per_key = bits, .numbers = {}};
        const Result<SizePlan> plan = plan_size(kind, n, size);
        if (plan.ok()) continue;
        for (const Kind other : named_kinds(plan.error().message)) {
          ++named;
          const Result<SizePlan> can = plan_size(other, n, size);
          EXPECT_TRUE(can.ok()) << n << " keys with " << bits << " bits: " << plan.error().message << "; "
                                << to_string(other) << ": " << can.error().message;
        }
      }
    }
  }
  EXPECT_GT(named, 50);
}

}  // namespace
}  // namespace bloomery
