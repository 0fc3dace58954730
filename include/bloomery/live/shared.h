// A filter that many threads add to and ask at the same time, over the same bytes as the plain one.
//
//   auto seen = bloomery::Shared<bloomery::BlockFilter>::with_capacity(100'000'000, 0.001);
//   seen->add(key);                             // from any thread
//   seen->contains(key);                        // from any thread, meanwhile
//
// The promise: when add has returned, and the asking thread knows that (it joined the thread, took a lock, read a flag
// that was set afterwards), contains is true. A contains that overlaps the add may say either.
//
// add, contains, contains_many and merge are wait-free: they take no lock and no memory, and no other thread can make
// them loop.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "bloomery/detail/atomic_bits.h"
#include "bloomery/detail/cache_line.h"
#include "bloomery/detail/check.h"
#include "bloomery/filter.h"
#include "bloomery/metrics.h"
#include "bloomery/result.h"

#if defined(__SANITIZE_THREAD__)
#define BLOOMERY_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BLOOMERY_THREAD_SANITIZER
#endif
#endif
#ifdef BLOOMERY_THREAD_SANITIZER
extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);
#endif

namespace BLOOMERY_NAMESPACE {

// How a lookup reads bits that others may be setting. `vectors` uses the same instructions as a plain filter, at the
// same cost. `words` uses relaxed atomic loads of 64 bits (classic: 8 bits), which the C++ memory model allows; it is
// slower.
enum class Reads : std::uint8_t { vectors, words };

namespace detail {

// Hides reads from ThreadSanitizer while it lives. Only here does the library read by plain and vector loads what
// others write by atomics, which the C++ memory model calls a race. It is harmless: bits are only ever set; on x86-64
// and arm64 an aligned 8-byte part of a vector load is old or new and never torn; nothing is read twice; and a contains
// that overlaps those adds may see any mixture of old and new bits.
class RacyReads {
 public:
#ifdef BLOOMERY_THREAD_SANITIZER
  RacyReads() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~RacyReads() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
#else
  RacyReads() {}  // NOLINT(modernize-use-equals-default): a variable of this type would count as unused
#endif
  RacyReads(const RacyReads&) = delete;
  RacyReads& operator=(const RacyReads&) = delete;
};

}  // namespace detail

template <class Filter, Reads kReads = Reads::vectors>
class Shared;
template <class Filter>
class LiveFilter;

// A filter that threads share. Any thread may use it, but not during its construction, move and destruction. It owns
// its bytes.
template <class Layout, Reads kReads>
class Shared<BasicFilter<Layout>, kReads> {
  static_assert(
      requires { sizeof(detail::AtomicBits<Layout>); },
      "of classic, split and block; of counting in bloomery/live/shared_counting.h, of cuckoo in "
      "bloomery/live/shared_cuckoo.h; other kinds are not shared");

 public:
  using Filter = BasicFilter<Layout>;
  using View = BasicView<Layout>;
  using Geometry = typename Layout::Geometry;

  static Result<Shared> with_capacity(std::uint64_t n, double fpr, const FilterOptions& options = {}) {
    return from(Filter::with_capacity(n, fpr, options));
  }
  static Result<Shared> with_geometry(const Geometry& geometry, const FilterOptions& options = {}) {
    return from(Filter::with_geometry(geometry, options));
  }
  // Takes over a filter with all that is in it.
  BLOOMERY_API static Result<Shared> from(Result<Filter> filter);
  // Takes over a filter; throws std::bad_alloc without memory for its locks.
  BLOOMERY_PER_ISA explicit Shared(Filter filter) : filter_(std::move(filter)), atomic_(filter_.geometry()) {}
  // A filter that was moved from answers as the empty filter. What would change it ends the program with a sentence: it
  // has no memory, and could not take any while other threads read it.
  BLOOMERY_PER_ISA Shared(Shared&& other) noexcept
      : filter_(std::move(other.filter_)), atomic_(other.atomic_), stripes_(std::move(other.stripes_)) {
    other.learn_geometry();
  }
  BLOOMERY_PER_ISA Shared& operator=(Shared&& other) noexcept {
    filter_ = std::move(other.filter_);
    stripes_ = std::move(other.stripes_);
    learn_geometry();
    other.learn_geometry();
    return *this;
  }

  // Adds a key. Returns whether it changed a bit. When several threads add a new key at once, at least one of them gets
  // true, perhaps more.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) {
    return add_hash(writable("add"), hash_key(hasher(), key));
  }
  // Adds all keys in order. It never fails: these kinds take every key.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) {
    std::uint8_t* const to = writable("add_many");
    detail::for_hash_groups(hasher(), keys, [&](std::size_t, std::span<const Hash> hashes) { add_hashes(to, hashes); });
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

