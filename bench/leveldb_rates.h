// The false-positive rate of filter policies inside LevelDB: its own at 10 bits a key, and ours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bloomery::bench {

struct LevelDbRate {
  std::string who;
  double by_size = 0;       // what the sizes of the filters promise; 0 of one that promises nothing
  double measured = 0;      // of the policy's answers
  double bits_per_key = 0;  // of its filters
};

// Even numbers of 16 digits are put, odd ones asked. The folder is there for the duration of the call.
std::vector<LevelDbRate> leveldb_rates(std::uint64_t n, std::size_t value_bytes, const std::string& folder);

}  // namespace bloomery::bench
