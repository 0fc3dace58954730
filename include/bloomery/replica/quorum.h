// Asks several replicas, and answers "no" only when R of them say no. spec/replica.md, Quorum, says under which
// conditions that has no false negative.
//
//   replica::QuorumReader reader(configuration);
//   reader.ask(2, [&](Hash hash) { return Vote... });    // a callback a peer: over a wire, or replica->vote(hash)
//   if (!reader.contains(hash)) ...                      // added by nobody whose add had returned
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "bloomery/replica/message.h"
#include "bloomery/replica/replica.h"

namespace BLOOMERY_NAMESPACE::replica {

// Asks members by callbacks. One thread at a time may use it, or several if the callbacks allow that. It owns the
// callbacks. With a configuration that Replica::configure refuses it answers "maybe" to everything: the noes of such
// members would promise nothing.
class QuorumReader {
 public:
  // Returns what a peer answers, or nothing when it is silent. An exception counts as silence.
  using Peer = std::function<std::optional<Vote>(Hash)>;

  explicit QuorumReader(Configuration configuration) { configure(std::move(configuration)); }

  void ask(std::uint64_t origin, Peer peer) { peers_[origin] = std::move(peer); }
  // Takes another configuration, once it is in force.
  void configure(Configuration configuration) {
    configuration_ = is_sound(configuration) ? std::move(configuration) : Configuration();
  }

  // False: R members say no. It asks until R have said no, or until too few are left. A "no" counts as silence when the
  // peer is no member, or when another generation is in force for that peer.
  bool contains(Hash hash) const noexcept {
    std::size_t noes = 0, left = configuration_.members.size();
    for (const std::uint64_t origin : configuration_.members) {
      if (noes >= configuration_.r || noes + left < configuration_.r) break;
      --left;
      const std::optional<Vote> vote = vote_of(origin, hash);
      if (vote.has_value() && !vote->maybe && vote->generation == configuration_.generation) ++noes;
    }
    return noes < configuration_.r;
  }

 private:
  // Whether a member may write it: the writer's checks are those of every reader.
  static bool is_sound(const Configuration& configuration) noexcept {
    try {
      return write({Header{}, Member{false, {configuration}}}).ok();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  std::optional<Vote> vote_of(std::uint64_t origin, Hash hash) const noexcept {
    const auto peer = peers_.find(origin);
    if (peer == peers_.end() || !peer->second) return std::nullopt;
    try {
      return peer->second(hash);
    } catch (const std::exception&) {
      return std::nullopt;
    } catch (...) {
      return std::nullopt;
    }
  }

  Configuration configuration_;  // without members when it was refused: then nobody says no
  std::map<std::uint64_t, Peer> peers_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
