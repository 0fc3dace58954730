/* Filters of the last windows. */
#include "capi/check.h"

static void one_kind(const char* kind) {
  bloomery_rotating* seen;
  bloomery_rotating_options options = BLOOMERY_ROTATING_OPTIONS_INIT;
  options.windows = 2;
  options.first_epoch = 100;
  CHECK_OK(bloomery_rotating_create(kind, 1000, 0.001, &options, &seen));
  CHECK(bloomery_rotating_epoch(seen) == 100 && bloomery_rotating_bytes(seen) > 0);
  CHECK_OK(bloomery_rotating_add(seen, "early", 5));
  CHECK_OK(bloomery_rotating_add_uint64(seen, 7));
  CHECK_OK(bloomery_rotating_add_hash(seen, 99));
  for (uint64_t epoch = 100; epoch <= 102; ++epoch) {
    CHECK_OK(bloomery_rotating_advance_to(seen, epoch));
    CHECK(bloomery_rotating_contains(seen, "early", 5) && bloomery_rotating_contains_uint64(seen, 7));
    CHECK(bloomery_rotating_contains_hash(seen, 99) && !bloomery_rotating_contains(seen, "never", 5));
  }
  CHECK_OK(bloomery_rotating_add(seen, "late", 4));
  CHECK_OK(bloomery_rotating_advance_to(seen, 104));
  CHECK(!bloomery_rotating_contains(seen, "early", 5) && bloomery_rotating_contains(seen, "late", 4));
  CHECK_ERROR(bloomery_rotating_advance_to(seen, 103), BLOOMERY_INVALID_ARGUMENT, "");
  CHECK(bloomery_rotating_epoch(seen) == 104);
  CHECK_ERROR(bloomery_rotating_add(seen, NULL, 3), BLOOMERY_INVALID_ARGUMENT, "NULL");
  CHECK(bloomery_rotating_contains(seen, NULL, 3));
  bloomery_rotating_free(seen);
}

void test_rotating(void) {
  bloomery_rotating* none;
  one_kind("block");
  one_kind("split");
  one_kind("classic");
  CHECK_ERROR(bloomery_rotating_create("fuse", 10, 0.01, NULL, &none), BLOOMERY_UNSUPPORTED, "block, split or classic");
  CHECK(none == NULL);
  CHECK_ERROR(bloomery_rotating_create(NULL, 0, 0.01, NULL, &none), BLOOMERY_INVALID_ARGUMENT, "");
}
