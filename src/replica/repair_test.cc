// Repairs on a network that doubles and reorders: whatever answer comes last, no position is told that the bits do not
// hold.
#include "replica/repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "bloomery/bloomery.h"
#include "bloomery/replica/replica.h"
#include "replica/carry.h"

namespace bloomery::replica {
namespace {

using BlockReplica = ReplicaOf<BlockFilter>;

std::unique_ptr<BlockReplica> block_replica(std::uint64_t origin) {
  ReplicaOptions options;
  options.lineage.bytes[0] = 5;
  options.origin = origin;
  options.incarnation = 1;
  auto made = BlockReplica::make(*Shared<BlockFilter>::with_capacity(20'000, 0.01), options);
  EXPECT_TRUE(made.ok());
  return *std::move(made);
}

// A question that came twice: what the source answered when it was empty, and when it had made a delta.
struct TwoAnswers {
  TwoAnswers() {
    const Bytes question = *asker->begin_repair(2);
    older = source->receive(question)->answers.at(0);
    for (std::uint64_t i = 0; i < 1000; ++i) source->add(i);
    EXPECT_TRUE(source->take_delta()->has_value());
    newer = source->receive(question)->answers.at(0);
  }
  std::unique_ptr<BlockReplica> asker = block_replica(1), source = block_replica(2);
  Bytes older, newer;
};

TEST(RepairAnswers, an_older_one_that_comes_last_ends_nothing) {
  const TwoAnswers of;
  const Received lines = *of.asker->receive(of.newer);
  ASSERT_EQ(lines.answers.size(), 1u);
  EXPECT_FALSE(of.asker->receive(of.older)->repaired);
  EXPECT_TRUE(of.asker->positions().empty()) << "it tells of keys that it does not have";
  const Received chunks = *of.source->receive(lines.answers[0]);
  EXPECT_TRUE(of.asker->receive(chunks.answers.at(0))->repaired);
  EXPECT_EQ(of.asker->positions(), (std::vector<Position>{{2, 1, 1}}));
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_TRUE(of.asker->contains(i));
}

TEST(RepairAnswers, an_older_one_that_comes_first_brings_what_it_tells) {
  const TwoAnswers of;
  EXPECT_TRUE(of.asker->receive(of.older)->repaired);
  EXPECT_TRUE(of.asker->receive(of.newer)->answers.empty());
  EXPECT_TRUE(of.asker->positions().empty());
}

// Digests of one chunk each, as a large filter sends them by many.
TEST(RepairAnswers, what_two_tell_is_what_both_had) {
  auto filter = *Shared<BlockFilter>::with_capacity(20'000, 0.01);
  Repair repair(2, 7);
  Digest answer = *repair.begin(std::make_shared<Window>(0, nullptr, *make_cells(filter), 1.0));
  answer.form = Digest::Form::plain;
  answer.count = 1;
  answer.contents.assign(8, 1);
  answer.positions = {{2, 1, 9}, {3, 1, 4}};
  answer.whole = true;
  Header header;
  header.generation = 2;
  ASSERT_TRUE(repair.take(header, answer).ok());
  answer.first = 1;
  answer.positions = {{2, 1, 5}, {3, 1, 6}, {4, 1, 1}};
  answer.whole = false;
  header.generation = 1;
  ASSERT_TRUE(repair.take(header, answer).ok());
  EXPECT_EQ(repair.positions(), (std::vector<Position>{{2, 1, 5}, {3, 1, 4}}));
  EXPECT_EQ(repair.source().generation, 1u);
  EXPECT_FALSE(repair.source_was_whole());
}

// A thread of 2 has set the bits of a key and is held up before it logs it. A delta of 1 brings the same key, or a
// repair finds its lines equal, so that 2 tells of that delta: then its digests have the key.
TEST(RepairAnswers, a_position_is_not_told_before_a_digest_has_the_bits_that_another_thread_has_set) {
  for (const bool by_repair : {false, true}) {
    const auto writer = block_replica(1), source = block_replica(2), asker = block_replica(3);
    EXPECT_TRUE(repair(*asker, *source));  // its digests are computed now
    const_cast<Shared<BlockFilter>&>(source->filter()).add(Hash(7));
    writer->add(Hash(7));
    if (by_repair) {
      EXPECT_TRUE(writer->take_delta()->has_value());
      EXPECT_TRUE(repair(*source, *writer));
    } else {
      carry(*writer, *source);
    }
    EXPECT_TRUE(repair(*asker, *source));
    EXPECT_EQ(asker->positions(), (std::vector<Position>{{1, 1, 1}}));
    EXPECT_TRUE(asker->contains(Hash(7))) << by_repair;
  }
}

// The low 32 bits of the digest of that key's line are those of an empty line, under the request of the first repair.
TEST(RepairAnswers, lines_whose_digests_agree_in_32_bits_are_brought) {
  ReplicaOptions options;
  options.lineage.bytes[0] = 5;
  options.incarnation = 1;
  std::vector<std::unique_ptr<BlockReplica>> both;
  for (options.origin = 1; options.origin <= 2; ++options.origin)
    both.push_back(*BlockReplica::make(*Shared<BlockFilter>::with_capacity(100'000, 0.001), options));
  const Hash key((std::uint64_t{123'456'789} << 32) | 817'167'976);
  both[0]->add(key);
  const Bytes question = *both[1]->begin_repair(1);
  const std::uint64_t request = std::get<Digest>(parse(question)->body).request;
  std::array<std::uint8_t, kChunkBytes> empty{}, line{};
  const std::span<const std::uint8_t> payload = both[0]->filter().view().payload();
  const auto first = std::find_if(payload.begin(), payload.end(), [](std::uint8_t byte) { return byte != 0; });
  const std::size_t at = static_cast<std::size_t>(first - payload.begin()) / kLineBytes * kLineBytes;
  std::copy_n(payload.begin() + static_cast<std::ptrdiff_t>(at), kLineBytes, line.begin());
  const std::uint64_t of_empty = line_digests(empty, request)[0], of_line = line_digests(line, request)[0];
  ASSERT_EQ(static_cast<std::uint32_t>(of_empty), static_cast<std::uint32_t>(of_line)) << "look for another key";
  ASSERT_NE(of_empty, of_line);
  EXPECT_TRUE(carry_repair(*both[1], *both[0], question));
  EXPECT_TRUE(both[1]->contains(key));
}

}  // namespace
}  // namespace bloomery::replica