  // Adds a key, and returns true to exactly one of the threads that call this with an equal new key. It takes one of 64
  // locks. A key that is a false positive is new to no thread.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add_once(const T& key) {
    const Hash hash = hash_key(hasher(), key);
    std::uint8_t* const to = writable("add_once");
    const std::lock_guard lock((*stripes_)[hash.bits % kStripes].mutex);
    return add_hash(to, hash);
  }

  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    const Hash hash = hash_key(hasher(), key);
    if constexpr (kReads == Reads::words) {
      return atomic_.contains(filter_.view().payload().data(), hash);
    } else {
      const detail::RacyReads reads;
      return filter_.contains(hash);
    }
  }

  // As View::contains_many. Each answer is that of a contains at some moment of the call.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    detail::check_lengths("contains_many", std::size(keys), answers.size());
    detail::for_hash_groups(hasher(), keys, [&](std::size_t first, std::span<const Hash> hashes) {
      if constexpr (kReads == Reads::words) {
        for (std::size_t i = 0; i < hashes.size(); ++i) answers[first + i] = contains(hashes[i]) ? 1 : 0;
      } else {
        const detail::RacyReads reads;
        filter_.contains_many(hashes, answers.subspan(first));
      }
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
  template <class T> bool add_once(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> Status add_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  Shared(const Shared&) = delete;  // copy() makes a plain filter of what is in it, which can fail
  Shared& operator=(const Shared&) = delete;  // copy() makes a plain filter of what is in it, which can fail
  // clang-format on

  // Adds all that `other` holds; nobody may write to `other` meanwhile. Refuses another geometry or hash, and names
  // both.
  BLOOMERY_API Status merge(const View& other);
  // Adds all that `other` holds, to which others may be adding: every add that returned before the call, and perhaps
  // parts of those that overlap.
  BLOOMERY_API Status merge(const Shared& other);

  // Empties the filter, word by word. An add that overlaps may be lost, in part or whole: only a key that is added
  // after clear has returned is surely there.
  BLOOMERY_API void clear();

  // Returns a plain filter of what is in it: every add that returned before the call, and perhaps parts of those that
  // overlap.
  BLOOMERY_API Result<Filter> copy() const;

  Geometry geometry() const { return filter_.geometry(); }
  const Hasher& hasher() const { return filter_.hasher(); }
  std::uint64_t bytes() const { return filter_.bytes(); }
  Status prefault(unsigned threads = 1) { return filter_.prefault(threads); }
  Status lock_in_memory() { return filter_.lock_in_memory(); }

  // These read the whole filter while others may be adding.
  BLOOMERY_API std::uint64_t bits_set() const;
  BLOOMERY_API double fill() const;
  BLOOMERY_API double predicted_fpr() const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count() const;

  // Returns a view over bytes that others may be writing. RacyReads says why asking them is harmless. To save or encode
  // the filter take a copy() first: a view that changes meanwhile is refused.
  const View& view() const { return filter_.view(); }

 private:
  template <class>
  friend class LiveFilter;

  struct alignas(detail::kCacheLine) Stripe {
    std::mutex mutex;
  };
  static constexpr std::size_t kStripes = 64;

  static constexpr bool kByVectors = kReads == Reads::vectors && requires {
    &detail::AtomicBits<Layout>::add_by_vectors;
  };

  BLOOMERY_PER_ISA bool add_hash(std::uint8_t* to, Hash hash) {
    if constexpr (kByVectors) {
      const detail::RacyReads reads;
      return atomic_.add_by_vectors(to, hash);
    } else {
      return atomic_.add(to, hash);
    }
  }
  BLOOMERY_PER_ISA void add_hashes(std::uint8_t* to, std::span<const Hash> hashes) {
    if constexpr (kByVectors) {
      const detail::RacyReads reads;
      atomic_.add_many_by_vectors(to, hashes);
    } else {
      count_changed(to, hashes);
    }
  }
  // Adds as add_hashes does, and returns how many of the hashes changed a bit.
  BLOOMERY_PER_ISA std::size_t count_changed(std::uint8_t* to, std::span<const Hash> hashes) {
    constexpr std::size_t kAhead = 16;
    std::size_t changed = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) atomic_.fetch(to, hashes[i + kAhead]);
      changed += static_cast<std::size_t>(add_hash(to, hashes[i]));
    }
    return changed;
  }
  // As add_many, for a LiveFilter, which counts new keys.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  std::size_t add_counting(const Keys& keys) {
    std::uint8_t* const to = writable("add_many");
    std::size_t changed = 0;
    detail::for_hash_groups(hasher(), keys,
                            [&](std::size_t, std::span<const Hash> hashes) { changed += count_changed(to, hashes); });
    return changed;
  }

  void learn_geometry() noexcept { atomic_ = detail::AtomicBits<Layout>(filter_.geometry()); }
  std::span<std::uint8_t> mutable_payload(const char* function) {
    const std::span<std::uint8_t> payload = filter_.mutable_payload();
    if (payload.empty()) [[unlikely]]
      detail::end_for_moved_from(function);
    return payload;
  }
  std::uint8_t* writable(const char* function) { return mutable_payload(function).data(); }

  Filter filter_;
  detail::AtomicBits<Layout> atomic_;
  std::unique_ptr<std::array<Stripe, kStripes>> stripes_ = std::make_unique<std::array<Stripe, kStripes>>();
};

}  // namespace BLOOMERY_NAMESPACE
