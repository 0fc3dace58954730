/* Memory of the caller's: counted, given back, and refused. */
#include "capi/check.h"

typedef struct Budget {
  size_t used, calls, fail_at; /* fail_at: the number of the call that is refused, from 1; 0: none */
} Budget;

static void* take(size_t bytes, size_t alignment, void* context) {
  Budget* const budget = context;
  if (++budget->calls == budget->fail_at) return NULL;
  char* const raw = malloc(bytes + 2 * alignment + sizeof(void*));
  uintptr_t at = (uintptr_t)raw + sizeof(void*) + alignment;
  at -= at % alignment;
  memcpy((char*)at - sizeof(void*), &raw, sizeof raw);
  budget->used += bytes;
  return (void*)at;
}

static void give_back(void* memory, size_t bytes, size_t alignment, void* context) {
  Budget* const budget = context;
  void* raw;
  (void)alignment;
  memcpy(&raw, (char*)memory - sizeof(void*), sizeof raw);
  free(raw);
  budget->used -= bytes;
}

/* Creates, fills, copies, merges and frees; every error but out of memory is a failure of the test. */
static bool work(const char* kind, Budget* budget) {
  const bloomery_memory memory = {take, give_back, budget};
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_filter *filter = NULL, *copy = NULL;
  static uint64_t keys[3000];
  for (uint64_t i = 0; i < 3000; ++i) keys[i] = i;
  const bloomery_keys run = bloomery_keys_uint64(keys, 3000);
  options.memory = &memory;
  bloomery_error* error = bloomery_filter_build(kind, &run, NULL, &options, 1, &filter);
  if (error == NULL) error = bloomery_filter_clone(filter, NULL, &copy);
  if (error == NULL && bloomery_kind_can(kind, BLOOMERY_CAN_MERGE) && strcmp(kind, "cuckoo") != 0)
    error = bloomery_filter_merge(copy, filter);
  if (error == NULL) CHECK(bloomery_filter_contains_uint64(copy, 2999) || bloomery_kind_can(kind, BLOOMERY_FORGETS));
  if (error == NULL && budget->fail_at == 0)
    CHECK(budget->used == bloomery_filter_bytes(filter) + bloomery_filter_bytes(copy));
  if (filter != NULL && copy == NULL && error != NULL) /* what failed has left the filter as it was */
    CHECK(bloomery_filter_contains_uint64(filter, 2999) || bloomery_kind_can(kind, BLOOMERY_FORGETS));
  const bool done = error == NULL;
  if (!done) CHECK(bloomery_error_code(error) == BLOOMERY_OUT_OF_MEMORY);
  bloomery_error_free(error);
  bloomery_filter_free(copy);
  bloomery_filter_free(filter);
  CHECK(budget->used == 0);
  return done;
}

static void every_allocation_may_fail(const char* kind) {
  Budget budget = {0, 0, 0};
  CHECK(work(kind, &budget));
  const size_t calls = budget.calls;
  CHECK(calls >= 2);
  for (size_t at = 1; at <= calls; ++at) {
    Budget failing = {0, 0, at};
    CHECK(!work(kind, &failing));
  }
}

static void half_a_source_is_refused(void) {
  const bloomery_memory memory = {take, NULL, NULL};
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_filter* filter;
  options.memory = &memory;
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 9, 0.1, &options, &filter), BLOOMERY_INVALID_ARGUMENT, "release");
}

static void too_much_is_an_error(void) {
  bloomery_filter* filter;
  bloomery_error* const error = bloomery_filter_with_capacity("block", (uint64_t)1 << 52, 0.001, NULL, &filter);
  CHECK(error != NULL && filter == NULL);
  bloomery_error_free(error);
}

void test_memory(void) {
  for (size_t i = 0; bloomery_kind_name(i) != NULL; ++i) every_allocation_may_fail(bloomery_kind_name(i));
  half_a_source_is_refused();
  too_much_is_an_error();
}
