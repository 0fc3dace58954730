// Golden tables (spec/vectors/tables.json), made by the generator and not by this library: each way of reading finds
// their entries.
#include <gtest/gtest.h>

#include <map>

#include "bloomery/table/table.h"
#include "support/scratch.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::from_hex;
using testing::vectors;

std::shared_ptr<Table> opened(const testing::Scratch& scratch, const nlohmann::json& row, bool map, bool cached) {
  testing::write_text(scratch / "t", from_hex(row["hex"]));
  TableReadOptions options;
  options.map = map;
  if (cached) options.cache = std::make_shared<BlockCache>(1 << 20);
  if (!row["secret"].is_null()) options.secret = *Secret::from_hex(row["secret"].get<std::string>());
  Result<std::shared_ptr<Table>> table = Table::open(scratch / "t", options);
  EXPECT_TRUE(table.ok()) << row["name"] << ": " << table.error().message;
  return table.ok() ? *table : nullptr;
}

void expect_entries(const Table& table, const nlohmann::json& row) {
  TableIterator at = table.iterate();
  at.first();
  std::map<std::string, nlohmann::json> newest;
  for (const auto& entry : row["entries"]) {
    ASSERT_TRUE(at.valid()) << row["name"];
    EXPECT_EQ(at.entry().key, from_hex(entry["key"])) << row["name"];
    EXPECT_EQ(at.entry().value, from_hex(entry["value"])) << row["name"];
    EXPECT_EQ(at.entry().sequence, entry["sequence"]) << row["name"];
    EXPECT_EQ(at.entry().deleted, entry["deleted"]) << row["name"];
    newest.emplace(from_hex(entry["key"]), entry);
    at.next();
  }
  EXPECT_FALSE(at.valid());
  EXPECT_TRUE(at.status().ok());
  for (const auto& [key, entry] : newest) {
    const Result<Lookup> found = table.get(key);
    ASSERT_TRUE(found.ok()) << row["name"];
    EXPECT_EQ(found->state, entry["deleted"] ? Found::deleted : Found::found) << row["name"];
    EXPECT_EQ(found->sequence, entry["sequence"]) << row["name"];
    // Keys just behind each key lie between blocks now and then.
    const auto behind = newest.upper_bound(key + '\0');
    if (newest.contains(key + '\0')) continue;
    EXPECT_FALSE(table.get(key + '\0')->found()) << row["name"];
    at.seek(key + '\0');
    ASSERT_EQ(at.valid(), behind != newest.end()) << row["name"] << " " << key << " " << at.status().ok();
    EXPECT_TRUE(at.status().ok()) << row["name"];
    if (at.valid()) {
      EXPECT_EQ(at.entry().key, behind->first) << row["name"];
    }
  }
}

TEST(TableGolden, every_way_of_reading_finds_the_entries) {
  testing::Scratch scratch;
  for (const auto& row : vectors("tables", "tables")) {
    for (const bool map : {true, false}) {
      for (const bool cached : {true, false}) {
        const std::shared_ptr<Table> table = opened(scratch, row, map, cached);
        ASSERT_NE(table, nullptr);
        expect_entries(*table, row);
        EXPECT_EQ(table->stats().filter_unusable, 0u) << row["name"];
        const Status sound = table->verify();
        EXPECT_TRUE(sound.ok()) << row["name"] << ": " << (sound.ok() ? "" : sound.error().message);
      }
    }
  }
}

TEST(TableGolden, every_bit_flip_is_told_or_changes_nothing) {
  testing::Scratch scratch;
  for (const auto& row : vectors("tables", "tables")) {
    if (row["name"] != "short separators" && row["name"] != "one entry") continue;
    nlohmann::json changed = row;
    const std::string good = row["hex"];
    for (std::size_t digit = 0; digit < good.size(); digit += row["name"] == "one entry" ? 1 : 13) {
      std::string bad = good;
      bad[digit] = bad[digit] == '0' ? '1' : '0';
      changed["hex"] = bad;
      testing::write_text(scratch / "t", from_hex(bad));
      const Result<std::shared_ptr<Table>> table = Table::open(scratch / "t", {});
      if (!table.ok()) continue;
      const bool sound = (*table)->verify().ok();
      if (sound) expect_entries(**table, row);  // bytes in the gap before a filter
    }
  }
}

}  // namespace
}  // namespace bloomery
