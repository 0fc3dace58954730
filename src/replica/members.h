// Who the members are, what they have acknowledged, and how one configuration follows another (spec/replica.md,
// Members, which also says why it is right).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bloomery/replica/message.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::replica {

// The newest incarnation of each origin, sorted by origin.
using Incarnations = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// One thread at a time.
class Members {
 public:
  // `lost`: this replica was started without what it knew before.
  Members(std::uint64_t self, bool lost) : self_(self), lost_(lost) {}

  // Takes a configuration. The first one is in force at once; a later one has the next generation, and waits.
  Status configure(const Configuration& next);
  // Takes what a peer knows of the members. Refuses another configuration of a generation that is known.
  Status heard(const Header& header, const Member& member);
  // Any message of a peer.
  bool has_room(std::uint64_t origin) const;
  void heard(const Header& header);
  // Somebody says that this incarnation of an origin was started. The ones before have ended, and what they
  // acknowledged may be lost with their memory. Returns false when there is no room to remember it. There is room for
  // every origin that was heard, for members, and for kMostPositions origins at least.
  bool started(std::uint64_t origin, std::uint64_t incarnation);
  // Whether an origin was heard, or is a member.
  bool is_known(std::uint64_t origin) const;
  // A peer, which was heard, acknowledges this replica's deltas up to a number, and names the incarnations that it
  // knows. Those must have been remembered as started; others are passed over.
  void acknowledged(const Header& header, std::uint64_t sequence, const std::vector<Position>& known);
  // This replica was repaired against a peer that was whole then, and knew that generation.
  void repaired_against(const Header& source);
  // A member that leaves has ended for good, as whoever runs it says.
  void retire(std::uint64_t origin);

  const std::optional<Configuration>& now() const { return now_; }
  const std::optional<Configuration>& next() const { return next_; }
  std::uint32_t generation() const;
  bool ready() const { return ready_; }
  // Returns the generation in force for which this replica may have acknowledged adds in an earlier life; 0: none.
  // Memory that was brought back before it came into force must be judged again by it.
  std::uint32_t inherited() const;
  // Whether this replica may vote: it is a member, and stays one.
  bool may_vote() const;
  // Whether repairs against these whole others bring lost memory back by the configuration in force; never without
  // one. A source counts that knew of this generation: one that knew of no members may have been whole with less.
  bool bring_memory_back(const std::map<std::uint64_t, std::uint32_t>& sources) const;

  // holders: which members or peers have acknowledged that delta; and whether those are enough. With members they are
  // such as know each other's newest incarnations: spec/replica.md, Quorum, says why. Where not all do, it returns some
  // who are enough, if it finds them by beginning with each in turn.
  std::vector<std::uint64_t> holders(std::uint64_t sequence) const;
  std::vector<std::uint64_t> everybody() const;
  bool enough(const std::vector<std::uint64_t>& holders) const;
  std::uint64_t acknowledged_by_all() const;
  std::vector<Position> acknowledgements() const;

 private:
  struct Peer {
    std::uint64_t acknowledged = 0;                         // by its newest incarnation
    Incarnations known;                                     // that it has named
    std::uint32_t generation = 0, ready = 0, in_force = 0;  // the newest that it knows, is ready for, goes by
  };

  Status propose(const Configuration& next);
  std::uint64_t newest(std::uint64_t origin) const;
  bool is_member(std::uint64_t origin) const;
  void settle();  // puts the next configuration in force when its time has come
  void put_in_force(const Configuration& next);

  std::uint64_t self_;
  bool lost_;
  std::optional<Configuration> before_;  // adds still wait for it, too: somebody may be reading by it
  std::optional<Configuration> now_, next_;
  bool ready_ = false;
  std::uint32_t inherited_ = 0;
  std::set<std::uint64_t> repaired_;  // against whom, for next_
  std::set<std::uint64_t> retired_;
  std::map<std::uint64_t, Peer> peers_;                  // that were heard
  std::map<std::uint64_t, std::uint64_t> incarnations_;  // the newest of each origin that was heard or heard of
};

}  // namespace BLOOMERY_NAMESPACE::replica
