// Every file operation of building, opening and reading a table is made to fail once, one after the other, and a
// process that builds is killed at any moment. Whatever happens: an error that names the file, the old table as it was
// or the new one whole, and no temporary left by a process that lives.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "bloomery/table/compact.h"
#include "core/io/sys.h"
#include "support/fault_at.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::FaultAt;
using testing::read_text;
using testing::Scratch;

constexpr int kErrors[] = {ENOSPC, EIO};

std::string key_of(std::uint64_t i) { return "key" + std::to_string(1'000'000 + i); }

// Its values tell which table it is.
Status build(const std::string& path, std::uint64_t entries, const std::string& value) {
  TableOptions options;
  options.block_bytes = 512;
  options.compression = Compression::lz4;
  Result<TableBuilder> builder = TableBuilder::create(path, options);
  BLOOMERY_TRY(builder);
  for (std::uint64_t i = 0; i < entries; ++i) BLOOMERY_TRY(builder->add({key_of(i), value, i, false}));
  BLOOMERY_TRY(builder->finish());
  return {};
}

// Whether the table there is that of these entries, all of them.
::testing::AssertionResult is_whole(const std::string& path, std::uint64_t entries, const std::string& value) {
  const Result<std::shared_ptr<Table>> table = Table::open(path);
  if (!table.ok()) return ::testing::AssertionFailure() << table.error().to_string();
  if (const Status status = (*table)->verify(); !status.ok())
    return ::testing::AssertionFailure() << status.error().to_string();
  if ((*table)->properties().entries != entries)
    return ::testing::AssertionFailure() << (*table)->properties().entries << " entries";
  for (std::uint64_t i = 0; i < entries; ++i)
    if (const Result<Lookup> got = (*table)->get(key_of(i)); !got.ok() || !got->found() || got->value != value)
      return ::testing::AssertionFailure() << key_of(i) << " is missing";
  return ::testing::AssertionSuccess();
}

TEST(TableFaults, a_failed_build_leaves_the_old_table_or_the_new_one_whole) {
  Scratch scratch;
  const std::string path = scratch / "t.blt";
  for (const int error : kErrors) {
    std::map<io::Op, int> failures;
    for (int call = 0;; ++call) {
      SCOPED_TRACE("errno " + std::to_string(error) + " in call " + std::to_string(call));
      ASSERT_TRUE(build(path, 50, "old").ok());
      const std::string old = read_text(path);
      std::optional<io::Op> failed;
      bool renamed = false;
      {
        const FaultAt fault(call, error);
        const Status status = build(path, 200, "new");
        failed = fault.failed();
        renamed = fault.renamed();
        ASSERT_EQ(status.ok(), !failed.has_value());
        if (!status.ok()) {
          EXPECT_EQ(status.error().code, ErrorCode::io);
          const bool of_folder = renamed || (failed == io::Op::open && failures[io::Op::open] == 1);
          EXPECT_EQ(status.error().file, of_folder ? scratch.folder() : path);
          EXPECT_NE(status.error().message.find(std::strerror(error)), std::string::npos) << status.error().message;
        }
      }
      ASSERT_EQ(scratch.files(), 1u) << "a temporary stayed";
      if (renamed) {
        ASSERT_TRUE(is_whole(path, 200, "new"));
      } else {
        ASSERT_EQ(read_text(path), old);
      }
      if (!failed) break;
      ++failures[*failed];
    }
    EXPECT_EQ(failures[io::Op::stat], 2);   // the old file, and the temporary that becomes like it
    EXPECT_EQ(failures[io::Op::open], 2);   // the temporary, and the folder
    EXPECT_GE(failures[io::Op::write], 8);  // blocks, index, top, gap, filter, properties, footer
    EXPECT_EQ(failures[io::Op::sync], 2);
    EXPECT_EQ(failures[io::Op::rename], 1);
  }
}

TEST(TableFaults, a_disk_that_stays_full_leaves_the_old_table) {
  Scratch scratch;
  const std::string path = scratch / "t.blt";
  ASSERT_TRUE(build(path, 50, "old").ok());
  for (int call = 0;; ++call) {
    const FaultAt fault(call, io::Verdict{.error = ENOSPC}, io::Op::write, std::numeric_limits<int>::max());
    const Status status = build(path, 200, "new");
    if (!fault.failed()) break;
    ASSERT_FALSE(status.ok());
    ASSERT_EQ(scratch.files(), 1u) << "a temporary stayed";
    ASSERT_TRUE(is_whole(path, 50, "old"));
  }
  EXPECT_TRUE(is_whole(path, 200, "new"));
}

