// The simulation by many seeds, and with mistakes that it must find. BLOOMERY_SOAK in the environment: 10,000 seeds.
// One seed again: BLOOMERY_SEED=n.
#include "replica/simulation.h"

#include <cstdlib>

namespace bloomery::replica::sim {
namespace {

constexpr int kSteps = 150;

template <class Use>
void with_simulation(std::uint64_t seed, Planted planted, Use use) {
  switch (seed % 3) {
    case 0: return use(Simulation<BlockFilter>(seed, planted));
    case 1: return use(Simulation<SplitFilter>(seed, planted));
    default: return use(Simulation<ClassicFilter>(seed, planted));
  }
}

TEST(ReplicaSimulation, whatever_the_network_does_nothing_promised_is_denied_and_at_rest_all_are_equal) {
  const char* const one = std::getenv("BLOOMERY_SEED");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t count = one != nullptr ? 1 : std::getenv("BLOOMERY_SOAK") != nullptr ? 10'000 : 200;
  std::uint64_t promised = 0, lost = 0, changes = 0, refusals = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    with_simulation(seed, Planted::nothing, [&](auto simulation) {
      EXPECT_EQ(simulation.run(kSteps), "") << "BLOOMERY_SEED=" << seed;
      promised += simulation.promised(), lost += simulation.lost_memories(), changes += simulation.changes();
      refusals += simulation.refusals();
    });
  }
  if (one != nullptr) return;
  EXPECT_GE(promised, count);  // what is checked happens
  EXPECT_GE(lost, count / 2);
  EXPECT_GE(changes, count / 10);
  EXPECT_GE(refusals, count / 10);
}

class PlantedMistakes : public testing::TestWithParam<Planted> {};

TEST_P(PlantedMistakes, are_found) {
  std::string found;
  for (std::uint64_t seed = 1; seed <= 300 && found.empty(); ++seed)
    with_simulation(seed, GetParam(), [&](auto simulation) { found = simulation.run(kSteps); });
  EXPECT_NE(found, "");
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedMistakes,
                         testing::Values(Planted::lost_stripe, Planted::early_acknowledgement, Planted::late_newness,
                                         Planted::late_position, Planted::votes_without_memory,
                                         Planted::forgotten_old_members));

}  // namespace
}  // namespace bloomery::replica::sim
