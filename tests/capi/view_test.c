/* Views over a bare payload in memory of the caller's. */
#include "capi/check.h"

#define N 1000

static bool in_place(const char* kind) {
  return bloomery_kind_can(kind, BLOOMERY_CAN_ADD) && strcmp(kind, "scalable") != 0;
}

/* The same adds write the same bytes as in a filter of its own, at an odd address, and nothing beside them. */
static void changed_in_place(const char* kind) {
  bloomery_size_plan plan;
  bloomery_filter *own, *view, *again, *looking;
  CHECK_OK(bloomery_plan_size(kind, N, NULL, &plan));
  uint8_t* const memory = malloc(plan.bytes + 2);
  uint8_t* const page = memory + 1;
  memset(memory, 0xa5, plan.bytes + 2);
  CHECK_OK(bloomery_filter_mutable_view_create(kind, &plan.geometry, NULL, page, plan.bytes, &view));
  CHECK_OK(bloomery_filter_with_capacity(kind, N, 0.01, NULL, &own));
  for (uint64_t i = 0; i < N / 2; ++i) {
    CHECK_OK(bloomery_filter_add_uint64(own, i));
    CHECK_OK(bloomery_filter_add_uint64(view, i));
  }
  uint64_t rest[N / 2];
  for (uint64_t i = 0; i < N / 2; ++i) rest[i] = N + i;
  const bloomery_keys run = bloomery_keys_uint64(rest, N / 2);
  CHECK_OK(bloomery_filter_add_many(own, &run, 1));
  CHECK_OK(bloomery_filter_add_many(view, &run, 4));
  CHECK(bloomery_filter_equal(own, view) && bloomery_filter_is_mutable(view));
  CHECK(memcmp(page, bloomery_filter_payload(own), plan.bytes) == 0);
  CHECK(memory[0] == 0xa5 && memory[plan.bytes + 1] == 0xa5);

  CHECK_OK(bloomery_filter_mutable_view(kind, &plan.geometry, NULL, page, plan.bytes, &again));
  CHECK(bloomery_filter_equal(own, again));
  if (bloomery_kind_can(kind, BLOOMERY_CAN_REMOVE)) {
    bool removed = false;
    CHECK_OK(bloomery_filter_remove_uint64(again, 1, &removed));
    CHECK_OK(bloomery_filter_remove_uint64(own, 1, NULL));
    CHECK(removed && bloomery_filter_equal(own, view));
  }
  CHECK_OK(bloomery_filter_view(kind, &plan.geometry, NULL, page, plan.bytes, &looking));
  CHECK(bloomery_filter_equal(own, looking));
  CHECK_ERROR(bloomery_filter_add_uint64(looking, 1), BLOOMERY_UNSUPPORTED, "a view is only read");
  CHECK_ERROR(bloomery_filter_resize(again), BLOOMERY_UNSUPPORTED, "clone");
  CHECK_OK(bloomery_filter_clear(again));
  CHECK(!bloomery_filter_contains_uint64(looking, 2));
  if (strcmp(kind, "block") == 0) {
    CHECK_OK(bloomery_filter_merge(again, own));
    CHECK(bloomery_filter_equal(own, looking));
  }
  bloomery_filter_free(looking);
  bloomery_filter_free(again);
  bloomery_filter_free(view);
  bloomery_filter_free(own);
  free(memory);
}

/* Static kinds, too, are looked at; with their geometry, which the filter tells. */
static void looked_at(const char* kind) {
  static uint64_t keys[N];
  bloomery_geometry geometry, reversed;
  bloomery_filter *filter, *view;
  for (uint64_t i = 0; i < N; ++i) keys[i] = i;
  const bloomery_keys run = bloomery_keys_uint64(keys, N);
  CHECK_OK(bloomery_filter_build(kind, &run, NULL, NULL, 1, &filter));
  CHECK_OK(bloomery_filter_geometry(filter, &geometry));
  reversed.count = geometry.count;
  for (size_t i = 0; i < geometry.count; ++i) reversed.numbers[geometry.count - 1 - i] = geometry.numbers[i];
  const size_t bytes = (size_t)bloomery_filter_bytes(filter);
  uint8_t* const page = malloc(bytes);
  memcpy(page, bloomery_filter_payload(filter), bytes);
  CHECK_OK(bloomery_filter_view(kind, &reversed, NULL, page, bytes, &view));
  CHECK(bloomery_filter_equal(filter, view));
  bloomery_filter_free(view);
  CHECK_ERROR(bloomery_filter_view(kind, &geometry, NULL, page, bytes - 1, &view), BLOOMERY_CORRUPT, "");
  geometry.numbers[0].name = "nothing";
  CHECK_ERROR(bloomery_filter_view(kind, &geometry, NULL, page, bytes, &view), BLOOMERY_INVALID_ARGUMENT, "geometry");
  if (!in_place(kind))
    CHECK_ERROR(bloomery_filter_mutable_view(kind, &reversed, NULL, page, bytes, &view), BLOOMERY_UNSUPPORTED, kind);
  free(page);
  bloomery_filter_free(filter);
}

void test_view(void) {
  for (size_t i = 0; bloomery_kind_name(i) != NULL; ++i) {
    const char* const kind = bloomery_kind_name(i);
    if (in_place(kind)) changed_in_place(kind);
    looked_at(kind);
  }
}
