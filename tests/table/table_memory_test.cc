// Every allocation of building, opening, reading, verifying and compacting tables is made to fail once, one after the
// other. Whatever fails: out_of_memory or the right answer, nothing thrown, nothing lost (AddressSanitizer watches),
// and no half file; and the next call works.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iostream>

#include "bloomery/table/compact.h"
#include "support/allocations.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::Allocations;
using testing::read_text;
using testing::Scratch;

constexpr std::uint64_t kEntries = 120;

// Too long for the place that a string has in itself.
std::string long_key(std::uint64_t i) { return "a key that is allocated " + std::to_string(1'000'000 + i); }
std::string value_of(const std::string& name, std::uint64_t i) {
  return "the value of " + name + " " + std::to_string(i * i * i);
}

TableOptions small_blocks(Compression compression, std::optional<Kind> filter) {
  TableOptions options;
  options.block_bytes = 512;
  options.compression = compression;
  options.filter = filter;
  return options;
}

// Made before allocations fail.
struct LongEntries {
  std::vector<std::string> keys, values;

  explicit LongEntries(const std::string& name) {
    for (std::uint64_t i = 0; i < kEntries; ++i) keys.push_back(long_key(i)), values.push_back(value_of(name, i));
  }
};

Status build(const std::string& path, const LongEntries& entries, const TableOptions& options) {
  Result<TableBuilder> builder = TableBuilder::create(path, options);
  BLOOMERY_TRY(builder);
  for (std::uint64_t i = 0; i < kEntries; ++i)
    BLOOMERY_TRY(builder->add({entries.keys[i], entries.values[i], i, false}));
  BLOOMERY_TRY(builder->finish());
  return {};
}

bool is_whole(const std::string& path, const std::string& name) {
  const Result<std::shared_ptr<Table>> table = Table::open(path);
  if (!table.ok() || !(*table)->verify().ok() || (*table)->properties().entries != kEntries) return false;
  for (std::uint64_t i = 0; i < kEntries; ++i)
    if (const Result<Lookup> got = (*table)->get(long_key(i)); !got.ok() || got->value != value_of(name, i))
      return false;
  return true;
}

// Runs the operation with the first allocation failing, then the second, until none does; where there are very many,
// about 100 of them unless everything is asked for. `check` is told what came of each, and whether one failed.
std::uint64_t fail_each(const std::function<Status()>& operation,
                        const std::function<void(const Status&, bool)>& check) {
  std::uint64_t all = 0, failures = 0;
  {
    const Allocations watch;
    (void)operation();
    all = watch.count();
  }
  check({}, false);
  const std::uint64_t step = std::getenv("BLOOMERY_SOAK") != nullptr ? 1 : 1 + all / 100;
  for (std::uint64_t i = 0; i < all && !::testing::Test::HasFailure(); i += step) {
    SCOPED_TRACE("allocation " + std::to_string(i) + " of " + std::to_string(all));
    Status status;
    bool failed = false;
    {
      const Allocations watch(i);
      status = operation();
      failed = watch.failed();
    }
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, ErrorCode::out_of_memory) << status.error().to_string();
    }
    failures += failed ? 1 : 0;
    check(status, failed);
  }
  EXPECT_GT(failures, 0u);
  return failures;
}

class TableMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Allocations::kWatched) GTEST_SKIP() << "no allocation can be made to fail under ThreadSanitizer";
  }
};

TEST_F(TableMemory, a_build_without_memory_leaves_the_old_table_or_the_new_one_whole) {
  std::uint64_t failures = 0;
  for (const Compression compression : {Compression::none, Compression::lz4, Compression::zstd}) {
    for (const std::optional<Kind> kind : {std::optional(Kind::split), std::optional(Kind::classic)}) {
      Scratch scratch;
      const std::string path = scratch / "a table whose name is allocated, too";
      const TableOptions options = small_blocks(compression, kind);
      const LongEntries before("old"), after("new");
      ASSERT_TRUE(build(path, before, options).ok());
      const std::string old = read_text(path);
      failures += fail_each([&] { return build(path, after, options); },
                            [&](const Status& status, bool) {
                              ASSERT_EQ(scratch.files(), 1u) << "a temporary stayed";
                              if (status.ok() || read_text(path) != old) {
                                ASSERT_TRUE(is_whole(path, "new"));
                                ASSERT_TRUE(build(path, before, options).ok());
                              }
                            });
    }
  }
  std::cout << failures << " allocations of builds failed\n";
}

