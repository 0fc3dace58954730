// Memory of filters: zeroed, aligned to a cache line, of any size, and honest about failure. Only this owns raw memory.
// It comes from the system, or from a MemorySource of the user's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/export.h"
#include "bloomery/memory.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::detail {

// Owns its bytes; moves, never copies. One writer.
class Buffer {
 public:
  Buffer() = default;
  // Of the system: anonymous pages, from 4 MiB on aligned to 2 MiB and asked to be huge ones; the heap for small
  // buffers. Of a source: as that gives it.
  static Result<Buffer> zeroed(std::uint64_t bytes, MemorySource* source = nullptr);

  // Memory to work in and give back soon, with any bytes in it. Up to 32 MiB it is of the heap, which keeps the pages
  // for the next time: 800,000 keys are added to a large filter by two threads in two thirds of the time.
  static Result<Buffer> scratch(std::uint64_t bytes);

  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) release();
  }

  // Has every page in place now, so that no later write waits for one; by so many threads, since zeroing pages is what
  // takes the time. An error is out_of_memory.
  BLOOMERY_API Status prefault(unsigned threads = 1);

  // Keeps every page in memory from now on, never swapped out. It has them in place too, but by one thread: prefault
  // first what is large. A refusal is an error and changes nothing. What goes with it: a heap page at either end of a
  // buffer below 1 MiB, which holds memory of others, is locked whole and stays so; all others are unlocked with the
  // buffer.
  BLOOMERY_API Status lock();

  // The pages of a buffer from 1 MiB on, to ask something of the system for; none of a smaller one, which shares its
  // own with the rest of the heap.
  BLOOMERY_API std::span<std::uint8_t> mapping() const noexcept;

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  // The one given to zeroed; nullptr when that was the system.
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
