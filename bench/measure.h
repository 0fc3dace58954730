// Times the operations of every peer on the same keys, and the ceiling on the memory of ours, all in turn, so that a
// change of the machine's mood meets each of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/options.h"
#include "bench/peers/peer.h"

namespace bloomery::bench {

// Who did what in how many nanoseconds: figures[operation][who].
using Figures = std::map<std::string, std::map<std::string, double>>;

// Our operations by name; the siblings use the same. Peers without batch calls have no figure for the *_many.
inline const std::vector<std::string> kOperations = {
    "add", "add_many", "contains_present", "contains_absent", "contains_many_present", "contains_many_absent"};

struct Measured {
  Figures ns;
  std::map<std::string, double> bits_per_key, fpr;  // by who
  std::vector<std::string> skipped;                 // "who: why"
  double ceiling_ns = 0;
  std::size_t ceiling_distance = 0;
};

// Filters of n keys of that shape. Ends the program when a key that was added is not found.
Measured measure(const std::vector<std::unique_ptr<Peer>>& peers, const KeyShape& shape, std::uint64_t n,
                 const Options& options);

}  // namespace bloomery::bench
