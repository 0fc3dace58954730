#include "support/allocations.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace bloomery::testing {
namespace {

thread_local Allocations* g_watch = nullptr;

}  // namespace

Allocations::Allocations(std::uint64_t fail_at) : fail_at_(fail_at) { g_watch = this; }
Allocations::~Allocations() { g_watch = nullptr; }

bool Allocations::allowed(std::size_t bytes) noexcept {
  Allocations* watch = g_watch;
  if (!kWatched || watch == nullptr) return true;
  watch->largest_ = std::max(watch->largest_, bytes);
  return watch->count_++ != watch->fail_at_;
}

}  // namespace bloomery::testing

#ifndef BLOOMERY_ALLOCATIONS_UNWATCHED
namespace {

using bloomery::testing::Allocations;

void* allocated(std::size_t bytes, std::size_t alignment) noexcept {
  if (!Allocations::allowed(bytes)) return nullptr;
  bytes = std::max<std::size_t>(bytes, 1);
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  void* memory = nullptr;
  return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void* allocated_or_thrown(std::size_t bytes, std::size_t alignment) {
  void* memory = allocated(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Every form, so that what one of them made is freed as it was made.
void* operator new(std::size_t bytes) { return allocated_or_thrown(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocated_or_thrown(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocated_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocated_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes, 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif

extern "C" {
// NOLINTBEGIN: the linker gives these names.
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return bloomery::testing::Allocations::allowed(bytes) ? __real_aligned_alloc(alignment, bytes) : nullptr;
}
// NOLINTEND
}
