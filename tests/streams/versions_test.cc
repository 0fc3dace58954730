// A replica of version 2 of the messages, which only this test speaks, among replicas of version 1 in the stream of a
// real server: all its messages have one more field, and there is one more message.
#include <gtest/gtest.h>

#include "bloomery/detail/bits.h"
#include "core/hash/hash_functions.h"
#include "members.h"
#include "streams/answers.h"
#include "streams/names.h"

namespace bloomery {
namespace {

using replica::Bytes;
using replica::EntryId;
using replica::Reply;
using std::chrono::milliseconds;
using testing::comes_true;
using testing::lineage_of_tests;
using testing::Member;
using testing::ReplicaStreams;
using testing::TestServer;

constexpr std::uint8_t kNewType = 7;

// The same message as version 2 writes it; `needs` is the oldest version that understands it.
Bytes newer(Bytes bytes, std::uint8_t needs = 1) {
  bytes[4] = 2, bytes[5] = needs;
  bytes.insert(bytes.end(), 8, 0x33);
  const std::size_t body = bytes.size() - replica::kHeaderBytes;
  detail::store_le(bytes.data() + 52, static_cast<std::uint32_t>(body));
  const std::uint64_t sum = detail::xxh3(bytes.data() + replica::kHeaderBytes, body, 0);
  detail::store_le(bytes.data() + 56, detail::xxh3(bytes.data(), 56, sum));
  return bytes;
}

Bytes unknown(Bytes bytes, std::uint8_t needs) {
  bytes[6] = kNewType;
  return newer(std::move(bytes), needs);
}

// Speaks through a connection of its own. What it reads it reads as version 1 does, which is all there is to read.
class Newer {
 public:
  Newer(const TestServer& server, std::uint64_t origin)
      : connection_(*replica::Connection::open(server.address())),
        inbox_(names_.inbox(origin)),
        own_(std::to_string(origin)) {
    made_ = *replica::ReplicaOf<BlockFilter>::make(
        *Shared<BlockFilter>::with_capacity(testing::kKeys, 0.01),
        {.lineage = lineage_of_tests(), .origin = origin, .incarnation = 1, .start = replica::Start::new_lineage});
  }
  replica::ReplicaOf<BlockFilter>& made() { return *made_; }
  std::uint64_t answered() const { return answered_; }

  void pump() {
    run({"HSET", names_.peers(), own_, replica::as_text(newer(*made_->hello()))});
    while (auto delta = *made_->take_delta()) append(newer(*std::move(delta)));
    append(newer(*made_->acknowledgement()));
    append(unknown(*made_->acknowledgement(), 1));
    append(unknown(*made_->acknowledgement(), 2));
    read(names_.stream(), cursor_);
    read(inbox_, inbox_cursor_);
  }

 private:
  void run(const replica::Words& words) { ASSERT_TRUE(connection_.run(words).ok()); }
  void append(const Bytes& message) {
    run({"XADD", names_.stream(), "*", replica::kMessageField, replica::as_text(message), replica::kSiteField, "main"});
  }
  void read(const std::string& stream, EntryId& cursor) {
    const Result<Reply> read = connection_.run({"XREAD", "STREAMS", stream, cursor.to_string()});
    ASSERT_TRUE(read.ok()) << read.error().to_string();
    const redisReply* entries = Reply::item(read->item(0), 1);
    for (std::size_t i = 0; i < Reply::size(entries); ++i) {
      const redisReply* entry = Reply::item(entries, i);
      cursor = *EntryId::parse(Reply::text(Reply::item(entry, 0)));
      const auto received = made_->receive(replica::as_bytes(replica::field_of(entry, replica::kMessageField)));
      if (!received.ok()) continue;  // its own new messages
      for (const Bytes& answer : received->answers) {
        ++answered_;
        run({"XADD", names_.inbox(received->header.origin), "*", replica::kMessageField,
             replica::as_text(newer(answer))});
      }
    }
  }

  replica::Connection connection_;
  const replica::Names names_{lineage_of_tests()};
  const std::string inbox_, own_;
  std::unique_ptr<replica::ReplicaOf<BlockFilter>> made_;
  EntryId cursor_, inbox_cursor_;
  std::uint64_t answered_ = 0;
};

TEST_F(ReplicaStreams, OfVersion1AndOfVersion2LearnFromEachOther) {
  constexpr std::uint64_t kCount = 3000;
  join(2);
  Newer second(*server_, 3);
  for (std::uint64_t key = 0; key < kCount; ++key) {
    if (key % 3 == 2) second.made().add(key);
    else members_[key % 3]->replica->add(key);
  }
  const auto pump = [&] {
    second.pump();
    for (const auto& member : members_) ASSERT_TRUE(member->streams->pump(milliseconds(0)).ok());
  };
  // Deltas of both are taken, and so are acknowledgements: nothing stays pending.
  EXPECT_TRUE(comes_true([&] {
    pump();
    const bool all_confirmed = std::ranges::all_of(
        members_, [](const auto& member) { return member->replica->whole() && member->streams->stats().pending == 0; });
    return all_confirmed && agree(kCount) &&
           std::ranges::equal(second.made().filter().view().payload(), members_[0]->replica->filter().view().payload());
  }));
  // A repair against version 2 is one like others.
  EXPECT_TRUE(comes_true([&] {
    members_[0]->streams->repair();
    for (int i = 0; i < 10; ++i) pump();
    return second.answered() > 0 && members_[0]->replica->stats().repairs_done > 1;
  }));
  for (const auto& member : members_) {
    const auto refused = member->replica->stats().refused;
    EXPECT_EQ(refused.size(), 2u);
    EXPECT_GT(refused.at("type"), 0u);
    EXPECT_GT(refused.at("version"), 0u);
    EXPECT_TRUE(member->replica->whole());
  }
}

}  // namespace
}  // namespace bloomery
