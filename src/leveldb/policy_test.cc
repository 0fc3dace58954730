#include "bloomery/leveldb.h"

#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/slice.h>

#include <cstdio>

#include "bloomery/detail/fnv.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using leveldb::Slice;
using PolicyPointer = std::unique_ptr<const leveldb::FilterPolicy>;

PolicyPointer policy(Kind kind, double fpr = 0.01) { return *leveldb_filter_policy(kind, fpr); }

std::string make(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys, std::string before = {}) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &before);
  return before;
}

std::string random_key(std::uint64_t number) {
  const std::uint64_t bits = detail::splitmix64(number);
  return std::string(reinterpret_cast<const char*>(&bits), 1 + number % 8) + std::to_string(number);
}

std::vector<std::string> random_keys(std::uint64_t first, std::size_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(random_key(first + i));
  return keys;
}

// Fixed width, so that neighbours differ in a digit or two.
std::string decimal(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llu", static_cast<unsigned long long>(number));
  return text;
}

class LevelDbPolicy : public ::testing::TestWithParam<Kind> {
 protected:
  PolicyPointer policy_ = policy(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Kinds, LevelDbPolicy, ::testing::ValuesIn(kPolicyKinds),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(LevelDbPolicy, the_name_has_kind_and_version) {
  EXPECT_EQ(policy_->Name(), "bloomery." + std::string(to_string(GetParam())) + ".1");
}

TEST_P(LevelDbPolicy, no_key_is_lost_at_any_size_and_address) {
  for (std::size_t n = 1; n <= 300; ++n) {
    std::vector<std::string> keys = random_keys(n * 1000, n);
    keys.front().clear();  // the empty key too
    const std::string before(n % 67, 'x');
    const std::string all = make(*policy_, keys, before);
    ASSERT_EQ(all.substr(0, before.size()), before);  // what was there stays
    const Slice filter(all.data() + before.size(), all.size() - before.size());
    for (const std::string& key : keys) ASSERT_TRUE(policy_->KeyMayMatch(key, filter)) << n;
  }
}

TEST_P(LevelDbPolicy, a_filter_of_no_keys_denies_them_all) {
  const std::string filter = make(*policy_, {});
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_FALSE(policy_->KeyMayMatch(random_key(i), filter));
}

TEST_P(LevelDbPolicy, many_keys_in_one_filter_are_kept) {
  const std::vector<std::string> keys = random_keys(5'000'000, 20'000);
  const std::string filter = make(*policy_, keys);
  for (const std::string& key : keys) ASSERT_TRUE(policy_->KeyMayMatch(key, filter));
}

TEST_P(LevelDbPolicy, filters_of_few_keys_hold_the_rate) {
  for (const double fpr : {0.01, 0.001}) {
    const PolicyPointer asked = policy(GetParam(), fpr);
    for (const std::size_t n : {1u, 2u, 3u, 5u, 10u, 27u, 28u, 33u, 50u, 51u, 100u, 300u}) {
      const std::size_t filters = 1000, questions = 400;
      std::uint64_t hits = 0;
      for (std::size_t f = 0; f < filters; ++f) {
        const std::string filter = make(*asked, random_keys(f * 1000, n));
        for (std::size_t i = 0; i < questions; ++i)
          hits += asked->KeyMayMatch(random_key(1'000'000'000 + f * questions + i), filter) ? 1 : 0;
      }
      EXPECT_LE(static_cast<double>(hits) / static_cast<double>(filters * questions), 1.1 * fpr) << n << " at " << fpr;
    }
  }
}

TEST_P(LevelDbPolicy, versions_of_a_key_count_once) {
  std::vector<std::string> once, often;
  for (std::uint64_t i = 0; i < 100; ++i) {
    once.push_back(decimal(i));
    for (int version = 0; version < 5; ++version) often.push_back(decimal(i));
  }
  EXPECT_EQ(make(*policy_, once), make(*policy_, often));
}

TEST_P(LevelDbPolicy, bytes_that_are_no_filter_answer_maybe) {
  const std::string filter = make(*policy_, random_keys(0, 40));
  std::vector<std::string> absent;  // keys that the filter denies, so that each "maybe" below is for its bytes alone
  for (std::uint64_t i = 1'000'000; absent.size() < 20; ++i)
    if (!policy_->KeyMayMatch(random_key(i), filter)) absent.push_back(random_key(i));
  const auto all_maybe = [&](const std::string& bytes) {
    for (const std::string& key : absent)
      if (!policy_->KeyMayMatch(key, bytes)) return false;
    return true;
  };
  EXPECT_FALSE(all_maybe(filter));
  EXPECT_TRUE(all_maybe(""));
  EXPECT_TRUE(all_maybe(std::string(1, '\0')));
  EXPECT_TRUE(all_maybe(filter.substr(filter.size() - 2)));  // a trailer alone
  for (int tag = 0; tag < 256; ++tag) {
    std::string other = filter;
    if (static_cast<std::uint8_t>(other.back()) == tag) continue;
    other.back() = static_cast<char>(tag);
    EXPECT_TRUE(all_maybe(other)) << tag;
  }
  std::string no_k = filter;
  no_k[filter.size() - 2] = 0;
  EXPECT_TRUE(all_maybe(no_k));
  no_k[filter.size() - 2] = 31;
  EXPECT_TRUE(all_maybe(no_k));
  if (GetParam() == Kind::classic) return;  // which has any number of bytes
  for (std::size_t cut = 1; cut < 32; ++cut) EXPECT_TRUE(all_maybe(filter.substr(cut))) << cut;
}

TEST_P(LevelDbPolicy, a_filter_of_another_kind_answers_maybe) {
  for (const Kind other : kPolicyKinds) {
    if (other == GetParam()) continue;
    const std::string filter = make(*policy(other), random_keys(0, 40));
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(policy_->KeyMayMatch(random_key(1'000'000 + i), filter));
  }
}

TEST(LevelDbPolicyBytes, payload_and_trailer_are_those_of_the_specification) {
  const std::vector<std::string> keys = random_keys(0, 33);
  auto split = *SplitFilter::with_blocks(2);
  auto block = *BlockFilter::with_bytes(64, 33);
  for (const std::string& key : keys) split.add(key), block.add(key);
  const auto bytes = [](const auto& filter, std::uint8_t shape, std::uint8_t tag) {
    const auto payload = filter.view().payload();
    std::string all(payload.begin(), payload.end());
    return all.append({static_cast<char>(shape), static_cast<char>(tag)});
  };
  EXPECT_EQ(make(*policy(Kind::split), keys), bytes(split, 8, 0x12));
  EXPECT_EQ(make(*policy(Kind::block), keys), bytes(block, static_cast<std::uint8_t>(block.geometry().k), 0x13));
  const std::string classic = make(*policy(Kind::classic), keys);
  const auto shape = static_cast<std::uint8_t>(classic[classic.size() - 2]);
  auto same = *ClassicFilter::with_geometry(8 * (classic.size() - 2) - shape / 32, shape % 32);
  for (const std::string& key : keys) same.add(key);
  EXPECT_EQ(classic, bytes(same, shape, 0x11));
}

TEST(LevelDbPolicyRates, what_a_kind_cannot_reach_is_refused) {
  for (const double fpr : {0.0, 1.0, -1.0})
    for (const Kind kind : kPolicyKinds) EXPECT_FALSE(leveldb_filter_policy(kind, fpr).ok());
  const auto refused = leveldb_filter_policy(Kind::split, 1e-6);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().field, "fpr");
  EXPECT_TRUE(leveldb_filter_policy(Kind::block, 1e-6).ok());
  EXPECT_EQ(leveldb_filter_policy(Kind::cuckoo, 0.01).error().code, ErrorCode::unsupported);
}

// The rate of a filter by its size, and its number of keys.
double designed(Kind kind, const std::string& filter, std::uint64_t n) {
  const std::uint64_t bytes = filter.size() - 2, shape = static_cast<std::uint8_t>(filter[bytes]);
  if (kind == Kind::split) return SplitGeometry::make(bytes / 32)->predicted_fpr_after(n);
  if (kind == Kind::block) return BlockGeometry::make(bytes / 64, shape)->predicted_fpr_after(n);
  return ClassicGeometry::make(8 * bytes - shape / 32, shape % 32)->predicted_fpr_after(n);
}

// Counts what another policy answers.
class Counted : public leveldb::FilterPolicy {
 public:
  explicit Counted(const leveldb::FilterPolicy& policy) : policy_(policy) {}
  const char* Name() const override { return policy_.Name(); }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    made.emplace_back();
    policy_.CreateFilter(keys, n, &made.back());
    dst->append(made.back());
    sizes.push_back(static_cast<std::uint64_t>(n));
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    const bool maybe = policy_.KeyMayMatch(key, filter);
    ++asked;
    yes += maybe ? 1 : 0;
    return maybe;
  }

  // By one thread: that of the caller, or that of compactions.
  mutable std::uint64_t asked = 0, yes = 0;
  mutable std::vector<std::string> made;
  mutable std::vector<std::uint64_t> sizes;

 private:
  const leveldb::FilterPolicy& policy_;
};

// A database in a folder of the test's own.
class Database {
 public:
  Database(const std::string& folder, const leveldb::FilterPolicy& policy) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.filter_policy = &policy;
    options.compression = leveldb::kNoCompression;
    options.write_buffer_size = 256 << 10;
    leveldb::DB* opened = nullptr;
    EXPECT_TRUE(leveldb::DB::Open(options, folder, &opened).ok());
    db_.reset(opened);
  }
  void put(const std::string& key, const std::string& value) {
    EXPECT_TRUE(db_->Put(leveldb::WriteOptions(), key, value).ok());
  }
  void remove(const std::string& key) { EXPECT_TRUE(db_->Delete(leveldb::WriteOptions(), key).ok()); }
  void compact() { db_->CompactRange(nullptr, nullptr); }
  std::string get(const std::string& key) {
    std::string value;
    const leveldb::Status status = db_->Get(leveldb::ReadOptions(), key, &value);
    EXPECT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
    return status.ok() ? value : "-";
  }

 private:
  std::unique_ptr<leveldb::DB> db_;
};

TEST_P(LevelDbPolicy, a_database_loses_no_key) {
  const testing::Scratch scratch;
  constexpr std::uint64_t kKeys = 20'000;
  const auto value = [](std::uint64_t i) {
    return i % 7 == 0 ? "-" : (i % 5 == 0 ? "second " : "first ") + decimal(i);
  };
  const Counted counted(*policy_);
  const auto check = [&](Database& database) {
    for (std::uint64_t i = 0; i < kKeys; ++i) ASSERT_EQ(database.get(decimal(i)), value(i));
  };
  {
    Database database(scratch / "db", counted);
    for (std::uint64_t i = 0; i < kKeys; ++i) database.put(decimal(i), "first " + decimal(i));
    for (std::uint64_t i = 0; i < kKeys; i += 5) database.put(decimal(i), "second " + decimal(i));
    for (std::uint64_t i = 0; i < kKeys; i += 7) database.remove(decimal(i));
    check(database);
    database.compact();
    check(database);
  }
  EXPECT_GT(counted.asked, kKeys);
  const PolicyPointer other_rate = policy(GetParam(), 0.001);  // reads the same filters
  Database again(scratch / "db", *other_rate);
  check(again);
}

// Even numbers are there, odd ones are asked: neighbours in all but the last digit.
TEST_P(LevelDbPolicy, the_rate_in_a_database_is_the_designed_one) {
  const testing::Scratch scratch;
  constexpr std::uint64_t kKeys = 300'000;
  const Counted counted(*policy_);
  Database database(scratch / "db", counted);
  for (std::uint64_t i = 0; i < kKeys; ++i) database.put(decimal(2 * i), "v");
  database.compact();
  for (std::uint64_t i = 0; i < kKeys; i += 97) ASSERT_EQ(database.get(decimal(2 * i)), "v");
  counted.asked = counted.yes = 0;
  for (std::uint64_t i = 0; i + 1 < kKeys; ++i) ASSERT_EQ(database.get(decimal(2 * i + 1)), "-");
  EXPECT_GT(counted.asked, kKeys * 9 / 10);  // one level, one table, one filter for a key
  const double rate = static_cast<double>(counted.yes) / static_cast<double>(counted.asked);
  double keys = 0, hits = 0;
  for (std::size_t i = 0; i < counted.made.size(); ++i) {
    keys += static_cast<double>(counted.sizes[i]);
    hits += static_cast<double>(counted.sizes[i]) * designed(GetParam(), counted.made[i], counted.sizes[i]);
  }
  std::printf("%s: designed for 1 %%, by its sizes %.3f %%, measured %.3f %%\n", to_string(GetParam()),
              100 * hits / keys, 100 * rate);
  EXPECT_LE(rate, 1.1 * 0.01);
  EXPECT_NEAR(rate / (hits / keys), 1, 0.1);
}

}  // namespace
}  // namespace bloomery
