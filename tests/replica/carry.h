// Two replicas that hand each other messages without a network.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <utility>

#include "bloomery/replica/replica.h"

namespace bloomery::replica {

// Hands every delta of one replica to another; returns the bytes.
inline std::uint64_t carry(Replica& from, Replica& to) {
  std::uint64_t bytes = 0;
  for (;;) {
    const auto delta = from.take_delta();
    EXPECT_TRUE(delta.ok());
    if (!delta->has_value()) return bytes;
    bytes += (*delta)->size();
    EXPECT_TRUE(to.receive(**delta).ok());
  }
}

// Carries a repair of `to` against `from` that has begun with this question, counting the bytes of both ways. Whether
// it was completed.
inline bool carry_repair(Replica& to, Replica& from, Bytes question, std::uint64_t* total = nullptr) {
  std::deque<Bytes> out = {std::move(question)};
  std::uint64_t bytes = 0;
  bool repaired = false;
  for (int step = 0; !out.empty() && step < 100'000; ++step) {
    const auto at_source = from.receive(out.front());
    bytes += out.front().size();
    out.pop_front();
    EXPECT_TRUE(at_source.ok()) << at_source.error().to_string();
    for (const Bytes& answer : at_source->answers) {
      bytes += answer.size();
      const auto back = to.receive(answer);
      if (!back.ok()) return false;
      repaired |= back->repaired;
      for (const Bytes& next : back->answers) out.push_back(next);
    }
  }
  if (total != nullptr) *total = bytes;
  return repaired;
}

inline bool repair(Replica& to, Replica& from, std::uint64_t* total = nullptr) {
  return carry_repair(to, from, *to.begin_repair(from.options().origin), total);
}

}  // namespace bloomery::replica
