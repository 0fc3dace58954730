// Tables that are made of other tables.
#include <vector>

#include "bloomery/table/compact.h"
#include "capi/table.h"

using namespace bloomery;
using namespace bloomery::capi;

namespace {

// Properties of a wrong size are refused before the work.
Status check_properties(bloomery_table_properties* properties) {
  return properties == nullptr ? Status() : give_properties({}, properties);
}

Result<CompactOptions> checked_compact(const bloomery_compact_options* given) {
  bloomery_compact_options all = BLOOMERY_COMPACT_OPTIONS_INIT;
  BLOOMERY_TRY(take(given, all, "options"));
  Result<TableOptions> table = checked_table(all.table);
  BLOOMERY_TRY(table);
  CompactOptions options;
  options.table = *std::move(table);
  options.last_level = all.last_level;
  options.bytes_per_second = all.bytes_per_second;
  options.write_empty = true;
  if (all.progress != nullptr)
    options.progress = [ask = all.progress, context = all.context](const CompactProgress& so_far) {
      return ask(so_far.read, so_far.total, context);
    };
  return options;
}

}  // namespace

bloomery_error* bloomery_table_refilter(const bloomery_table* table, const char* path,
                                        const bloomery_table_options* options, bloomery_table_properties* properties) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(table);
    BLOOMERY_C_NEEDS(path);
    BLOOMERY_TRY(check_properties(properties));
    const Result<TableOptions> all = checked_table(options);
    BLOOMERY_TRY(all);
    const Result<TableProperties> written = refilter(*table->table, path, *all);
    BLOOMERY_TRY(written);
    return properties == nullptr ? Status() : give_properties(*written, properties);
  });
}

bloomery_error* bloomery_table_compact(const bloomery_table* const* newest_first, size_t count, const char* path,
                                       const bloomery_compact_options* options, bloomery_table_properties* properties) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(newest_first);
    BLOOMERY_C_NEEDS(path);
    BLOOMERY_TRY(check_properties(properties));
    const Result<CompactOptions> all = checked_compact(options);
    BLOOMERY_TRY(all);
    std::vector<std::shared_ptr<Table>> tables;
    for (std::size_t i = 0; i < count; ++i) {
      BLOOMERY_C_NEEDS(newest_first[i]);
      tables.push_back(newest_first[i]->table);
    }
    const Result<Compacted> written = compact(
        tables, [&](unsigned) { return std::string(path); }, *all);
    BLOOMERY_TRY(written);
    return properties == nullptr ? Status() : give_properties(written->tables.front(), properties);
  });
}
