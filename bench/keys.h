// The keys of the benchmarks: numbers 0, 1, 2, .. are the keys that are added, numbers from 2^40 on are never added.
// A number becomes the 8 bytes of its splitmix64, or a string of random bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bloomery/hash.h"

namespace bloomery::bench {

inline constexpr std::uint64_t kAbsent = std::uint64_t{1} << 40;

using Keys = std::variant<std::span<const std::uint64_t>, std::span<const std::string_view>>;

inline std::size_t size(const Keys& keys) {
  return std::visit([](const auto& span) { return span.size(); }, keys);
}

// What a key looks like: an integer, or a string whose length lies between two limits.
struct KeyShape {
  bool integer = true;
  std::size_t shortest = 8, longest = 8;

  static KeyShape strings(std::size_t shortest, std::size_t longest) { return {false, shortest, longest}; }
};

// Keys of a run of numbers, in memory. Moves only: the views point into it.
class KeySet {
 public:
  KeySet(const KeyShape& shape, std::uint64_t first, std::size_t count);
  KeySet(KeySet&&) = default;
  KeySet(const KeySet&) = delete;

  std::size_t size() const { return integer_ ? numbers_.size() : views_.size(); }
  Keys all() const { return part(0, size()); }
  Keys part(std::size_t first, std::size_t count) const;

 private:
  bool integer_;
  std::vector<std::uint64_t> numbers_;
  std::vector<char> bytes_;
  std::vector<std::string_view> views_;
};

// Keys of a run of numbers as a filter takes them: strings, or hashes already, so that no hash is computed.
template <class Key>
class KeyList;

template <>
class KeyList<Hash> {
 public:
  KeyList(std::uint64_t first, std::size_t count);
  std::span<const Hash> keys() const { return hashes_; }
  static constexpr std::size_t kBytes = sizeof(Hash);  // that a key takes in memory

 private:
  std::vector<Hash> hashes_;
};

template <>
class KeyList<std::string_view> {
 public:
  KeyList(std::uint64_t first, std::size_t count) : set_(KeyShape::strings(kShortest, kLongest), first, count) {}
  std::span<const std::string_view> keys() const { return std::get<1>(set_.all()); }

  static constexpr std::size_t kShortest = 16, kLongest = 32;
  static constexpr std::size_t kBytes = kLongest + sizeof(std::string_view);

 private:
  KeySet set_;
};

// The bytes of a key, for those who take bytes only.
inline std::string_view bytes_of(const std::uint64_t& key) { return {reinterpret_cast<const char*>(&key), sizeof key}; }
inline std::string_view bytes_of(const std::string_view& key) { return key; }

}  // namespace bloomery::bench
