// Replicas of a rotating filter that meet in the stream of a real server.
#include "bloomery/replica/rotating.h"

#include <gtest/gtest.h>

#include "members.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using Rotating = replica::ReplicaOf<RotatingFilter<BlockFilter>>;

constexpr std::uint64_t kKeysOfWindow = 2000;

struct RotatingMember {
  std::unique_ptr<Rotating> replica;
  std::unique_ptr<replica::Streams> streams;
};

class RotatingStreams : public testing::ReplicaStreams {
 protected:
  Result<RotatingMember> make(std::uint64_t origin, std::uint64_t epoch, replica::Start start) {
    auto replica =
        Rotating::make({kKeysOfWindow, 0.01, 2, epoch, {}},
                       {.lineage = testing::lineage_of_tests(), .origin = origin, .incarnation = 1, .start = start});
    BLOOMERY_TRY(replica);
    replica::StreamOptions options;
    options.server = server_->address();
    options.checkpoint_after = 0;
    options.peer_timeout = milliseconds(1000);
    auto streams = replica::Streams::connect(**replica, options);
    BLOOMERY_TRY(streams);
    return RotatingMember{*std::move(replica), *std::move(streams)};
  }
  void join(std::uint64_t epoch, replica::Start start = replica::Start::new_lineage) {
    auto member = make(rotating_.size() + 1, epoch, start);
    ASSERT_TRUE(member.ok()) << member.error().to_string();
    rotating_.push_back(*std::move(member));
  }
  template <class Condition>
  bool pumps_until(Condition condition) {
    return testing::comes_true([&] {
      for (const RotatingMember& member : rotating_) EXPECT_TRUE(member.streams->pump(milliseconds(1)).ok());
      return condition();
    });
  }
  void add(std::size_t member, std::uint64_t first) {
    for (std::uint64_t i = 0; i < 100; ++i) rotating_[member].replica->add(first + i);
  }
  bool has(std::size_t member, std::uint64_t first) const {
    for (std::uint64_t i = 0; i < 100; ++i)
      if (!rotating_[member].replica->contains(first + i)) return false;
    return true;
  }

  std::vector<RotatingMember> rotating_;
};

TEST_F(RotatingStreams, CarryKeysToTheirWindows) {
  join(10), join(10);
  add(0, 0);
  EXPECT_TRUE(pumps_until([&] { return has(1, 0); }));
  for (const RotatingMember& member : rotating_) ASSERT_TRUE(member.replica->advance_to(12).ok());
  add(1, 1000);
  EXPECT_TRUE(pumps_until([&] { return has(0, 1000); }));
  EXPECT_TRUE(has(0, 0) && has(1, 0));
  for (const RotatingMember& member : rotating_) ASSERT_TRUE(member.replica->advance_to(13).ok());
  EXPECT_FALSE(has(0, 0) || has(1, 0));
  EXPECT_TRUE(has(0, 1000) && has(1, 1000));
}

TEST_F(RotatingStreams, HoldWhatIsADayAheadAndSaySo) {
  join(10), join(34);
  add(1, 0);
  EXPECT_TRUE(pumps_until([&] { return rotating_[0].replica->stats().keys_held == 100; }));
  EXPECT_FALSE(rotating_[0].streams->stats().whole);
  EXPECT_FALSE(rotating_[0].streams->checkpoint().ok());
  EXPECT_GT(rotating_[1].streams->stats().pending, 0u);  // it is not acknowledged
  const auto figures = rotating_[0].streams->figures("seen");
  ASSERT_TRUE(figures.ok());
  const auto text = figures->prometheus();
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("bloomery_replica_held_keys{filter=\"seen\"} 100"), std::string::npos) << *text;
  const auto status = replica::stream_status(server_->address(), testing::lineage_of_tests());
  ASSERT_TRUE(status.ok());
  ASSERT_EQ(status->peers.size(), 2u);
  EXPECT_EQ(status->peers[0].window, 10u);
  EXPECT_EQ(status->peers[1].window, 34u);
  ASSERT_TRUE(rotating_[0].replica->advance_to(33).ok());
  EXPECT_TRUE(has(0, 0));
  EXPECT_TRUE(pumps_until([&] { return rotating_[1].streams->stats().pending == 0; }));
}

TEST_F(RotatingStreams, NewcomersStartFromAllWindowsOfTheCheckpoint) {
  join(10);
  for (std::uint64_t epoch = 10; epoch <= 12; ++epoch) {
    ASSERT_TRUE(rotating_[0].replica->advance_to(epoch).ok());
    add(0, 1000 * epoch);
    ASSERT_TRUE(rotating_[0].streams->pump(milliseconds(0)).ok());
  }
  ASSERT_TRUE(pumps_until([&] { return rotating_[0].streams->stats().pending == 3; }));
  ASSERT_TRUE(*rotating_[0].streams->checkpoint());
  join(12, replica::Start::lost);
  EXPECT_TRUE(has(1, 10'000) && has(1, 11'000) && has(1, 12'000));
  EXPECT_TRUE(rotating_[1].replica->whole());
  // A filter that does not rotate, or keeps another number of windows, is another filter.
  EXPECT_EQ(testing::Member::make(*server_, 7).error().field, "checkpoint");
}

}  // namespace
}  // namespace bloomery
