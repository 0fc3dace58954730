#include "bloomery/detail/buffer.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/mem/populate.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPagesFrom = std::size_t{1} << 20;      // below, the heap is cheaper than a system call
constexpr std::size_t kHugePagesFrom = std::size_t{4} << 20;  // two huge pages; less would be mostly waste
constexpr std::size_t kKeptByHeap = std::size_t{32} << 20;    // glibc gives more back to the system at once

void* map(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

// What a mapping for so many bytes takes.
std::size_t mapped_bytes(std::size_t bytes) { return bytes < kHugePagesFrom ? bytes : round_up(bytes, kHugePage); }

// Starts at a huge page: maps one too many and gives back what is before and behind.
void* map_huge(std::size_t bytes) {
  const std::size_t rounded = mapped_bytes(bytes);
  auto* memory = static_cast<std::uint8_t*>(map(rounded + kHugePage));
  if (memory == nullptr) return nullptr;
  const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(memory)) % kHugePage;
  if (before > 0) ::munmap(memory, before);
  if (before < kHugePage) ::munmap(memory + before + rounded, kHugePage - before);
  // A refusal of huge pages costs speed only; the filter works the same.
  (void)::madvise(memory + before, rounded, MADV_HUGEPAGE);
  return memory + before;
}

// Zeroed memory.
class SystemMemory final : public MemorySource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    if (bytes >= kPagesFrom) return bytes < kHugePagesFrom ? map(bytes) : map_huge(bytes);
    const std::size_t rounded = round_up(bytes, alignment);
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory != nullptr) std::memset(memory, 0, rounded);
    return memory;
  }
  void release(void* memory, std::size_t bytes, std::size_t) noexcept override {
    if (bytes < kPagesFrom) std::free(memory);
    else ::munmap(memory, mapped_bytes(bytes));
  }
};

// Any bytes, not zeroed.
class HeapMemory final : public MemorySource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    return std::aligned_alloc(alignment, round_up(bytes, alignment));
  }
  void release(void* memory, std::size_t, std::size_t) noexcept override { std::free(memory); }
};

constinit SystemMemory system_memory;
constinit HeapMemory heap_memory;

Status cannot_lock(std::size_t bytes, int error) {
  return guarded([&]() -> Status {
    rlimit limit{};
    const bool known = ::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return Error{ErrorCode::io,
                 std::to_string(bytes) + " bytes cannot be locked in memory: " + std::strerror(error) +
                     "; raise RLIMIT_MEMLOCK (ulimit -l, in systemd LimitMEMLOCK)" +
                     (known ? ", which is " + std::to_string(limit.rlim_cur) + " bytes for the whole process," : "") +
                     " or grant CAP_IPC_LOCK",
                 {},
                 "lock_memory"};
  });
}

}  // namespace

Result<Buffer> Buffer::taken_from(MemorySource& source, std::uint64_t bytes) {
  Buffer buffer;
  if (bytes == 0) return buffer;
  void* memory = bytes <= SIZE_MAX / 2 ? source.allocate(static_cast<std::size_t>(bytes), kAlignment) : nullptr;
  if (memory == nullptr)
    return guarded([&]() -> Result<Buffer> {
      return Error{ErrorCode::out_of_memory,
                   "a filter of " + std::to_string(bytes) +
                       " bytes does not fit in memory: use fewer keys or a higher false-positive rate",
                   {},
                   {}};
    });
  buffer.data_ = static_cast<std::uint8_t*>(memory);
  buffer.size_ = static_cast<std::size_t>(bytes);
  buffer.source_ = &source;
  return buffer;
}

Result<Buffer> Buffer::zeroed(std::uint64_t bytes, MemorySource* source) {
  if (source == nullptr) return taken_from(system_memory, bytes);
  Result<Buffer> buffer = taken_from(*source, bytes);
  if (!buffer.ok() || buffer->size_ == 0) return buffer;
  buffer->of_user_ = true;
  std::memset(buffer->data_, 0, buffer->size_);
  return buffer;
}

Result<Buffer> Buffer::scratch(std::uint64_t bytes) {
  if (bytes <= kKeptByHeap) return taken_from(heap_memory, bytes);
  return taken_from(system_memory, bytes);
}

void Buffer::release() noexcept {
  if (locked_) unlock();
  source_->release(data_, size_, kAlignment);
}

std::span<std::uint8_t> Buffer::mapping() const noexcept {
  if (source_ != &system_memory || size_ < kPagesFrom) return {};
  return {data_, round_up(mapped_bytes(size_), page_size())};
}

Status Buffer::lock() {
  if (size_ == 0) return {};
  std::span<std::uint8_t> pages = mapping();
  if (pages.empty()) {
    const std::size_t page = page_size(), before = reinterpret_cast<std::uintptr_t>(data_) % page;
    pages = {data_ - before, round_up(before + size_, page)};
  }
  if (::mlock(pages.data(), pages.size()) != 0) {
    const int error = errno;
    unlock();  // it may have come half way
    return cannot_lock(pages.size(), error);
  }
  std::atomic_ref<bool>(locked_).store(true, std::memory_order_relaxed);  // two threads may lock the same filter
  return {};
}

// Locks do not nest, so a page that others use stays locked: one of them may be locked itself.
void Buffer::unlock() noexcept {
  std::span<std::uint8_t> pages = mapping();
  if (pages.empty()) {
    const std::size_t page = page_size(), before = (0 - reinterpret_cast<std::uintptr_t>(data_)) % page;
    if (size_ < before + page) return;
    pages = {data_ + before, (size_ - before) / page * page};
  }
  ::munlock(pages.data(), pages.size());
}

Status Buffer::prefault(unsigned threads) {
  const std::size_t most = std::max<std::size_t>(most_populate_shares(size_), 1);
  const auto count = static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, most));
  std::atomic<bool> failed = false;
  run_parallel(count, [&](unsigned t) {
    if (!populate_share({data_, size_}, t, count)) failed = true;
  });
  if (failed) return out_of_memory();
  return {};
}

}  // namespace BLOOMERY_NAMESPACE::detail
