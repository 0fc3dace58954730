// Cache and TLB misses as the processor counts them, where the kernel lets a program ask.
#pragma once

#include <cstdint>

#include "bloomery/result.h"

namespace bloomery::bench {

struct Misses {
  double cache = 0;  // of the last level
  double tlb = 0;    // reads that the data TLB did not know
};

// Hardware counters of the thread that opens them, in user space. Moves, never copies.
class Counters {
 public:
  // An error says why there are none and how to permit them.
  static Result<Counters> open();

  Counters(Counters&& other) noexcept;
  Counters& operator=(Counters&&) = delete;
  ~Counters();

  // Per item of one call of work.
  template <class Work>
  Misses per_item(std::size_t items, Work work) const {
    const Misses before = read();
    work();
    const Misses after = read();
    const auto count = static_cast<double>(items);
    return {(after.cache - before.cache) / count, (after.tlb - before.tlb) / count};
  }

 private:
  Counters(int cache, int tlb) : cache_(cache), tlb_(tlb) {}
  Misses read() const;

  int cache_, tlb_;  // file descriptors, -1 when moved away
};

}  // namespace bloomery::bench
