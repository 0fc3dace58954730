// Batches at a quotient filter: the lines of later keys are fetched while earlier ones are looked at.
#include <algorithm>

#include "bloomery/quotient.h"

namespace bloomery {

void QuotientLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes,
                                   std::uint8_t* answers) const {
  for (std::size_t i = 0; i < hashes.size(); ++i)
    answers[i] = static_cast<std::uint8_t>(contains(bytes, hashes[i]));
}

std::size_t QuotientLayout::place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
  for (std::size_t i = 0; i < hashes.size(); ++i)
    if (!place(bytes, hashes[i])) return i;
  return hashes.size();
}

}  // namespace bloomery
