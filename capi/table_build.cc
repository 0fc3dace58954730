// Tables that are written.
#include <cstring>

#include "capi/table.h"

namespace bloomery::capi {

Status give_properties(const TableProperties& from, bloomery_table_properties* to) {
  bloomery_table_properties all = BLOOMERY_TABLE_PROPERTIES_INIT;
  const std::size_t size = to->struct_size;
  if (size < sizeof size || size > sizeof all)
    return Error{ErrorCode::invalid_argument,
                 "properties has no size, or one of a newer version: begin with BLOOMERY_TABLE_PROPERTIES_INIT",
                 {},
                 "properties"};
  all.file_bytes = from.file_bytes;
  all.filter_bytes = from.filter_bytes;
  all.index_bytes = from.index_bytes;
  all.entries = from.entries;
  all.keys = from.keys;
  all.deleted = from.deleted;
  all.blocks = from.blocks;
  all.key_bytes = from.key_bytes;
  all.value_bytes = from.value_bytes;
  all.min_sequence = from.min_sequence;
  all.max_sequence = from.max_sequence;
  all.designed_fpr = from.designed_fpr;
  all.filter_partitions = from.filter_partitions;
  all.prefixes = from.prefixes;
  all.struct_size = size;
  std::memcpy(to, &all, size);
  return {};
}

namespace {

Status take_filter(const bloomery_table_options& all, TableOptions& table) {
  if (all.filter != nullptr && std::strcmp(all.filter, "none") == 0) {
    table.filter.reset();
  } else if (all.filter != nullptr) {
    const Result<Kind> kind = kind_of(all.filter);
    BLOOMERY_TRY(kind);
    table.filter = *kind;
  }
  if (all.filter_size != nullptr) {
    Result<SizeSpec> size = size_of(all.filter_size);
    BLOOMERY_TRY(size);
    table.filter_size = *std::move(size);
  }
  const Result<CheckedOptions> hash = checked(all.filter_hash);
  BLOOMERY_TRY(hash);
  table.hasher = hash->hasher;
  table.filter_partition_bytes = all.filter_partition_bytes;
  return {};
}

Status take_prefix(const bloomery_table_options& all, TableOptions& table) {
  if (all.prefix_through != nullptr && (all.prefix_bytes != 0 || std::strlen(all.prefix_through) != 1))
    return Error{ErrorCode::invalid_argument,
                 "prefix_through is one character, and excludes prefix_bytes",
                 {},
                 "prefix_through"};
  if (all.prefix_through != nullptr) table.prefix = PrefixExtractor::through(*all.prefix_through);
  if (all.prefix_bytes != 0) table.prefix = PrefixExtractor::fixed(all.prefix_bytes);
  return {};
}

}  // namespace

Result<TableOptions> checked_table(const bloomery_table_options* options) {
  bloomery_table_options all = BLOOMERY_TABLE_OPTIONS_INIT;
  BLOOMERY_TRY(take(options, all, "options"));
  TableOptions table;
  if (all.block_bytes != 0) table.block_bytes = all.block_bytes;
  if (all.restart_interval != 0) table.restart_interval = all.restart_interval;
  if (all.compression != nullptr) {
    const Result<Compression> compression = compression_from_name(all.compression);
    BLOOMERY_TRY(compression);
    table.compression = *compression;
  }
  BLOOMERY_TRY(take_filter(all, table));
  BLOOMERY_TRY(take_prefix(all, table));
  return table;
}

}  // namespace bloomery::capi

using namespace bloomery;
using namespace bloomery::capi;

namespace {

Status check_open(const bloomery_table_builder& builder) {
  if (!builder.finished) return {};
  return Error{ErrorCode::invalid_argument, "this table was finished: only free is left", {}, "builder"};
}

bloomery_error* add(bloomery_table_builder* builder, const void* key, size_t key_length, const void* value,
                    size_t value_length, uint64_t sequence, bool deleted) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(builder);
    BLOOMERY_TRY(check_open(*builder));
    BLOOMERY_TRY(check_key(key, key_length));
    if (value == nullptr && value_length != 0) return null_argument("value");
    return builder->builder.add({.key = key_of(key, key_length),
                                 .value = key_of(value, value_length),
                                 .sequence = sequence,
                                 .deleted = deleted});
  });
}

}  // namespace

bloomery_error* bloomery_table_builder_create(const char* path, const bloomery_table_options* options,
                                              bloomery_table_builder** builder) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(builder);
    *builder = nullptr;
    BLOOMERY_C_NEEDS(path);
    const Result<TableOptions> table = checked_table(options);
    BLOOMERY_TRY(table);
    Result<TableBuilder> made = TableBuilder::create(path, *table);
    BLOOMERY_TRY(made);
    *builder = new bloomery_table_builder{*std::move(made), false};
    return {};
  });
}

bloomery_error* bloomery_table_builder_add(bloomery_table_builder* builder, const void* key, size_t key_length,
                                           const void* value, size_t value_length, uint64_t sequence) {
  return add(builder, key, key_length, value, value_length, sequence, false);
}
bloomery_error* bloomery_table_builder_add_deleted(bloomery_table_builder* builder, const void* key, size_t key_length,
                                                   uint64_t sequence) {
  return add(builder, key, key_length, nullptr, 0, sequence, true);
}

bloomery_error* bloomery_table_builder_finish(bloomery_table_builder* builder, bloomery_table_properties* properties) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(builder);
    BLOOMERY_TRY(check_open(*builder));
    if (properties != nullptr) BLOOMERY_TRY(give_properties({}, properties));  // refuses a wrong size before the work
    const Result<TableProperties> finished = builder->builder.finish();
    BLOOMERY_TRY(finished);
    builder->finished = true;
    return properties == nullptr ? Status() : give_properties(*finished, properties);
  });
}

void bloomery_table_builder_free(bloomery_table_builder* builder) { delete builder; }
