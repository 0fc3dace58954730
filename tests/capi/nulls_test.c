/* Every function with NULL wherever a pointer goes: an error that says so, or the answer that the header promises. A
   script (symbols.py) holds that none is missing here. */
#include "capi/check.h"

static void of_base(void) {
  CHECK(bloomery_error_code(NULL) == BLOOMERY_OK);
  CHECK(strcmp(bloomery_error_message(NULL), "") == 0);
  CHECK(strcmp(bloomery_error_text(NULL), "") == 0);
  CHECK(strcmp(bloomery_error_file(NULL), "") == 0);
  CHECK(strcmp(bloomery_error_field(NULL), "") == 0);
  bloomery_error_free(NULL);
  bloomery_free(NULL);
  CHECK(bloomery_kind_when_to_pick(NULL) != NULL);  /* block */
  CHECK(bloomery_kind_can(NULL, BLOOMERY_CAN_ADD)); /* block */
  CHECK_ERROR(bloomery_secret_from_hex(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_set_log_hook(NULL, NULL);
}

static void of_filter(void) {
  CHECK_ERROR(bloomery_plan_size(NULL, 1, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 1, 0.01, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_with_size(NULL, 1, NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_clone(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_filter_free(NULL);
  CHECK(bloomery_filter_contains(NULL, NULL, 3));
  CHECK(bloomery_filter_contains_uint64(NULL, 1));
  CHECK(bloomery_filter_contains_hash(NULL, 1));
  CHECK_ERROR(bloomery_filter_add(NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_add_uint64(NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_add_hash(NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_remove(NULL, NULL, 3, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_remove_uint64(NULL, 1, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_remove_hash(NULL, 1, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_hash(NULL, NULL, 3, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_clear(NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_resize(NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_merge(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_intersect(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK(!bloomery_filter_equal(NULL, NULL));
  CHECK_ERROR(bloomery_filter_overlap(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK(bloomery_filter_kind(NULL) == NULL);
  CHECK(bloomery_filter_hash_name(NULL) == NULL);
  CHECK(bloomery_filter_seed(NULL) == 0);
  CHECK(bloomery_filter_bytes(NULL) == 0);
  CHECK(!bloomery_filter_is_mutable(NULL));
  CHECK(bloomery_filter_payload(NULL) == NULL);
  CHECK_ERROR(bloomery_filter_geometry(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK(!bloomery_filter_key_count(NULL, NULL));
  CHECK(bloomery_filter_fill(NULL) == 0);
  CHECK(bloomery_filter_predicted_fpr(NULL) == 1);
  CHECK(!bloomery_filter_estimated_count(NULL, NULL));
  CHECK_ERROR(bloomery_filter_inspect(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
}

static void of_batch(void) {
  CHECK_ERROR(bloomery_filter_build(NULL, NULL, NULL, NULL, 1, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_add_many(NULL, NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_remove_many(NULL, NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_contains_many(NULL, NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_contains_bitmap(NULL, NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_select_present(NULL, NULL, NULL, 3, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_hash_many(NULL, NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
}

static void of_file(void) {
  CHECK_ERROR(bloomery_filter_open(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_map(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_decode(NULL, 3, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_verify(NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_verify_range(NULL, 1, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK(!bloomery_filter_is_verified(NULL));
  CHECK_ERROR(bloomery_filter_save(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_encode(NULL, NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_encode_to(NULL, NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_view(NULL, NULL, NULL, NULL, 3, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_mutable_view_create(NULL, NULL, NULL, NULL, 3, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_filter_mutable_view(NULL, NULL, NULL, NULL, 3, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
}

static void of_table(void) {
  CHECK_ERROR(bloomery_table_builder_create(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_builder_add(NULL, NULL, 3, NULL, 1, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_builder_add_deleted(NULL, NULL, 3, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_builder_finish(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_table_builder_free(NULL);
  CHECK_ERROR(bloomery_block_cache_create(1, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_block_cache_free(NULL);
  CHECK_ERROR(bloomery_table_open(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_table_free(NULL);
  CHECK_ERROR(bloomery_table_get(NULL, NULL, 3, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_multi_get(NULL, NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK(bloomery_table_may_contain(NULL, NULL, 3));
  CHECK(bloomery_table_may_contain_prefix(NULL, NULL, 3));
  CHECK_ERROR(bloomery_table_verify(NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_get_properties(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_prometheus(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_json(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_refilter(NULL, NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_compact(NULL, 1, NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_table_iterate(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_table_iterator_free(NULL);
  bloomery_table_iterator_first(NULL);
  bloomery_table_iterator_last(NULL);
  bloomery_table_iterator_next(NULL);
  bloomery_table_iterator_previous(NULL);
  bloomery_table_iterator_seek(NULL, NULL, 3);
  bloomery_table_iterator_seek_prefix(NULL, NULL, 3);
  CHECK(!bloomery_table_iterator_valid(NULL));
  CHECK_ERROR(bloomery_table_iterator_status(NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK(bloomery_table_iterator_entry(NULL).key == NULL);
}

static void of_iblt(void) {
  CHECK_ERROR(bloomery_iblt_create(1, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_iblt_free(NULL);
  CHECK_ERROR(bloomery_iblt_add(NULL, NULL, 3, NULL, 0), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_iblt_remove(NULL, NULL, 3, NULL, 0), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_iblt_add_many(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_iblt_subtract(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_iblt_list(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_iblt_listing_free(NULL);
  CHECK(!bloomery_iblt_listing_is_complete(NULL));
  CHECK(bloomery_iblt_listing_count(NULL, BLOOMERY_ONLY_HERE) == 0);
  CHECK(bloomery_iblt_listing_item(NULL, BLOOMERY_ONLY_HERE, 0).key == NULL);
  CHECK_ERROR(bloomery_iblt_encode(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_iblt_save(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_iblt_decode(NULL, 3, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_iblt_open(NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
}

static void of_rotating(void) {
  CHECK_ERROR(bloomery_rotating_create(NULL, 1, 0.01, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_rotating_free(NULL);
  CHECK(bloomery_rotating_contains(NULL, NULL, 3));
  CHECK(bloomery_rotating_contains_uint64(NULL, 1));
  CHECK(bloomery_rotating_contains_hash(NULL, 1));
  CHECK_ERROR(bloomery_rotating_add(NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_rotating_add_uint64(NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_rotating_add_hash(NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_rotating_advance_to(NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK(bloomery_rotating_epoch(NULL) == 0);
  CHECK(bloomery_rotating_bytes(NULL) == 0);
}

static void of_live(void) {
  CHECK_ERROR(bloomery_live_create(NULL, 1, 0.01, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_load(NULL, NULL, 1, 0.01, NULL, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_live_free(NULL);
  CHECK(bloomery_live_contains(NULL, NULL, 3));
  CHECK(bloomery_live_contains_uint64(NULL, 1));
  CHECK(bloomery_live_contains_hash(NULL, 1));
  CHECK_ERROR(bloomery_live_contains_many(NULL, NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_add(NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_add_uint64(NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_add_hash(NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_add_many(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_begin_rebuild(NULL, 1, 0.01, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_feed(NULL, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_feed_uint64(NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_feed_many(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_commit(NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_abort(NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_snapshot(NULL, NULL, 1), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_live_disable(NULL);
  bloomery_live_enable(NULL);
  CHECK(!bloomery_live_is_disabled(NULL));
  CHECK(!bloomery_live_self_check(NULL));
  CHECK(!bloomery_live_is_damaged(NULL));
  bloomery_live_was_false_positive(NULL);
  bloomery_live_was_false_negative(NULL);
  CHECK_ERROR(bloomery_live_stats(NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(bloomery_live_prometheus(NULL, 1, NULL), BLOOMERY_INVALID_ARGUMENT, "NULL");
}

/* The last argument is NULL after an error, whatever it was; NULL and length 0 are the empty key. */
static void of_single_arguments(void) {
  bloomery_filter* filter;
  bloomery_filter* other = (bloomery_filter*)&check_failures;
  uint64_t hash = 0;
  uint8_t answers[1];
  const bloomery_keys none = bloomery_keys_uint64(NULL, 1);
  CHECK_OK(bloomery_filter_with_capacity(NULL, 10, 0.01, NULL, &filter));
  CHECK_OK(bloomery_filter_add(filter, NULL, 0));
  CHECK(bloomery_filter_contains(filter, NULL, 0) && bloomery_filter_contains(filter, "x", 0));
  CHECK(bloomery_filter_contains(filter, NULL, 9));
  CHECK_ERROR(bloomery_filter_add(filter, NULL, 9), BLOOMERY_INVALID_ARGUMENT, "key is NULL");
  CHECK_ERROR(bloomery_filter_hash(filter, NULL, 9, &hash), BLOOMERY_INVALID_ARGUMENT, "key is NULL");
  CHECK_ERROR(bloomery_filter_hash(filter, "a", 1, NULL), BLOOMERY_INVALID_ARGUMENT, "hash is NULL");
  CHECK_ERROR(bloomery_filter_contains_many(filter, &none, answers, 1), BLOOMERY_INVALID_ARGUMENT, "data is NULL");
  CHECK_ERROR(bloomery_filter_merge(filter, NULL), BLOOMERY_INVALID_ARGUMENT, "other is NULL");
  CHECK_ERROR(bloomery_filter_save(filter, NULL, NULL), BLOOMERY_INVALID_ARGUMENT, "path is NULL");
  CHECK_ERROR(bloomery_filter_clone(NULL, NULL, &other), BLOOMERY_INVALID_ARGUMENT, "filter is NULL");
  CHECK(other == NULL);
  other = (bloomery_filter*)&check_failures;
  CHECK_ERROR(bloomery_filter_view(NULL, NULL, NULL, answers, 1, &other), BLOOMERY_INVALID_ARGUMENT,
              "geometry is NULL");
  CHECK(other == NULL);
  bloomery_filter_free(filter);
}

void test_nulls(void) {
  of_base();
  of_filter();
  of_batch();
  of_file();
  of_table();
  of_iblt();
  of_rotating();
  of_live();
  of_single_arguments();
}
