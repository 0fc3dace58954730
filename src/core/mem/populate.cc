#include "core/mem/populate.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

namespace BLOOMERY_NAMESPACE::detail {
namespace {

#ifndef MADV_POPULATE_WRITE  // Linux 5.14; older ones say EINVAL
#define MADV_POPULATE_WRITE 23
#endif

bool populate(std::span<std::uint8_t> pages) {
  int result = 0;
  do result = ::madvise(pages.data(), pages.size(), MADV_POPULATE_WRITE);
  while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  touch_pages(pages);
  return true;
}

// The whole pages in that memory, in shares of whole huge pages; the last of these may be a broken one.
std::span<std::uint8_t> share_of_pages(std::span<std::uint8_t> memory, unsigned t, unsigned team) {
  const std::size_t page = page_size(), before = (0 - reinterpret_cast<std::uintptr_t>(memory.data())) % page;
  if (memory.size() < before + page) return {};  // small memory is in place anyway
  const std::size_t bytes = (memory.size() - before) / page * page, shares = most_populate_shares(bytes);
  const std::size_t begin = shares * t / team * kHugePage, end = std::min(shares * (t + 1) / team * kHugePage, bytes);
  return begin < end ? memory.subspan(before + begin, end - begin) : std::span<std::uint8_t>();
}

}  // namespace

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::size_t most_populate_shares(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage; }

// The compiler cannot tell that nothing is set, so it keeps the instruction that writes.
void touch_pages(std::span<std::uint8_t> pages) {
  const volatile std::uint8_t nothing = 0;
  for (std::size_t at = 0; at < pages.size(); at += page_size())
    std::atomic_ref(pages[at]).fetch_or(nothing, std::memory_order_relaxed);
}

bool populate_share(std::span<std::uint8_t> memory, unsigned t, unsigned team) {
  const std::span<std::uint8_t> share = share_of_pages(memory, t, team);
  return share.empty() || populate(share);
}

void discard_share(std::span<std::uint8_t> memory, unsigned t, unsigned team) {
  const std::span<std::uint8_t> share = share_of_pages(memory, t, team);
  if (!share.empty()) (void)::madvise(share.data(), share.size(), MADV_DONTNEED);  // refused, they stay: no harm
}

}  // namespace BLOOMERY_NAMESPACE::detail
