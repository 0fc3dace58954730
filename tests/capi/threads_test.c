/* Sixteen threads with ten thousand calls each: one filter that all ask, a live filter that all change, a table that
   all read, filters of their own, and errors. ThreadSanitizer runs it (make sanitize). */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "capi/check.h"

#define THREADS 16
#define CALLS 10000
#define HASHES 1000000

typedef struct Shared {
  const bloomery_filter* filter;
  const bloomery_table* table;
  bloomery_live* live;
  uint64_t number; /* of the thread */
  int failures;
} Shared;

#define EXPECT(condition) (own->failures += (condition) ? 0 : 1)

static void expect_ok(Shared* own, bloomery_error* error) {
  EXPECT(error == NULL);
  bloomery_error_free(error);
}

static void one_round(Shared* own, bloomery_filter* mine, uint64_t i) {
  const uint64_t key = own->number * CALLS + i;
  uint64_t pair[2];
  uint8_t answers[2];
  pair[0] = i % 1000;
  pair[1] = key;
  const bloomery_keys run = bloomery_keys_uint64(pair, 2);
  switch (i % 8) {
    case 0: EXPECT(bloomery_filter_contains_uint64(own->filter, i % 1000)); break;
    case 1:
      expect_ok(own, bloomery_filter_contains_many(own->filter, &run, answers, 2));
      EXPECT(answers[0] == 1);
      break;
    case 2: expect_ok(own, bloomery_live_add_uint64(own->live, key)); break;
    case 3: EXPECT(bloomery_live_contains_uint64(own->live, key - 1)); break; /* added one round before */
    case 4: expect_ok(own, bloomery_filter_add_uint64(mine, key)); break;
    case 5: EXPECT(bloomery_filter_contains_uint64(mine, key - 1)); break;
    case 6: {
      bloomery_lookup lookup;
      expect_ok(own, bloomery_table_get(own->table, i % 16 == 6 ? "b" : "absent", i % 16 == 6 ? 1 : 6, &lookup));
      EXPECT(lookup.state == (i % 16 == 6 ? BLOOMERY_FOUND : BLOOMERY_ABSENT));
      bloomery_free(lookup.value);
      break;
    }
    default: {
      bloomery_filter* none;
      bloomery_error* const error = bloomery_filter_with_capacity("none", key, 0.01, NULL, &none);
      EXPECT(bloomery_error_code(error) == BLOOMERY_UNSUPPORTED);
      bloomery_error_free(error);
    }
  }
}

static void* calls(void* argument) {
  Shared* const own = argument;
  bloomery_filter* mine = NULL;
  expect_ok(own, bloomery_filter_with_capacity("block", CALLS, 0.01, NULL, &mine));
  for (uint64_t i = 0; i < CALLS; ++i) one_round(own, mine, i);
  bloomery_filter_free(mine);
  return NULL;
}

/* Meanwhile one thread rebuilds, saves and measures the live filter. */
static void* rebuilds(void* argument) {
  Shared* const own = argument;
  char* text = NULL;
  for (int i = 0; i < 5; ++i) {
    expect_ok(own, bloomery_live_snapshot(own->live, scratch("threads.blm"), 0));
    expect_ok(own, bloomery_live_stats(own->live, &text));
    bloomery_free(text);
    bloomery_live_disable(own->live);
    bloomery_live_enable(own->live);
  }
  return NULL;
}

static bloomery_table* small_table(void) {
  bloomery_table_builder* builder;
  bloomery_table* table = NULL;
  CHECK_OK(bloomery_table_builder_create(scratch("threads.blt"), NULL, &builder));
  CHECK_OK(bloomery_table_builder_add(builder, "a", 1, "1", 1, 1));
  CHECK_OK(bloomery_table_builder_add(builder, "b", 1, "2", 1, 1));
  CHECK_OK(bloomery_table_builder_finish(builder, NULL));
  bloomery_table_builder_free(builder);
  CHECK_OK(bloomery_table_open(scratch("threads.blt"), NULL, &table));
  return table;
}

typedef struct Begin {
  bloomery_live* live;
  pthread_barrier_t* start;
  uint64_t seed;
  int began;
} Begin;

static void* begins_with_another_hash(void* argument) {
  Begin* const own = argument;
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  options.seed = own->seed;
  pthread_barrier_wait(own->start);
  bloomery_error* const error = bloomery_live_begin_rebuild(own->live, 100, 0.0001, &options);
  own->began = error == NULL;
  bloomery_error_free(error);
  return NULL;
}

