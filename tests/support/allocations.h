// Watches what a thread allocates, and makes an allocation fail. Only in programs that are linked with allocations.cc,
// which takes the place of operator new there, and with --wrap=aligned_alloc, where the memory of filters comes from.
// ThreadSanitizer has an operator new of its own, whose place nobody can take: with it nothing is watched and nothing
// fails, and tests that live on it are skipped (kWatched).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(__SANITIZE_THREAD__)
#define BLOOMERY_ALLOCATIONS_UNWATCHED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BLOOMERY_ALLOCATIONS_UNWATCHED
#endif
#endif

namespace bloomery::testing {

// From its construction on, of this thread; one at a time. What is checked while it is there must not allocate.
class Allocations {
 public:
#ifdef BLOOMERY_ALLOCATIONS_UNWATCHED
  static constexpr bool kWatched = false;
#else
  static constexpr bool kWatched = true;
#endif
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  explicit Allocations(std::uint64_t fail_at = kNone);
  ~Allocations();
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  std::uint64_t count() const { return count_; }
  std::size_t largest() const { return largest_; }
  bool failed() const { return count_ > fail_at_; }

  // Whether one of so many bytes happens. For allocations.cc.
  static bool allowed(std::size_t bytes) noexcept;

 private:
  std::uint64_t fail_at_, count_ = 0;
  std::size_t largest_ = 0;
};

}  // namespace bloomery::testing
