#include "mem/populate.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace bloomery::detail {
namespace {

#ifndef MADV_POPULATE_WRITE  // Linux 5.14; older ones say EINVAL
#define MADV_POPULATE_WRITE 23
#endif

// Whole pages.
bool populate(std::uint8_t* first, std::size_t bytes, std::size_t page) {
  int result = 0;
  do result = ::madvise(first, bytes, MADV_POPULATE_WRITE);
  while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  for (std::size_t at = 0; at < bytes; at += page) {
    auto* byte = static_cast<volatile std::uint8_t*>(first + at);
    *byte = *byte;
  }
  return true;
}

}  // namespace

std::size_t most_populate_shares(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage; }

bool populate_share(std::span<std::uint8_t> memory, unsigned t, unsigned team) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(memory.data())) % page;
  if (memory.size() < before + page) return true;  // no whole page of its own; small memory is in place anyway
  const std::size_t bytes = (memory.size() - before) / page * page, shares = most_populate_shares(bytes);
  // The last, broken huge page is in the last share.
  const std::size_t begin = shares * t / team * kHugePage, end = std::min(shares * (t + 1) / team * kHugePage, bytes);
  return begin >= end || populate(memory.data() + before + begin, end - begin, page);
}

}  // namespace bloomery::detail
