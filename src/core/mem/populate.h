// Pages of memory in place before they are written to, so that no write waits for one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;
std::size_t page_size();

// Populates the share of member t of a team: its part of the whole pages in that memory, which keep their bytes.
// Returns false when there is no memory for them. A member beyond the team has no share. Shares are whole huge pages,
// so that none is populated in pieces; there are most_populate_shares() of them at most.
bool populate_share(std::span<std::uint8_t> memory, unsigned t, unsigned team);
std::size_t most_populate_shares(std::size_t bytes);

// Writes to each page, for systems that cannot populate them (Linux before 5.14). All bytes stay as they are, and those
// that other threads write meanwhile by atomic instructions keep what was written.
void touch_pages(std::span<std::uint8_t> pages);

// Gives the pages of a share back; their bytes are lost. The thread that populated the share calls it: Linux keeps free
// pages per core, and pages that another core gives back are not there for this one the next time. Finding new ones is
// slow in a virtual machine whose host takes free pages away.
void discard_share(std::span<std::uint8_t> memory, unsigned t, unsigned team);

}  // namespace BLOOMERY_NAMESPACE::detail
