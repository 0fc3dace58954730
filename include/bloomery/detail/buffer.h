// Memory of filters: zeroed, aligned to a cache line, of any size, and honest about failure. Only this owns raw memory;
// a Source can take the place of the operating system, for tests and for engines with allocators of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace bloomery::detail {

// Where memory comes from. allocate returns zeroed memory aligned to 64 bytes, or nullptr; bytes > 0.
struct Source {
  void* (*allocate)(std::size_t bytes, void* context) = nullptr;
  void (*release)(void* memory, std::size_t bytes, void* context) = nullptr;
  void* context = nullptr;
};

// Anonymous pages, from 4 MiB on aligned to 2 MiB and asked to be huge ones; the heap for small buffers.
BLOOMERY_API Source system_source() noexcept;

// Owns its bytes; moves, never copies. One writer.
class Buffer {
 public:
  Buffer() = default;
  BLOOMERY_API static Result<Buffer> zeroed(std::uint64_t bytes, const Source& source = system_source());

  // Memory to work in and give back soon, with any bytes in it. Up to 32 MiB it is of the heap, which keeps the pages
  // for the next time: 800,000 keys are added to a large filter by two threads in two thirds of the time.
  BLOOMERY_API static Result<Buffer> scratch(std::uint64_t bytes);

  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (locked_) unlock();
    if (data_ != nullptr) source_.release(data_, size_, source_.context);
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

 private:
  static Result<Buffer> taken_from(const Source& source, std::uint64_t bytes);
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(source_, other.source_);
    std::swap(locked_, other.locked_);
  }
  BLOOMERY_API void unlock() noexcept;

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  Source source_;
  bool locked_ = false;
};

}  // namespace bloomery::detail
