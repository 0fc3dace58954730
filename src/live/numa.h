// What is behind bloomery/detail/numa.h: the calls of libnuma that are needed, and the machine that they describe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::mem {

// Pointers to its functions; the tests have some of their own.
struct Libnuma {
  int (*available)() = nullptr;
  int (*possible_cpus)() = nullptr;
  int (*node_of_cpu)(int cpu) = nullptr;
  int (*run_on_node)(int node) = nullptr;
  long (*mbind)(void* memory, unsigned long bytes, int mode, const unsigned long* nodes, unsigned long bits,
                unsigned flags) = nullptr;
};

// Returns nothing where libnuma.so.1 is not installed, or is too old to have all these functions.
std::optional<Libnuma> load_libnuma() noexcept;

// Immutable. Its nodes are numbered from 0 without gaps, whatever the system calls them.
class Machine {
 public:
  explicit Machine(const std::optional<Libnuma>& library);

  unsigned nodes() const { return nodes_.empty() ? 1 : static_cast<unsigned>(nodes_.size()); }
  // Returns 0 for a processor that the system did not name.
  unsigned node_of_cpu(int cpu) const {
    return cpu >= 0 && static_cast<std::size_t>(cpu) < node_of_cpu_.size() ? node_of_cpu_[static_cast<std::size_t>(cpu)]
                                                                           : 0;
  }
  // Both return 0 or an errno; nothing is to be done on a machine of one node.
  int prefer(void* memory, std::size_t bytes, unsigned node) const;
  int run_on(unsigned node) const;

 private:
  Libnuma library_;
  std::vector<int> nodes_;  // what the system calls each; empty for one node
  std::vector<std::uint16_t> node_of_cpu_;
};

}  // namespace BLOOMERY_NAMESPACE::mem
