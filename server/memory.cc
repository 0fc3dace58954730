#include "server/memory.h"

#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace bloomery::server {

ServerMemory server_memory;

namespace {

constexpr std::size_t kLine = 64;
thread_local std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
// What the MovedMemory of this thread has moved.
thread_local void *moved_from = nullptr, *moved_to = nullptr;

// Memory whose allocator did not align it, by the address that was handed out. Debian's servers use jemalloc, which
// aligns whole cache lines, so that this stays empty there.
struct Shifted {
  std::mutex mutex;
  std::unordered_map<void*, void*> allocated;
  std::atomic<std::size_t> count{0};
};
Shifted& shifted() {
  static Shifted instance;
  return instance;
}

void* allocated_as(void* memory, bool forget) noexcept {
  Shifted& all = shifted();
  if (all.count.load(std::memory_order_acquire) == 0) return memory;
  const std::lock_guard lock(all.mutex);
  const auto found = all.allocated.find(memory);
  if (found == all.allocated.end()) return memory;
  void* const raw = found->second;
  if (forget) {
    all.allocated.erase(found);
    all.count.fetch_sub(1, std::memory_order_release);
  }
  return raw;
}

void* allocate_shifted(std::size_t bytes) noexcept {
  void* raw = api.TryAlloc(bytes + kLine);
  if (raw == nullptr) return nullptr;
  void* aligned = raw;
  std::size_t room = bytes + kLine;
  std::align(kLine, bytes, aligned, room);
  if (aligned == raw) return raw;
  try {
    Shifted& all = shifted();
    const std::lock_guard lock(all.mutex);
    all.allocated.emplace(aligned, raw);
    all.count.fetch_add(1, std::memory_order_release);
    return aligned;
  } catch (...) {
    api.Free(raw);
    return nullptr;
  }
}

}  // namespace

void* ServerMemory::allocate(std::size_t bytes, std::size_t) noexcept {
  if (moved_to != nullptr) return std::exchange(moved_to, nullptr);
  if (bytes > std::numeric_limits<std::size_t>::max() / 2 || bytes > most_bytes) return nullptr;
  const std::size_t lines = (bytes + kLine - 1) / kLine * kLine;
  void* memory = api.TryAlloc(lines);
  if (memory == nullptr || reinterpret_cast<std::uintptr_t>(memory) % kLine == 0) return memory;
  api.Free(memory);
  return allocate_shifted(lines);
}

void ServerMemory::release(void* memory, std::size_t, std::size_t) noexcept {
  if (memory == moved_from) moved_from = nullptr;
  else api.Free(allocated_as(memory, true));
}

void* ServerMemory::defragment(DefragContext* context, void* memory) noexcept {
  if (api.DefragAlloc == nullptr || allocated_as(memory, false) != memory) return nullptr;
  return api.DefragAlloc(context, memory);
}

MovedMemory::MovedMemory(void* from, void* to) noexcept { moved_from = from, moved_to = to; }
MovedMemory::~MovedMemory() {
  if (moved_to != nullptr) api.Free(moved_to);
  moved_from = moved_to = nullptr;
}

std::size_t ServerMemory::counted(void* memory) noexcept { return api.MallocSize(allocated_as(memory, false)); }

AllocationLimit::AllocationLimit(std::uint64_t bytes) noexcept { most_bytes = bytes; }
AllocationLimit::~AllocationLimit() { most_bytes = std::numeric_limits<std::uint64_t>::max(); }

bool exceeds_maxmemory(Context* context, std::uint64_t bytes, bool taken) noexcept {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
  if (bytes < kSmall) return false;
  ServerInfo* const info = api.GetServerInfo(context, "memory");
  if (info == nullptr) return false;
  int failed = 0;
  const std::uint64_t most = api.ServerInfoGetFieldUnsigned(info, "maxmemory", &failed);
  const std::uint64_t used = api.ServerInfoGetFieldUnsigned(info, "used_memory", &failed);
  const char* const policy = api.ServerInfoGetFieldC(info, "maxmemory_policy");
  const bool evicts = policy != nullptr && std::strcmp(policy, "noeviction") != 0;
  api.FreeServerInfo(context, info);
  const std::uint64_t needed = evicts ? bytes : used + (taken ? 0 : bytes);
  return failed == 0 && most != 0 && needed > most;
}

Status check_server_memory(std::uint64_t bytes, std::uint64_t most) {
  if (most == std::numeric_limits<std::uint64_t>::max() || !exceeds_maxmemory(nullptr, bytes, false)) return {};
  return Error{ErrorCode::full, kOutOfMemory, {}, {}};
}

bool Bytes::defragment(DefragContext* context) noexcept {
  void* const moved = data_ == nullptr ? nullptr : server_memory.defragment(context, data_);
  if (moved == nullptr) return false;
  data_ = static_cast<std::uint8_t*>(moved);
  return true;
}

Bytes Bytes::take(std::size_t size) noexcept {
  Bytes bytes;
  if (size == 0) return bytes;
  bytes.data_ = static_cast<std::uint8_t*>(server_memory.allocate(size, kLine));
  bytes.size_ = bytes.data_ == nullptr ? 0 : size;
  return bytes;
}

Bytes Bytes::take_zeroed(std::size_t size) noexcept {
  Bytes bytes = take(size);
  if (!bytes.empty()) std::memset(bytes.data(), 0, bytes.size());
  return bytes;
}

}  // namespace bloomery::server
