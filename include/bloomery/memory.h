// Memory of an engine's own for filters: counted, bounded, or of a pool.
//
//   class Counted : public bloomery::MemorySource { ... };        // allocate and release
//   auto filter = bloomery::BlockFilter::with_capacity(1'000'000, 0.01, {{}, &counted});
#pragma once

#include <cstddef>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

// Where filters take their memory from when it is not the system. They call it on the threads that create, grow, merge
// and destroy them, so it must be safe from all of these. The caller owns it and keeps it until the last filter that
// was created with it is gone.
class BLOOMERY_API MemorySource {
 public:
  // So many bytes, at least one, with anything in them, at a multiple of `alignment`, a power of two of at most 64; or
  // nullptr, which becomes an Error with ErrorCode::out_of_memory.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) noexcept = 0;
  // Takes back what allocate gave for the same two numbers.
  virtual void release(void* memory, std::size_t bytes, std::size_t alignment) noexcept = 0;

 protected:
  ~MemorySource() = default;
};

}  // namespace BLOOMERY_NAMESPACE
