// Sizes of sets from cells in use. All of it rests on one fact (spec/overlap.md). Let v(n) be the variance of the
// estimate that is made from the cells of n keys. Then the covariance of the estimates of two sets is v(size of their
// intersection).
#include "any/overlap_estimate.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE::sizing {
namespace {

constexpr double kZ = 1.959963984540054;  // 95 %
// Above this variance the share of free cells is known to no better than a tenth, and its logarithm is no longer near a
// normal variable: about a hundred free cells are left. src/any/overlap_test.cc measures the coverage below it.
constexpr double kMostLogVariance = 0.01;
// An interval that is wider than this share of all possible answers says too little to be one.
constexpr double kWidestInterval = 0.5;
// Where a key touches a third of all cells, the model no longer holds: it wants many cells that depend little on each
// other.
constexpr double kLowestLogAlone = -0.4;
// From this size on the halves of the hash show: cells of a classic filter are no longer equally likely to be in use
// (spec/sizing.md).
constexpr double kMostClassicCells = 1073741824.0;  // 2^30

// Returns the log_ratio of two cells; `touched` is the chance that a key touches at least one of them.
double log_ratio(double touched, double log_alone) { return std::log1p(-touched) - 2 * log_alone; }

CellModel model_of(double cells, double touched) {
  CellModel model;
  model.cells = cells;
  model.log_alone = std::log1p(-std::min(touched, 1.0));
  model.pairs[0] = {1 / cells, -model.log_alone};  // the same cell
  return model;
}

// The 95 % interval of a number estimated as `value`: all truths, as far as bound, that would have been off by no more
// than 1.96 of their own standard deviations. With the deviation of the estimate in its place, two filters of equal
// bits would be equal for certain, and full ones would claim too much.
template <class Variance>
double end_of_interval(double value, double bound, Variance variance_at) {
  const auto likely = [&](double truth) {
    return std::fabs(value - truth) <= kZ * std::sqrt(std::max(0.0, variance_at(truth)));
  };
  constexpr int kSteps = 64;
  double inside = value, outside = value;
  for (int i = 1; i <= kSteps && inside == outside; ++i) {
    outside = value + (bound - value) * i / kSteps;
    if (likely(outside)) inside = outside;
  }
  for (int i = 0; i < 60 && inside != outside; ++i) {
    const double middle = (inside + outside) / 2;
    (likely(middle) ? inside : outside) = middle;
  }
  return inside;
}

template <class Variance>
Interval interval(double value, double lowest, double highest, Variance variance_at) {
  value = std::clamp(value, lowest, highest);
  return {value, end_of_interval(value, lowest, variance_at), end_of_interval(value, highest, variance_at)};
}

// Numbers of keys are whole. What is left of bisection must not push an end to the next one.
Interval whole(const Interval& keys) {
  constexpr double kSlack = 1e-6;
  return {keys.value, std::floor(keys.low + kSlack), std::ceil(keys.high - kSlack)};
}

// Two sets of which the sizes are known, and so all but their intersection.
struct Pair {
  const CellModel& model;
  double a, b;

  double v(double keys) const { return model.variance(keys); }
  // The variance of |A| + |B| - |A or B|.
  double common_variance(double common) const { return v(a + b - common) - v(a) - v(b) + 2 * v(common); }
  // The variance of (|A| + |B|) / |A or B| - 1.
  double jaccard_variance(double jaccard) const {
    const double s = 1 + jaccard, all = (a + b) / s;
    return (v(a) + v(b) + 2 * v(a + b - all) + s * s * v(all) - 2 * s * (v(a) + v(b))) / (all * all);
  }
};

std::string keys_text(double keys) { return std::to_string(std::llround(keys)); }

Error nearly_full(const CellModel& model, const CellCounts& counts) {
  std::string message = "the filters are too full: only ";
  message += std::to_string(static_cast<std::uint64_t>(model.cells) - counts.all) + " of ";
  message += std::to_string(static_cast<std::uint64_t>(model.cells)) + " cells are free in both, ";
  message += "so the error would swallow the answer: build both for more keys, with the same n and fpr";
  return unsupported("fill", std::move(message));
}

Error swallowed(const Interval& common, double smaller) {
  std::string message = "the error would swallow the answer: both may have ";
  message += keys_text(common.low) + " to " + keys_text(common.high) + " keys in common, of " + keys_text(smaller);
  message += " that the smaller one has: build both with more bits per key (a lower fpr), or for fewer keys";
  return unsupported("intersection", std::move(message));
}

// Says why filters of such cells tell nothing, whatever they hold; nullptr when they tell something.
const char* why_not(const CellModel& model) {
  if (model.log_alone < kLowestLogAlone)
    return "filters of so few cells do not tell how many keys they hold: build both for more keys";
  if (model.spread_over_halves && model.cells > kMostClassicCells)
    return "above 2^30 cells this kind does not use all of them alike, so they do not tell how many keys two filters "
           "have in common: use the kind 'block'";
  return nullptr;
}

}  // namespace

