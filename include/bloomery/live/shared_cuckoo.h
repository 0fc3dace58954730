// A cuckoo filter that many threads add to, remove from and ask at the same time, over the same bytes as the plain one.
//
//   auto seen = bloomery::Shared<bloomery::CuckooFilter>::with_capacity(100'000'000, 0.002);
//   seen->add(key);                             // from any thread; full is an error
//   seen->contains(key);                        // from any thread, meanwhile
//   seen->remove(key);                          // from any thread; only what was added
//
// The promise: while a key is in, contains is true. A key is in from the return of its add, if the asking thread knows
// of that (it joined the thread, took a lock, read a flag that was set afterwards), until the call of a remove that
// takes its last copy out. A contains that overlaps the add or the remove may say either.
//
// contains and contains_many take no lock and no memory, and end after a bounded number of steps whatever other threads
// do: a lookup that was disturbed eight times says "maybe". An add that finds a free slot takes it by one
// compare-and-swap; of 12-bit fingerprints one slot in eight takes a lock (one in four over memory of the caller's). A
// remove, and an add that must move other keys, hold the locks of the pairs of buckets that these keys may lie in.
// There are 1024 locks of pairs, and as many of slots, so that threads which add and remove rarely wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bloomery/cuckoo.h"
#include "bloomery/detail/compiled_for.h"
#include "bloomery/live/shared.h"

namespace BLOOMERY_NAMESPACE {

namespace detail {
struct CuckooStripes;  // the locks of threads that change a filter
}

// A filter that threads share. Any thread may use it, but not during its construction, move and destruction. It owns
// its bytes.
template <>
class BLOOMERY_API Shared<CuckooFilter> {
 public:
  using Filter = CuckooFilter;
  using Geometry = CuckooGeometry;

  static Result<Shared> with_capacity(std::uint64_t n, double fpr, const FilterOptions& options = {}) {
    return from(Filter::with_capacity(n, fpr, options));
  }
  static Result<Shared> with_geometry(const Geometry& geometry, const FilterOptions& options = {}) {
    return from(Filter::with_geometry(geometry, options));
  }
  // Takes over a filter with all that is in it.
  static Result<Shared> from(Result<Filter> filter);
  // Takes over a filter; throws std::bad_alloc without memory for its locks and counts of changes.
  explicit Shared(Filter filter);
  // A filter that was moved from answers as the empty filter; what would change it ends the program with a sentence.
  Shared(Shared&&) noexcept;
  Shared& operator=(Shared&&) noexcept;
  ~Shared();

  // Adds a key. The error is ErrorCode::full: then no key has come or gone, though fingerprints may have moved.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add(const T& key) {
    if (!add_hash(hash_key(hasher(), key))) [[unlikely]]
      return refusal();
    return {};
  }
  // Adds all keys in order. On an error the keys before the refused one are in.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) {
    Status status;
    detail::for_hash_groups(hasher(), keys, [&](std::size_t, std::span<const Hash> hashes) {
      if (status.ok() && add_hashes(hashes) < hashes.size()) status = refusal();
    });
    return status;
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add_many(std::initializer_list<T> keys) {
    return add_many(std::span(keys.begin(), keys.size()));
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(Keys first, Keys last) {
    return add_many(std::span(first, last));
  }
  // As CuckooFilter::remove. When several threads remove a key that is in once, one of them gets true.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool remove(const T& key) {
    return remove_hash(hash_key(hasher(), key));
  }

  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    return contains_hash(hash_key(hasher(), key));
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    detail::check_lengths("contains_many", std::size(keys), answers.size());
    detail::for_hash_groups(hasher(), keys, [&](std::size_t first, std::span<const Hash> hashes) {
      contains_hashes(hashes, answers.data() + first);
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
  template <class T> Status add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool remove(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> Status add_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  Shared(const Shared&) = delete;  // copy() makes a plain filter of what is in it, which can fail
  Shared& operator=(const Shared&) = delete;  // copy() makes a plain filter of what is in it, which can fail
  // clang-format on

  Geometry geometry() const { return filter_.geometry(); }
  const Hasher& hasher() const { return filter_.hasher(); }
  std::uint64_t bytes() const { return filter_.bytes(); }
  Status prefault(unsigned threads = 1) { return filter_.prefault(threads); }
  Status lock_in_memory() { return filter_.lock_in_memory(); }

  // These read the whole filter and hold all locks meanwhile: removes wait, and so do adds that must move keys or fill
  // a slot that takes a lock. copy returns a plain filter of all that was in when it was called; adds that overlap the
  // call are in it or not.
  Result<Filter> copy() const;
  std::uint64_t bits_set() const;
  double fill() const;
  double predicted_fpr() const;
  // Adds that returned, minus removes; nothing when the filter that was taken over did not know.
  std::optional<std::uint64_t> key_count() const;

 private:
  bool add_hash(Hash hash);
  std::size_t add_hashes(std::span<const Hash> hashes);
  Status refusal() const;
  bool remove_hash(Hash hash);
  bool contains_hash(Hash hash) const;
  void contains_hashes(std::span<const Hash> hashes, std::uint8_t* answers) const;
  template <class Use>
  decltype(auto) with_bucket(Use use) const;
  template <class Use>
  void for_buckets(Use use) const;
  std::optional<std::uint64_t> keys_in(std::uint64_t slots) const;
  const std::uint8_t* data() const { return filter_.view().payload().data(); }

  Filter filter_;
  std::unique_ptr<detail::CuckooStripes> stripes_;  // null after the filter was moved from
  bool whole_words_ = false;                        // buckets change by words of 8 bytes, else of 4
};

}  // namespace BLOOMERY_NAMESPACE
