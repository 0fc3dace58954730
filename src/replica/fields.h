// Little-endian fields of message bodies, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/detail/bits.h"
#include "bloomery/replica/message.h"

namespace BLOOMERY_NAMESPACE::replica {

// Reads fields. What is asked for beyond the end reads as zeros and makes failed() true, so that a parser asks once,
// before it uses a count or takes memory.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  template <class T>
  T take() {
    const std::span<const std::uint8_t> bytes = take_bytes(sizeof(T));
    return bytes.empty() ? T{0} : detail::load_le<T>(bytes.data());
  }
  // Returns the next `count` bytes; none when there are fewer.
  std::span<const std::uint8_t> take_bytes(std::uint64_t count) {
    if (count > left_.size()) {
      failed_ = true;
      left_ = {};
      return {};
    }
    const auto taken = left_.first(static_cast<std::size_t>(count));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  bool failed() const { return failed_; }
  std::size_t left() const { return left_.size(); }

 private:
  std::span<const std::uint8_t> left_;
  bool failed_ = false;
};

class FieldWriter {
 public:
  explicit FieldWriter(Bytes& to) : to_(to) {}

  template <class T>
  void put(T value) {
    to_.resize(to_.size() + sizeof(T));
    detail::store_le(to_.data() + to_.size() - sizeof(T), value);
  }
  void put_bytes(std::span<const std::uint8_t> bytes) {
    to_.resize(to_.size() + bytes.size());
    std::copy(bytes.begin(), bytes.end(), to_.end() - static_cast<std::ptrdiff_t>(bytes.size()));
  }

 private:
  Bytes& to_;
};

}  // namespace BLOOMERY_NAMESPACE::replica
