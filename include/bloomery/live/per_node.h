// A filter for machines with several nodes (sockets): one copy in the memory of each, so that no lookup waits for a far
// one. On a machine of one node it is a plain Shared.
//
//   auto seen = bloomery::PerNode<bloomery::BlockFilter>::make({.n = 100'000'000, .fpr = 0.001});
//   seen->add(key);                             // from any thread
//   seen->contains(key);                        // from any thread, meanwhile; asks the copy of the thread's node
//
// Where an add goes is what one chooses, and with it the price and the promise:
//
//   every_node  An add is written to every copy before it returns, so it costs as many adds as there are nodes. The
//               promise of Shared: when add has returned, and the asking thread knows that, contains is true on any
//               node.
//   owner_node  The hash of a key chooses its node, and an add writes the copy of that. contains asks the copy here
//               first and after a "no" that of the owner, so the promise of Shared holds as well; but most questions
//               for absent keys read far memory, once. merge_now spares the present keys that.
//   own_node    An add writes the copy of the thread's node alone, and contains asks that alone: both are local. The
//               promise is weaker: an add is known everywhere after a merge_now that began when it had returned. Until
//               then contains may say "no" to it, even in the thread that added it, which may have been moved. Call
//               merge_now as often as that has to end, and choose it only where a "no" for a present key does no harm
//               until then.
//
// Memory: a whole filter for each node. Where the system refuses memory of a node, or the filter is below 1 MiB (caches
// hold it), it lies where the system likes: that costs speed only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/detail/numa.h"
#include "bloomery/live/shared.h"

namespace BLOOMERY_NAMESPACE {

enum class AddsTo : std::uint8_t { every_node, owner_node, own_node };

struct PerNodeOptions {
  std::uint64_t n = 0;  // keys of all nodes together
  double fpr = 0.01;
  std::optional<Hasher> hasher = {};  // the kind's own unless given
  unsigned nodes = 0;                 // copies; 0: as many as the machine has nodes. Node i uses copy i modulo this
  AddsTo adds = AddsTo::every_node;
};

// Copies of a filter, one for each node. Safe from any thread, but for its construction, move and destruction;
// everything but copy is wait-free, as in Shared. Owns its copies. One that was moved from has no nodes and is the
// empty filter to those who ask; what would change it ends the program with a sentence.
template <class Filter>
class PerNode {
 public:
  using View = typename Filter::View;

  BLOOMERY_API static Result<PerNode> make(const PerNodeOptions& options);

  PerNode(PerNode&& other) noexcept
      : copies_(std::exchange(other.copies_, {})),
        hasher_(std::exchange(other.hasher_, View().hasher())),
        nodes_(std::exchange(other.nodes_, 0)),
        adds_(other.adds_) {}
  PerNode& operator=(PerNode&& other) noexcept {
    PerNode taken(std::move(other));  // so that a move to itself changes nothing
    copies_ = std::move(taken.copies_);
    hasher_ = taken.hasher_;
    nodes_ = taken.nodes_;
    adds_ = taken.adds_;
    return *this;
  }

  // Whether it changed a bit where it wrote.
  template <Key T>
  bool add(const T& key) {
    if (nodes_ == 0) [[unlikely]]
      detail::end_for_moved_from("add");
    const Hash hash = hash_key(hasher(), key);
    if (adds_ != AddsTo::every_node) return copies_[target(hash)].add(hash);
    bool changed = false;
    for (Shared<Filter>& copy : copies_) changed |= copy.add(hash);
    return changed;
  }
  // Adds all keys in order; never an error, as of every kind that takes every key.
  template <KeyRange Keys>
  Status add_many(const Keys& keys) {
    if (nodes_ == 0) [[unlikely]]
      detail::end_for_moved_from("add_many");
    detail::for_hash_groups(hasher(), keys, [&](std::size_t, std::span<const Hash> hashes) {
      if (adds_ == AddsTo::every_node) {
        for (Shared<Filter>& copy : copies_) (void)copy.add_many(hashes);
      } else {
        for (const Hash hash : hashes) copies_[target(hash)].add(hash);
      }
    });
    return {};
  }

