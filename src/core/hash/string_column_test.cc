// Columns of strings: what they show, what is refused, and that their hashes are those of the strings.
#include "bloomery/string_column.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bloomery/hash.h"

namespace bloomery {
namespace {

template <class Offset>
class OfOffsets : public ::testing::Test {};
using Offsets = ::testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(OfOffsets, Offsets);

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TYPED_TEST(OfOffsets, strings_are_what_lies_between_two_offsets) {
  const std::string text = "--alphabeta";
  const std::vector<TypeParam> offsets = {2, 7, 7, 11};  // the first is not 0, and one string is empty
  const StringColumn column(offsets, text.data());
  static_assert(std::is_same_v<decltype(column), const StringColumn<TypeParam>>);
  ASSERT_EQ(column.size(), 3u);
  EXPECT_EQ(column[0], "alpha");
  EXPECT_EQ(column[1], "");
  EXPECT_EQ(column[2], "beta");
  const StringColumn<TypeParam> last = column.slice(2, 1);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0], "beta");
}

TYPED_TEST(OfOffsets, nothing_is_a_column_of_no_strings) {
  const std::vector<TypeParam> none, one = {5};
  EXPECT_EQ(StringColumn<TypeParam>().size(), 0u);
  EXPECT_TRUE(StringColumn(none, nullptr).empty());
  EXPECT_TRUE(StringColumn(one, nullptr).empty());
  const std::vector<TypeParam> zeros = {0, 0, 0};
  const StringColumn nulls(zeros, nullptr);  // strings without a byte need no bytes
  ASSERT_EQ(nulls.size(), 2u);
  EXPECT_TRUE(nulls[1].empty());
}

TYPED_TEST(OfOffsets, wrong_offsets_are_refused_by_number) {
  const std::string text = "alphabeta";
  const auto message = [&](const std::vector<TypeParam>& offsets) -> std::string {
    const auto column = StringColumn<TypeParam>::checked(offsets, bytes_of(text));
    return column.ok() ? "" : column.error().message;
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({0, 5, 9}), "");
  EXPECT_EQ(message({9, 9}), "");
  EXPECT_EQ(message({0, 5, 4}), "offset 2 of the column is 4, less than the one before it, 5");
  EXPECT_EQ(message({0, 10}), "offset 1 of the column is 10, behind the end of the 9 bytes that it points into");
  const TypeParam most = std::numeric_limits<TypeParam>::max();
  EXPECT_NE(message({0, most}), "");
  if constexpr (std::is_signed_v<TypeParam>) {
    EXPECT_EQ(message({-1, 5}), "offset 0 of the column is -1, which is before the first byte");
  }
}

TYPED_TEST(OfOffsets, hashes_are_those_of_the_strings) {
  std::mt19937_64 random(3);
  std::string text(6000, '\0');
  for (char& c : text) c = static_cast<char>(random());
  const Secret secret({1, 2, 3});
  for (const Hasher& hasher : {Hasher::fnv_splitmix(), Hasher::xxh3(), Hasher::xxh3(9), Hasher::xxh64(9),
                               Hasher::siphash13(secret), Hasher::siphash24(secret)}) {
    for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 100u}) {
      std::vector<TypeParam> offsets = {static_cast<TypeParam>(random() % 20)};
      while (offsets.size() <= count)
        offsets.push_back(static_cast<TypeParam>(static_cast<std::uint64_t>(offsets.back()) + random() % 50));
      const StringColumn column(offsets, text.data());
      std::vector<Hash> hashes(count);
      hasher.hash_many(column, hashes);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(hashes[i], hasher(column[i])) << to_string(hasher.id());
    }
  }
}

}  // namespace
}  // namespace bloomery
