#include "kinds/ribbon/solve.h"

#include <algorithm>
#include <cstring>

namespace BLOOMERY_NAMESPACE::detail {
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

void RibbonLane::begin(const RibbonTask& task) {
  task_ = task;
  rest_ = task.places;
  bucket_ = {};
  at_ = taken_count_ = 0;
  bumped_count_ = 0;
  next_bucket_ = task.segment.first / kRibbonBucket;
  std::fill_n(rows_.begin(), task.segment.groups() * kRibbonSlots, Row{});
}

// Keys come from the last to the first, so those to be bumped beside it were the last to take rows.
RibbonLane::Key RibbonLane::refuse() {
  const std::uint64_t code = code_for(start_ % kRibbonBucket);
  const std::uint64_t kept = start_ / kRibbonBucket * kRibbonBucket + ribbon_bumped_starts(code);
  for (; taken_count_ > 0 && taken_[taken_count_ - 1].start < kept; --taken_count_) *taken_[taken_count_ - 1].row = {};
  return next_bucket(code);
}

// Ends the bucket at work, the one before next_bucket_, with this code, and opens the next that has keys.
RibbonLane::Key RibbonLane::next_bucket(std::uint64_t code) {
  if (code != 0) close_bucket(code);
  for (taken_count_ = 0; !rest_.empty();) {
    const std::uint64_t bucket = next_bucket_++;
    std::size_t count = 0;
    while (count < rest_.size() && layer_.start_of(rest_[count].bits) / kRibbonBucket == bucket) ++count;
    if (count == 0) continue;
    bucket_ = rest_.first(count);
    rest_ = rest_.subspan(count);
    at_ = count;
    return key();
  }
  return {};
}

void RibbonLane::close_bucket(std::uint64_t code) {
  const std::uint64_t bucket = next_bucket_ - 1;
  bytes_[bucket / 4] |= static_cast<std::uint8_t>(code << (2 * (bucket % 4)));
  const std::uint64_t kept = bucket * kRibbonBucket + ribbon_bumped_starts(code);
  for (const Hash place : bucket_) {
    if (layer_.start_of(place.bits) >= kept) break;
    if (bumped_count_ < task_.bumped.size()) task_.bumped[bumped_count_] = Hash(splitmix64(place.bits));
    ++bumped_count_;
  }
  at_ = 0;
}

bool RibbonLane::finish() {
  if (bumped_count_ > task_.bumped.size()) return false;
  *task_.bumped_count = bumped_count_;
  const std::uint32_t columns = task_.segment.columns;
  const std::uint64_t groups = task_.segment.groups(), words = (columns + 7) / 8;
  if (words == 1) substitute<1>(groups);
  else if (words == 2) substitute<2>(groups);
  else if (words == 3) substitute<3>(groups);
  else substitute<4>(groups);
  std::uint8_t* to = bytes_ + layer_.offset(task_.segment.first, columns);
  for (std::uint64_t group = 0; group < groups; ++group)
    std::memcpy(to + group * columns, &solution_[group * words], columns);
  return true;
}

// Sets the slots, from the last to the first, to what their rows ask of them given the slots behind. Slots without a
// row are 0.
template <std::uint64_t kWords>
void RibbonLane::substitute(std::uint64_t groups) {
  for (std::uint64_t group = groups; group-- > 0;) {
    std::array<std::uint64_t, kWords> words{};
    for (std::uint64_t slot = kRibbonSlots; slot-- > 0;) {
      const Row& row = rows_[group * kRibbonSlots + slot];
      for (std::uint64_t word = 0; word < kWords; ++word) {
        const auto load = [&](std::uint64_t k) {
          return k == 0 ? words[word] : solution_[(group + k) * kWords + word];
        };
        words[word] |= ribbon_sums(row.coefficients << slot, (row.fingerprint >> word) & kRibbonOnes, load) << slot;
      }
    }
    std::copy_n(words.begin(), kWords, solution_.begin() + static_cast<std::ptrdiff_t>(group * kWords));
  }
}

}  // namespace BLOOMERY_NAMESPACE::detail
