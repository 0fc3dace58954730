// Watches what a thread allocates, and makes an allocation fail. Only in programs that are linked with allocations.cc,
// which takes the place of operator new there, and with --wrap=aligned_alloc, where the memory of filters comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bloomery::testing {

// From its construction on, of this thread; one at a time. What is checked while it is there must not allocate.
class Allocations {
 public:
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