// Opens it, asks for every key by get and multi_get, walks and verifies. The first error; an answer that is wrong
// without one fails the test.
Status read_everything(const std::string& path, const TableReadOptions& options) {
  Result<std::shared_ptr<Table>> opened = Table::open(path, options);
  BLOOMERY_TRY(opened);
  const Table& table = **opened;
  EXPECT_EQ(table.stats().filter_unusable, 0u);
  Status first;
  const auto check = [&](std::uint64_t i, const Result<Lookup>& got) {
    if (!got.ok()) {
      if (first.ok()) first = Error(got.error());
    } else {
      EXPECT_EQ(got->state, i % 2 == 0 ? Found::found : Found::absent) << i;
    }
  };
  // Those with an odd number are not there.
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < 400; ++i) names.push_back(key_of(i / 2) + (i % 2 == 0 ? "" : "x"));
  for (std::uint64_t i = 0; i < names.size(); i += 7) check(i, table.get(names[i]));
  const std::vector<std::string_view> keys(names.begin(), names.end());
  const std::vector<Result<Lookup>> got = *table.multi_get(keys);
  for (std::uint64_t i = 0; i < got.size(); ++i) check(i, got[i]);
  for (const bool forward : {true, false}) {
    TableIterator at = table.iterate();
    std::uint64_t visited = 0;
    for (forward ? at.first() : at.last(); at.valid(); forward ? at.next() : at.previous(), ++visited)
      EXPECT_EQ(at.entry().key, key_of(forward ? visited : 199 - visited));
    if (at.status().ok()) {
      EXPECT_EQ(visited, 200u);
    } else if (first.ok()) {
      first = at.status();
    }
  }
  const Status verified = table.verify();
  return first.ok() ? verified : first;
}

// What a signal or a slow device does to calls, once at each of them and to all of them: nobody notices.
const io::Verdict kHarmless[] = {{.error = EINTR}, {.most = 1}, {.most = 100}};

TEST(TableFaults, interrupted_and_short_calls_change_nothing) {
  Scratch scratch;
  const std::string path = scratch / "t.blt";
  ASSERT_TRUE(build(path, 200, "value").ok());
  const std::string expected = read_text(path);
  int calls = 0;
  for (const io::Verdict verdict : kHarmless) {
    for (const bool map : {true, false}) {
      TableReadOptions options;
      options.map = map;
      options.cache = std::make_shared<BlockCache>(1 << 20);
      for (int call = 0;; ++call, ++calls) {
        SCOPED_TRACE("call " + std::to_string(call));
        const FaultAt fault(call, verdict);
        ASSERT_TRUE(build(path, 200, "value").ok());
        ASSERT_TRUE(read_everything(path, options).ok());
        if (!fault.failed()) break;
      }
      if (verdict.error != 0) continue;  // interrupted for ever, it would try for ever
      const FaultAt all(0, verdict, {}, std::numeric_limits<int>::max());
      ASSERT_TRUE(build(path, 200, "value").ok());
      ASSERT_TRUE(read_everything(path, options).ok());
    }
  }
  EXPECT_EQ(read_text(path), expected);
  EXPECT_EQ(scratch.files(), 1u);
  std::cout << calls << " calls interrupted or short\n";
}

