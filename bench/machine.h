// The machine and the build a result was measured on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bloomery::bench {

// Names and values: version and commit, cpu, cores, caches, load, huge pages, compiler, date.
std::vector<std::pair<std::string, std::string>> describe_machine();

// Bytes that can still be had without swapping.
std::uint64_t available_memory();

}  // namespace bloomery::bench
