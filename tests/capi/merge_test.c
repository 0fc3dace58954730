/* Tables that are made of others: compact and refilter. */
#include "capi/check.h"

static bloomery_table* table_of(const char* name, const char* const* keys, size_t count, const char* value,
                                uint64_t sequence) {
  bloomery_table_builder* builder;
  bloomery_table* table = NULL;
  CHECK_OK(bloomery_table_builder_create(scratch(name), NULL, &builder));
  for (size_t i = 0; i < count; ++i) {
    const size_t length = strlen(keys[i]);
    if (keys[i][0] == '-') CHECK_OK(bloomery_table_builder_add_deleted(builder, keys[i] + 1, length - 1, sequence));
    else CHECK_OK(bloomery_table_builder_add(builder, keys[i], length, value, strlen(value), sequence));
  }
  CHECK_OK(bloomery_table_builder_finish(builder, NULL));
  bloomery_table_builder_free(builder);
  CHECK_OK(bloomery_table_open(scratch(name), NULL, &table));
  return table;
}

static bool holds(const bloomery_table* table, const char* key, const char* value) {
  bloomery_lookup found;
  CHECK_OK(bloomery_table_get(table, key, strlen(key), &found));
  const bool same = found.state == BLOOMERY_FOUND && found.value_length == strlen(value) &&
                    memcmp(found.value, value, found.value_length) == 0;
  bloomery_free(found.value);
  return same;
}

static bool count_and_go_on(uint64_t read, uint64_t total, void* context) {
  ++*(int*)context;
  return read <= total;
}
static bool end_it(uint64_t read, uint64_t total, void* context) {
  (void)read, (void)total, (void)context;
  return false;
}

/* A compaction that has nothing left makes a table without entries, and replaces none either. */
static void nothing_is_left(const bloomery_table* old) {
  static const char* const gone_keys[] = {"-a", "-b", "-c"};
  bloomery_table *gone = table_of("gone.blt", gone_keys, 3, "", 2), *empty;
  const bloomery_table* const both[] = {gone, old};
  bloomery_table_properties properties = BLOOMERY_TABLE_PROPERTIES_INIT;
  bloomery_compact_options how = BLOOMERY_COMPACT_OPTIONS_INIT;
  how.last_level = true;
  CHECK_ERROR(bloomery_table_compact(both, 2, scratch("old.blt"), &how, NULL), BLOOMERY_INVALID_ARGUMENT, "new name");
  for (size_t count = 0; count <= 2; count += 2) {
    CHECK_OK(bloomery_table_compact(both, count, scratch(count == 0 ? "empty.blt" : "empty2.blt"), &how, &properties));
    CHECK(properties.entries == 0 && properties.file_bytes > 0);
    CHECK_OK(bloomery_table_open(scratch(count == 0 ? "empty.blt" : "empty2.blt"), NULL, &empty));
    CHECK(!holds(empty, "a", "old"));
    bloomery_table_free(empty);
  }
  bloomery_table_free(gone);
}

void test_merge(void) {
  static const char *const old_keys[] = {"a", "b", "c"}, *const new_keys[] = {"-a", "b", "d"};
  const bloomery_table* both[2];
  bloomery_table *old, *new_one, *merged, *refiltered;
  bloomery_table_properties properties = BLOOMERY_TABLE_PROPERTIES_INIT;
  bloomery_table_options options = BLOOMERY_TABLE_OPTIONS_INIT;
  bloomery_compact_options how = BLOOMERY_COMPACT_OPTIONS_INIT;
  int asked = 0;
  both[0] = new_one = table_of("new.blt", new_keys, 3, "new", 2);
  both[1] = old = table_of("old.blt", old_keys, 3, "old", 1);
  how.last_level = true;
  how.progress = count_and_go_on;
  how.context = &asked;
  CHECK_OK(bloomery_table_compact(both, 2, scratch("merged.blt"), &how, &properties));
  CHECK(properties.entries == 3 && properties.deleted == 0 && asked > 0);
  CHECK_OK(bloomery_table_open(scratch("merged.blt"), NULL, &merged));
  CHECK(!holds(merged, "a", "old") && holds(merged, "b", "new") && holds(merged, "c", "old") &&
        holds(merged, "d", "new"));
  CHECK_OK(bloomery_table_verify(merged));
  nothing_is_left(old);
  how.progress = end_it;
  bloomery_error* const ended = bloomery_table_compact(both, 2, scratch("ended.blt"), &how, NULL);
  CHECK(ended != NULL);
  bloomery_error_free(ended);
  CHECK_ERROR(bloomery_table_open(scratch("ended.blt"), NULL, &refiltered), BLOOMERY_IO, "");
  both[1] = NULL;
  CHECK_ERROR(bloomery_table_compact(both, 2, scratch("ended.blt"), NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");

  options.filter = "none";
  CHECK_OK(bloomery_table_refilter(merged, scratch("refiltered.blt"), &options, &properties));
  CHECK(properties.filter_bytes == 0 && properties.entries == 3);
  CHECK_OK(bloomery_table_open(scratch("refiltered.blt"), NULL, &refiltered));
  CHECK(holds(refiltered, "b", "new") && bloomery_table_may_contain(refiltered, "nobody", 6));
  properties.struct_size = 1;
  CHECK_ERROR(bloomery_table_refilter(merged, scratch("x.blt"), &options, &properties), BLOOMERY_INVALID_ARGUMENT,
              "size");
  bloomery_table_free(refiltered);
  bloomery_table_free(merged);
  bloomery_table_free(old);
  bloomery_table_free(new_one);
}
