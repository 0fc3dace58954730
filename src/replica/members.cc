#include "replica/members.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

bool has(const Configuration& of, std::uint64_t origin) {
  return std::binary_search(of.members.begin(), of.members.end(), origin);
}

std::size_t count_of(const Configuration& of, const std::vector<std::uint64_t>& origins) {
  return static_cast<std::size_t>(
      std::count_if(origins.begin(), origins.end(), [&](std::uint64_t origin) { return has(of, origin); }));
}

using Incarnations = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // sorted, each origin once

void learn(Incarnations& known, std::uint64_t origin, std::uint64_t incarnation) {
  const auto at = std::lower_bound(known.begin(), known.end(), std::pair(origin, std::uint64_t{0}));
  if (at == known.end() || at->first != origin) known.insert(at, {origin, incarnation});
  else at->second = std::max(at->second, incarnation);
}

// Returns for each of `others` whether `known` has that incarnation of it, or a later one.
std::vector<bool> knows(const Incarnations& known, const Incarnations& others) {
  std::vector<bool> each;
  auto at = known.begin();
  for (const auto& [origin, incarnation] : others) {
    while (at != known.end() && at->first < origin) ++at;
    each.push_back(at != known.end() && at->first == origin && at->second >= incarnation);
  }
  return each;
}

// Returns a group of holders that all know each other: the one at `first`, then in order each that fits to those
// before.
std::vector<std::size_t> group_with(std::size_t first, const std::vector<std::vector<bool>>& know) {
  std::vector<std::size_t> group = {first};
  for (std::size_t i = 0; i < know.size(); ++i)
    if (i != first && std::all_of(group.begin(), group.end(), [&](std::size_t j) { return know[i][j] && know[j][i]; }))
      group.push_back(i);
  return group;
}

Error another(std::uint32_t generation) {
  return mismatch("members", "generation " + std::to_string(generation) +
                                 " of the members is known with other contents: one place must decide them");
}

}  // namespace

std::uint32_t Members::generation() const {
  return next_.has_value() ? next_->generation : now_.has_value() ? now_->generation : 0;
}

Status Members::propose(const Configuration& next) {
  if (next.generation <= generation()) {
    const bool same = (now_ == next) || (next_ == next);
    return same || (now_.has_value() && next.generation < now_->generation) ? Status() : another(next.generation);
  }
  if (now_.has_value() && (next_.has_value() || next.generation != now_->generation + 1))
    return invalid_argument("generation", "generation " + std::to_string(next.generation) +
                                              " cannot begin before the one before it is in force");
  if (!now_.has_value()) {
    now_ = next;
    return {};
  }
  next_ = next;
  ready_ = false;
  repaired_.clear();
  return {};
}

Status Members::configure(const Configuration& next) {
  Status status = propose(next);
  if (status.ok() && lost_ && next_ == next) inherited_ = next.generation;
  if (status.ok()) settle();
  return status;
}

std::uint32_t Members::inherited() const { return now_.has_value() && now_->generation == inherited_ ? inherited_ : 0; }

void Members::put_in_force(const Configuration& next) {
  if (now_.has_value()) before_ = std::move(now_);
  now_ = next;
  if (next_.has_value() && next_->generation <= now_->generation) next_.reset();
}

Status Members::heard(const Header& header, const Member& member) {
  const Configuration& in_force = member.configurations.front();
  if (!now_.has_value() || in_force.generation > now_->generation) {
    if (next_.has_value() && next_->generation == in_force.generation && *next_ != in_force)
      return another(in_force.generation);
    put_in_force(in_force);  // somebody has seen that everybody is ready
  } else if (in_force.generation == now_->generation && in_force != *now_) {
    return another(in_force.generation);
  }
  if (member.configurations.size() == 2 && member.configurations[1].generation > now_->generation)
    BLOOMERY_TRY(propose(member.configurations[1]));
  Peer& peer = peers_[header.origin];
  const Configuration& newest = member.configurations.back();
  peer.in_force = std::max(peer.in_force, in_force.generation);
  if (member.ready || member.configurations.size() == 1) peer.ready = std::max(peer.ready, newest.generation);
  settle();
  return {};
}

bool Members::has_room(std::uint64_t origin) const {
  return peers_.size() < kMostPositions || peers_.count(origin) != 0;
}

void Members::heard(const Header& header) {
  Peer& peer = peers_[header.origin];
  started(header.origin, header.incarnation);
  peer.generation = std::max(peer.generation, header.generation);
  settle();
}

bool Members::is_member(std::uint64_t origin) const {
  return (before_.has_value() && has(*before_, origin)) || (now_.has_value() && has(*now_, origin)) ||
         (next_.has_value() && has(*next_, origin));
}

bool Members::is_known(std::uint64_t origin) const { return peers_.count(origin) != 0 || is_member(origin); }

bool Members::started(std::uint64_t origin, std::uint64_t incarnation) {
  // Members of the past stay in it, so that those who were made up one after the other need a bound as well.
  const std::size_t room = (is_member(origin) ? 8 : 1) * kMostPositions;
  if (incarnations_.size() >= room && incarnations_.count(origin) == 0 && peers_.count(origin) == 0) return false;
  std::uint64_t& newest = incarnations_[origin];
  if (incarnation <= newest) return true;
  newest = incarnation;
  const auto peer = peers_.find(origin);
  if (peer == peers_.end()) return true;
  peer->second.acknowledged = 0;
  peer->second.known.clear();
  return true;
}

std::uint64_t Members::newest(std::uint64_t origin) const {
  const auto at = incarnations_.find(origin);
  return at == incarnations_.end() ? 0 : at->second;
}

