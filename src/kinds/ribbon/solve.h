// Solves the segments of a layer of a ribbon filter: runs of starts whose keys use no slot of another segment, so that
// each can be solved by itself. spec/ribbon.md, "Elimination" to "Bumping".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/detail/ribbon_probe.h"
#include "bloomery/hash.h"

namespace BLOOMERY_NAMESPACE::detail {

struct RibbonSegment {
  std::uint64_t first = 0, last = 0;  // its starts: [first, last)
  std::uint32_t columns = 0;

  std::uint64_t groups() const { return last - first + kRibbonWindow - 1; }
};

// Return how many segments a layer has, and one of them by its number, from 0.
std::uint64_t ribbon_segments(const RibbonLayer& layer);
RibbonSegment ribbon_segment(const RibbonLayer& layer, std::uint32_t columns, std::uint64_t number);

// What a segment is made of, and where its parts go.
struct RibbonTask {
  RibbonSegment segment;
  std::span<const Hash> places;  // of its keys, in order
  std::span<Hash> bumped;        // room for the places, in the next layer, of those that are bumped
  std::uint64_t* bumped_count = {};
};

// One segment at work. Keys are taken out by next(), eliminated by eliminate_ribbon, and brought back by place() or
// refuse(); when next() has none, finish() writes the segment.
class RibbonLane {
 public:
  struct Row {
    std::uint64_t coefficients = 0;  // of its slot, which has 1, and of those after it. 0: there is no row
    std::uint64_t fingerprint = 0;
  };
  struct Key {
    Row* row = nullptr;  // of the first slot of its window; nullptr: there is no key
    std::uint64_t coefficients = 0;
  };

  // Takes memory for segments of up to `groups` and `columns`. `bytes` are those of the layer, all 0.
  RibbonLane(const RibbonLayer& layer, std::uint64_t groups, std::uint32_t columns, std::uint8_t* bytes)
      : layer_(layer),
        bytes_(bytes),
        rows_(groups * kRibbonSlots),
        solution_((groups + kRibbonWindow) * ((columns + 7) / 8)) {}

  void begin(const RibbonTask& task);
  // The key before the one it gave last, or the last of the next bucket that has any.
  Key next() { return at_ > 0 ? key() : next_bucket(0); }
  // The key that next() gave has the slot of this row.
  void place(Row* row) { taken_[taken_count_++] = {row, start_}; }
  // That key has no slot: it is bumped, with all keys of its bucket that start there or before.
  Key refuse();
  // False: the room for bumped keys was not enough.
  bool finish();

 private:
  struct Taken {
    Row* row;
    std::uint64_t start;
  };

  Key key() {
    const std::uint64_t place = bucket_[--at_].bits;
    start_ = layer_.start_of(place);
    return {&rows_[(start_ - task_.segment.first) * kRibbonSlots], splitmix64(place)};
  }
  Key next_bucket(std::uint64_t code);
  void close_bucket(std::uint64_t code);
  template <std::uint64_t kWords>
  void substitute(std::uint64_t groups);

  RibbonLayer layer_;
  std::uint8_t* bytes_;
  RibbonTask task_;
  std::span<const Hash> bucket_, rest_;  // places of the bucket at work, and of those after it
  std::size_t at_ = 0;                   // keys of the bucket that were not given yet
  std::uint64_t start_ = 0;              // of the key that was given last
  std::uint64_t next_bucket_ = 0;
  std::uint64_t bumped_count_ = 0;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> solution_;
  // Rows of the bucket at work, in the order in which its keys came.
  std::array<Taken, (kRibbonBucket + kRibbonWindow - 1) * kRibbonSlots> taken_;
  std::size_t taken_count_ = 0;
};

}  // namespace BLOOMERY_NAMESPACE::detail