  // False: not added, as far as the promise goes.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const {
    const Hash hash = hash_key(hasher(), key);
    if (nodes_ == 1) return copies_.front().contains(hash);  // without a branch on the answer
    if (nodes_ == 0) [[unlikely]]
      return false;
    if (copies_[here()].contains(hash)) return true;
    return adds_ == AddsTo::owner_node && copies_[owner(hash)].contains(hash);
  }
  // As View::contains_many; each answer is that of a contains at some moment of the call.
  template <KeyRange Keys>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const {
    detail::check_lengths("contains_many", std::size(keys), answers.size());
    if (nodes_ == 0) [[unlikely]]
      return View().contains_many(keys, answers);
    detail::for_hash_groups(hasher(), keys, [&](std::size_t first, std::span<const Hash> hashes) {
      copies_[here()].contains_many(hashes, answers.subspan(first));
      if (adds_ == AddsTo::owner_node) ask_owners(hashes, answers.data() + first);
    });
  }

  // Spreads what every copy holds to all of them, while others add and ask: every add that returned before, and perhaps
  // parts of those that overlap. Reads each copy twice; a thread of its own is a good place for it.
  BLOOMERY_API void merge_now();

  // Adds all that other holds to every copy; nobody may be writing to other. Refuses another geometry or hash.
  BLOOMERY_API Status merge(const View& other);

  // A plain filter of what is in any of the copies: every add that returned before.
  BLOOMERY_API Result<Filter> copy() const;

  // Lets the calling thread run on the processors of one node alone, whose copy it then uses. With more copies than the
  // machine has nodes it only chooses among them, for tests.
  BLOOMERY_API Status run_on_node(unsigned node) const;

  unsigned nodes() const { return nodes_; }
  std::uint64_t bytes() const { return nodes_ == 0 ? 0 : nodes_ * copies_.front().bytes(); }
  auto geometry() const { return nodes_ == 0 ? View().geometry() : copies_.front().geometry(); }
  const Hasher& hasher() const { return hasher_; }
  // Each page in the memory of its node, whichever thread puts it there.
  BLOOMERY_API Status prefault(unsigned threads = 1);
  // Copies that were locked before an error stay so.
  BLOOMERY_API Status lock_in_memory();

  // These measure the copy of node 0. It has all keys of every_node; of the other ways its own, and those that
  // merge_now brought.
  double fill() const { return nodes_ == 0 ? 0 : copies_.front().fill(); }
  double predicted_fpr() const { return nodes_ == 0 ? 0 : copies_.front().predicted_fpr(); }
  std::optional<std::uint64_t> estimated_count() const { return nodes_ == 0 ? 0 : copies_.front().estimated_count(); }

  // Over the living bytes of one copy; node < nodes().
  const View& view(unsigned node) const { return copies_[node].view(); }

 private:
  PerNode(std::vector<Shared<Filter>> copies, AddsTo adds)
      : copies_(std::move(copies)),
        hasher_(copies_.front().hasher()),
        nodes_(static_cast<unsigned>(copies_.size())),
        adds_(adds) {}

  unsigned here() const {
    if (nodes() == 1) return 0;
    const unsigned node = detail::this_node();
    return node < nodes() ? node : node % nodes();
  }
  // By a product of its own: a copy then has some of the keys in all of its blocks, and not all keys in some.
  unsigned owner(Hash hash) const {
    return static_cast<unsigned>(((hash.bits * 0x9e37'79b9'7f4a'7c15) >> 32) * nodes() >> 32);
  }
  unsigned target(Hash hash) const { return adds_ == AddsTo::owner_node ? owner(hash) : here(); }
  BLOOMERY_API void ask_owners(std::span<const Hash> hashes, std::uint8_t* answers) const;

  std::vector<Shared<Filter>> copies_;  // one for each node; only their bits are ever written
  Hasher hasher_;                       // theirs
  unsigned nodes_;                      // none when it was moved from
  AddsTo adds_;                         // every_node when there is one
};

}  // namespace BLOOMERY_NAMESPACE
