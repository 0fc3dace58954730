#include "server/stamp.h"

#include "server/api.h"

namespace bloomery::server {

std::uint64_t next_stamp() noexcept {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 22) - 1;
  static std::uint64_t last = static_cast<std::uint64_t>(api.Milliseconds()) % kMost;
  last = last % kMost + 1;
  return last;
}

}  // namespace bloomery::server
