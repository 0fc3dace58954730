// The memory of filters: zeroed, aligned to a cache line, of any size; failure is an error. Nothing else in the library
// owns raw memory. It comes from the system, or from a MemorySource of the user's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/export.h"
#include "bloomery/memory.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::detail {

// A block of memory. One thread may write to it while no other reads it. It owns its bytes; it moves and never copies.
class Buffer {
 public:
  Buffer() = default;
  // Takes zeroed memory. The system gives small buffers from the heap, and larger ones as anonymous pages, from 4 MiB
  // on aligned to 2 MiB and advised to be huge. A source gives what it gives.
  static Result<Buffer> zeroed(std::uint64_t bytes, MemorySource* source = nullptr);

  // Takes memory to work in and give back soon, with any bytes in it. Up to 32 MiB it comes from the heap, which keeps
  // the pages for the next time.
  static Result<Buffer> scratch(std::uint64_t bytes);

  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) release();
  }

  // Touches every page now, so that no later write faults one in. It uses several threads because zeroing pages takes
  // the time. The error is out_of_memory.
  BLOOMERY_API Status prefault(unsigned threads = 1);

  // Locks every page in memory, so that it is never swapped out. It also touches every page, on one thread, so prefault
  // a large buffer first. A refusal is an error and changes nothing. The lock ends with the buffer, except for heap
  // pages at either end of a buffer below 1 MiB: they hold other memory too, are locked whole and stay locked.
  BLOOMERY_API Status lock();

  // Returns the pages of a buffer from 1 MiB on, for requests to the system; nothing for a smaller buffer, which shares
  // its pages with the rest of the heap.
  BLOOMERY_API std::span<std::uint8_t> mapping() const noexcept;

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  // The source that was given to zeroed; nullptr for the system.
  MemorySource* source() const { return of_user_ ? source_ : nullptr; }

 private:
  static Result<Buffer> taken_from(MemorySource& source, std::uint64_t bytes);
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(source_, other.source_);
    std::swap(of_user_, other.of_user_);
    std::swap(locked_, other.locked_);
  }
  BLOOMERY_API void release() noexcept;
  void unlock() noexcept;

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  MemorySource* source_ = nullptr;
  bool of_user_ = false;
  bool locked_ = false;
};

}  // namespace BLOOMERY_NAMESPACE::detail
