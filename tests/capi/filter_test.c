/* Filters of every kind, one key at a time. */
#include "capi/check.h"

#define N 500

static const char* key(int i) {
  static char text[32];
  snprintf(text, sizeof text, "key%d", i);
  return text;
}

/* No false negatives, by bytes, integers and hashes; of the kinds that take keys one by one. */
static void every_kind_keeps_its_keys(const char* kind) {
  bloomery_filter* filter;
  uint64_t hash, count = 0;
  CHECK_OK(bloomery_filter_with_capacity(kind, 4 * N, 0.01, NULL, &filter));
  CHECK(strcmp(bloomery_filter_kind(filter), kind) == 0);
  CHECK(bloomery_filter_is_mutable(filter) && bloomery_filter_is_verified(filter));
  for (int i = 0; i < N; ++i) {
    CHECK_OK(bloomery_filter_add(filter, key(i), strlen(key(i))));
    CHECK_OK(bloomery_filter_add_uint64(filter, (uint64_t)-i));
    CHECK_OK(bloomery_filter_hash(filter, key(N + i), strlen(key(N + i)), &hash));
    CHECK_OK(bloomery_filter_add_hash(filter, hash));
  }
  int lost = 0, wrong = 0;
  for (int i = 0; i < 2 * N; ++i) lost += !bloomery_filter_contains(filter, key(i), strlen(key(i)));
  for (int i = 0; i < N; ++i) lost += !bloomery_filter_contains_uint64(filter, (uint64_t)-i);
  for (int i = 2 * N; i < 12 * N; ++i) wrong += bloomery_filter_contains(filter, key(i), strlen(key(i)));
  CHECK(lost == 0 || bloomery_kind_can(kind, BLOOMERY_FORGETS));
  CHECK(wrong < 10 * N / 20);
  CHECK(bloomery_filter_key_count(filter, &count) && count == 3 * N);
  CHECK(bloomery_filter_fill(filter) > 0 && bloomery_filter_predicted_fpr(filter) < 0.05);
  if (bloomery_filter_estimated_count(filter, &count)) CHECK(count > 2 * N && count < 4 * N);

  bloomery_filter* copy;
  CHECK_OK(bloomery_filter_clone(filter, NULL, &copy));
  CHECK(bloomery_filter_equal(filter, copy) && !bloomery_filter_equal(filter, NULL));
  CHECK_OK(bloomery_filter_clear(copy));
  CHECK(!bloomery_filter_contains(copy, "key1", 4) && !bloomery_filter_equal(filter, copy));
  bloomery_filter_free(copy);

  bloomery_filter_free(filter);
}

static void a_filter_is_inspected(void) {
  bloomery_filter* filter;
  char* json;
  CHECK_OK(bloomery_filter_with_capacity("quotient", N, 0.01, NULL, &filter));
  CHECK_OK(bloomery_filter_inspect(filter, &json));
  CHECK(strstr(json, "\"kind\":\"quotient\"") != NULL && strstr(json, "\"file_bytes\":null") != NULL);
  bloomery_free(json);
  bloomery_filter_free(filter);
}

static void keys_are_removed(const char* kind) {
  bloomery_filter* filter;
  bool removed = false;
  CHECK_OK(bloomery_filter_with_capacity(kind, N, 0.001, NULL, &filter));
  if (!bloomery_kind_can(kind, BLOOMERY_CAN_REMOVE)) {
    CHECK_ERROR(bloomery_filter_remove(filter, "a", 1, &removed), BLOOMERY_UNSUPPORTED, "cuckoo");
  } else {
    CHECK_OK(bloomery_filter_add(filter, "a", 1));
    CHECK_OK(bloomery_filter_add_uint64(filter, 5));
    CHECK_OK(bloomery_filter_remove(filter, "a", 1, &removed));
    CHECK(removed && !bloomery_filter_contains(filter, "a", 1));
    CHECK_OK(bloomery_filter_remove(filter, "a", 1, &removed));
    CHECK(!removed);
    CHECK_OK(bloomery_filter_remove_uint64(filter, 5, NULL));
    CHECK(!bloomery_filter_contains_uint64(filter, 5));
    CHECK_OK(bloomery_filter_add_hash(filter, 77));
    CHECK_OK(bloomery_filter_remove_hash(filter, 77, &removed));
    CHECK(removed);
  }
  bloomery_filter_free(filter);
}

static void a_full_filter_says_so(void) {
  bloomery_filter* filter;
  bloomery_error* error = NULL;
  uint64_t added = 0;
  CHECK_OK(bloomery_filter_with_capacity("cuckoo", 100, 0.01, NULL, &filter));
  while (error == NULL && added < 100000) error = bloomery_filter_add_uint64(filter, added++);
  CHECK(bloomery_error_code(error) == BLOOMERY_FULL);
  bloomery_error_free(error);
  for (uint64_t i = 0; i + 1 < added; ++i) CHECK(bloomery_filter_contains_uint64(filter, i));
  bloomery_filter_free(filter);
}