std::optional<double> CellModel::keys(std::uint64_t cells_set) const {
  const double used = as_double(cells_set) / cells;
  if (used >= 1) return std::nullopt;
  return std::log1p(-used) / log_alone;
}

double CellModel::log_variance(double keys) const {
  double sum = 0;
  for (const Pairs& kind : pairs) sum += kind.share * std::expm1(keys * kind.log_ratio);
  return sum;
}

// A key has `distinct` different cells on average, anywhere.
CellModel cell_model(const ClassicGeometry& g) {
  const double m = as_double(g.m), touched = g.expected_fill(1), distinct = touched * m;
  CellModel model = model_of(m, touched);
  model.spread_over_halves = true;
  if (g.m > 1) model.pairs[1] = {1 - 1 / m, log_ratio(touched + touched * (m - distinct) / (m - 1), model.log_alone)};
  return model;
}

CellModel cell_model(const CountingGeometry& g) { return cell_model(g.classic()); }

// A bit in each slice. What happens in one slice tells nothing of another.
CellModel cell_model(const PartitionedGeometry& g) {
  const double m = as_double(g.bits()), slice = as_double(g.slice_bits);
  CellModel model = model_of(m, 1 / slice);
  model.pairs[1] = {(slice - 1) / m, log_ratio(2 / slice, model.log_alone)};
  return model;
}

// The pairs are: two cells of a word, of two words of a block, of two blocks.
CellModel cell_model(const SplitGeometry& g) {
  const double m = as_double(g.bits()), blocks = as_double(g.blocks), one = 1 / 32.0;
  CellModel model = model_of(m, one / blocks);
  model.pairs[1] = {31 / m, log_ratio(2 * one / blocks, model.log_alone)};
  model.pairs[2] = {224 / m, log_ratio((2 * one - one * one) / blocks, model.log_alone)};
  model.pairs[3] = {1 - 256 / m, log_ratio(2 * one / blocks, model.log_alone)};
  return model;
}

// The pairs are: two cells of a block, into which a key throws k times; of two blocks.
CellModel cell_model(const BlockGeometry& g) {
  const double m = as_double(g.bits()), blocks = as_double(g.blocks);
  const double one = 1 - std::pow(511 / 512.0, g.k), two = 1 - std::pow(510 / 512.0, g.k);
  CellModel model = model_of(m, one / blocks);
  model.pairs[1] = {511 / m, log_ratio(two / blocks, model.log_alone)};
  model.pairs[2] = {1 - 512 / m, log_ratio(2 * one / blocks, model.log_alone)};
  return model;
}

Result<SetSizes> set_sizes(const CellModel& model, const CellCounts& counts) {
  if (const char* why = why_not(model)) return unsupported("geometry", why);
  const std::optional<double> a = model.keys(counts.a), b = model.keys(counts.b), all = model.keys(counts.all);
  if (!a || !b || !all || model.log_variance(*all) > kMostLogVariance) return nearly_full(model, counts);
  const auto size = [&](double n) { return interval(n, 0, 2 * n + 1, [&](double x) { return model.variance(x); }); };
  SetSizes sizes{size(*a), size(*b), size(*all), {}, {1, 1, 1}};
  const Pair pair{model, *a, *b};
  const auto of_common = [&](double common) { return pair.common_variance(common); };
  sizes.common = interval(*a + *b - *all, 0, std::min(sizes.a.high, sizes.b.high), of_common);
  const double smaller = std::min(*a, *b);
  if (smaller >= 1 && sizes.common.high - sizes.common.low > kWidestInterval * smaller)
    return swallowed(sizes.common, smaller);
  if (*all > 0)
    sizes.jaccard = interval((*a + *b) / *all - 1, 0, 1, [&](double x) { return pair.jaccard_variance(x); });
  for (Interval* keys : {&sizes.a, &sizes.b, &sizes.all, &sizes.common}) *keys = whole(*keys);
  return sizes;
}

}  // namespace BLOOMERY_NAMESPACE::sizing
