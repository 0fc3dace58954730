// The simulation of rotating filters by many seeds, and with mistakes that it must find. BLOOMERY_SOAK in the
// environment: 10,000 seeds. One seed again: BLOOMERY_SEED=n.
#include "replica/rotation.h"

#include <cstdlib>

namespace bloomery::replica::sim {
namespace {

constexpr int kRotationSteps = 150;

template <class Use>
void with_rotation(std::uint64_t seed, PlantedRotation planted, Use use) {
  switch (seed % 3) {
    case 0: return use(Rotation<BlockFilter>(seed, planted));
    case 1: return use(Rotation<SplitFilter>(seed, planted));
    default: return use(Rotation<ClassicFilter>(seed, planted));
  }
}

TEST(RotationSimulation, whatever_the_clocks_say_nothing_promised_is_denied_and_windows_are_equal_at_rest) {
  const char* const one = std::getenv("BLOOMERY_SEED");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t count = one != nullptr ? 1 : std::getenv("BLOOMERY_SOAK") != nullptr ? 10'000 : 200;
  RotationCounts sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    with_rotation(seed, PlantedRotation::nothing, [&](auto rotation) {
      EXPECT_EQ(rotation.run(kRotationSteps), "") << "BLOOMERY_SEED=" << seed;
      const RotationCounts& counts = rotation.counts();
      sum.promises_checked += counts.promises_checked, sum.keys_held += counts.keys_held;
      sum.overflows += counts.overflows, sum.expired += counts.expired, sum.partial += counts.partial;
      sum.lost_memories += counts.lost_memories, sum.restored += counts.restored;
    });
  }
  if (one != nullptr) return;
  EXPECT_GE(sum.promises_checked, 50 * count);  // what is checked happens
  EXPECT_GE(sum.keys_held, 10 * count);
  EXPECT_GE(sum.overflows, count);
  EXPECT_GE(sum.expired, 10 * count);
  EXPECT_GE(sum.partial, count);
  EXPECT_GE(sum.lost_memories, count / 2);
  EXPECT_GE(sum.restored, count / 5);
}

class PlantedRotations : public testing::TestWithParam<PlantedRotation> {};

TEST_P(PlantedRotations, are_found) {
  std::string found;
  std::uint64_t seed = 0;
  while (seed < 300 && found.empty())
    with_rotation(++seed, GetParam(), [&](auto rotation) { found = rotation.run(kRotationSteps); });
  EXPECT_NE(found, "");
  RecordProperty("found", found + " by seed " + std::to_string(seed));
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedRotations,
                         testing::Values(PlantedRotation::wrong_window, PlantedRotation::held_acknowledged,
                                         PlantedRotation::remote_drop, PlantedRotation::unasked_spare));

}  // namespace
}  // namespace bloomery::replica::sim
