// Columns of integers of any width, and of strings of bytes of one width: what NumPy and Arrow both have.
#pragma once

#include <cstring>
#include <string_view>

#include "column.h"

namespace bloomery::python {

// Integers of type T, `stride` bytes apart, which may be negative and need not be aligned.
template <class T>
class IntegerColumn : public Column {
 public:
  IntegerColumn(const void* first, std::size_t count, std::ptrdiff_t stride)
      : Column(count), first_(static_cast<const char*>(first)), stride_(stride) {}

  bool hash(const Hasher& hasher, std::size_t first, std::span<Hash> out) const noexcept override {
    const char* at = first_ + static_cast<std::ptrdiff_t>(first) * stride_;
    if (stride_ == sizeof(T)) widen(at, sizeof(T), out);  // a constant, which the compiler has vectors for
    else widen(at, stride_, out);
    hasher.hash_many(std::span(&out.data()->bits, out.size()), out);
    return true;
  }
  std::uint64_t integer(std::size_t i) const noexcept override {
    T value;
    std::memcpy(&value, first_ + static_cast<std::ptrdiff_t>(i) * stride_, sizeof value);
    return static_cast<std::uint64_t>(value);
  }
  std::span<const std::uint64_t> integers() const noexcept override {
    if (sizeof(T) != 8 || stride_ != 8 || reinterpret_cast<std::uintptr_t>(first_) % 8 != 0) return {};
    return {reinterpret_cast<const std::uint64_t*>(first_), count_};
  }

 private:
  static void widen(const char* at, std::ptrdiff_t stride, std::span<Hash> out) noexcept {
    for (Hash& to : out) {
      T value;
      std::memcpy(&value, at, sizeof value);
      to.bits = static_cast<std::uint64_t>(value);
      at += stride;
    }
  }

  const char* first_;
  std::ptrdiff_t stride_;
};

// Strings of `width` bytes. Of NumPy's, zeros at the end are padding and do not belong to the key.
class FixedBytesColumn : public Column {
 public:
  FixedBytesColumn(const void* first, std::size_t count, std::ptrdiff_t stride, std::size_t width, bool padded)
      : Column(count), first_(static_cast<const char*>(first)), stride_(stride), width_(width), padded_(padded) {}

  bool hash(const Hasher& hasher, std::size_t first, std::span<Hash> out) const noexcept override {
    std::array<std::string_view, kGroup> views;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const char* at = first_ + static_cast<std::ptrdiff_t>(first + i) * stride_;
      std::size_t size = width_;
      while (padded_ && size > 0 && at[size - 1] == 0) --size;
      views[i] = {at, size};
    }
    hasher.hash_many(std::span<const std::string_view>(views).first(out.size()), out);
    return true;
  }

 private:
  const char* first_;
  std::ptrdiff_t stride_;
  std::size_t width_;
  bool padded_;
};

// The column of integers with `width` bytes, or nullptr for another width.
inline std::unique_ptr<Column> integer_column(const void* first, std::size_t count, std::ptrdiff_t stride,
                                              std::size_t width, bool is_signed) {
  switch (width) {
    case 1:
      if (is_signed) return std::make_unique<IntegerColumn<std::int8_t>>(first, count, stride);
      return std::make_unique<IntegerColumn<std::uint8_t>>(first, count, stride);
    case 2:
      if (is_signed) return std::make_unique<IntegerColumn<std::int16_t>>(first, count, stride);
      return std::make_unique<IntegerColumn<std::uint16_t>>(first, count, stride);
    case 4:
      if (is_signed) return std::make_unique<IntegerColumn<std::int32_t>>(first, count, stride);
      return std::make_unique<IntegerColumn<std::uint32_t>>(first, count, stride);
    case 8: return std::make_unique<IntegerColumn<std::uint64_t>>(first, count, stride);
    default: return nullptr;
  }
}

}  // namespace bloomery::python