/* Of two rebuilds that begin at once, each with another hash, one fails. Hashes of before are "maybe" all the same. */
static void two_begin_at_once(void) {
  for (int round = 0; round < 5000; ++round) {
    bloomery_live* live;
    pthread_barrier_t start;
    pthread_t threads[2];
    Begin own[2];
    CHECK_OK(bloomery_live_create(NULL, 100, 0.0001, NULL, &live));
    CHECK_OK(bloomery_live_add_hash(live, 5));
    CHECK(pthread_barrier_init(&start, NULL, 2) == 0);
    for (uint64_t t = 0; t < 2; ++t) {
      const Begin begin = {live, &start, 99 + t, 0};
      own[t] = begin;
      CHECK(pthread_create(&threads[t], NULL, begins_with_another_hash, &own[t]) == 0);
    }
    for (size_t t = 0; t < 2; ++t) pthread_join(threads[t], NULL);
    CHECK(own[0].began + own[1].began == 1);
    CHECK_OK(bloomery_live_commit(live));
    CHECK(bloomery_live_contains_hash(live, 5));
    pthread_barrier_destroy(&start);
    bloomery_live_free(live);
  }
}

typedef struct Adder {
  bloomery_live* live;
  const uint64_t* hashes;
  pthread_barrier_t* start;
  int refused;
} Adder;

static void* adds_hashes(void* argument) {
  Adder* const own = argument;
  const bloomery_keys run = bloomery_keys_hashes(own->hashes, HASHES);
  pthread_barrier_wait(own->start);
  bloomery_error* const error = bloomery_live_add_many(own->live, &run);
  own->refused = bloomery_error_code(error) == BLOOMERY_UNSUPPORTED;
  bloomery_error_free(error);
  return NULL;
}

/* Hashes that a rebuild with another hash overtakes are refused: nobody would find them. The rebuild begins when the
   first hash is there and the last is not, which a busy machine may miss a few times. */
static void a_rebuild_overtakes_hashes(void) {
  uint64_t* const hashes = malloc(HASHES * sizeof *hashes);
  uint64_t number = 1;
  int overtook = 0;
  CHECK(hashes != NULL);
  for (size_t i = 0; i < HASHES; ++i) hashes[i] = number = number * UINT64_C(6364136223846793005) + 1;
  for (int round = 0; round < 1000 && !overtook; ++round) {
    bloomery_live* live;
    pthread_barrier_t start;
    pthread_t thread;
    bloomery_options options = BLOOMERY_OPTIONS_INIT;
    options.seed = 99;
    CHECK_OK(bloomery_live_create(NULL, HASHES, 0.001, NULL, &live));
    CHECK(pthread_barrier_init(&start, NULL, 2) == 0);
    Adder own = {live, hashes, &start, 0};
    CHECK(pthread_create(&thread, NULL, adds_hashes, &own) == 0);
    pthread_barrier_wait(&start);
    while (!bloomery_live_contains_hash(live, hashes[0])) sched_yield();
    CHECK_OK(bloomery_live_begin_rebuild(live, HASHES, 0.001, &options));
    pthread_join(thread, NULL);
    overtook = own.refused;
    pthread_barrier_destroy(&start);
    bloomery_live_free(live);
  }
  CHECK(overtook);
  free(hashes);
}

void test_threads(void) {
  pthread_t threads[THREADS + 1];
  Shared own[THREADS + 1];
  bloomery_filter* filter;
  bloomery_live* live;
  CHECK_OK(bloomery_filter_with_capacity("block", 1000, 0.01, NULL, &filter));
  for (uint64_t i = 0; i < 1000; ++i) CHECK_OK(bloomery_filter_add_uint64(filter, i));
  CHECK_OK(bloomery_live_create("block", THREADS * CALLS, 0.01, NULL, &live));
  bloomery_table* const table = small_table();
  two_begin_at_once();
  a_rebuild_overtakes_hashes();
  for (size_t t = 0; t <= THREADS; ++t) {
    const Shared shared = {filter, table, live, t, 0};
    own[t] = shared;
    CHECK(pthread_create(&threads[t], NULL, t < THREADS ? calls : rebuilds, &own[t]) == 0);
  }
  for (size_t t = 0; t <= THREADS; ++t) {
    pthread_join(threads[t], NULL);
    CHECK(own[t].failures == 0);
  }
  bloomery_table_free(table);
  bloomery_live_free(live);
  bloomery_filter_free(filter);
}
