#include "bloomery/detail/buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"

namespace bloomery::detail {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPagesFrom = std::size_t{1} << 20;      // below, the heap is cheaper than a system call
constexpr std::size_t kHugePagesFrom = std::size_t{4} << 20;  // two huge pages; less would be mostly waste

void* allocate_system(std::size_t bytes, void*) {
  if (bytes < kPagesFrom) {
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* memory = std::aligned_alloc(kAlignment, rounded);
    if (memory != nullptr) std::memset(memory, 0, rounded);
    return memory;
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // A refusal of huge pages costs speed only; the filter works the same.
  if (bytes >= kHugePagesFrom) (void)::madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void release_system(void* memory, std::size_t bytes, void*) {
  if (bytes < kPagesFrom) {
    std::free(memory);
  } else {
    ::munmap(memory, bytes);
  }
}

}  // namespace

Source system_source() noexcept { return {allocate_system, release_system, nullptr}; }

Result<Buffer> Buffer::zeroed(std::uint64_t bytes, const Source& source) {
  Buffer buffer;
  if (bytes == 0) return buffer;
  void* memory = bytes <= SIZE_MAX / 2 ? source.allocate(bytes, source.context) : nullptr;
  if (memory == nullptr)
    return guarded([&]() -> Result<Buffer> {
      return Error{ErrorCode::out_of_memory,
                   "a filter of " + std::to_string(bytes) +
                       " bytes does not fit in memory: use fewer keys or a higher false-positive rate",
                   {},
                   {}};
    });
  buffer.data_ = static_cast<std::uint8_t*>(memory);
  buffer.size_ = bytes;
  buffer.source_ = source;
  return buffer;
}

}  // namespace bloomery::detail
