// What the handles of tables are.
#pragma once

#include "bloomery/table/table.h"
#include "capi/handles.h"

struct bloomery_table_builder {
  bloomery::TableBuilder builder;
  bool finished = false;
};
struct bloomery_block_cache {
  std::shared_ptr<bloomery::BlockCache> cache;
};
struct bloomery_table {
  std::shared_ptr<bloomery::Table> table;
};
struct bloomery_table_iterator {
  bloomery::TableIterator iterator;
  bloomery::Status refused;  // a seek to a key that is NULL
};

namespace bloomery::capi {

// Fills as much as the caller's struct has.
Status give_properties(const TableProperties& from, bloomery_table_properties* to);
// Options as the library has them; NULL are all defaults.
Result<TableOptions> checked_table(const bloomery_table_options* options);

}  // namespace bloomery::capi
