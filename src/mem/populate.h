// Pages of memory in place before they are written to, so that no write waits for one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery::detail {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// By thread t of a team: its share of the whole pages in that memory, which keep their bytes. False when there is no
// memory for them. Shares are whole huge pages, so that none is populated in pieces; there are this many at most.
bool populate_share(std::span<std::uint8_t> memory, unsigned t, unsigned team);
std::size_t most_populate_shares(std::size_t bytes);

}  // namespace bloomery::detail
