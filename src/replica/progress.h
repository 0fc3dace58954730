// What a replica has applied of each origin: how far without a gap, and what came out of order behind that.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/replica/message.h"

namespace BLOOMERY_NAMESPACE::replica {

// One thread at a time. Its memory is bounded, whatever sequence numbers come.
class Progress {
 public:
  static constexpr std::size_t kMostLater = 4096;      // numbers behind a gap, of an origin
  static constexpr std::size_t kMostIncarnations = 4;  // of an origin; older ones are forgotten

  // Whether there is room for this origin: all together have kMostPositions entries at most, and incarnations that have
  // ended are forgotten for others. Without room its messages are refused.
  bool has_room(std::uint64_t origin) const;

  // A delta was applied. Returns whether one before it is missing.
  bool applied(const Position& delta);
  // A delta came that is kept until its window begins: it is there, and not applied. Returns whether one before it is
  // missing.
  bool held(const Position& delta);
  // What was held is missing now.
  void forget_held();
  // The origin has made deltas up to that number.
  void announced(const Position& last);
  // A delta of that origin was refused for good: nothing behind it is acknowledged any more.
  void refused(std::uint64_t origin, std::uint64_t incarnation);
  // All up to that number came by repair or checkpoint.
  void cover(const Position& position);
  // After a repair against a whole replica: what is missing of an incarnation that has ended nobody will send again.
  void close_ended();

  // The newest incarnation of an origin that was heard or heard of; 0: none.
  std::uint64_t newest(std::uint64_t origin) const;

  std::vector<Position> positions() const;
  // Returns the positions, and the newest incarnation of each other origin with number 0: it is known, and nothing more
  // is said of it.
  std::vector<Position> known() const;
  std::vector<std::uint64_t> origins_with_gaps() const;
  // Whether something came behind a gap, but for these origins.
  bool out_of_order(std::span<const std::uint64_t> but_for = {}) const;
  bool anything_refused() const;

 private:
  struct Of {
    std::uint64_t through = 0, last = 0;  // applied without a gap; made, as far as was heard
    std::set<std::uint64_t> later, held;
    bool refused = false, closed = false;
    bool has_gap() const {
      if (closed || last <= through) return false;
      return held.empty() || last - through > later.size() + held.size();
    }
    void advance();
  };
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  using Map = std::map<Key, Of>;

  Map::const_iterator to_forget() const;
  Of* find(std::uint64_t origin, std::uint64_t incarnation);

  Map of_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
