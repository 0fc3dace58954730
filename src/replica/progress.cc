#include "replica/progress.h"

#include <algorithm>
#include <iterator>

namespace BLOOMERY_NAMESPACE::replica {

void Progress::Of::advance() {
  later.erase(later.begin(), later.upper_bound(through));
  while (!refused && !later.empty() && *later.begin() == through + 1) {
    ++through;
    later.erase(later.begin());
  }
  held.erase(held.begin(), held.upper_bound(through));
  last = std::max(last, through);
}

// An incarnation that has ended, one without a gap where there is one; or the end.
Progress::Map::const_iterator Progress::to_forget() const {
  auto found = of_.end();
  for (auto at = of_.begin(); at != of_.end(); ++at) {
    const auto next = std::next(at);
    if (next == of_.end() || next->first.first != at->first.first) continue;  // it is the newest of its origin
    if (!at->second.has_gap()) return at;
    if (found == of_.end()) found = at;
  }
  return found;
}

bool Progress::has_room(std::uint64_t origin) const {
  if (of_.size() < kMostPositions) return true;
  const auto at = of_.lower_bound({origin, 0});
  return (at != of_.end() && at->first.first == origin) || to_forget() != of_.end();
}

// The entry, or nullptr of an incarnation that is older than those kept and of an origin without room.
Progress::Of* Progress::find(std::uint64_t origin, std::uint64_t incarnation) {
  const Key key{origin, incarnation};
  if (const auto at = of_.find(key); at != of_.end()) return &at->second;
  const auto first = of_.lower_bound({origin, 0});
  std::size_t kept = 0;
  for (auto at = first; at != of_.end() && at->first.first == origin; ++at) ++kept;
  const bool full = of_.size() >= kMostPositions;
  if (const auto ended = full ? to_forget() : of_.end(); ended != of_.end() && kept < kMostIncarnations) {
    of_.erase(ended);
  } else if (full || kept >= kMostIncarnations) {
    if (kept == 0 || incarnation < first->first.second) return nullptr;
    of_.erase(first);
  }
  return &of_[key];
}

bool Progress::applied(const Position& delta) {
  Of* const of = find(delta.origin, delta.incarnation);
  if (of == nullptr) return false;
  of->last = std::max(of->last, delta.sequence);
  of->held.erase(delta.sequence);
  if (delta.sequence > of->through && of->later.size() < kMostLater) of->later.insert(delta.sequence);
  of->advance();
  return of->has_gap();
}

bool Progress::held(const Position& delta) {
  Of* const of = find(delta.origin, delta.incarnation);
  if (of == nullptr) return false;
  of->last = std::max(of->last, delta.sequence);
  if (delta.sequence > of->through && of->later.count(delta.sequence) == 0) of->held.insert(delta.sequence);
  return of->has_gap();
}

void Progress::forget_held() {
  for (auto& [key, of] : of_) of.held.clear();
}

void Progress::announced(const Position& last) {
  if (Of* const of = find(last.origin, last.incarnation)) of->last = std::max(of->last, last.sequence);
}

void Progress::refused(std::uint64_t origin, std::uint64_t incarnation) {
  if (Of* const of = find(origin, incarnation)) of->refused = true;
}

void Progress::cover(const Position& position) {
  Of* const of = find(position.origin, position.incarnation);
  if (of == nullptr || of->refused) return;
  of->through = std::max(of->through, position.sequence);
  of->advance();
}

void Progress::close_ended() {
  for (auto at = of_.begin(); at != of_.end(); ++at) {
    const auto next = std::next(at);
    if (next == of_.end() || next->first.first != at->first.first) continue;  // it is the newest of its origin
    at->second.closed = at->second.last > at->second.through;
    at->second.later.clear();
  }
}

std::uint64_t Progress::newest(std::uint64_t origin) const {
  const auto behind = of_.upper_bound({origin, ~std::uint64_t{0}});
  if (behind == of_.begin()) return 0;
  const Key& last = std::prev(behind)->first;
  return last.first == origin ? last.second : 0;
}

std::vector<Position> Progress::positions() const {
  std::vector<Position> all = known();
  std::erase_if(all, [](const Position& position) { return position.sequence == 0; });
  return all;
}

std::vector<Position> Progress::known() const {
  std::vector<Position> all;
  for (auto at = of_.begin(); at != of_.end(); ++at) {
    const auto& [key, of] = *at;
    const auto next = std::next(at);
    const bool newest = next == of_.end() || next->first.first != key.first;
    const std::uint64_t told = of.refused ? 0 : of.through;
    if (told > 0 || newest) all.push_back({key.first, key.second, told});
  }
  return all;
}

std::vector<std::uint64_t> Progress::origins_with_gaps() const {
  std::set<std::uint64_t> origins;
  for (const auto& [key, of] : of_)
    if (of.has_gap()) origins.insert(key.first);
  return {origins.begin(), origins.end()};
}

bool Progress::out_of_order(std::span<const std::uint64_t> but_for) const {
  return std::any_of(of_.begin(), of_.end(), [&](const auto& one) {
    return !one.second.later.empty() && std::find(but_for.begin(), but_for.end(), one.first.first) == but_for.end();
  });
}

bool Progress::anything_refused() const {
  return std::any_of(of_.begin(), of_.end(), [](const auto& one) { return one.second.refused; });
}

}  // namespace BLOOMERY_NAMESPACE::replica
