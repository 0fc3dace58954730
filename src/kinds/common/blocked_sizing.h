// What the sizing of split and block filters shares. A key touches one block only, so the number of keys in its block
// is random, and the rate is the mean over that spread. spec/split.md and spec/block.md derive the formulas; the form
// here is the exact one for n keys, which holds for n = 1 as for n = 10^10.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "kinds/common/instead.h"
#include "kinds/common/line_fpr.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE::sizing {

// Below the lowest rate it names the first of the other kinds that can.
inline Status check_blocked_target(std::uint64_t n, double fpr, double lowest, const char* kind,
                                   std::initializer_list<OtherKind> others) {
  if (n == 0) return invalid_argument("n", "n is 0: a filter is sized for at least one key");
  if (!(fpr > 0 && fpr < 1))
    return invalid_argument(
        "fpr", "the false-positive rate is " + short_number(fpr) + ": it must lie between 0 and 1, as 0.01");
  if (fpr < lowest)
    return invalid_argument("fpr", "the kind '" + std::string(kind) + "' does not go below a false-positive rate of " +
                                       short_number(lowest) + ": " + use_first_that_can(n, fpr, others));
  return {};
}

inline Error too_many_blocks(const char* kind, std::uint64_t limit, const std::string& instead) {
  return invalid_argument("blocks", "a filter of the kind '" + std::string(kind) + "' has 1 to " +
                                        std::to_string(limit) + " blocks: " + instead);
}

// n from the share of bits that are set: a key leaves a bit of its block unset with chance `miss`.
inline std::optional<double> count_at(double fill, double blocks, double miss) {
  if (fill >= 1) return std::nullopt;
  return minus_log_of_rest(fill) / minus_log_of_rest((1 - miss) / blocks);
}

inline double blocks_for_bits(std::uint64_t n, double bits_per_key, double bits_per_block) {
  return std::max(1.0, std::ceil(as_double(n) * bits_per_key / bits_per_block));
}

}  // namespace BLOOMERY_NAMESPACE::sizing
