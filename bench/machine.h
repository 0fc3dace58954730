// The machine and the build a result was measured on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bloomery::bench {

// Names and values: version and commit, cpu, cores, caches, load, huge pages, compiler, date.
std::vector<std::pair<std::string, std::string>> describe_machine();

// The commit this was configured at, or "unknown".
std::string commit();

// Bytes that can still be had without swapping and within the limits of the container; 0 where the system does not
// tell.
std::uint64_t available_memory();

// The kernel's setting, as text: who may count what the processor does.
std::string perf_event_paranoid();

}  // namespace bloomery::bench
