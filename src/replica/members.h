// Who the members are, what they have acknowledged, and how one configuration follows another (spec/replica.md,
// Members, which also says why it is right).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "bloomery/replica/message.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::replica {

// One thread at a time.
class Members {
 public:
  explicit Members(std::uint64_t self) : self_(self) {}

  // The first one is in force at once. Later ones have the next generation, and wait.
  Status configure(const Configuration& next);
  // A peer's knowledge. Refuses another configuration of a generation that is known.
  Status heard(const Header& header, const Member& member);
  // Any message of a peer: what it knows; and that it acknowledged this replica's deltas up to a number.
  bool has_room(std::uint64_t origin) const;
  void heard(const Header& header);
  void acknowledged(const Header& header, std::uint64_t sequence);
  // This replica was repaired against a peer that was whole then, and knew that generation.
  void repaired_against(const Header& source);
  // A member that leaves has ended for good, as whoever runs it says.
  void retire(std::uint64_t origin);

  const std::optional<Configuration>& now() const { return now_; }
  const std::optional<Configuration>& next() const { return next_; }
  std::uint32_t generation() const;
  bool ready() const { return ready_; }
  // Whether this replica may vote: it is a member, and stays one.
  bool may_vote() const;
  // Repairs against that many whole others bring lost memory back; 1 without a configuration.
  std::size_t repairs_for_memory() const;
  bool is_source_for_memory(std::uint64_t origin) const;

  // Who has acknowledged that delta, of all members or peers; and whether those are enough.
  std::vector<std::uint64_t> holders(std::uint64_t sequence) const;
  std::vector<std::uint64_t> everybody() const;
  bool enough(const std::vector<std::uint64_t>& holders) const;
  std::uint64_t acknowledged_by_all() const;
  std::vector<Position> acknowledgements() const;

 private:
  struct Peer {
    std::uint64_t incarnation = 0, acknowledged = 0;
    std::uint32_t generation = 0, ready = 0;  // the newest that it knows, and that it is ready for
  };

  Status propose(const Configuration& next);
  void settle();  // puts the next configuration in force when its time has come

  std::uint64_t self_;
  std::optional<Configuration> now_, next_;
  bool ready_ = false;
  std::set<std::uint64_t> repaired_;  // against whom, for next_
  std::set<std::uint64_t> retired_;
  std::map<std::uint64_t, Peer> peers_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
