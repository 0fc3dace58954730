// The entries of the table benchmarks: keys of 16 hexadecimal digits, values of 100 random bytes. Key i lies at a
// random place of the lower half of the i-th of n equal parts of all numbers of 64 bits, absent keys lie in the upper
// halves: they are among the present ones, everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/detail/fnv.h"

namespace bloomery::bench {

class Entries {
 public:
  static constexpr std::size_t kKeyBytes = 16, kValueBytes = 100;
  using Key = std::array<char, kKeyBytes>;

  explicit Entries(std::uint64_t n) : n_(n), part_(UINT64_MAX / n), pool_(kPool + kValueBytes, '\0') {
    for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = static_cast<char>(detail::splitmix64(i) >> 56);
  }

  std::uint64_t size() const { return n_; }
  // The i-th in order.
  Key key(std::uint64_t i) const { return text(i * part_ + detail::splitmix64(i) % (part_ / 2)); }
  std::string_view value(std::uint64_t i) const {
    return std::string_view(pool_).substr(detail::splitmix64(~i) % kPool, kValueBytes);
  }
  // Any number gives one.
  Key absent(std::uint64_t number) const {
    const std::uint64_t random = detail::splitmix64(number);
    return text(random % n_ * part_ + part_ / 2 + detail::splitmix64(random) % (part_ / 2));
  }
  Key present(std::uint64_t number) const { return key(detail::splitmix64(number) % n_); }

 private:
  static constexpr std::size_t kPool = 1 << 20;

  static Key text(std::uint64_t number) {
    Key key;
    for (std::size_t i = key.size(); i-- > 0; number >>= 4) key[i] = "0123456789abcdef"[number & 15];
    return key;
  }

  std::uint64_t n_, part_;
  std::string pool_;
};

inline std::string_view view_of(const Entries::Key& key) { return {key.data(), key.size()}; }

// Numbers that become keys, in memory, so that making them is not timed. Moves only: the views point into it.
class Questions {
 public:
  Questions(const Entries& entries, bool present, std::uint64_t first, std::size_t count) : keys_(count) {
    for (std::size_t i = 0; i < count; ++i) keys_[i] = present ? entries.present(first + i) : entries.absent(first + i);
    for (const Entries::Key& key : keys_) views_.push_back(view_of(key));
  }
  Questions(Questions&&) = default;
  Questions(const Questions&) = delete;

  const std::vector<std::string_view>& keys() const { return views_; }

 private:
  std::vector<Entries::Key> keys_;
  std::vector<std::string_view> views_;
};

}  // namespace bloomery::bench
