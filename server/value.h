// What all values of this module have in common: a small header and payloads of bytes. Everything that moves a value
// (RDB, AOF, dumps, COPY, digests) is written once, in terms of these (transfer.h).
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/result.h"
#include "server/memory.h"

namespace bloomery::server {

enum class ValueKind : std::uint8_t { bloom = 'B', cuckoo = 'C', filter = 'F' };

// Writes the fields of a header, little-endian, one by one.
class HeaderWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(value); }
  void u32(std::uint32_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  void f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }
  void bytes(std::span<const std::uint8_t> value) {
    u64(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  std::vector<std::uint8_t> take() && { return std::move(bytes_); }

 private:
  void number(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  std::vector<std::uint8_t> bytes_;
};

// Reads them again. After the end every field is 0 and ok() is false; count the fields of a list by `left`.
class HeaderReader {
 public:
  explicit HeaderReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  double f64() { return std::bit_cast<double>(u64()); }
  std::span<const std::uint8_t> bytes() {
    const std::uint64_t size = u64();
    if (size > bytes_.size()) {
      ok_ = false;
      return {};
    }
    const auto taken = bytes_.first(static_cast<std::size_t>(size));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  std::size_t left() const { return bytes_.size(); }
  bool ok() const { return ok_; }
  // Returns whether all fields were there, and nothing else.
  bool done() const { return ok_ && bytes_.empty(); }

 private:
  std::uint64_t number(std::size_t count) {
    if (count > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{bytes_[i]} << (8 * i);
    bytes_ = bytes_.subspan(count);
    return value;
  }
  std::span<const std::uint8_t> bytes_;
  bool ok_ = true;
};

// A value of a key. The server calls from one thread, and destroys on any.
class Value {
 public:
  Value() noexcept { live.fetch_add(1, std::memory_order_relaxed); }
  virtual ~Value() { live.fetch_sub(1, std::memory_order_relaxed); }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  virtual ValueKind kind() const = 0;
  // Writes all but the payloads.
  virtual void write_header(HeaderWriter& out) const = 0;
  virtual std::size_t payloads() const = 0;
  virtual std::span<std::uint8_t> payload(std::size_t i) = 0;
  std::span<const std::uint8_t> payload(std::size_t i) const { return const_cast<Value*>(this)->payload(i); }
  // Checks the payloads, which have all arrived, and makes a usable value of them. When it throws std::bad_alloc, the
  // payloads are still there. After an error they may be gone, and nothing is done with the value but to destroy it.
  virtual Status finish_loading() = 0;
  // The bytes that the server's allocator spends on it.
  virtual std::size_t memory() const = 0;
  // Moves its bytes to where the server's allocator wants them; what is not moved stays as it is.
  virtual void defragment(DefragContext*) noexcept {}
  // Begins a dump in parts. Its parts carry the number along, of up to 22 bits, by which they are known to belong
  // together. Throws std::bad_alloc.
  virtual std::uint64_t begin_dump() = 0;
  // The payload bytes of that dump. Nothing when the value has changed since the dump began other than by gaining bits,
  // or is another value.
  virtual std::optional<std::uint64_t> dump_bytes(std::uint64_t tag) const = 0;
  // Copies bytes of that dump from an offset on.
  virtual void copy_dump(std::uint64_t tag, std::uint64_t offset, std::span<std::uint8_t> out) const;

  std::uint64_t payload_bytes(std::size_t count) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += payload(i).size();
    return sum;
  }
  std::uint64_t payload_bytes() const { return payload_bytes(payloads()); }

  // While its payloads arrive part by part: how many bytes have. Such a value answers "maybe", and takes no keys.
  std::optional<std::uint64_t> loaded;

  static inline std::atomic<std::uint64_t> live{0};
};

using ValuePointer = std::unique_ptr<Value, Destroy>;

}  // namespace bloomery::server