static void a_chain_that_grew_is_asked_where_it_lies(void) {
  bloomery_filter* filter;
  CHECK_OK(bloomery_filter_with_capacity("scalable", 10, 0.01, NULL, &filter));
  const uint64_t before = bloomery_filter_bytes(filter);
  for (uint64_t i = 0; i < 20000; ++i) CHECK_OK(bloomery_filter_add_uint64(filter, i));
  CHECK(bloomery_filter_bytes(filter) > 10 * before);
  for (uint64_t i = 0; i < 20000; ++i) CHECK(bloomery_filter_contains_uint64(filter, i));
  bloomery_filter_free(filter);
  CHECK_OK(bloomery_filter_with_capacity("quotient", 10, 0.01, NULL, &filter));
  CHECK_OK(bloomery_filter_add_uint64(filter, 1));
  CHECK_OK(bloomery_filter_resize(filter));
  CHECK(bloomery_filter_contains_uint64(filter, 1));
  bloomery_filter_free(filter);
}

static void filters_are_combined(void) {
  bloomery_filter *a, *b, *other;
  bloomery_overlap overlap;
  CHECK_OK(bloomery_filter_with_capacity("block", 10000, 0.001, NULL, &a));
  CHECK_OK(bloomery_filter_with_capacity("block", 10000, 0.001, NULL, &b));
  CHECK_OK(bloomery_filter_with_capacity("block", 20000, 0.001, NULL, &other));
  for (uint64_t i = 0; i < 4000; ++i) {
    CHECK_OK(bloomery_filter_add_uint64(a, i));
    CHECK_OK(bloomery_filter_add_uint64(b, 2000 + i));
  }
  CHECK_OK(bloomery_filter_overlap(a, b, &overlap));
  CHECK(overlap.a.low <= 4000 && 4000 <= overlap.a.high);
  CHECK(overlap.common.value > 1500 && overlap.common.value < 2500);
  CHECK(overlap.jaccard.value > 0.2 && overlap.jaccard.value < 0.5);
  CHECK_ERROR(bloomery_filter_merge(a, other), BLOOMERY_MISMATCH, "blocks");
  CHECK_ERROR(bloomery_filter_overlap(a, other, &overlap), BLOOMERY_MISMATCH, "blocks");
  CHECK_OK(bloomery_filter_merge(a, b));
  CHECK(bloomery_filter_contains_uint64(a, 1) && bloomery_filter_contains_uint64(a, 5999));
  CHECK_OK(bloomery_filter_intersect(a, b));
  CHECK(!bloomery_filter_contains_uint64(a, 1) && bloomery_filter_contains_uint64(a, 5999));
  CHECK_OK(bloomery_filter_merge(a, a));
  bloomery_filter_free(a);
  bloomery_filter_free(b);
  bloomery_filter_free(other);
}

static void sizes_are_planned(void) {
  bloomery_size_plan plan;
  bloomery_size_spec spec = BLOOMERY_SIZE_SPEC_INIT;
  bloomery_filter* filter;
  CHECK_OK(bloomery_plan_size(NULL, 1000, NULL, &plan));
  CHECK(plan.bytes > 1000 && plan.bytes < 2000 && plan.predicted_fpr < 0.012 && plan.geometry.count == 2);
  CHECK(strcmp(plan.geometry.numbers[0].name, "blocks") == 0);
  spec.geometry = &plan.geometry;
  CHECK_OK(bloomery_filter_with_size("block", 1, &spec, NULL, &filter));
  CHECK(bloomery_filter_bytes(filter) == plan.bytes);
  bloomery_geometry geometry;
  CHECK_OK(bloomery_filter_geometry(filter, &geometry));
  CHECK(geometry.count == 2 && geometry.numbers[0].value == plan.geometry.numbers[0].value);
  bloomery_filter_free(filter);
  plan.geometry.numbers[0].name = "blokcs";
  CHECK_ERROR(bloomery_filter_with_size("block", 1, &spec, NULL, &filter), BLOOMERY_INVALID_ARGUMENT, "blokcs");
  plan.geometry.count = 9;
  CHECK_ERROR(bloomery_filter_with_size("block", 1, &spec, NULL, &filter), BLOOMERY_INVALID_ARGUMENT, "numbers");
  spec.geometry = NULL;
  spec.bits_per_key = 12;
  CHECK_OK(bloomery_filter_with_size("block", 100000, &spec, NULL, &filter));
  CHECK(bloomery_filter_bytes(filter) > 149000 && bloomery_filter_bytes(filter) < 151000);
  bloomery_filter_free(filter);
  spec.fpr = 0.1;
  CHECK_ERROR(bloomery_filter_with_size("block", 100, &spec, NULL, &filter), BLOOMERY_INVALID_ARGUMENT, "exclude");
}

void test_filter(void) {
  for (size_t i = 0; bloomery_kind_name(i) != NULL; ++i) {
    const char* const kind = bloomery_kind_name(i);
    if (!bloomery_kind_can(kind, BLOOMERY_CAN_ADD)) continue;
    every_kind_keeps_its_keys(kind);
    keys_are_removed(kind);
  }
  a_filter_is_inspected();
  a_full_filter_says_so();
  a_chain_that_grew_is_asked_where_it_lies();
  filters_are_combined();
  sizes_are_planned();
}
