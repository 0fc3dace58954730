// Functions of the user's that throw while a table is built, read, merged or given another filter: each time an error
// that says which one, and nothing half written.
#include <gtest/gtest.h>

#include "bloomery/log.h"
#include "bloomery/table/compact.h"
#include "support/scratch.h"
#include "support/thrown.h"
#include "table/any_order.h"

namespace bloomery {
namespace {

using testing::Bomb;
using testing::Scratch;
using testing::Thrown;

constexpr std::uint64_t kNumberedEntries = 300;

std::string numbered_key(std::uint64_t i) { return "key " + std::to_string(1000 + i); }

PrefixExtractor extractor(Bomb& bomb) {
  return {"by the user", [&bomb](std::string_view key) {
            bomb.touch();
            return std::optional(key.substr(0, 5));
          }};
}

TableOptions small_blocks(std::optional<PrefixExtractor> prefix = {}) {
  TableOptions options;
  options.block_bytes = 512;
  options.prefix = std::move(prefix);
  return options;
}

template <class Builder>
Status add_all(Builder& builder, bool ascending = true) {
  const std::string value(40, 'v');
  for (std::uint64_t i = 0; i < kNumberedEntries; ++i)
    BLOOMERY_TRY(builder.add({numbered_key(ascending ? i : kNumberedEntries - 1 - i), value, i, false}));
  return {};
}

template <class T>
Status status_of(Result<T> result) {
  return result.ok() ? Status() : Status(std::move(result).error());
}

// A folder with a table in it, which has a filter for the prefixes of extractor().
struct Place {
  Scratch scratch;
  std::string there = scratch / "there", made = scratch / "made";
  std::shared_ptr<Table> table;

  Place() {
    Bomb never(Thrown::number, 1 << 30);
    EXPECT_TRUE(build(there, small_blocks(extractor(never))).ok());
    table = open({});
  }
  std::shared_ptr<Table> open(std::optional<PrefixExtractor> prefix) const {
    TableReadOptions options;
    options.prefix = std::move(prefix);
    return *Table::open(there, options);
  }
  Status build(const std::string& path, const TableOptions& options) const {
    Result<TableBuilder> builder = TableBuilder::create(path, options);
    BLOOMERY_TRY(builder);
    if (Status status = add_all(*builder); !status.ok()) {
      EXPECT_FALSE(builder->finish().ok());
      return status;
    }
    return status_of(builder->finish());
  }
  // Names the outputs made0, made1, ...
  Status merge(const CompactOptions& options, Bomb* bomb = nullptr) const {
    const auto name = [&](unsigned i) {
      if (bomb != nullptr) bomb->touch();
      return made + std::to_string(i);
    };
    return status_of(compact(std::span(&table, 1), name, options));
  }
};

struct Callback {
  std::string name;
  const char *field, *says;
  Status (*run)(Place& place, Thrown thrown);
};

Status end_of_progress(Place& place, Thrown thrown, int calls_before) {
  Bomb bomb(thrown, calls_before);
  CompactOptions options;
  options.progress = [&](const CompactProgress&) { return bomb.touch(), true; };
  return place.merge(options);
}

Status end_of_names(Place& place, Thrown thrown, int calls_before) {
  Bomb bomb(thrown, calls_before);
  CompactOptions options;
  options.table = small_blocks();
  options.split_bytes = 2000;
  return place.merge(options, &bomb);
}

const Callback kCallbacks[] = {
    {"prefix_of_a_build", "prefix", "the prefix extractor",
     [](Place& place, Thrown thrown) {
       Bomb bomb(thrown, 200);
       return place.build(place.made, small_blocks(extractor(bomb)));
     }},
    {"prefix_of_refilter", "prefix", "the prefix extractor",
     [](Place& place, Thrown thrown) {
       Bomb bomb(thrown, 200);
       return status_of(refilter(*place.table, place.made, small_blocks(extractor(bomb))));
     }},
    {"prefix_of_a_compaction", "prefix", "the prefix extractor",
     [](Place& place, Thrown thrown) {
       Bomb bomb(thrown, 200);
       CompactOptions options;
       options.table = small_blocks(extractor(bomb));
       options.split_bytes = 2000;
       return place.merge(options);
     }},
    {"prefix_of_verify", "prefix", "the prefix extractor",
     [](Place& place, Thrown thrown) {
       Bomb bomb(thrown, 200);
       return place.open(extractor(bomb))->verify();
     }},
    {"prefix_of_seek_prefix", "prefix", "the prefix extractor",
     [](Place& place, Thrown thrown) {
       Bomb bomb(thrown);
       const std::shared_ptr<Table> table = place.open(extractor(bomb));
       TableIterator at = table->iterate();
       at.seek_prefix(numbered_key(7));
       EXPECT_FALSE(at.valid());
       Status status = at.status();
       at.seek(numbered_key(7));  // needs no prefix, and is well again
       EXPECT_TRUE(at.valid() && at.status().ok());
       return status;
     }},
    {"name_of_the_first_table", "name", "the function that names tables",
     [](Place& place, Thrown thrown) { return end_of_names(place, thrown, 0); }},
    {"name_of_the_third_table", "name", "the function that names tables",
     [](Place& place, Thrown thrown) { return end_of_names(place, thrown, 2); }},
    {"first_progress", "progress", "the progress callback",
     [](Place& place, Thrown thrown) { return end_of_progress(place, thrown, 0); }},
    {"last_progress", "progress", "the progress callback",
     [](Place& place, Thrown thrown) { return end_of_progress(place, thrown, 1); }},
    {"progress_of_sorting", "progress", "the progress callback",
     [](Place& place, Thrown thrown) -> Status {
       Bomb bomb(thrown);
       table::AnyOrderBuilder builder = *table::AnyOrderBuilder::create(place.made, {});
       EXPECT_TRUE(add_all(builder, false).ok());
       return status_of(builder.finish([&](std::uint64_t, std::uint64_t) { return bomb.touch(), true; }));
     }},
};

class TableCallbacks : public ::testing::TestWithParam<std::tuple<Callback, Thrown>> {};

TEST_P(TableCallbacks, that_throw_are_an_error_and_leave_nothing_behind) {
  const auto& [callback, thrown] = GetParam();
  Place place;
  testing::expect_error_of(callback.run(place, thrown), thrown, callback.field, callback.says);
  EXPECT_EQ(place.scratch.files(), 1u) << "something stayed";
  EXPECT_TRUE(place.table->verify().ok());
}

INSTANTIATE_TEST_SUITE_P(All, TableCallbacks,
                         ::testing::Combine(::testing::ValuesIn(kCallbacks),
                                            ::testing::Values(Thrown::exception, Thrown::number, Thrown::no_memory)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + testing::name_of(std::get<1>(info.param));
                         });

// It has no place for an error: in doubt the answer is "maybe", and the stats count it.
TEST(TableCallback, of_prefixes_that_throws_makes_may_contain_prefix_a_maybe) {
  for (const Thrown thrown : {Thrown::exception, Thrown::number, Thrown::no_memory}) {
    Place place;
    Bomb bomb(thrown, 1);
    const std::shared_ptr<Table> table = place.open(extractor(bomb));
    EXPECT_FALSE(table->may_contain_prefix("other"));
    EXPECT_TRUE(table->may_contain_prefix("other"));
    EXPECT_EQ(table->stats().filter_unusable, 1u);
  }
}

}  // namespace
}  // namespace bloomery
