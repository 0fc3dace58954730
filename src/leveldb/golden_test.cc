// The filters of spec/vectors/leveldb.json: made byte for byte, read, and doubted where they are none.
#include <gtest/gtest.h>
#include <leveldb/slice.h>

#include "bloomery/leveldb.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::from_hex;
using testing::vectors;

std::unique_ptr<const leveldb::FilterPolicy> policy_of(const nlohmann::json& row, double fpr) {
  return *leveldb_filter_policy(*kind_from_name(row["kind"].get<std::string>()), fpr);
}

std::vector<std::string> numbered(const std::string& word, std::size_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(word + std::to_string(i));
  return keys;
}

TEST(LevelDbVectors, filters_are_made_and_read_as_the_vectors_have_them) {
  for (const auto& row : vectors("leveldb", "filters")) {
    const auto policy = policy_of(row, row["fpr"]);
    const std::string expected = from_hex(row["hex"]), what = row["kind"].get<std::string>() + " " + row["keys"].dump();
    const std::vector<std::string> keys = numbered("key", row["keys"]);
    const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
    std::string made;
    policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &made);
    EXPECT_EQ(made, expected) << what;
    for (const std::string& key : keys) ASSERT_TRUE(policy->KeyMayMatch(key, expected)) << what << ", " << key;
    nlohmann::json maybes = nlohmann::json::array();
    for (const std::string& key : numbered("miss", 50))
      if (policy->KeyMayMatch(key, expected)) maybes.push_back(key);
    EXPECT_EQ(maybes, row["maybes"]) << what;
  }
}

TEST(LevelDbVectors, what_is_no_filter_answers_maybe) {
  for (const auto& row : vectors("leveldb", "maybe")) {
    const auto policy = policy_of(row, 0.01);
    const std::string bytes = from_hex(row["hex"]);
    for (const std::string& key : numbered("miss", 10)) EXPECT_TRUE(policy->KeyMayMatch(key, bytes)) << row;
  }
}

}  // namespace
}  // namespace bloomery
