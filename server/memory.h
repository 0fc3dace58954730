// Memory of values: the server's, so that MEMORY USAGE and maxmemory count it, and taken by TryAlloc, which can say no.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "bloomery/memory.h"
#include "bloomery/result.h"
#include "server/api.h"

namespace bloomery::server {

// The server's allocator as the memory of filters. Safe from any thread: UNLINK frees on another one.
class ServerMemory final : public MemorySource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override;
  void release(void* memory, std::size_t bytes, std::size_t alignment) noexcept override;
  // The bytes that the allocator spends on what allocate gave.
  std::size_t counted(void* memory) noexcept;
  // Moves what allocate gave to where the server wants it. Returns the new place, or nullptr when it stays; then
  // nothing has changed.
  void* defragment(DefragContext* context, void* memory) noexcept;
};
extern ServerMemory server_memory;

// Lets a filter that owns its memory follow it to where `defragment` moved it. While this lives, on this thread, the
// next allocation gets the new place, and the release of the old one is left out: the server has freed it.
class MovedMemory {
 public:
  MovedMemory(void* from, void* to) noexcept;
  ~MovedMemory();  // frees the new place when nobody took it
  MovedMemory(const MovedMemory&) = delete;
  MovedMemory& operator=(const MovedMemory&) = delete;
};

// The most bytes that one allocation may have while this lives, on this thread: the limit of a filter that grows by
// itself. None lives while a file, a replica's stream or a copy is loaded.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::uint64_t bytes) noexcept;
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
};

// Returns whether memory goes over maxmemory with `bytes` more, or because of `bytes` that are `taken` already. Below 1
// MiB the server's own check is fine enough. `context` may be nullptr.
bool exceeds_maxmemory(Context* context, std::uint64_t bytes, bool taken) noexcept;
inline constexpr const char* kOutOfMemory = "OOM command not allowed when used memory > 'maxmemory'.";
// Returns that as an error, for a value that grows under the limit `most`. Without a limit, as for what a primary says,
// there is no error.
Status check_server_memory(std::uint64_t bytes, std::uint64_t most);

// Bytes of the server, aligned to a cache line. Owns them; moves, never copies.
class Bytes {
 public:
  Bytes() = default;
  // Takes bytes with anything in them. Empty when the server has none, and for a size of 0.
  static Bytes take(std::size_t size) noexcept;
  static Bytes take_zeroed(std::size_t size) noexcept;
  Bytes(Bytes&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Bytes& operator=(Bytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Bytes() {
    if (data_ != nullptr) server_memory.release(data_, size_, 64);
  }

  bool empty() const { return data_ == nullptr; }
  std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<std::uint8_t> span() const { return {data_, size_}; }
  // Moves them where the server wants them, if it does. Whoever keeps pointers to them takes new ones then.
  bool defragment(DefragContext* context) noexcept;
  std::size_t counted() const { return data_ == nullptr ? 0 : server_memory.counted(data_); }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

// A T in memory of the server; nullptr when it has none. `destroy` gives it back.
template <class T, class... Arguments>
T* create(Arguments&&... arguments) {
  void* memory = api.TryAlloc(sizeof(T));
  if (memory == nullptr) return nullptr;
  return ::new (memory) T(std::forward<Arguments>(arguments)...);
}
template <class T>
void destroy(T* object) noexcept {
  if (object == nullptr) return;
  object->~T();
  api.Free(object);
}
struct Destroy {
  template <class T>
  void operator()(T* object) const noexcept {
    destroy(object);
  }
};

}  // namespace bloomery::server
