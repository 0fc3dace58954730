// Readers of a quorum: when "no" is an answer.
#include "bloomery/replica/quorum.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bloomery::replica {
namespace {

std::optional<Vote> says_no(Hash) { return Vote{false, 1}; }
std::optional<Vote> says_maybe(Hash) { return Vote{true, 1}; }

// Of peers 1 to 5, those in `noes` say no and the others maybe.
bool answer_of(const Configuration& configuration, const std::vector<std::uint64_t>& noes) {
  QuorumReader reader(configuration);
  for (std::uint64_t origin = 1; origin <= 5; ++origin) reader.ask(origin, says_maybe);
  for (const std::uint64_t origin : noes) reader.ask(origin, says_no);
  const Hash hash(7);
  static_assert(noexcept(reader.contains(hash)));
  return reader.contains(hash);
}

TEST(QuorumReader, denies_what_r_members_deny) {
  EXPECT_TRUE(answer_of({1, 2, 2, {1, 2, 3}}, {1}));
  EXPECT_TRUE(answer_of({1, 2, 2, {1, 2, 3}}, {1, 4, 5}));  // who are no members
  EXPECT_FALSE(answer_of({1, 2, 2, {1, 2, 3}}, {1, 3}));
}

TEST(QuorumReader, with_a_configuration_that_writers_refuse_answers_maybe_to_everything) {
  const std::pair<const char*, Configuration> refused[] = {
      {"nobody is asked", {1, 3, 0, {1, 2, 3}}},
      {"nobody is waited for", {1, 0, 3, {1, 2, 3}}},
      {"a member stands twice", {1, 2, 2, {1, 1, 2}}},
      {"members are not sorted", {1, 2, 2, {2, 1, 3}}},
      {"w + r is not above the number of members", {1, 1, 2, {1, 2, 3}}},
      {"more noes than members", {1, 1, 4, {1, 2, 3}}},
      {"generation 0, which a replica without members votes in", {0, 2, 2, {1, 2, 3}}},
      {"no members", {}},
  };
  for (const auto& [why, configuration] : refused) {
    EXPECT_TRUE(answer_of(configuration, {})) << why;
    EXPECT_TRUE(answer_of(configuration, {1})) << why;
    EXPECT_TRUE(answer_of(configuration, {1, 2, 3})) << why;
  }
}

TEST(QuorumReader, takes_a_sound_configuration_after_a_refused_one) {
  QuorumReader reader(Configuration{1, 3, 0, {1, 2, 3}});
  for (const std::uint64_t origin : {1u, 2u, 3u}) reader.ask(origin, says_no);
  EXPECT_TRUE(reader.contains(Hash(7)));
  reader.configure({1, 2, 2, {1, 2, 3}});
  EXPECT_FALSE(reader.contains(Hash(7)));
  reader.configure({1, 2, 1, {1, 2, 3}});
  EXPECT_TRUE(reader.contains(Hash(7)));
}

TEST(QuorumReader, hears_a_peer_that_throws_as_silence) {
  QuorumReader reader(Configuration{1, 2, 2, {1, 2, 3}});
  reader.ask(1, says_no);
  reader.ask(2, [](Hash) -> std::optional<Vote> { throw std::runtime_error("unreachable"); });
  reader.ask(3, [](Hash) -> std::optional<Vote> { throw 42; });
  EXPECT_TRUE(reader.contains(Hash(7)));
  reader.ask(3, says_no);
  EXPECT_FALSE(reader.contains(Hash(7)));
}

}  // namespace
}  // namespace bloomery::replica
