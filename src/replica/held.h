// Deltas of windows that have not begun here: neither applied nor acknowledged, until the owner gets there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "bloomery/replica/message.h"

namespace BLOOMERY_NAMESPACE::replica {

// One thread at a time. Its memory is bounded, whatever comes.
class Held {
 public:
  // A delta counts as that many keys more, so that many small ones are bounded, too.
  static constexpr std::uint64_t kCostOfDelta = 16;

  explicit Held(std::uint64_t most) : most_(most) {}

  // Keeps a delta; one that is there already is no change. False: there is no room.
  bool put(const Position& at, const Delta& delta) {
    if (deltas_.count(at) != 0) return true;
    if (cost() + delta.hashes.size() + kCostOfDelta > most_) return false;
    deltas_.emplace(at, std::make_shared<const Delta>(delta));
    keys_ += delta.hashes.size();
    return true;
  }
  struct One {
    Position at;
    std::shared_ptr<const Delta> delta;
  };
  // The first one behind `after` that is of that window or an earlier one; it stays until it is erased.
  std::optional<One> next_through(std::uint64_t window, const std::optional<Position>& after) const {
    for (auto at = after.has_value() ? deltas_.upper_bound(*after) : deltas_.begin(); at != deltas_.end(); ++at)
      if (at->second->window <= window) return One{at->first, at->second};
    return std::nullopt;
  }
  void erase(const Position& at) {
    const auto found = deltas_.find(at);
    if (found == deltas_.end()) return;
    keys_ -= found->second->hashes.size();
    deltas_.erase(found);
  }
  void clear() {
    deltas_.clear();
    keys_ = 0;
  }

  bool empty() const { return deltas_.empty(); }
  std::uint64_t keys() const { return keys_; }

 private:
  std::uint64_t cost() const { return keys_ + kCostOfDelta * deltas_.size(); }

  std::uint64_t most_, keys_ = 0;
  std::map<Position, std::shared_ptr<const Delta>> deltas_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
