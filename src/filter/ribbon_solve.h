// Solves one segment of a ribbon: a run of starts whose keys use no slot of another segment, so that each can be done
// by a thread of its own. spec/ribbon.md, "Elimination" to "Bumping".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/detail/ribbon_probe.h"
#include "bloomery/hash.h"

namespace bloomery::detail {

struct RibbonSegment {
  std::uint64_t first = 0, last = 0;  // its starts: [first, last)
  std::uint32_t columns = 0;

  std::uint64_t groups() const { return last - first + kRibbonWindow - 1; }
};

// Those of a layer, in order.
std::uint64_t ribbon_segments(const RibbonLayer& layer);
RibbonSegment ribbon_segment(const RibbonLayer& layer, std::uint32_t columns, std::uint64_t number);

// The memory of a thread that solves segments, one after another.
class RibbonSolver {
 public:
  // For segments of up to so many groups and columns.
  RibbonSolver(std::uint64_t groups, std::uint32_t columns)
      : rows_(groups * kRibbonSlots), solution_((groups + kRibbonWindow) * ((columns + 7) / 8)) {}

  // Solves for the keys of the segment, of which places are given in order; writes its codes and groups to bytes, whose
  // codes are 0. The keys that are bumped go to `bumped`, as places of the next layer: returns how many, or nothing
  // when there is no room for all, and then the segment is not solved.
  std::optional<std::uint64_t> solve(const RibbonLayer& layer, const RibbonSegment& segment,
                                     std::span<const Hash> places, std::uint8_t* bytes, std::span<Hash> bumped);

 private:
  struct Row {
    std::uint64_t coefficients = 0;  // of its slot, which has 1, and of those after it. 0: there is no row
    std::uint64_t fingerprint = 0;
  };
  struct Taken {
    std::uint32_t slot = 0, start = 0;
  };

  bool insert(std::uint32_t start, std::uint64_t coefficients);
  std::uint64_t fill_bucket(const RibbonLayer& layer, std::uint64_t first, std::span<const Hash> places);
  template <std::uint64_t kWords>
  void substitute(std::uint64_t groups);
  void write(std::uint64_t groups, std::uint32_t columns, std::uint8_t* to) const;

  std::vector<Row> rows_;
  std::vector<std::uint64_t> solution_;
  // The slots that keys of this bucket took, in the order in which they came.
  std::array<Taken, (kRibbonBucket + kRibbonWindow - 1) * kRibbonSlots> taken_{};
  std::size_t taken_count_ = 0;
};

}  // namespace bloomery::detail