// The keys that a test asks for, every second of them there.
struct Asked {
  std::vector<std::string> names, values;
  std::vector<std::string_view> keys;

  Asked() {
    for (std::uint64_t i = 0; i < kEntries; ++i) {
      names.push_back(long_key(i)), names.push_back(long_key(i) + " is not there");
      values.push_back(value_of("it", i)), values.emplace_back();
    }
    keys.assign(names.begin(), names.end());
  }
  bool right(std::size_t i, const Lookup& got) const {
    return got.state == (i % 2 == 0 ? Found::found : Found::absent) && got.value == values[i];
  }
};

// An answer is right or an error; this says what is neither.
Error wrong() { return {ErrorCode::mismatch, "wrong answer", {}, {}}; }

Status get_all(const Table& table, const Asked& asked) {
  Status first;
  for (std::size_t i = 0; i < asked.keys.size(); ++i) {
    Result<Lookup> got = table.get(asked.keys[i]);
    if (!got.ok() && first.ok()) first = std::move(got).error();
    else if (got.ok() && !asked.right(i, *got)) return wrong();
  }
  return first;
}

Status multi_get_all(const Table& table, const Asked& asked) {
  Result<std::vector<Result<Lookup>>> together = table.multi_get(asked.keys);
  BLOOMERY_TRY(together);
  std::vector<Result<Lookup>>& got = *together;
  Status first;
  for (std::size_t i = 0; i < asked.keys.size(); ++i)
    if (!got[i].ok() && first.ok()) first = std::move(got[i]).error();
    else if (got[i].ok() && !asked.right(i, *got[i])) return wrong();
  return first;
}

Status walk_all(const Table& table, const Asked& asked) {
  TableIterator at = table.iterate();
  const auto entry_is = [&](std::size_t i) {
    return at.entry().key == asked.keys[2 * i] && at.entry().value == asked.values[2 * i];
  };
  std::size_t seen = 0;
  for (at.first(); at.valid(); at.next())
    if (!entry_is(seen++)) return wrong();
  if (at.status().ok() && seen != kEntries) return wrong();
  Status first = at.status();
  seen = kEntries;
  for (at.last(); at.valid(); at.previous())
    if (!entry_is(--seen)) return wrong();
  if (at.status().ok() && seen != 0) return wrong();
  if (first.ok()) first = at.status();
  for (std::size_t i = 0; i < kEntries; ++i) {
    at.seek(asked.keys[2 * i]);
    if (at.valid() ? !entry_is(i) : at.status().ok()) return wrong();
    if (first.ok() && !at.status().ok()) first = at.status();
  }
  return first;
}

