// Batches at a quotient filter: the lines of later keys are fetched while earlier ones are looked at.
#include <algorithm>

#include "bloomery/quotient.h"

namespace bloomery {
namespace {

constexpr std::size_t kAhead = 16;

}  // namespace

void QuotientLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes,
                                   std::uint8_t* answers) const {
  for (std::size_t i = 0; i < std::min(kAhead, hashes.size()); ++i) slots_.prefetch(bytes, hashes[i]);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) slots_.prefetch(bytes, hashes[i + kAhead]);
    answers[i] = static_cast<std::uint8_t>(contains(bytes, hashes[i]));
  }
}

std::size_t QuotientLayout::place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
  for (std::size_t i = 0; i < std::min(kAhead, hashes.size()); ++i) slots_.prefetch(bytes, hashes[i]);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) slots_.prefetch(bytes, hashes[i + kAhead]);
    if (!place(bytes, hashes[i])) return i;
  }
  return hashes.size();
}

}  // namespace bloomery
