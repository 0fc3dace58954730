// The physical limit of adds that threads share: one atomic read-modify-write of a random word of as many bytes as the
// filter has, and nothing else. No add can do without one, and what it costs depends on who wrote the line last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/team.h"
#include "bloomery/detail/buffer.h"

namespace bloomery::bench {

class RandomWrites {
 public:
  // Over so many bytes.
  explicit RandomWrites(std::uint64_t bytes);

  // Each returns nanoseconds of elapsed time per write of all threads together. Each thread makes a fifth as many
  // writes before, untimed.
  double shared_ns(const Team& team, std::size_t writes);          // one after the other, as adds come by one call
  double shared_fetched_ns(const Team& team, std::size_t writes);  // lines are fetched 32 at a time, as in batches
  // Every thread in as many bytes of its own: how much as many cores can do that share nothing but the machine.
  double own_ns(const Team& team, std::size_t writes) const;

 private:
  detail::Buffer words_;
};

}  // namespace bloomery::bench