// An acknowledgement of somebody who knows of more members than this replica does not count: the others may be counting
// on its being repaired already. Nor does one of an incarnation that has ended.
void Members::acknowledged(const Header& header, std::uint64_t sequence, const std::vector<Position>& known) {
  if (header.incarnation < newest(header.origin)) return;
  Peer& peer = peers_[header.origin];
  for (const Position& one : known)
    if (incarnations_.count(one.origin) != 0) learn(peer.known, one.origin, one.incarnation);
  if (header.generation <= generation()) peer.acknowledged = std::max(peer.acknowledged, sequence);
}

void Members::repaired_against(const Header& source) {
  if (!next_.has_value() || source.generation < next_->generation || !has(*now_, source.origin)) return;
  repaired_.insert(source.origin);
  const std::size_t others = now_->members.size() - (has(*now_, self_) && !lost_ ? 1 : 0);
  if (repaired_.size() >= std::min<std::size_t>(now_->members.size() - now_->w + 1, others)) ready_ = true;
  settle();
}

void Members::retire(std::uint64_t origin) {
  retired_.insert(origin);
  settle();
}

void Members::settle() {
  if (before_.has_value() && std::all_of(before_->members.begin(), before_->members.end(), [&](std::uint64_t origin) {
        const auto peer = peers_.find(origin);
        return origin == self_ || !has(*now_, origin) ||
               (peer != peers_.end() && peer->second.in_force >= now_->generation);
      }))
    before_.reset();
  if (!next_.has_value()) return;
  for (const std::uint64_t origin : next_->members) {
    if (origin == self_) {
      if (!ready_) return;
    } else if (const auto peer = peers_.find(origin); peer == peers_.end() || peer->second.ready < next_->generation) {
      return;
    }
  }
  for (const std::uint64_t origin : now_->members) {
    if (has(*next_, origin) || origin == self_ || retired_.count(origin) != 0) continue;
    const auto peer = peers_.find(origin);
    if (peer == peers_.end() || peer->second.generation < next_->generation) return;
  }
  put_in_force(Configuration(*next_));
}

bool Members::may_vote() const {
  return (!now_.has_value() || has(*now_, self_)) && (!next_.has_value() || has(*next_, self_));
}

bool Members::bring_memory_back(const std::map<std::uint64_t, std::uint32_t>& sources) const {
  if (!now_.has_value()) return false;
  const auto count = std::count_if(sources.begin(), sources.end(), [&](const auto& source) {
    return has(*now_, source.first) && source.second >= now_->generation;
  });
  return static_cast<std::size_t>(count) >= now_->members.size() - now_->w + 1;
}

std::vector<std::uint64_t> Members::everybody() const {
  std::set<std::uint64_t> all = {self_};
  if (before_.has_value()) all.insert(before_->members.begin(), before_->members.end());
  if (now_.has_value()) all.insert(now_->members.begin(), now_->members.end());
  if (next_.has_value()) all.insert(next_->members.begin(), next_->members.end());
  if (!now_.has_value())
    for (const auto& [origin, peer] : peers_) all.insert(origin);
  return {all.begin(), all.end()};
}

// A holder that has ended keeps its acknowledgement for good, and knows nobody who was started later: the later ones
// may be enough without it. The holder that was started last begins a group of all that live, and of those that have
// ended only the ones that know them all.
std::vector<std::uint64_t> Members::holders(std::uint64_t sequence) const {
  Incarnations have;  // it, but for this replica
  std::vector<const Peer*> peers;
  for (const std::uint64_t origin : everybody()) {
    const auto peer = peers_.find(origin);
    if (origin == self_ || peer == peers_.end() || peer->second.acknowledged < sequence) continue;
    have.emplace_back(origin, newest(origin));
    peers.push_back(&peer->second);
  }
  const auto with_self = [&](const std::vector<std::size_t>& group) {
    std::vector<std::uint64_t> origins = {self_};
    for (const std::size_t i : group) origins.push_back(have[i].first);
    std::sort(origins.begin(), origins.end());
    return origins;
  };
  std::vector<std::size_t> all(have.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (!now_.has_value() || have.empty()) return with_self(all);
  std::vector<std::vector<bool>> know;
  for (const Peer* const peer : peers) know.push_back(knows(peer->known, have));
  const std::vector<std::uint64_t> first = with_self(group_with(0, know));
  if (enough(first) || !enough(with_self(all))) return first;
  for (std::size_t i = 1; i < have.size(); ++i) {
    std::vector<std::uint64_t> group = with_self(group_with(i, know));
    if (enough(group)) return group;
  }
  return first;
}

bool Members::enough(const std::vector<std::uint64_t>& holders) const {
  if (!now_.has_value()) return holders.size() == everybody().size();
  const auto fits = [&](const std::optional<Configuration>& of) {
    return !of.has_value() || count_of(*of, holders) >= of->w;
  };
  return fits(before_) && fits(now_) && fits(next_);
}

std::uint64_t Members::acknowledged_by_all() const {
  std::uint64_t least = ~std::uint64_t{0};
  for (const std::uint64_t origin : everybody()) {
    const auto peer = peers_.find(origin);
    if (origin != self_) least = std::min(least, peer == peers_.end() ? 0 : peer->second.acknowledged);
  }
  return least;
}

std::vector<Position> Members::acknowledgements() const {
  std::vector<Position> all;
  for (const auto& [origin, peer] : peers_) all.push_back({origin, newest(origin), peer.acknowledged});
  return all;
}

}  // namespace BLOOMERY_NAMESPACE::replica
