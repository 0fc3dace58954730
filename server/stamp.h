// Numbers for dumps in parts, by which the next part is known to be of the same state.
#pragma once

#include <cstdint>

namespace bloomery::server {

// Another number each time, from 1 to 2^22 - 1. The first depends on when the module was loaded, so that a cursor from
// before a restart does not fit by accident.
std::uint64_t next_stamp() noexcept;

}  // namespace bloomery::server
