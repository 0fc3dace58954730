// The bytes of checkpoints, and ids of entries.
#include "streams/checkpoint.h"

#include <gtest/gtest.h>

#include "bloomery/block.h"
#include "bloomery/live/shared.h"

namespace bloomery::replica {
namespace {

const Lineage kLineage = {{1, 2, 3}};
const Secret kSecret(std::array<std::uint8_t, 16>{7, 7, 7});

struct Encoded {
  Bytes bytes;
  std::vector<Snapshot> snapshots;
};

Encoded encoded(const std::optional<Secret>& secret, const Lineage& lineage = kLineage) {
  auto made = ReplicaOf<BlockFilter>::make(
      *Shared<BlockFilter>::with_capacity(100, 0.01),
      {.lineage = lineage, .origin = 1, .incarnation = 1, .secret = secret, .start = Start::new_lineage});
  (*made)->add(42);
  (void)(*made)->take_delta();
  Encoded out;
  out.snapshots = *(*made)->snapshot();
  out.bytes = encode(*(*made)->hello(), {5, 6}, out.snapshots, secret);
  return out;
}

TEST(Checkpoint, HoldsWhatWasWritten) {
  for (const std::optional<Secret>& secret : {std::optional<Secret>(), std::optional(kSecret)}) {
    const Encoded written = encoded(secret);
    const Result<Checkpoint> read = decode(written.bytes, kLineage, secret);
    ASSERT_TRUE(read.ok()) << read.error().to_string();
    EXPECT_EQ(read->position, (EntryId{5, 6}));
    ASSERT_EQ(read->snapshots.size(), 1u);
    EXPECT_EQ(read->snapshots[0].payload, written.snapshots[0].payload);
    EXPECT_EQ(read->snapshots[0].positions, written.snapshots[0].positions);
    EXPECT_EQ(read->filter.kind, static_cast<std::uint16_t>(Kind::block));
  }
}

TEST(Checkpoint, EveryBitFlipAndEveryCutIsNoticed) {
  for (const std::optional<Secret>& secret : {std::optional<Secret>(), std::optional(kSecret)}) {
    Bytes bytes = encoded(secret).bytes;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1 << bit % 8));
      EXPECT_FALSE(decode(bytes, kLineage, secret).ok()) << "bit " << bit;
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1 << bit % 8));
    }
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(decode(std::span(bytes).first(size), kLineage, secret).ok()) << size;
    bytes.push_back(0);
    EXPECT_FALSE(decode(bytes, kLineage, secret).ok());
  }
}

TEST(Checkpoint, OfAnotherLineageOrSecretIsRefused) {
  const Bytes plain = encoded({}).bytes, secret = encoded(kSecret).bytes;
  EXPECT_FALSE(decode(plain, Lineage(), {}).ok());
  EXPECT_FALSE(decode(plain, kLineage, kSecret).ok());
  EXPECT_FALSE(decode(secret, kLineage, {}).ok());
  EXPECT_FALSE(decode(secret, kLineage, Secret(std::array<std::uint8_t, 16>{8})).ok());
}

TEST(Seal, DependsOnTextAndSecret) {
  EXPECT_NE(seal_text("a", {}), seal_text("b", {}));
  EXPECT_NE(seal_text("a", {}), seal_text("a", kSecret));
  EXPECT_EQ(seal_text("a", kSecret).size(), 32u);
}

TEST(EntryIds, AreReadAndOrdered) {
  EXPECT_EQ(EntryId::parse("12-3"), (EntryId{12, 3}));
  EXPECT_EQ(EntryId::parse("18446744073709551615-18446744073709551615"), (EntryId{~0ull, ~0ull}));
  EXPECT_EQ((EntryId{12, 3}).to_string(), "12-3");
  EXPECT_LT((EntryId{12, 9}), (EntryId{12, 10}));
  EXPECT_LT((EntryId{9, 9}), (EntryId{12, 0}));
  for (const char* wrong : {"", "-", "1-", "-1", "1", "1-2-3", "+1-2", " 1-2", "1-2 ", "18446744073709551616-0", "a-b"})
    EXPECT_FALSE(EntryId::parse(wrong)) << wrong;
}

}  // namespace
}  // namespace bloomery::replica
