// The keys of a batch as callers describe them, checked once, and handed on as ranges that the library takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/c/batch.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"
#include "bloomery/string_column.h"

namespace bloomery::capi {

// A run of keys that was checked: every byte of every key may be read. Refers to memory of the caller's.
class Keys {
 public:
  // Refuses an unknown type, missing data, a stride of strings, and offsets that are not where such integers can be,
  // decrease or lead out of the bytes.
  static Result<Keys> check(const bloomery_keys* keys);

  std::size_t count() const { return run_.count; }
  bool are_hashes() const { return run_.type == BLOOMERY_HASHES; }
  bool are_bytes() const { return run_.type >= BLOOMERY_FIXED_BYTES; }

  // Keys that lie as the library takes them: hashes or 64-bit integers side by side, at addresses that suit them.
  bool are_words() const;
  std::span<const std::uint64_t> words() const { return {static_cast<const std::uint64_t*>(run_.data), run_.count}; }

  // Strings as offsets and bytes, which the library takes as they are, too.
  bool are_strings() const { return run_.type == BLOOMERY_STRINGS32 || run_.type == BLOOMERY_STRINGS64; }
  // use(column), of either width of offsets.
  template <class Use>
  auto with_column(const Use& use) const {
    return run_.type == BLOOMERY_STRINGS32 ? use(column<std::int32_t>()) : use(column<std::int64_t>());
  }

  // Calls use(index of the first key, range) until it returns false: with spans of Hash, std::uint64_t or
  // std::string_view, or columns of strings, of all keys in order. Ranges have at most `most` keys.
  static constexpr std::size_t kGroup = 1024;  // 16 KiB of string_views
  static constexpr std::size_t kAll = PTRDIFF_MAX;
  template <class Use>
  void for_ranges(std::size_t most, const Use& use) const {
    if (are_words()) {
      for_slices(most, [&](std::size_t first, std::size_t some) {
        const std::span range(words().data() + first, some);
        return are_hashes() ? use(first, as_hashes(range)) : use(first, range);
      });
    } else if (are_strings()) {
      with_column([&](const auto& column) {
        for_slices(most, [&](std::size_t first, std::size_t some) { return use(first, column.slice(first, some)); });
      });
    } else if (are_bytes()) {
      gather<std::string_view>(use);
    } else {
      gather<std::uint64_t>(use);
    }
  }

 private:
  explicit Keys(const bloomery_keys& run) : run_(run) {}

  template <class Use>
  void for_slices(std::size_t most, const Use& use) const {
    for (std::size_t first = 0, some = 0; first < count(); first += some) {
      some = std::min(most, count() - first);
      if (!use(first, some)) return;
    }
  }
  template <class Offset>
  StringColumn<Offset> column() const {
    return {std::span(static_cast<const Offset*>(run_.offsets), count() == 0 ? 0 : count() + 1), run_.data};
  }
  template <class T, class Use>
  void gather(const Use& use) const {
    std::array<T, kGroup> group;
    for (std::size_t first = 0; first < count(); first += kGroup) {
      const auto some = std::span(group).first(std::min(kGroup, count() - first));
      load(first, some);
      const std::span<const T> keys = some;
      bool more = false;
      if constexpr (std::same_as<T, std::uint64_t>)
        more = are_hashes() ? use(first, as_hashes(keys)) : use(first, keys);
      else more = use(first, keys);
      if (!more) return;
    }
  }
  void load(std::size_t first, std::span<std::uint64_t> out) const noexcept;
  void load(std::size_t first, std::span<std::string_view> out) const noexcept;
  template <class T>
  void load_as(std::size_t first, std::span<std::uint64_t> out) const noexcept;
  const unsigned char* at(std::size_t index) const {
    return static_cast<const unsigned char*>(run_.data) + static_cast<std::ptrdiff_t>(index) * run_.stride;
  }

  bloomery_keys run_;  // whose stride is 0 only of strings and of empty keys
};

// Refuses an output that is NULL or has room for too few elements: the library ends a program that gives it one.
Status check_length(const char* name, const void* out, std::size_t length, std::size_t needed);

// Passes an error of a batch of questions on; what could not be asked is then answered "maybe", as far as there is
// room.
bloomery_error* all_maybe(bloomery_error* error, const bloomery_keys* keys, std::uint8_t* answers, std::size_t length);

}  // namespace bloomery::capi
