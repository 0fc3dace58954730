#include "bloomery/stable.h"

#include <algorithm>
#include <array>
#include <bit>

#include "kinds/common/basic_filter_impl.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::load_le;
using detail::store_le;

constexpr std::uint64_t kLowBits = 0x5555555555555555;  // of each of the 32 cells of a word
constexpr std::uint64_t kCellsPerWord = 32;
constexpr std::size_t kAhead = 32;  // keys whose lines are fetched ahead

// A 1 in the low bit of each cell that is not 0.
std::uint64_t in_use(std::uint64_t word) { return (word | (word >> 1)) & kLowBits; }

// Takes 1 from each cell in [first, last) that is not 0.
void decrement(std::uint8_t* cells, std::uint64_t first, std::uint64_t last) {
  while (first < last) {
    std::uint8_t* const at = cells + first / kCellsPerWord * 8;
    const std::uint64_t from = first % kCellsPerWord, count = std::min(kCellsPerWord - from, last - first);
    const std::uint64_t chosen = (~std::uint64_t{0} >> (64 - 2 * count)) << (2 * from);
    const std::uint64_t word = load_le<std::uint64_t>(at);
    store_le(at, word - (in_use(word) & chosen));
    first += count;
  }
}

std::uint64_t cells_in_use(const std::uint8_t* line) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < StableGeometry::kLineBytes; at += 8)
    sum += static_cast<std::uint64_t>(std::popcount(in_use(load_le<std::uint64_t>(line + at))));
  return sum;
}

}  // namespace

void StableLayout::age(std::uint8_t* bytes) const {
  std::uint8_t* const cells = bytes + Geometry::kHeaderBytes;
  const std::uint64_t hand = load_le<std::uint64_t>(bytes), all = geometry_.cells();
  const std::uint64_t end = hand + geometry_.decrement;
  decrement(cells, hand, std::min(end, all));
  if (end > all) decrement(cells, 0, end - all);
  store_le(bytes, end < all ? end : end - all);
}

void StableLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
  const std::size_t count = hashes.size();
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) __builtin_prefetch(bytes + offset_of(hashes[i]));
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(bytes + offset_of(hashes[i + kAhead]));
    answers[i] = contains(bytes, hashes[i]) ? 1 : 0;
  }
}

void StableLayout::add_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
  const std::size_t count = hashes.size();
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) __builtin_prefetch(bytes + offset_of(hashes[i]), 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(bytes + offset_of(hashes[i + kAhead]), 1);
    add(bytes, hashes[i]);
  }
}

Status StableLayout::check_payload(std::span<const std::uint8_t> bytes) const {
  if (load_le<std::uint64_t>(bytes.data()) >= geometry_.cells())
    return corrupt("hand", "the hand of the stable filter points to no cell: the header of its payload is damaged");
  for (std::uint64_t at = 8; at < Geometry::kHeaderBytes; ++at)
    if (bytes[at] != 0) return corrupt("hand", "a byte after the hand of the stable filter is not zero: it is damaged");
  return {};
}

std::uint64_t StableLayout::cells_set(std::span<const std::uint8_t> bytes) const {
  std::uint64_t sum = 0;
  for (std::uint64_t at = Geometry::kHeaderBytes; at < bytes.size(); at += Geometry::kLineBytes)
    sum += cells_in_use(bytes.data() + at);
  return sum;
}

double StableLayout::predicted_fpr(std::span<const std::uint8_t> bytes, std::uint64_t) const {
  std::array<std::uint64_t, Geometry::kCellsPerLine + 1> lines_with{};
  for (std::uint64_t at = Geometry::kHeaderBytes; at < bytes.size(); at += Geometry::kLineBytes)
    ++lines_with[cells_in_use(bytes.data() + at)];
  return geometry_.predicted_fpr_of(lines_with);
}

template class BasicView<StableLayout>;
template class BasicFilter<StableLayout>;
template class BasicMutableView<StableLayout>;

}  // namespace BLOOMERY_NAMESPACE
