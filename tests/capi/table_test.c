/* Tables, built and read. */
#include "capi/check.h"

#define N 5000

static void build(const char* path, const bloomery_table_options* options) {
  bloomery_table_builder* builder;
  bloomery_table_properties properties = BLOOMERY_TABLE_PROPERTIES_INIT;
  char key[32], value[32];
  CHECK_OK(bloomery_table_builder_create(path, options, &builder));
  for (unsigned i = 0; i < N; ++i) {
    sprintf(key, "user:%06u", i);
    const size_t length = (size_t)sprintf(value, "value %u", i);
    if (i % 10 == 9) CHECK_OK(bloomery_table_builder_add_deleted(builder, key, 11, i + 1));
    else CHECK_OK(bloomery_table_builder_add(builder, key, 11, value, i % 10 == 8 ? 0 : length, i + 1));
  }
  CHECK_OK(bloomery_table_builder_finish(builder, &properties));
  CHECK(properties.entries == N && properties.deleted == N / 10 && properties.max_sequence == N);
  CHECK_ERROR(bloomery_table_builder_add(builder, "z", 1, NULL, 0, 1), BLOOMERY_INVALID_ARGUMENT, "finished");
  CHECK_ERROR(bloomery_table_builder_finish(builder, NULL), BLOOMERY_INVALID_ARGUMENT, "finished");
  bloomery_table_builder_free(builder);
}

static void entries_are_found(const bloomery_table* table) {
  bloomery_lookup lookup;
  CHECK_OK(bloomery_table_get(table, "user:000042", 11, &lookup));
  CHECK(lookup.state == BLOOMERY_FOUND && lookup.value_length == 8 && memcmp(lookup.value, "value 42", 8) == 0);
  CHECK(lookup.sequence == 43);
  bloomery_free(lookup.value);
  CHECK_OK(bloomery_table_get(table, "user:000048", 11, &lookup)); /* an empty value is a value */
  CHECK(lookup.state == BLOOMERY_FOUND && lookup.value != NULL && lookup.value_length == 0);
  bloomery_free(lookup.value);
  CHECK_OK(bloomery_table_get(table, "user:000049", 11, &lookup));
  CHECK(lookup.state == BLOOMERY_DELETED && lookup.value == NULL);
  CHECK_OK(bloomery_table_get(table, "nobody", 6, &lookup));
  CHECK(lookup.state == BLOOMERY_ABSENT && lookup.value == NULL);
  CHECK(bloomery_table_may_contain(table, "user:000042", 11));
}

static void many_at_once(const bloomery_table* table) {
  static const char keys[] = "user:000001user:000009user:99x001user:004998";
  bloomery_lookup lookups[4];
  const bloomery_keys run = bloomery_keys_fixed_bytes(keys, 11, 4);
  static const int64_t numbers[1] = {1};
  const bloomery_keys integers = bloomery_keys_int64(numbers, 1);
  CHECK_OK(bloomery_table_multi_get(table, &run, lookups, 4));
  CHECK(lookups[0].state == BLOOMERY_FOUND && lookups[1].state == BLOOMERY_DELETED);
  CHECK(lookups[2].state == BLOOMERY_ABSENT && lookups[3].state == BLOOMERY_FOUND);
  for (size_t i = 0; i < 4; ++i) bloomery_free(lookups[i].value);
  CHECK_ERROR(bloomery_table_multi_get(table, &run, lookups, 3), BLOOMERY_INVALID_ARGUMENT, "lookups");
  CHECK_ERROR(bloomery_table_multi_get(table, &integers, lookups, 4), BLOOMERY_INVALID_ARGUMENT, "strings");
  bloomery_keys none = integers;
  none.count = 0;
  CHECK_OK(bloomery_table_multi_get(table, &none, lookups, 0));
}

