// A count of keys that cannot overflow: one that no longer fits becomes unknown.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

// A known or unknown count of keys. 2^64 - 1 stands for an unknown count, in files and here, so the largest known count
// is 2^64 - 2. A count that passes it becomes unknown by itself: add_one has no branch.
class KeyCount {
 public:
  explicit KeyCount(std::optional<std::uint64_t> count) : count_(count.value_or(kUnknown)) {}

  std::optional<std::uint64_t> known() const { return count_ == kUnknown ? std::nullopt : std::optional(count_); }
  void add_one() { count_ += count_ != kUnknown ? 1 : 0; }
  void add(std::uint64_t keys) { count_ = keys < kUnknown - count_ ? count_ + keys : kUnknown; }
  void add(KeyCount other) { add(other.count_); }
  // Removing from a count of 0 leaves 0.
  void remove_one() {
    if (count_ != kUnknown && count_ != 0) --count_;
  }

 private:
  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t count_;
};

inline void add_to_count(std::optional<std::uint64_t>& count, std::uint64_t added) {
  KeyCount sum(count);
  sum.add(added);
  count = sum.known();
}

}  // namespace BLOOMERY_NAMESPACE::detail
