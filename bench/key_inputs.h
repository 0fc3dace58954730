// What users pass to a filter: hashes, integers, keys of their own, strings. Each input makes key number i, so that any
// run of numbers can be asked for; equal numbers make equal keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/keys.h"
#include "bloomery/hash.h"
#include "bloomery/string_column.h"

namespace bloomery::bench {

struct OwnKey {
  std::uint64_t account;
  std::uint32_t region;
};
inline Hash bloomery_hash(const Hasher& hasher, const OwnKey& key) noexcept {
  return hasher(key.account ^ std::uint64_t{key.region} << 40);
}

struct HashInput {
  using Key = Hash;
  static constexpr const char* kName = "Hash";
  std::vector<Key> make(std::span<const std::uint64_t> numbers) {
    std::vector<Key> keys;
    keys.reserve(numbers.size());
    for (const std::uint64_t number : numbers) keys.emplace_back(detail::splitmix64(number));
    return keys;
  }
};

struct IntegerInput {
  using Key = std::uint64_t;
  static constexpr const char* kName = "uint64_t";
  std::vector<Key> make(std::span<const std::uint64_t> numbers) { return {numbers.begin(), numbers.end()}; }
};

struct OwnInput {
  using Key = OwnKey;
  static constexpr const char* kName = "own key type";
  std::vector<Key> make(std::span<const std::uint64_t> numbers) {
    std::vector<Key> keys;
    keys.reserve(numbers.size());
    for (const std::uint64_t number : numbers) keys.push_back({number, static_cast<std::uint32_t>(number % 7)});
    return keys;
  }
};

// Bytes of a number, of a length between two limits that the number decides, too.
inline void fill_text(std::uint64_t number, char* out, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t random = detail::splitmix64(number + i * 0x9e3779b97f4a7c15);
    for (std::size_t j = i; j < size && j < i + 8; ++j) out[j] = static_cast<char>(random >> (8 * (j - i)));
  }
}

template <std::size_t kShortest, std::size_t kLongest>
struct ViewInput {
  using Key = std::string_view;
  static constexpr const char* kName = kLongest == 8    ? "string_view, 8 bytes"
                                       : kLongest == 32 ? "string_view, 16 to 32 bytes"
                                                        : "string_view, 100 bytes";
  // The bytes stay in place until the next call.
  std::vector<Key> make(std::span<const std::uint64_t> numbers) {
    bytes_.resize(numbers.size() * kLongest);
    std::vector<Key> keys;
    keys.reserve(numbers.size());
    char* at = bytes_.data();
    for (const std::uint64_t number : numbers) {
      const std::size_t size = kShortest + detail::splitmix64(~number) % (kLongest - kShortest + 1);
      fill_text(number, at, size);
      keys.emplace_back(at, size);
      at += size;
    }
    return keys;
  }

 private:
  std::vector<char> bytes_;
};

template <std::size_t kShortest, std::size_t kLongest>
struct StringInput {
  using Key = std::string;
  static constexpr const char* kName = kLongest == 8    ? "string, 8 bytes"
                                       : kLongest == 32 ? "string, 16 to 32 bytes"
                                                        : "string, 100 bytes";
  std::vector<Key> make(std::span<const std::uint64_t> numbers) {
    std::vector<Key> keys;
    keys.reserve(numbers.size());
    for (const std::string_view view : views_.make(numbers)) keys.emplace_back(view);
    return keys;
  }

 private:
  ViewInput<kShortest, kLongest> views_;
};

// The same strings end to end, with their offsets.
struct ColumnInput {
  using Key = std::string_view;
  static constexpr const char* kName = "column of strings, 16 to 32 bytes";
  // The bytes stay in place until the next call.
  StringColumn<std::int32_t> make(std::span<const std::uint64_t> numbers) {
    bytes_.clear();
    offsets_.assign(1, 0);
    for (const std::string_view view : views_.make(numbers)) {
      bytes_ += view;
      offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
    }
    return {offsets_, bytes_.data()};
  }

 private:
  ViewInput<16, 32> views_;
  std::string bytes_;
  std::vector<std::int32_t> offsets_;
};

// What an input made, to be passed on and to be read by number.
template <class Key>
std::span<const Key> range_of(const std::vector<Key>& keys) {
  return keys;
}
inline StringColumn<std::int32_t> range_of(const StringColumn<std::int32_t>& keys) { return keys; }

}  // namespace bloomery::bench
