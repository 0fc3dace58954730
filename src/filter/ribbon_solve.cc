#include "filter/ribbon_solve.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace bloomery::detail {
namespace {

constexpr std::uint64_t kSegmentStarts = std::uint64_t{1} << kRibbonSegmentShift;

std::uint64_t segments_below(std::uint64_t start) { return (start + kSegmentStarts - 1) >> kRibbonSegmentShift; }

// The smallest code that bumps the start of this number.
std::uint64_t code_for(std::uint64_t start_in_bucket) {
  std::uint64_t code = 1;
  while (ribbon_bumped_starts(code) <= start_in_bucket) ++code;
  return code;
}

}  // namespace

std::uint64_t ribbon_segments(const RibbonLayer& layer) {
  return segments_below(layer.cut) + segments_below(layer.starts) - (layer.cut >> kRibbonSegmentShift);
}

RibbonSegment ribbon_segment(const RibbonLayer& layer, std::uint32_t columns, std::uint64_t number) {
  const std::uint64_t low = segments_below(layer.cut);
  if (number < low) return {number * kSegmentStarts, std::min((number + 1) * kSegmentStarts, layer.cut), columns - 1};
  const std::uint64_t block = (layer.cut >> kRibbonSegmentShift) + number - low;
  return {std::max(block * kSegmentStarts, layer.cut), std::min((block + 1) * kSegmentStarts, layer.starts), columns};
}

// Each row that is there takes the first of the coefficients away, until one is alone in its slot, or none is left:
// then the key depends on those before it, and cannot be in.
bool RibbonSolver::insert(std::uint32_t start, std::uint64_t coefficients) {
  std::uint64_t fingerprint = ribbon_fingerprint(coefficients);
  std::uint32_t slot = start * kRibbonSlots;
  while (coefficients != 0) {
    const int zeros = std::countr_zero(coefficients);
    slot += static_cast<std::uint32_t>(zeros);
    coefficients >>= zeros;
    Row& row = rows_[slot];
    if (row.coefficients == 0) {
      row = {coefficients, fingerprint};
      taken_[taken_count_++] = {slot, start};
      return true;
    }
    coefficients ^= row.coefficients;
    fingerprint ^= row.fingerprint;
  }
  return false;
}

// The keys of a bucket, from the last to the first. Where one finds no slot, it goes, and with it all that start there
// or before; the rest stays. Returns the code that says so.
std::uint64_t RibbonSolver::fill_bucket(const RibbonLayer& layer, std::uint64_t first, std::span<const Hash> places) {
  taken_count_ = 0;
  for (std::size_t i = places.size(); i-- > 0;) {
    const std::uint64_t start = layer.start_of(places[i].bits);
    if (insert(static_cast<std::uint32_t>(start - first), splitmix64(places[i].bits))) [[likely]]
      continue;
    const std::uint64_t code = code_for(start % kRibbonBucket);
    const std::uint64_t kept = start / kRibbonBucket * kRibbonBucket + ribbon_bumped_starts(code) - first;
    for (; taken_count_ > 0 && taken_[taken_count_ - 1].start < kept; --taken_count_)
      rows_[taken_[taken_count_ - 1].slot] = {};
    return code;
  }
  return 0;
}

std::optional<std::uint64_t> RibbonSolver::solve(const RibbonLayer& layer, const RibbonSegment& segment,
                                                 std::span<const Hash> places, std::uint8_t* bytes,
                                                 std::span<Hash> bumped) {
  const std::uint64_t groups = segment.groups();
  std::fill_n(rows_.begin(), groups * kRibbonSlots, Row{});
  std::uint64_t bumped_count = 0;
  for (std::uint64_t bucket = segment.first / kRibbonBucket; bucket * kRibbonBucket < segment.last; ++bucket) {
    std::size_t count = 0;
    while (count < places.size() && layer.start_of(places[count].bits) / kRibbonBucket == bucket) ++count;
    const std::uint64_t code = fill_bucket(layer, segment.first, places.first(count));
    bytes[layer.codes + bucket / 4] |= static_cast<std::uint8_t>(code << (2 * (bucket % 4)));
    const std::uint64_t kept = bucket * kRibbonBucket + ribbon_bumped_starts(code);
    for (std::size_t i = 0; i < count && layer.start_of(places[i].bits) < kept; ++i) {
      if (bumped_count == bumped.size()) return std::nullopt;
      bumped[bumped_count++] = Hash(splitmix64(places[i].bits));
    }
    places = places.subspan(count);
  }
  switch ((segment.columns + 7) / 8) {
    case 1: substitute<1>(groups); break;
    case 2: substitute<2>(groups); break;
    case 3: substitute<3>(groups); break;
    default: substitute<4>(groups);
  }
  write(groups, segment.columns, bytes + layer.offset(segment.first, segment.columns));
  return bumped_count;
}

// From the last slot to the first: what its row asks of it, given those after it. Slots without a row are 0.
template <std::uint64_t kWords>
void RibbonSolver::substitute(std::uint64_t groups) {
  for (std::uint64_t group = groups; group-- > 0;) {
    std::array<std::uint64_t, kWords> words{};
    for (std::uint64_t slot = kRibbonSlots; slot-- > 0;) {
      const Row& row = rows_[group * kRibbonSlots + slot];
      const std::uint64_t coefficients = row.coefficients << slot;
      for (std::uint64_t word = 0; word < kWords; ++word) {
        words[word] |=
            ribbon_sums(coefficients, (row.fingerprint >> word) & kRibbonOnes,
                        [&](std::uint64_t k) { return k == 0 ? words[word] : solution_[(group + k) * kWords + word]; })
            << slot;
      }
    }
    std::copy_n(words.begin(), kWords, solution_.begin() + static_cast<std::ptrdiff_t>(group * kWords));
  }
}

void RibbonSolver::write(std::uint64_t groups, std::uint32_t columns, std::uint8_t* to) const {
  const std::uint64_t words = (columns + 7) / 8;
  for (std::uint64_t group = 0; group < groups; ++group)
    std::memcpy(to + group * columns, &solution_[group * words], columns);
}

}  // namespace bloomery::detail
