// Memory of filters: zeroed, aligned to a cache line, of any size, and honest about failure. Only this owns raw memory;
// a Source can take the place of the operating system, for tests and for engines with allocators of their own.
#pragma once

#include <cstddef>
#include <cstdint>
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

  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) source_.release(data_, size_, source_.context);
  }

  // Has every page in place now, so that no later write waits for one; by so many threads, since zeroing pages is what
  // takes the time. An error is out_of_memory.
  BLOOMERY_API Status prefault(unsigned threads = 1);

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(source_, other.source_);
  }

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  Source source_;
};

}  // namespace bloomery::detail
