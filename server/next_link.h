// The link that a chain will need next. Its memory is taken before the newest link is full and zeroed in slices, a
// little with each key, so that no command waits for all of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace bloomery::server {

// A new link of up to 4 MiB is zeroed at once, when it is needed (bench/results/2026-11-18-server-2-cores.md has the
// time that takes). Memory for a larger link is taken when the newest link has 31/32 of its keys, and zeroed in slices.
// Taking it later wastes less memory; the slices stay below 1 MiB for expansions up to 32,768.
inline constexpr std::uint64_t kZeroedAtOnce = std::uint64_t{4} << 20;
inline bool is_nearly_full(std::uint64_t items, std::uint64_t capacity) { return items >= capacity - capacity / 32; }

// Holds a link whose `bytes` are still to be zeroed. One thread.
template <class LinkPointer>
class NextLink {
 public:
  bool empty() const { return link_ == nullptr; }
  const auto* get() const { return link_.get(); }
  auto* get() { return link_.get(); }
  void take(LinkPointer link) {
    link_ = std::move(link);
    zeroed_ = 0;
  }
  // Zeroes the share of one key when the newest link takes `adds` more.
  void zero_slice(std::uint64_t adds) noexcept {
    constexpr std::size_t kLeastSlice = 4096;
    const std::size_t left = link_->bytes.size() - zeroed_;
    zero(std::min(left, std::max(kLeastSlice, static_cast<std::size_t>(left / std::max<std::uint64_t>(adds, 1) + 1))));
  }
  // The link, all of it zeroed; this is empty then.
  LinkPointer finish() noexcept {
    zero(link_->bytes.size() - zeroed_);
    return std::move(link_);
  }

 private:
  void zero(std::size_t size) noexcept {
    std::memset(link_->bytes.data() + zeroed_, 0, size);
    zeroed_ += size;
  }

  LinkPointer link_;
  std::size_t zeroed_ = 0;
};

}  // namespace bloomery::server
