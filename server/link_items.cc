#include "server/link_items.h"

#include <algorithm>
#include <cmath>

namespace bloomery::server {

std::uint64_t link_items(const BlockView& link, std::uint64_t items, std::uint64_t capacity) {
  const std::uint64_t bits = link.bits_set();
  const auto estimate = link.geometry().estimated_count(bits);
  if (!estimate) return std::max(items, capacity);
  // The bits also tell of items that were left out because they seemed to be there: up to the rate of all. Without them
  // the estimate exceeds the items by less than 3 of their square roots, which the test LinkItems holds it to.
  const double sure = static_cast<double>(*estimate) * (1 - link.geometry().predicted_fpr_at(bits));
  const double chance = 4 * std::sqrt(static_cast<double>(items)) + 4;
  if (sure <= static_cast<double>(items) + chance) return items;
  return std::max(items, std::min(*estimate, capacity));
}

}  // namespace bloomery::server
