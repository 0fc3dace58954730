// The simulation of streams by many seeds, and with mistakes that it must find. BLOOMERY_SOAK in the environment:
// 10,000 seeds. One seed again: BLOOMERY_SEED=n.
#include "streams/simulation/simulation.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace bloomery::replica::sim {
namespace {

constexpr int kSteps = 60;

TEST(StreamSimulation, whatever_servers_and_members_do_at_rest_all_are_equal_and_nothing_safe_is_lost) {
  const char* const one = std::getenv("BLOOMERY_SEED");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t count = one != nullptr ? 1 : std::getenv("BLOOMERY_SOAK") != nullptr ? 10'000 : 200;
  StreamSimulation::Counts sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    StreamSimulation simulation(seed, Planted::nothing);
    EXPECT_EQ(simulation.run(kSteps), "") << "BLOOMERY_SEED=" << seed;
    const StreamSimulation::Counts& had = simulation.counts();
    sum.failovers += had.failovers, sum.trims += had.trims, sum.crashes += had.crashes;
    sum.checkpoints += had.checkpoints, sum.lost_races += had.lost_races, sum.forwarded += had.forwarded;
    sum.copied += had.copied, sum.full_streams += had.full_streams, sum.required += had.required;
  }
  if (one != nullptr) return;
  for (const std::uint64_t happened : {sum.failovers, sum.trims, sum.crashes, sum.checkpoints, sum.lost_races,
                                       sum.forwarded, sum.copied, sum.full_streams, sum.required})
    EXPECT_GE(happened, count / 4);  // what is checked happens
}

TEST(StreamSimulation, a_seed_is_a_schedule) {
  const auto trace = [](std::uint64_t seed) {
    StreamSimulation simulation(seed, Planted::nothing);
    (void)simulation.run(kSteps);
    return simulation.trace();
  };
  EXPECT_EQ(trace(7), trace(7));
  EXPECT_NE(trace(7), trace(8));
}

struct Mistake {
  Planted planted;
  const char* found_as;
};

class PlantedInStreams : public testing::TestWithParam<Mistake> {};

TEST_P(PlantedInStreams, are_found) {
  std::string found;
  for (std::uint64_t seed = 1; seed <= 300 && found.empty(); ++seed)
    found = StreamSimulation(seed, GetParam().planted).run(kSteps);
  EXPECT_NE(found.find(GetParam().found_as), found.npos) << found;
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedInStreams,
                         testing::Values(Mistake{Planted::early_acknowledgement, "acknowledges what it does not have"},
                                         Mistake{Planted::late_position, "lacks an entry before its position"},
                                         Mistake{Planted::echo, "not added where it reads"},
                                         Mistake{Planted::unseen_length, "its cap is"},
                                         Mistake{Planted::endless_pending, "more is pending"},
                                         Mistake{Planted::endless_log, "the log held more"},
                                         Mistake{Planted::endless_inbox, "an inbox is above"}));

}  // namespace
}  // namespace bloomery::replica::sim