TEST(TableFaults, a_build_that_is_dropped_leaves_the_old_table_alone) {
  Scratch scratch;
  const std::string path = scratch / "t.blt";
  ASSERT_TRUE(build(path, 50, "old").ok());
  for (const std::uint64_t entries : {0u, 1u, 10'000u}) {
    {
      TableBuilder builder = *TableBuilder::create(path, {});
      for (std::uint64_t i = 0; i < entries; ++i) ASSERT_TRUE(builder.add({key_of(i), "new", i, false}).ok());
      EXPECT_EQ(scratch.files(), 2u);
    }
    EXPECT_EQ(scratch.files(), 1u);
    EXPECT_TRUE(is_whole(path, 50, "old"));
  }
}

// Even the temporary cannot be taken away: it stays, and the table is as it was; the next build works.
TEST(TableFaults, a_temporary_that_cannot_be_removed_is_in_nobodys_way) {
  Scratch scratch;
  const std::string path = scratch / "t.blt";
  ASSERT_TRUE(build(path, 50, "old").ok());
  {
    const FaultAt fault(0, EIO, io::Op::unlink);
    const TableBuilder dropped = *TableBuilder::create(path, {});
  }
  EXPECT_EQ(scratch.files(), 2u);
  EXPECT_TRUE(is_whole(path, 50, "old"));
  EXPECT_TRUE(build(path, 200, "new").ok());
  EXPECT_TRUE(is_whole(path, 200, "new"));
}

TEST(TableFaults, a_failed_call_while_reading_is_an_error_and_no_wrong_answer) {
  Scratch scratch;
  const std::string path = scratch / "t.blt";
  ASSERT_TRUE(build(path, 200, "value").ok());
  const std::string bytes = read_text(path);
  for (const int error : kErrors) {
    for (const bool map : {true, false}) {
      for (const bool cached : {true, false}) {
        std::map<io::Op, int> failures;
        for (int call = 0;; ++call) {
          SCOPED_TRACE("errno " + std::to_string(error) + " in call " + std::to_string(call) + (map ? ", mapped" : "") +
                       (cached ? ", cache" : ""));
          TableReadOptions options;
          options.map = map;
          if (cached) options.cache = std::make_shared<BlockCache>(1 << 20);
          const FaultAt fault(call, error);
          const Status status = read_everything(path, options);
          ASSERT_EQ(status.ok(), !fault.failed().has_value());
          if (!status.ok()) {
            EXPECT_EQ(status.error().code, ErrorCode::io);
            EXPECT_EQ(status.error().file, path);
          }
          if (::testing::Test::HasFailure()) return;
          if (!fault.failed()) break;
          ++failures[*fault.failed()];
        }
        EXPECT_EQ(failures[io::Op::open], 1);
        EXPECT_GE(failures[io::Op::stat], 1);
        EXPECT_EQ(failures[io::Op::map], map ? 1 : 0);
        EXPECT_GE(failures[io::Op::read], map ? 0 : cached ? 10 : 50);
      }
    }
  }
  EXPECT_EQ(read_text(path), bytes);
}

// Three tables, the newest first, with the same keys.
std::vector<std::shared_ptr<Table>> three_tables(const Scratch& scratch) {
  std::vector<std::shared_ptr<Table>> tables;
  for (const char* name : {"newest", "older", "oldest"}) {
    EXPECT_TRUE(build(scratch / name, 200, name).ok());
    TableReadOptions options;
    options.map = tables.size() != 1;  // the second is read
    tables.push_back(*Table::open(scratch / name, options));
  }
  return tables;
}

Result<Compacted> compact_into(const Scratch& scratch, std::span<const std::shared_ptr<Table>> tables) {
  CompactOptions options;
  options.table.block_bytes = 512;
  options.split_bytes = 700;
  return compact(
      tables, [&](unsigned i) { return scratch / ("out" + std::to_string(i)); }, options);
}

TEST(TableFaults, a_failed_compaction_leaves_what_was_there_and_nothing_else) {
  Scratch scratch;
  const auto tables = three_tables(scratch);
  const bool soak = std::getenv("BLOOMERY_SOAK") != nullptr;
  for (const int error : {EIO, ENOSPC, EINTR}) {
    std::map<io::Op, int> failures;
    const int step = error == EIO || soak ? 1 : 5;
    for (int call = 0;; call += step) {
      SCOPED_TRACE("errno " + std::to_string(error) + " in call " + std::to_string(call));
      const auto [done, failed] = [&] {
        const FaultAt fault(call, error);
        Result<Compacted> result = compact_into(scratch, tables);
        return std::pair(std::move(result), fault.failed());
      }();
      ASSERT_EQ(done.ok(), !failed || error == EINTR);
      if (!done.ok()) {
        ASSERT_EQ(done.error().code, ErrorCode::io);
        ASSERT_FALSE(done.error().file.empty());
        ASSERT_EQ(scratch.files(), 3u) << "something stayed";
      } else {
        ASSERT_EQ(scratch.files(), 3 + done->paths.size());
        std::uint64_t entries = 0;
        for (const std::string& path : done->paths) {
          auto part = *Table::open(path);
          TableIterator at = part->iterate();
          for (at.first(); at.valid(); at.next()) {
            ASSERT_EQ(at.entry().key, key_of(entries++));
            ASSERT_EQ(at.entry().value, "newest");
          }
          ASSERT_TRUE(at.status().ok());
          std::filesystem::remove(path);
        }
        ASSERT_EQ(entries, 200u);
      }
      if (!failed) break;
      ++failures[*failed];
    }
    if (step != 1) continue;
    EXPECT_GE(failures[io::Op::rename], 3);
    EXPECT_GE(failures[io::Op::sync], 6);
    EXPECT_GE(failures[io::Op::stat], 3);
    EXPECT_GE(failures[io::Op::read], 5);
    EXPECT_GE(failures[io::Op::write], 20);
  }
  for (const char* name : {"newest", "older", "oldest"}) EXPECT_TRUE(is_whole(scratch / name, 200, name));
}

// Builds the two tables in turn; killed by the parent at some moment.
[[noreturn]] void build_for_ever(const std::string& path) {
  for (std::uint64_t i = 0;; ++i)
    if (!build(path, i % 2 == 0 ? 2000 : 100, i % 2 == 0 ? "even" : "odd").ok()) ::_exit(1);
}

// Microseconds: longer when all kills so far came too early, as on a machine that is busy.
unsigned longest_life(int i, int kills) { return 20'000u * static_cast<unsigned>(1 + i / kills); }

TEST(TableFaults, a_process_killed_at_any_moment_leaves_the_old_table_or_the_new_one) {
  const int kills = std::getenv("BLOOMERY_SOAK") != nullptr ? 2000 : 50;
  Scratch scratch;
  const std::string path = scratch / "t.blt";
  std::mt19937 random(7);
  int even = 0, odd = 0, midway = 0;
  ASSERT_TRUE(build(path, 100, "odd").ok());
  for (int i = 0; i < kills || (midway == 0 && i < 30 * kills); ++i) {
    const pid_t child = ::fork();
    if (child == 0) build_for_ever(path);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % longest_life(i, kills)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a build failed";
    const Result<std::shared_ptr<Table>> table = Table::open(path);
    ASSERT_TRUE(table.ok()) << table.error().to_string();
    const std::uint64_t entries = (*table)->properties().entries;
    ASSERT_TRUE(entries == 2000 || entries == 100) << entries;
    ASSERT_TRUE(is_whole(path, entries, entries == 2000 ? "even" : "odd"));
    ++(entries == 2000 ? even : odd);
    // What it was writing stays behind, under a name of its own.
    for (const auto& file : std::filesystem::directory_iterator(scratch.folder())) {
      if (file.path() == path) continue;
      ++midway;
      std::filesystem::remove(file.path());
    }
  }
  std::cout << kills << " kills: " << even << " left one table, " << odd << " the other, " << midway
            << " came while one was written\n";
  EXPECT_GT(midway, 0);
  if (kills < 2000) return;  // on a slow machine few kills may see only one of the two
  EXPECT_GT(even, 0);
  EXPECT_GT(odd, 0);
}

// Whatever it was killed in, what has a final name is whole, and what was read is as it was.
TEST(TableFaults, a_compaction_killed_at_any_moment_leaves_whole_tables) {
  const int kills = std::getenv("BLOOMERY_SOAK") != nullptr ? 500 : 20;
  Scratch scratch;
  const auto tables = three_tables(scratch);
  std::mt19937 random(8);
  int whole = 0, midway = 0;
  for (int i = 0; i < kills || (whole + midway == 0 && i < 30 * kills); ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        const Result<Compacted> done = compact_into(scratch, tables);
        if (!done.ok()) ::_exit(1);
        for (const std::string& path : done->paths) ::unlink(path.c_str());
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % longest_life(i, kills)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a compaction failed";
    for (const auto& file : std::filesystem::directory_iterator(scratch.folder())) {
      const std::string name = file.path().filename();
      if (!name.starts_with("out")) continue;
      if (name.find(".tmp.") == std::string::npos) {
        const Result<std::shared_ptr<Table>> table = Table::open(file.path());
        ASSERT_TRUE(table.ok()) << table.error().to_string();
        ASSERT_TRUE((*table)->verify().ok());
        ++whole;
      } else {
        ++midway;
      }
      std::filesystem::remove(file.path());
    }
  }
  for (const char* name : {"newest", "older", "oldest"}) EXPECT_TRUE(is_whole(scratch / name, 200, name));
  std::cout << kills << " kills of a compaction: " << whole << " whole tables stayed, " << midway
            << " temporaries, 0 halves\n";
  EXPECT_GT(whole + midway, 0);
}

}  // namespace
}  // namespace bloomery
