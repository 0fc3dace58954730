// An index block in memory, made ready for lookups: the keys as numbers, the handles side by side.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "table/cache.h"
#include "table/format.h"

namespace bloomery::table {

// Contents, and who keeps them: nobody when they lie in the mapped file.
struct Block {
  std::string_view contents;
  BlockRef owner;
};

class IndexBlock {
 public:
  IndexBlock() = default;
  // An error when it does not hold together.
  static Result<IndexBlock> make(Block block);

  std::size_t size() const { return handles_.size(); }
  // The first entry whose key is not less; size() when there is none.
  std::size_t find(std::string_view key) const;
  const Handle& handle(std::size_t number) const { return handles_[number]; }
  std::string_view contents() const { return block_.contents; }
  std::uint64_t memory() const;

 private:
  // The bytes behind what all keys have in common, as a number that compares as they do.
  std::uint64_t digest(std::string_view key) const;

  Block block_;
  BlockFrame frame_;
  std::string_view common_;
  std::vector<std::uint64_t> digests_;
  std::vector<Handle> handles_;
};

}  // namespace bloomery::table
