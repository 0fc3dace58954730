// Gives filters memory that the program supplies: counted, bounded, or taken from a pool.
//
//   class Counted : public bloomery::MemorySource { ... };        // allocate and release
//   auto filter = bloomery::BlockFilter::with_capacity(1'000'000, 0.01, {{}, &counted});
#pragma once

#include <cstddef>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

// Supplies filters with memory, in the place of the system. Filters call it on the threads that create, grow, merge and
// destroy them, so it must be safe from all of these threads. The caller owns it and keeps it until the last filter
// that was created with it is gone.
class BLOOMERY_API MemorySource {
 public:
  // Returns `bytes` bytes, at least one, at a multiple of `alignment`, which is a power of two of at most 64. They may
  // hold anything. Returns nullptr when there are none, which becomes an Error with ErrorCode::out_of_memory.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) noexcept = 0;
  // Takes back what allocate returned for the same two numbers.
  virtual void release(void* memory, std::size_t bytes, std::size_t alignment) noexcept = 0;

 protected:
  ~MemorySource() = default;
};

}  // namespace BLOOMERY_NAMESPACE
