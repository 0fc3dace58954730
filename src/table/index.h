// An index block in memory, made ready for lookups: the keys as numbers, the handles side by side.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "table/block.h"
#include "table/cache.h"
#include "table/format.h"

namespace BLOOMERY_NAMESPACE::table {

// Contents, and who keeps them: nobody when they lie in the mapped file.
struct Block {
  std::string_view contents;
  BlockRef owner;
};

// The error of an index whose checksums are right and whose contents make no sense.
Error damaged_index();

class IndexBlock {
 public:
  IndexBlock() = default;
  // Refuses a block that does not hold together. With sketches, it has room for one of each block that it lists.
  static Result<IndexBlock> make(Block block, bool sketches = false);

  std::size_t size() const { return handles_.size(); }
  // The first entry whose key is not less; size() when there is none.
  std::size_t find(std::string_view key) const;
  const Handle& handle(std::size_t number) const { return handles_[number]; }
  std::string_view contents() const { return block_.contents; }

  // Returns whether a key is certainly not in a data block, by the sketch that some thread left when it read the block.
  // The hash is by the function that the sketch was made with.
  bool denies(std::size_t number, Hash hash) const;
  bool wants_sketch(std::size_t number) const { return sketches_ && !known(number); }
  void learn(std::size_t number, const Sketch& sketch) const;

  std::uint64_t memory() const;

 private:
  // The bytes behind what all keys have in common, as a number that compares as they do.
  std::uint64_t digest(std::string_view key) const;

  Block block_;
  BlockFrame frame_;
  std::string_view common_;
  std::vector<std::uint64_t> digests_;
  std::vector<Handle> handles_;
  struct SharedSketch {
    std::array<std::atomic<std::uint64_t>, 4> words{};  // the first is set last
  };
  bool known(std::size_t number) const { return sketches_[number].words[0].load(std::memory_order_acquire) != 0; }
  std::unique_ptr<SharedSketch[]> sketches_;
};

}  // namespace BLOOMERY_NAMESPACE::table
