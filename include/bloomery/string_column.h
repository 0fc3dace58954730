// Strings that lie end to end in one buffer, as Arrow and most column stores hold them: what batches and builds take
// instead of an array of string_view, without making one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// The integers that offsets are made of. Arrow's are int32_t (utf8, binary) and int64_t (large_utf8, large_binary).
template <class T>
concept ColumnOffset = std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>;

// A column of strings. String i is the bytes from offsets[i] up to offsets[i + 1], so there is one offset more than
// strings; no offsets are no strings. The first offset need not be 0, as in a slice of a longer column. A column is a
// small value that any thread may copy and read; offsets and bytes belong to the caller and must outlive it. It knows
// no null values: an entry that a validity bitmap calls null is asked for, or added, as the bytes that its offsets
// name, usually the empty string.
template <ColumnOffset Offset>
class StringColumn {
 public:
  constexpr StringColumn() = default;
  // Trusts the offsets: they must not decrease, and the bytes up to the last offset must exist. `bytes` may be nullptr
  // where all strings are empty.
  constexpr StringColumn(std::span<const Offset> offsets, const void* bytes) noexcept
      : offsets_(offsets.data()),
        bytes_(static_cast<const char*>(bytes)),
        size_(offsets.empty() ? 0 : offsets.size() - 1) {}

  // Looks at every offset first. Refuses an offset that is negative, smaller than the one before it or behind the end
  // of the bytes, and names it.
  BLOOMERY_API static Result<StringColumn> checked(std::span<const Offset> offsets,
                                                   std::span<const std::uint8_t> bytes);

  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr std::string_view operator[](std::size_t i) const noexcept {
    return {bytes_ + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }
  // Returns the `count` strings from number `first` on, which must exist.
  constexpr StringColumn slice(std::size_t first, std::size_t count) const noexcept {
    StringColumn part = *this;
    part.offsets_ += first;
    part.size_ = count;
    return part;
  }

 private:
  const Offset* offsets_ = nullptr;
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
};

// From a vector or an array of offsets.
template <class Offsets>
StringColumn(const Offsets& offsets, const void* bytes)
    -> StringColumn<std::remove_cv_t<typename decltype(std::span(offsets))::element_type>>;

}  // namespace BLOOMERY_NAMESPACE
