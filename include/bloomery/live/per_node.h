// A filter for machines with several NUMA nodes (sockets): it keeps one copy in the memory of each node, so that no
// lookup waits for far memory. On a machine of one node it is a plain Shared.
//
//   auto seen = bloomery::PerNode<bloomery::BlockFilter>::make({.n = 100'000'000, .fpr = 0.001});
//   seen->add(key);                             // from any thread
//   seen->contains(key);                        // from any thread, meanwhile; asks the copy of the thread's node
//
// The option `adds` chooses where an add goes, and with it the price and the promise:
//
//   every_node  An add is written to every copy before it returns, so it costs as many adds as there are nodes. The
//               promise of Shared: when add has returned, and the asking thread knows that, contains is true on any
//               node.
//   owner_node  The hash of a key chooses its node, and an add writes the copy of that node alone. contains asks the
//               copy of the thread's node first and, after a "no", that of the owner, so the promise of Shared holds
//               as well. Most questions for absent keys then read far memory once; merge_now spares present keys that.
//   own_node    An add writes the copy of the thread's node alone, and contains asks that copy alone: both are local.
//               The promise is weaker: every node finds a key after a merge_now that began when its add had returned.
//               Until then contains may say "no", even in the thread that added the key, because the system may have
//               moved that thread. Choose this only where a "no" for a present key does no harm for a while, and call
//               merge_now as often as that while has to end.
//
// It takes the memory of a whole filter for each node. A copy lies where the system puts it when the system refuses
// memory of a node, and when the filter is below 1 MiB, which caches hold. That costs speed only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/detail/compiled_for.h"
#include "bloomery/detail/numa.h"
#include "bloomery/live/shared.h"

namespace BLOOMERY_NAMESPACE {

enum class AddsTo : std::uint8_t { every_node, owner_node, own_node };

struct PerNodeOptions {
  std::uint64_t n = 0;  // keys of all nodes together
  double fpr = 0.01;
  std::optional<Hasher> hasher = {};  // the kind's own unless given
  unsigned nodes = 0;                 // copies; 0: one for each node. Node i uses copy i modulo this number
  AddsTo adds = AddsTo::every_node;
};

// Copies of a filter, one for each node. Any thread may use it, but not during its construction, move and destruction;
// everything but copy is wait-free, as in Shared. It owns its copies. One that was moved from has no nodes and answers
// as the empty filter; what would change it ends the program with a sentence.
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

  // Adds a key. Returns whether it changed a bit in a copy that it wrote.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) {
    if (nodes_ == 0) [[unlikely]]
      detail::end_for_moved_from("add");
    const Hash hash = hash_key(hasher(), key);
    if (adds_ != AddsTo::every_node) return copies_[target(hash)].add(hash);
    bool changed = false;
    for (Shared<Filter>& copy : copies_) changed |= copy.add(hash);
    return changed;
  }
  // Adds all keys in order. It never fails: these kinds take every key.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
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
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add_many(std::initializer_list<T> keys) {
    return add_many(std::span(keys.begin(), keys.size()));
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(Keys first, Keys last) {
    return add_many(std::span(first, last));
  }

  // False: the key was not added, as far as the promise goes.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    const Hash hash = hash_key(hasher(), key);
    if (nodes_ == 1) return copies_.front().contains(hash);  // without a branch on the answer
    if (nodes_ == 0) [[unlikely]]
      return false;
    if (copies_[here()].contains(hash)) return true;
    return adds_ == AddsTo::owner_node && copies_[owner(hash)].contains(hash);
  }
  // As View::contains_many. Each answer is that of a contains at some moment of the call.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    detail::check_lengths("contains_many", std::size(keys), answers.size());
    if (nodes_ == 0) [[unlikely]]
      return View().contains_many(keys, answers);
    detail::for_hash_groups(hasher(), keys, [&](std::size_t first, std::span<const Hash> hashes) {
      copies_[here()].contains_many(hashes, answers.subspan(first));
      if (adds_ == AddsTo::owner_node) ask_owners(hashes, answers.data() + first);
    });
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(keys.begin(), keys.size()), answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(first, last), answers);
  }
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> Status add_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  PerNode(const PerNode&) = delete;  // copy() makes a plain filter of what is in it, which can fail
  PerNode& operator=(const PerNode&) = delete;  // copy() makes a plain filter of what is in it, which can fail
  // clang-format on

  // Copies what every copy holds to all others, while other threads add and ask: every add that returned before the
  // call, and perhaps parts of those that overlap. It reads each copy twice, so call it from a thread of its own.
  BLOOMERY_API void merge_now();

  // Adds all that `other` holds to every copy; nobody may write to `other` meanwhile. Refuses another geometry or hash.
  BLOOMERY_API Status merge(const View& other);

  // Returns a plain filter of what is in any of the copies: every add that returned before the call.
  BLOOMERY_API Result<Filter> copy() const;

  // Lets the calling thread run on the processors of one node alone, and use the copy of that node. With more copies
  // than the machine has nodes it only chooses the copy, for tests.
  BLOOMERY_API Status run_on_node(unsigned node) const;

  unsigned nodes() const { return nodes_; }
  std::uint64_t bytes() const { return nodes_ == 0 ? 0 : nodes_ * copies_.front().bytes(); }
  auto geometry() const { return nodes_ == 0 ? View().geometry() : copies_.front().geometry(); }
  const Hasher& hasher() const { return hasher_; }
  // Touches every page now. Each page comes from the memory of its node, whichever thread touches it.
  BLOOMERY_API Status prefault(unsigned threads = 1);
  // Locks all copies in memory. Copies that were locked before an error stay locked.
  BLOOMERY_API Status lock_in_memory();

  // These measure the copy of node 0. With every_node it has all keys; otherwise it has its own, and those that
  // merge_now brought.
  double fill() const { return nodes_ == 0 ? 0 : copies_.front().fill(); }
  double predicted_fpr() const { return nodes_ == 0 ? 0 : copies_.front().predicted_fpr(); }
  std::optional<std::uint64_t> estimated_count() const { return nodes_ == 0 ? 0 : copies_.front().estimated_count(); }

  // Returns a view over the bytes of one copy, which others may be writing; node < nodes(). To save or encode the
  // filter take copy(), which has the keys of all nodes: a view that changes meanwhile is refused.
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
  // It multiplies the hash once more, so that the keys of a node fall into all blocks of its copy, and not into some.
  unsigned owner(Hash hash) const {
    return static_cast<unsigned>(((hash.bits * 0x9e37'79b9'7f4a'7c15) >> 32) * nodes() >> 32);
  }
  unsigned target(Hash hash) const { return adds_ == AddsTo::owner_node ? owner(hash) : here(); }
  BLOOMERY_API void ask_owners(std::span<const Hash> hashes, std::uint8_t* answers) const;

  std::vector<Shared<Filter>> copies_;  // one for each node; only their bits are ever written
  Hasher hasher_;                       // theirs
  unsigned nodes_;                      // 0 after it was moved from
  AddsTo adds_;                         // every_node where there is one node
};

}  // namespace BLOOMERY_NAMESPACE