static void walks(const bloomery_table* table) {
  bloomery_table_iterator* walk;
  size_t count = 0;
  CHECK_OK(bloomery_table_iterate(table, &walk));
  CHECK(!bloomery_table_iterator_valid(walk) && bloomery_table_iterator_entry(walk).key == NULL);
  for (bloomery_table_iterator_first(walk); bloomery_table_iterator_valid(walk); bloomery_table_iterator_next(walk))
    ++count;
  CHECK_OK(bloomery_table_iterator_status(walk));
  CHECK(count == N);
  bloomery_table_iterator_seek(walk, "user:000100x", 12);
  bloomery_entry entry = bloomery_table_iterator_entry(walk);
  CHECK(entry.key_length == 11 && memcmp(entry.key, "user:000101", 11) == 0 && !entry.deleted);
  bloomery_table_iterator_previous(walk);
  entry = bloomery_table_iterator_entry(walk);
  CHECK(memcmp(entry.key, "user:000100", 11) == 0 && entry.value_length == 9);
  bloomery_table_iterator_seek_prefix(walk, "user:00123", 10);
  for (count = 0; bloomery_table_iterator_valid(walk); bloomery_table_iterator_next(walk)) ++count;
  CHECK(count == 10);
  bloomery_table_iterator_last(walk);
  CHECK(bloomery_table_iterator_entry(walk).deleted);
  bloomery_table_iterator_seek(walk, NULL, 3);
  CHECK(!bloomery_table_iterator_valid(walk));
  CHECK_ERROR(bloomery_table_iterator_status(walk), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_table_iterator_next(walk);
  bloomery_table_iterator_free(walk);
}

static void read_in_every_way(const char* path) {
  bloomery_block_cache* cache;
  CHECK_OK(bloomery_block_cache_create(1 << 20, &cache));
  for (int way = 0; way < 8; ++way) {
    bloomery_table_read_options options = BLOOMERY_TABLE_READ_OPTIONS_INIT;
    bloomery_table* table;
    char* text;
    options.cache = way & 1 ? cache : NULL;
    options.no_map = (way & 2) != 0;
    options.no_filter = (way & 4) != 0;
    CHECK_OK(bloomery_table_open(path, &options, &table));
    entries_are_found(table);
    many_at_once(table);
    walks(table);
    CHECK_OK(bloomery_table_verify(table));
    CHECK_OK(bloomery_table_prometheus(table, "users", &text));
    CHECK(strstr(text, "filter=\"users\"") != NULL);
    bloomery_free(text);
    CHECK_OK(bloomery_table_json(table, "users", &text));
    CHECK(text[0] == '{');
    bloomery_free(text);
    bloomery_table_free(table);
  }
  bloomery_block_cache_free(cache);
}

static void damage_concerns_its_keys(const char* path) {
  bloomery_table* table;
  bloomery_lookup lookup;
  FILE* const file = fopen(path, "r+b");
  fseek(file, 100, SEEK_SET);
  fputc(0x55, file);
  fclose(file);
  CHECK_OK(bloomery_table_open(path, NULL, &table));
  CHECK_ERROR(bloomery_table_get(table, "user:000001", 11, &lookup), BLOOMERY_CORRUPT, "");
  static const char keys[] = "user:000001user:004998";
  bloomery_lookup lookups[2];
  const bloomery_keys run = bloomery_keys_fixed_bytes(keys, 11, 2);
  CHECK_ERROR(bloomery_table_multi_get(table, &run, lookups, 2), BLOOMERY_CORRUPT, "");
  CHECK(lookups[0].state == BLOOMERY_UNREADABLE && lookups[1].state == BLOOMERY_FOUND);
  bloomery_free(lookups[1].value);
  CHECK_ERROR(bloomery_table_verify(table), BLOOMERY_CORRUPT, "");
  bloomery_table_free(table);
}

static void order_and_options_are_checked(void) {
  bloomery_table_builder* builder;
  bloomery_table_options options = BLOOMERY_TABLE_OPTIONS_INIT;
  CHECK_OK(bloomery_table_builder_create(scratch("order.blt"), NULL, &builder));
  CHECK_OK(bloomery_table_builder_add(builder, "b", 1, "1", 1, 1));
  CHECK_ERROR(bloomery_table_builder_add(builder, "a", 1, "1", 1, 1), BLOOMERY_INVALID_ARGUMENT, "");
  CHECK_ERROR(bloomery_table_builder_finish(builder, NULL), BLOOMERY_INVALID_ARGUMENT, "");
  bloomery_table_builder_free(builder);
  options.filter = "cuckoo";
  CHECK_ERROR(bloomery_table_builder_create(scratch("order.blt"), &options, &builder), BLOOMERY_UNSUPPORTED, "cuckoo");
  options.filter = NULL;
  options.compression = "rar";
  CHECK_ERROR(bloomery_table_builder_create(scratch("order.blt"), &options, &builder), BLOOMERY_INVALID_ARGUMENT,
              "rar");
  options.compression = NULL;
  options.prefix_through = "ab";
  CHECK_ERROR(bloomery_table_builder_create(scratch("order.blt"), &options, &builder), BLOOMERY_INVALID_ARGUMENT,
              "prefix");
}

void test_table(void) {
  bloomery_table_options options = BLOOMERY_TABLE_OPTIONS_INIT;
  bloomery_options hash = BLOOMERY_OPTIONS_INIT;
  bloomery_size_spec size = BLOOMERY_SIZE_SPEC_INIT;
  build(scratch("t.blt"), NULL);
  read_in_every_way(scratch("t.blt"));
  size.fpr = 0.001;
  hash.seed = 5;
  hash.hash = "xxh3";
  options.block_bytes = 1024;
  options.restart_interval = 8;
  options.compression = "lz4";
  options.filter = "ribbon";
  options.filter_size = &size;
  options.filter_hash = &hash;
  options.prefix_bytes = 5;
  build(scratch("u.blt"), &options);
  read_in_every_way(scratch("u.blt"));
  bloomery_table* table;
  CHECK_OK(bloomery_table_open(scratch("u.blt"), NULL, &table));
  CHECK(bloomery_table_may_contain_prefix(table, "user:", 5) && !bloomery_table_may_contain_prefix(table, "none:", 5));
  bloomery_table_properties properties = BLOOMERY_TABLE_PROPERTIES_INIT;
  CHECK_OK(bloomery_table_get_properties(table, &properties));
  CHECK(properties.keys == N && properties.prefixes == 1 && properties.designed_fpr < 0.002);
  properties.struct_size = 0;
  CHECK_ERROR(bloomery_table_get_properties(table, &properties), BLOOMERY_INVALID_ARGUMENT, "INIT");
  bloomery_table_free(table);
  damage_concerns_its_keys(scratch("t.blt"));
  order_and_options_are_checked();
}
