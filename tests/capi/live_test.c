/* Live filters: adds, lookups, rebuilds, snapshots, the switch, figures. */
#include "capi/check.h"

#define N 2000

static void one_kind(const char* kind) {
  bloomery_live *live, *loaded;
  bloomery_filter* saved;
  bloomery_live_options options = BLOOMERY_LIVE_OPTIONS_INIT;
  static uint64_t keys[N];
  uint8_t answers[N];
  char* text;
  options.name = kind;
  for (uint64_t i = 0; i < N; ++i) keys[i] = 1000 + i;
  const bloomery_keys run = bloomery_keys_uint64(keys, N);
  CHECK_OK(bloomery_live_create(kind, 2 * N, 0.001, &options, &live));
  CHECK_OK(bloomery_live_add(live, "key", 3));
  CHECK_OK(bloomery_live_add_uint64(live, 7));
  CHECK_OK(bloomery_live_add_many(live, &run));
  CHECK(bloomery_live_contains(live, "key", 3) && bloomery_live_contains_uint64(live, 7));
  CHECK(!bloomery_live_contains(live, "other", 5));
  CHECK_OK(bloomery_live_contains_many(live, &run, answers, N));
  for (size_t i = 0; i < N; ++i) CHECK(answers[i] == 1);
  memset(answers, 0, N);
  CHECK_ERROR(bloomery_live_contains_many(live, &run, answers, N - 1), BLOOMERY_INVALID_ARGUMENT, "answers");
  CHECK(answers[0] == 1 && answers[N - 2] == 1 && answers[N - 1] == 0); /* in doubt, maybe */

  CHECK_OK(bloomery_live_snapshot(live, scratch(kind), 0));
  CHECK_OK(bloomery_filter_open(scratch(kind), NULL, &saved));
  CHECK(bloomery_filter_contains(saved, "key", 3) && strcmp(bloomery_filter_kind(saved), kind) == 0);
  bloomery_filter_free(saved);
  CHECK_OK(bloomery_live_load(kind, scratch(kind), 2 * N, 0.001, NULL, NULL, &loaded));
  CHECK(bloomery_live_contains(loaded, "key", 3));

  CHECK_ERROR(bloomery_live_feed(live, "key", 3), BLOOMERY_INVALID_ARGUMENT, "rebuild");
  CHECK_OK(bloomery_live_begin_rebuild(live, 4 * N, 0.001, NULL));
  CHECK_OK(bloomery_live_feed(live, "key", 3));
  CHECK_OK(bloomery_live_feed_uint64(live, 8));
  CHECK_OK(bloomery_live_feed_many(live, &run));
  CHECK_OK(bloomery_live_add_uint64(live, 9));
  CHECK_OK(bloomery_live_commit(live));
  CHECK(bloomery_live_contains(live, "key", 3) && bloomery_live_contains_uint64(live, 9));
  CHECK(!bloomery_live_contains_uint64(live, 7)); /* it was not fed */
  CHECK_OK(bloomery_live_begin_rebuild(live, N, 0.001, NULL));
  CHECK_OK(bloomery_live_abort(live));
  CHECK(bloomery_live_contains(live, "key", 3));

  bloomery_live_disable(live);
  CHECK(bloomery_live_is_disabled(live) && bloomery_live_contains(live, "other", 5));
  bloomery_live_enable(live);
  CHECK(!bloomery_live_contains(live, "other", 5));
  CHECK(bloomery_live_self_check(live) && !bloomery_live_is_damaged(live));
  bloomery_live_was_false_positive(live);
  bloomery_live_was_false_negative(live);
  CHECK_OK(bloomery_live_stats(live, &text));
  CHECK(strstr(text, "false_negatives") != NULL);
  bloomery_free(text);
  const bloomery_live* both[2];
  both[0] = live;
  both[1] = loaded;
  CHECK_OK(bloomery_live_prometheus(both, 2, &text));
  CHECK(strstr(text, "filter=\"filter\"") != NULL && strstr(text, kind) != NULL);
  bloomery_free(text);
  both[1] = NULL;
  CHECK_ERROR(bloomery_live_prometheus(both, 2, &text), BLOOMERY_INVALID_ARGUMENT, "NULL");
  bloomery_live_free(loaded);
  bloomery_live_free(live);
}

/* After a rebuild with another hash, a hash of the caller's is refused, or answered "maybe". */
static void hashes_after_another_hash(void) {
  bloomery_live* live;
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  static const uint64_t hashes[2] = {5, 6};
  const bloomery_keys run = bloomery_keys_hashes(hashes, 2);
  uint8_t answers[2];
  CHECK_OK(bloomery_live_create(NULL, 100, 0.0001, NULL, &live));
  CHECK_OK(bloomery_live_add_hash(live, 5));
  CHECK(bloomery_live_contains_hash(live, 5) && !bloomery_live_contains_hash(live, 6));
  options.seed = 99;
  CHECK_OK(bloomery_live_begin_rebuild(live, 100, 0.0001, &options));
  CHECK_OK(bloomery_live_feed(live, "key", 3));
  CHECK_ERROR(bloomery_live_add_hash(live, 6), BLOOMERY_UNSUPPORTED, "another hash");
  CHECK_ERROR(bloomery_live_add_many(live, &run), BLOOMERY_UNSUPPORTED, "another hash");
  CHECK_OK(bloomery_live_commit(live));
  CHECK(bloomery_live_contains(live, "key", 3) && !bloomery_live_contains(live, "kex", 3));
  CHECK(bloomery_live_contains_hash(live, 6));
  CHECK_OK(bloomery_live_contains_many(live, &run, answers, 2));
  CHECK(answers[0] == 1 && answers[1] == 1);
  bloomery_live_free(live);
}

void test_live(void) {
  bloomery_live* live;
  one_kind("block");
  one_kind("split");
  one_kind("classic");
  hashes_after_another_hash();
  CHECK_ERROR(bloomery_live_create("cuckoo", 10, 0.01, NULL, &live), BLOOMERY_UNSUPPORTED, "cuckoo");
  CHECK_ERROR(bloomery_live_create(NULL, 0, 0.01, NULL, &live), BLOOMERY_INVALID_ARGUMENT, "n");
  CHECK_ERROR(bloomery_live_load(NULL, "/nonexistent", 10, 0.1, NULL, NULL, &live), BLOOMERY_IO, "/nonexistent");
  CHECK_ERROR(bloomery_live_load(NULL, NULL, 10, 0.1, NULL, NULL, &live), BLOOMERY_INVALID_ARGUMENT, "path");
}