TEST_F(TableMemory, a_read_without_memory_is_an_error_and_no_wrong_answer) {
  Scratch scratch;
  const std::string path = scratch / "a table whose name is allocated, too";
  const Asked asked;
  std::uint64_t failures = 0;
  for (const Compression compression : {Compression::none, Compression::lz4}) {
    TableOptions built = small_blocks(compression, Kind::split);
    if (compression == Compression::lz4) {
      built.filter_partition_bytes = 1024;
      built.prefix = PrefixExtractor::fixed(30);
    }
    ASSERT_TRUE(build(path, LongEntries("it"), built).ok());
    for (const bool map : {true, false}) {
      for (const std::uint64_t cache : {0u, 40'000u, 1u << 20}) {
        SCOPED_TRACE(std::string(map ? "mapped" : "read") + ", cache of " + std::to_string(cache));
        std::shared_ptr<Table> table;
        const auto open = [&](std::shared_ptr<BlockCache> blocks) -> Status {
          TableReadOptions options;
          options.map = map;
          options.cache = std::move(blocks);
          Result<std::shared_ptr<Table>> opened = Table::open(path, options);
          BLOOMERY_TRY(opened);
          table = *std::move(opened);
          return {};
        };
        const auto kept = [&] { return cache == 0 ? nullptr : std::make_shared<BlockCache>(cache); };
        const auto blocks = kept();
        failures += fail_each(
            [&] { return open(blocks); },
            [&](const Status& status, bool) { EXPECT_TRUE(!status.ok() || table->stats().filter_unusable == 0); });
        for (const auto ask : {&get_all, &multi_get_all, &walk_all}) {
          ASSERT_TRUE(open(kept()).ok());
          // What a failure leaves behind, in the cache too, is in nobody's way.
          failures += fail_each([&] { return ask(*table, asked); },
                                [&](const Status&, bool) {
                                  ASSERT_TRUE(get_all(*table, asked).ok());
                                  ASSERT_TRUE(open(kept()).ok());
                                });
        }
        failures += fail_each([&] { return table->verify(); },
                              [&](const Status& status, bool failed) { EXPECT_TRUE(failed || status.ok()); });
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
  std::cout << failures << " allocations of reads failed\n";
}

TEST_F(TableMemory, a_filter_is_replaced_or_the_table_stays) {
  Scratch scratch;
  const std::string path = scratch / "a table whose name is allocated, too";
  TableOptions other = small_blocks(Compression::none, Kind::block);
  other.filter_partition_bytes = 1024;
  other.prefix = PrefixExtractor::fixed(30);
  const LongEntries entries("it");
  const auto rebuild = [&] { return build(path, entries, small_blocks(Compression::none, Kind::split)).ok(); };
  ASSERT_TRUE(rebuild());
  for (const bool map : {true, false}) {
    TableReadOptions options;
    options.map = map;
    std::shared_ptr<Table> table = *Table::open(path, options);
    const auto replace = [&]() -> Status {
      Result<TableProperties> properties = refilter(*table, path, other);
      return properties.ok() ? Status() : Status(std::move(properties).error());
    };
    fail_each(replace, [&](const Status& status, bool) {
      ASSERT_EQ(scratch.files(), 1u) << "a temporary stayed";
      ASSERT_TRUE(is_whole(path, "it"));
      const std::optional<Kind> kind = (*Table::open(path))->properties().filter;
      ASSERT_TRUE(kind == Kind::block || (!status.ok() && kind == Kind::split));
      ASSERT_TRUE(rebuild());
    });
  }
}

TEST_F(TableMemory, a_compaction_without_memory_leaves_nothing) {
  Scratch scratch;
  const TableOptions options = small_blocks(Compression::none, Kind::split);
  std::vector<std::shared_ptr<Table>> tables;
  for (const char* name : {"newest", "older", "oldest"}) {
    ASSERT_TRUE(build(scratch / name, LongEntries(name), options).ok());
    tables.push_back(*Table::open(scratch / name));
  }
  std::vector<std::string> outputs;
  for (int i = 0; i < 50; ++i) outputs.push_back(scratch / ("an output whose name is allocated " + std::to_string(i)));
  CompactOptions how;
  how.table = options;
  how.split_bytes = 1500;
  std::uint64_t tables_written = 0;
  const auto run = [&]() -> Status {
    Result<Compacted> done = compact(
        tables, [&](unsigned i) { return outputs[i]; }, how);
    BLOOMERY_TRY(done);
    tables_written = done->paths.size();
    return {};
  };
  const std::uint64_t failures = fail_each(run, [&](const Status& status, bool) {
    if (!status.ok()) {
      ASSERT_EQ(scratch.files(), 3u) << "something stayed";
      return;
    }
    ASSERT_EQ(scratch.files(), 3 + tables_written);
    std::uint64_t entries = 0;
    for (std::size_t i = 0; i < tables_written; ++i) {
      const auto part = *Table::open(outputs[i]);
      ASSERT_TRUE(part->verify().ok());
      TableIterator at = part->iterate();
      for (at.first(); at.valid(); at.next(), ++entries) ASSERT_EQ(at.entry().value, value_of("newest", entries));
      std::filesystem::remove(outputs[i]);
    }
    ASSERT_EQ(entries, kEntries);
  });
  EXPECT_GE(tables_written, 3u);
  std::cout << failures << " allocations of compactions into " << tables_written << " tables failed\n";
  for (const char* name : {"newest", "older", "oldest"}) EXPECT_TRUE(is_whole(scratch / name, name));
}

}  // namespace
}  // namespace bloomery
