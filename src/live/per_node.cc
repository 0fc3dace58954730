#include "bloomery/live/per_node.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {

template <class Filter>
Result<PerNode<Filter>> PerNode<Filter>::make(const PerNodeOptions& options) {
  return guarded([&]() -> Result<PerNode> {
    constexpr unsigned kMostNodes = 1024;
    if (options.nodes > kMostNodes)
      return invalid_argument("nodes", "nodes is " + std::to_string(options.nodes) +
                                           ": each is a whole copy, so 1024 at most; 0 makes one for each node of the "
                                           "machine");
    const unsigned nodes = options.nodes > 0 ? options.nodes : detail::numa_nodes();
    const Hasher hasher = options.hasher.value_or(View().hasher());
    std::vector<Shared<Filter>> copies;
    copies.reserve(nodes);
    for (unsigned node = 0; node < nodes; ++node) {
      Result<Filter> filter = node == 0 ? Filter::with_capacity(options.n, options.fpr, hasher)
                                        : Filter::with_geometry(copies.front().geometry(), hasher);
      BLOOMERY_TRY(filter);
      // Before the first byte is written. A refusal costs speed only.
      if (const std::span<std::uint8_t> pages = filter->pages(); nodes > 1 && !pages.empty())
        (void)detail::prefer_node(pages.data(), pages.size(), node);
      copies.emplace_back(*std::move(filter));
    }
    return PerNode(std::move(copies), nodes > 1 ? options.adds : AddsTo::every_node);
  });
}

// Asks node by node, so that the cache misses of each overlap.
template <class Filter>
void PerNode<Filter>::ask_owners(std::span<const Hash> hashes, std::uint8_t* answers) const {
  std::array<Hash, detail::kHashGroup> asked;
  std::array<std::size_t, detail::kHashGroup> places;
  std::array<std::uint8_t, detail::kHashGroup> answered;
  for (std::size_t first = 0; first < hashes.size(); first += detail::kHashGroup) {
    const std::size_t end = std::min(first + detail::kHashGroup, hashes.size());
    for (unsigned node = 0; node < nodes(); ++node) {
      std::size_t count = 0;
      for (std::size_t i = first; i < end; ++i) {
        if (answers[i] != 0 || owner(hashes[i]) != node) continue;
        asked[count] = hashes[i];
        places[count++] = i;
      }
      copies_[node].contains_many(std::span<const Hash>(asked).first(count), answered);
      for (std::size_t i = 0; i < count; ++i) answers[places[i]] = answered[i];
    }
  }
}

// All have one geometry and one hash, so that no merge is refused.
template <class Filter>
void PerNode<Filter>::merge_now() {
  for (std::size_t i = 1; i < copies_.size(); ++i) (void)copies_[0].merge(copies_[i]);
  for (std::size_t i = 1; i < copies_.size(); ++i) (void)copies_[i].merge(copies_[0]);
}

template <class Filter>
Status PerNode<Filter>::merge(const View& other) {
  if (nodes_ == 0) detail::end_for_moved_from("merge");
  for (Shared<Filter>& copy : copies_) BLOOMERY_TRY(copy.merge(other));
  return {};
}

template <class Filter>
Result<Filter> PerNode<Filter>::copy() const {
  if (nodes_ == 0) return Filter::copy_of(View(), 0);
  Result<Filter> all = copies_.front().copy();
  for (std::size_t i = 1; i < copies_.size() && all.ok() && adds_ != AddsTo::every_node; ++i) {
    Result<Filter> other = copies_[i].copy();
    BLOOMERY_TRY(other);
    BLOOMERY_TRY(all->merge(*other));
  }
  return all;
}

template <class Filter>
Status PerNode<Filter>::run_on_node(unsigned node) const {
  if (node < nodes()) return detail::run_on_node(node);
  return guarded([&]() -> Status {
    return invalid_argument("node", "there is no node " + std::to_string(node) + ": they are numbered from 0 to " +
                                        std::to_string(nodes() - 1));
  });
}

template <class Filter>
Status PerNode<Filter>::prefault(unsigned threads) {
  for (Shared<Filter>& copy : copies_) BLOOMERY_TRY(copy.prefault(threads));
  return {};
}

template <class Filter>
Status PerNode<Filter>::lock_in_memory() {
  for (Shared<Filter>& copy : copies_) BLOOMERY_TRY(copy.lock_in_memory());
  return {};
}

template class PerNode<ClassicFilter>;
template class PerNode<SplitFilter>;
template class PerNode<BlockFilter>;

}  // namespace BLOOMERY_NAMESPACE
