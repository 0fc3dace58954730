// Compaction: what several tables say together, one table says alone.
#include "bloomery/table/compact.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>

#include "bloomery/detail/fnv.h"
#include "support/fault_at.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

struct Version {
  std::uint64_t sequence;
  bool deleted;
  std::string value;
};
using Versions = std::map<std::string, std::map<std::uint64_t, Version, std::greater<>>>;  // the newest first

class Compaction : public ::testing::Test {
 protected:
  std::shared_ptr<Table> table_of(const Versions& versions, const TableOptions& options = {}) {
    const std::string path = scratch_ / ("in" + std::to_string(tables_++));
    auto builder = *TableBuilder::create(path, options);
    for (const auto& [key, of_key] : versions)
      for (const auto& [sequence, version] : of_key)
        EXPECT_TRUE(builder.add({key, version.value, sequence, version.deleted}).ok());
    EXPECT_TRUE(builder.finish().ok());
    return *Table::open(path);
  }
  Result<Compacted> run(const std::vector<std::shared_ptr<Table>>& newest_first, const CompactOptions& options = {}) {
    return compact(
        newest_first, [this](unsigned i) { return scratch_ / ("out" + std::to_string(i)); }, options);
  }
  // With many entries, and values that fill a block each.
  std::shared_ptr<Table> table_of_many(int entries, std::size_t value_bytes) {
    Versions versions;
    for (int i = 0; i < entries; ++i)
      versions["key" + std::to_string(100'000 + i)][1] = {1, false, std::string(value_bytes, 'v')};
    return table_of(versions);
  }
  bool any_output() const { return std::filesystem::exists(scratch_ / "out0"); }

  testing::Scratch scratch_;
  int tables_ = 0;
};

// Ten tables of random writes and deletions, the sequence numbers mixed between them.
TEST_F(Compaction, of_random_tables_keeps_the_newest_of_every_key) {
  for (const bool last_level : {false, true}) {
    std::vector<Versions> inputs(10);
    std::map<std::string, Version> newest;
    for (std::uint64_t sequence = 1; sequence <= 20'000; ++sequence) {
      const std::uint64_t random = detail::splitmix64(sequence + (last_level ? 1'000'000 : 0));
      const std::string key = "key" + std::to_string(random % 3000);
      const bool deleted = random / 3000 % 4 == 0;
      const Version version{sequence, deleted, deleted ? "" : "value " + std::to_string(sequence)};
      inputs[random / 12'000 % 10][key][sequence] = version;
      newest[key] = version;
    }
    std::vector<std::shared_ptr<Table>> tables;
    for (const Versions& input : inputs) tables.push_back(table_of(input));
    CompactOptions options;
    options.last_level = last_level;
    const Result<Compacted> done = run(tables, options);
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    ASSERT_EQ(done->paths.size(), 1u);
    auto merged = *Table::open(done->paths[0]);
    std::filesystem::remove(done->paths[0]);  // it is open; the name is free for the next round
    EXPECT_TRUE(merged->verify().ok());
    std::uint64_t kept = 0;
    for (const auto& [key, version] : newest) {
      const Lookup got = *merged->get(key);
      if (version.deleted && last_level) {
        EXPECT_EQ(got.state, Found::absent) << key;
        continue;
      }
      ++kept;
      EXPECT_EQ(got.state, version.deleted ? Found::deleted : Found::found) << key;
      EXPECT_EQ(got.value, version.value);
      EXPECT_EQ(got.sequence, version.sequence);
    }
    EXPECT_EQ(merged->properties().entries, kept);
    EXPECT_EQ(done->entries.read, 20'000u);
    EXPECT_EQ(done->entries.total, 20'000u);
    EXPECT_EQ(done->entries.written, kept);
  }
}

TEST_F(Compaction, at_equal_sequence_numbers_the_newer_table_is_right) {
  auto newer = table_of({{"a", {{0, {0, false, "new"}}}}, {"b", {{0, {0, true, ""}}}}});
  auto older =
      table_of({{"a", {{0, {0, false, "old"}}}}, {"b", {{0, {0, false, "old"}}}}, {"c", {{0, {0, false, "c"}}}}});
  const Compacted done = *run({newer, older});
  auto merged = *Table::open(done.paths[0]);
  EXPECT_EQ(merged->get("a")->value, "new");
  EXPECT_EQ(merged->get("b")->state, Found::deleted);
  EXPECT_TRUE(merged->may_contain("b"));
  EXPECT_EQ(merged->get("c")->value, "c");
}

// At the last level a deleted key stops answering "maybe": the filter is built of what is left.
TEST_F(Compaction, ends_the_maybe_of_deleted_keys) {
  Versions written, deleted;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = "key" + std::to_string(i);
    written[key][1] = {1, false, "x"};
    if (i % 2 == 0) deleted[key][2] = {2, true, ""};
  }
  CompactOptions options;
  options.last_level = true;
  auto merged = *Table::open(run({table_of(deleted), table_of(written)}, options)->paths[0]);
  int maybe = 0;
  for (int i = 0; i < 20'000; i += 2) maybe += merged->may_contain("key" + std::to_string(i)) ? 1 : 0;
  EXPECT_LT(maybe, 200);  // 10,000 deleted keys, at 1 % 100 of them
  for (int i = 1; i < 20'000; i += 2) ASSERT_TRUE(merged->get("key" + std::to_string(i))->found());
}

TEST_F(Compaction, splits_into_tables_that_follow_each_other) {
  Versions versions;
  for (int i = 0; i < 5000; ++i) versions["key" + std::to_string(i)][1] = {1, false, std::string(100, 'v')};
  CompactOptions options;
  options.split_bytes = 100'000;
  const Compacted done = *run({table_of(versions)}, options);
  EXPECT_GT(done.paths.size(), 4u);
  std::string last;
  std::uint64_t entries = 0;
  for (const std::string& path : done.paths) {
    auto part = *Table::open(path);
    EXPECT_TRUE(part->verify().ok());
    EXPECT_LT(last, part->properties().smallest);
    last = part->properties().largest;
    entries += part->properties().entries;
    EXPECT_LT(part->properties().designed_fpr, 0.012);  // each has a filter of its own size
  }
  EXPECT_EQ(entries, versions.size());
}

TEST_F(Compaction, writes_over_nothing) {
  testing::write_text(scratch_ / "out0", "precious");
  const Result<Compacted> refused = run({table_of({{"a", {{1, {1, false, ""}}}}})});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().field, "name");
  EXPECT_EQ(testing::read_text(scratch_ / "out0"), "precious");
}

// Another process publishes a table under the name of the output while the compaction runs.
TEST_F(Compaction, leaves_a_table_that_appears_meanwhile_as_it_is) {
  const auto table = table_of_many(30'000, 20);
  CompactOptions options;
  options.progress = [&](const CompactProgress& at) {
    if (at.read > 0) testing::write_text(scratch_ / "out0", "precious");
    return true;
  };
  const Result<Compacted> refused = run({table}, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().field, "name");
  EXPECT_EQ(refused.error().file, scratch_ / "out0");
  EXPECT_EQ(testing::read_text(scratch_ / "out0"), "precious");
  EXPECT_EQ(scratch_.files(), 2u) << "something stayed";
}

TEST_F(Compaction, that_fails_leaves_a_table_that_appeared_meanwhile) {
  const auto table = table_of_many(30'000, 20);
  std::optional<testing::FaultAt> fault;
  CompactOptions options;
  options.progress = [&](const CompactProgress& at) {
    if (at.read == 0) return true;
    testing::write_text(scratch_ / "out0", "precious");
    if (!fault) fault.emplace(0, EFBIG, io::Op::sync);
    return true;
  };
  const Result<Compacted> failed = run({table}, options);
  fault.reset();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::io);
  EXPECT_EQ(testing::read_text(scratch_ / "out0"), "precious");
  EXPECT_EQ(scratch_.files(), 2u) << "something stayed";
}

// The first of several tables is finished, and somebody else's is renamed over it before the compaction fails.
TEST_F(Compaction, that_is_ended_leaves_what_has_replaced_its_tables) {
  const auto table = table_of_many(50'000, 20);
  CompactOptions options;
  options.split_bytes = 100'000;
  options.progress = [&](const CompactProgress& at) {
    if (at.read == 0) return true;
    EXPECT_TRUE(any_output());
    testing::write_text(scratch_ / "other", "precious");
    std::filesystem::rename(scratch_ / "other", scratch_ / "out0");
    return false;
  };
  EXPECT_FALSE(run({table}, options).ok());
  EXPECT_EQ(testing::read_text(scratch_ / "out0"), "precious");
  EXPECT_EQ(scratch_.files(), 2u) << "something stayed";
}

// The first table is removed, and somebody else's of the same size gets its inode number, which ext4 gives again.
TEST_F(Compaction, that_is_ended_leaves_a_table_with_the_inode_of_its_own) {
  const auto table = table_of_many(50'000, 20);
  CompactOptions options;
  options.split_bytes = 100'000;
  bool same_inode = false;
  options.progress = [&](const CompactProgress& at) {
    if (at.read == 0) return true;
    const auto inode = [](const std::string& path) {
      struct stat info {};
      return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
    };
    const auto wanted = inode(scratch_ / "out0");
    const std::string precious(std::filesystem::file_size(scratch_ / "out0"), 'p');
    std::filesystem::remove(scratch_ / "out0");
    for (int i = 0; i < 100 && !same_inode; ++i) {
      const std::string other = scratch_ / ("other" + std::to_string(i));
      testing::write_text(other, precious);
      same_inode = inode(other) == wanted;
      if (same_inode) std::filesystem::rename(other, scratch_ / "out0");
    }
    return false;
  };
  EXPECT_FALSE(run({table}, options).ok());
  if (!same_inode) GTEST_SKIP() << "the file system gives no inode number again";
  EXPECT_TRUE(testing::read_text(scratch_ / "out0").starts_with("ppp")) << "it was removed";
}

// What the caller or a tool for backups does to a finished table while the others are written.
TEST_F(Compaction, that_is_ended_removes_its_tables_whatever_was_read_of_them) {
  const auto table = table_of_many(50'000, 20);
  CompactOptions options;
  options.split_bytes = 100'000;
  options.progress = [&](const CompactProgress& at) {
    if (at.read == 0) return true;
    EXPECT_FALSE(testing::read_text(scratch_ / "out0").empty());
    return false;
  };
  EXPECT_FALSE(run({table}, options).ok());
  EXPECT_EQ(scratch_.files(), 1u) << "something stayed";
}

TEST_F(Compaction, writes_through_no_link_to_nothing) {
  std::filesystem::create_symlink("elsewhere", scratch_ / "out0");
  const Result<Compacted> refused = run({table_of({{"a", {{1, {1, false, ""}}}}})});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().field, "name");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch_ / "out0"));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "elsewhere"));
}

TEST_F(Compaction, of_nothing_writes_nothing) {
  EXPECT_TRUE(run({})->paths.empty());
  EXPECT_TRUE(run({table_of({}), table_of({})})->paths.empty());
  CompactOptions options;
  options.last_level = true;
  EXPECT_TRUE(run({table_of({{"a", {{1, {1, true, ""}}}}})}, options)->paths.empty());
  EXPECT_FALSE(any_output());
}

TEST_F(Compaction, of_nothing_writes_one_empty_table_where_that_is_wanted) {
  CompactOptions options;
  options.last_level = options.write_empty = true;
  options.split_bytes = 1000;
  const Result<Compacted> done = run({table_of({{"a", {{1, {1, true, ""}}}}})}, options);
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  ASSERT_EQ(done->paths, std::vector<std::string>{scratch_ / "out0"});
  EXPECT_EQ(done->tables.at(0).entries, 0u);
  EXPECT_EQ(done->entries.written, 0u);
  EXPECT_TRUE((*Table::open(done->paths[0]))->verify().ok());
  EXPECT_EQ(run({}, options).error().field, "name") << "it writes over what is there";
  std::filesystem::remove(scratch_ / "out0");
  const auto one = table_of({{"a", {{1, {1, false, ""}}}}});
  EXPECT_EQ(run({one}, options)->tables.at(0).entries, 1u);
  std::filesystem::remove(scratch_ / "out0");
  options.progress = [&](const CompactProgress&) { return !any_output(); };
  EXPECT_FALSE(run({}, options).ok());
  EXPECT_FALSE(any_output());
}

TEST_F(Compaction, leaves_nothing_when_it_is_ended_or_fails) {
  Versions versions;
  for (int i = 0; i < 50'000; ++i) versions["key" + std::to_string(i)][1] = {1, false, std::string(20, 'v')};
  auto table = table_of(versions);
  CompactOptions options;
  options.split_bytes = 100'000;
  int calls = 0;
  options.progress = [&](const CompactProgress& progress) {
    EXPECT_EQ(progress.total, versions.size());
    return ++calls < 3;
  };
  const Result<Compacted> ended = run({table}, options);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().field, "progress");
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(any_output());
  // A damaged block of an input is its error.
  std::string bytes = testing::read_text(table->path());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  testing::write_text(table->path() + ".bad", bytes);
  options.progress = {};
  const Result<Compacted> failed = run({*Table::open(table->path() + ".bad")}, options);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::corrupt);
  EXPECT_FALSE(any_output());
}

// The tables that it writes have checksums of their own: under them damage would pass for data.
TEST_F(Compaction, of_tables_opened_without_verifying_finds_their_damage) {
  const auto table = table_of_many(10'000, 20);
  std::string bytes = testing::read_text(table->path());
  const std::size_t value = bytes.find("vvvv", 20'000);
  bytes[value] = 'w';
  const std::string path = table->path() + ".bad";
  testing::write_text(path, bytes);
  for (const bool map : {false, true}) {
    for (const bool cached : {false, true}) {
      TableReadOptions unverified;
      unverified.map = map;
      unverified.verify = false;
      if (cached) unverified.cache = std::make_shared<BlockCache>(1 << 24);
      const auto damaged = *Table::open(path, unverified);
      TableIterator walk = damaged->iterate();
      for (walk.first(); walk.valid(); walk.next()) {
      }  // leaves the damage in the cache
      const Result<Compacted> refused = run({table, damaged});
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
      EXPECT_EQ(refused.error().file, path);
      EXPECT_FALSE(any_output());
    }
  }
}

// By bytes as well as by entries, so that large values do not put it off.
TEST_F(Compaction, asks_its_progress_every_few_megabytes) {
  const auto table = table_of_many(2000, 10'000);  // 20 MB
  CompactOptions options;
  int calls = 0;
  options.progress = [&](const CompactProgress&) { return ++calls < 5; };
  const Result<Compacted> ended = run({table}, options);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().field, "progress");
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(scratch_.files(), 1u) << "something stayed";
}

// At this rate the first 64 KiB are due after 6 seconds, and all after 10.
TEST_F(Compaction, that_waits_for_its_pace_asks_its_progress) {
  const auto table = table_of_many(10, 10'000);
  CompactOptions options;
  options.bytes_per_second = 10'000;
  int calls = 0;
  options.progress = [&](const CompactProgress&) { return ++calls < 3; };
  const auto start = std::chrono::steady_clock::now();
  const Result<Compacted> ended = run({table}, options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().field, "progress");
  EXPECT_EQ(scratch_.files(), 1u) << "something stayed";
}

// A block is larger before it is compressed than in the file, so that the table seems to shrink. Uncompressed it would
// take 20 seconds at this rate, and less than one as it is.
TEST_F(Compaction, with_compression_keeps_to_its_pace_and_ends) {
  const auto table = table_of_many(2000, 2000);
  for (const Compression compression : {Compression::lz4, Compression::zstd}) {
    CompactOptions options;
    options.table.compression = compression;
    options.table.block_bytes = 100'000;
    options.bytes_per_second = 200'000;
    const auto start = std::chrono::steady_clock::now();
    options.progress = [&](const CompactProgress&) {
      return std::chrono::steady_clock::now() - start < std::chrono::seconds(15);
    };
    const Result<Compacted> done = run({table}, options);
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_LT(done->tables[0].file_bytes, 150'000u);
    std::filesystem::remove(done->paths[0]);
  }
}

// Each table is smaller than the steps in which a pace counts, and all of their bytes count, filters and indexes too.
TEST_F(Compaction, into_small_tables_keeps_to_its_pace) {
  const auto table = table_of_many(10'000, 20);
  CompactOptions options;
  options.split_bytes = 30'000;
  options.bytes_per_second = 500'000;
  const auto start = std::chrono::steady_clock::now();
  const Compacted done = *run({table}, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GT(done.paths.size(), 5u);
  double bytes = 0;
  for (const TableProperties& written : done.tables) bytes += static_cast<double>(written.file_bytes);
  EXPECT_GE(took.count(), bytes / 500'000);
}

// At this rate each table is due after 30 seconds.
TEST_F(Compaction, that_waits_for_a_finished_table_asks_its_progress) {
  const auto table = table_of_many(10'000, 20);
  CompactOptions options;
  options.split_bytes = 30'000;
  options.bytes_per_second = 1000;
  int calls = 0;
  options.progress = [&](const CompactProgress&) { return ++calls < 3; };
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(run({table}, options).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_EQ(scratch_.files(), 1u) << "something stayed";
}

TEST_F(Compaction, leaves_nothing_when_its_last_progress_ends_it) {
  const auto table = table_of_many(100, 20);
  CompactOptions options;
  options.progress = [&](const CompactProgress& at) { return at.read < at.total; };
  const Result<Compacted> ended = run({table}, options);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().field, "progress");
  EXPECT_EQ(scratch_.files(), 1u) << "something stayed";
}

TEST_F(Compaction, refuses_a_table_that_is_null) {
  const Result<Compacted> refused = run({table_of({}), nullptr});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().field, "tables");
}

}  // namespace
}  // namespace bloomery
