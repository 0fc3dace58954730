// A counting filter that many threads add to, remove from and ask at the same time, over the same bytes as the plain
// one.
//
//   auto online = bloomery::Shared<bloomery::CountingFilter>::with_capacity(10'000'000, 0.01);
//   online->add(user);                          // from any thread
//   online->remove(user);                       // from any thread, after the add has returned
//
// The promise to those who add: when add has returned, and the asking thread knows that (it joined the thread, took a
// lock, read a flag that was set afterwards), contains is true until a remove of this key begins. A contains that
// overlaps the add or the remove may say either.
//
// The promise holds as long as all threads remove only what was added, as often as it was added, and know that the add
// has returned. Every step down of a counter then comes after the step up of the same add, so a counter is never below
// the number of keys that are in and share it, whatever the threads do at once.
//
// When two threads remove a key that was added once, one of them removes too much. Mostly it finds a counter at 0: then
// it puts back what it has taken and returns false, and all counters are as if it had never begun. During that one call
// a key that shares its counters may be denied. If other keys share all of its counters, it finds no 0 and removes a
// false positive: other keys may then be denied for good (spec/counting.md).
//
// add, remove, contains, contains_many and count are lock-free and take no memory: a step is repeated only when another
// thread has changed the same word meanwhile, and an add to counters of 32 bits never is. Counters of 32 bits stay for
// ever from 2^32 - 2^23 - 1 on, a little earlier than in the plain filter, and then read as their maximum. All reads
// are relaxed atomic loads, which here cost what plain ones do, so that both values of Reads mean the same.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "bloomery/counting.h"
#include "bloomery/detail/atomic_counters.h"
#include "bloomery/detail/compiled_for.h"
#include "bloomery/live/shared.h"

namespace BLOOMERY_NAMESPACE {

// A filter that threads share. Any thread may use it, but not during its construction, move and destruction. It owns
// its bytes.
template <Reads kReads>
class Shared<CountingFilter, kReads> {
 public:
  using Filter = CountingFilter;
  using View = CountingView;
  using Geometry = CountingGeometry;

  static Result<Shared> with_capacity(std::uint64_t n, double fpr, const FilterOptions& options = {}) {
    return from(Filter::with_capacity(n, fpr, options));
  }
  static Result<Shared> with_geometry(const Geometry& geometry, const FilterOptions& options = {}) {
    return from(Filter::with_geometry(geometry, options));
  }
  // Takes over a filter with all that is in it.
  BLOOMERY_PER_ISA explicit Shared(Filter filter)
      : filter_(std::move(filter)),
        remainder_(filter_.geometry().m),
        k_(filter_.geometry().k),
        counter_bits_(filter_.geometry().counter_bits) {}
  // A filter that was moved from answers as the empty filter. What would change it ends the program with a sentence: it
  // has no memory, and could not take any while other threads read it.
  BLOOMERY_PER_ISA Shared(Shared&& other) noexcept : Shared(std::move(other.filter_)) { other.learn_geometry(); }
  BLOOMERY_PER_ISA Shared& operator=(Shared&& other) noexcept {
    filter_ = std::move(other.filter_);
    learn_geometry();
    other.learn_geometry();
    return *this;
  }

  // Adds a key. Returns whether it saw a counter at 0. When several threads add a new key at once, at least one of them
  // gets true, perhaps more.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) {
    return detail::with_shared_counters(counter_bits_, [&]<class Counter>(Counter) {
      return detail::shared_add<Counter>(writable("add"), remainder_, k_, hash_key(hasher(), key));
    });
  }
  // Adds all keys in order. It never fails: this kind takes every key.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) {
    detail::for_hash_groups(hasher(), keys, [&](std::size_t, std::span<const Hash> hashes) {
      for (Hash hash : hashes) add(hash);
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

  // Removes a key. False: the key is not there, or another thread is removing it; then the counters are as they were.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool remove(const T& key) {
    return detail::with_shared_counters(counter_bits_, [&]<class Counter>(Counter) {
      return detail::shared_remove<Counter>(writable("remove"), remainder_, k_, hash_key(hasher(), key));
    });
  }

  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    return detail::with_shared_counters(counter_bits_, [&]<class Counter>(Counter) {
      return detail::cells_contain<Counter>(data(), remainder_, k_, hash_key(hasher(), key));
    });
  }
  // As View::contains_many. Each answer is that of a contains at some moment of the call.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    detail::check_lengths("contains_many", std::size(keys), answers.size());
    detail::for_hash_groups(hasher(), keys, [&](std::size_t first, std::span<const Hash> hashes) {
      detail::shared_contains_many(data(), remainder_, k_, counter_bits_, hashes, answers.data() + first);
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
  // Returns the lowest counter of the key. Each is read at some moment of the call.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  std::uint64_t count(const T& key) const noexcept {
    return detail::with_shared_counters(counter_bits_, [&]<class Counter>(Counter) {
      return detail::counting_count<Counter>(data(), remainder_, k_, hash_key(hasher(), key));
    });
  }

  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool remove(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> std::uint64_t count(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> Status add_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  Shared(const Shared&) = delete;  // copy() makes a plain filter of what is in it, which can fail
  Shared& operator=(const Shared&) = delete;  // copy() makes a plain filter of what is in it, which can fail
  // clang-format on

  // Returns a plain filter of what is in it. A key that was added or removed meanwhile may be there in part: the copy
  // may say either, and that key must not be removed from it.
  BLOOMERY_API Result<Filter> copy() const;

  Geometry geometry() const { return filter_.geometry(); }
  const Hasher& hasher() const { return filter_.hasher(); }
  std::uint64_t bytes() const { return filter_.bytes(); }
  Status prefault(unsigned threads = 1) { return filter_.prefault(threads); }
  Status lock_in_memory() { return filter_.lock_in_memory(); }

 private:
  static Result<Shared> from(Result<Filter> filter) {
    BLOOMERY_TRY(filter);
    return Shared(*std::move(filter));
  }
  void learn_geometry() noexcept {
    remainder_ = detail::Remainder(filter_.geometry().m);
    k_ = filter_.geometry().k;
    counter_bits_ = filter_.geometry().counter_bits;
  }
  std::uint8_t* writable(const char* function) {
    const std::span<std::uint8_t> payload = filter_.mutable_payload();
    if (payload.empty()) [[unlikely]]
      detail::end_for_moved_from(function);
    return payload.data();
  }
  const std::uint8_t* data() const { return filter_.view().payload().data(); }

  Filter filter_;
  detail::Remainder remainder_;
  std::uint32_t k_, counter_bits_;
};

}  // namespace BLOOMERY_NAMESPACE
