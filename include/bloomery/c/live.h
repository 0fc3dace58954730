/* Live filters: shared by all threads of a service, rebuilt and swapped without a pause, saved while in use, watched,
   and switched off when they are the suspect. docs/operations/README.md is the handbook. A build without them
   (-DBLOOMERY_LIVE=OFF) refuses all of it with BLOOMERY_UNSUPPORTED. */
#ifndef BLOOMERY_C_LIVE_H
#define BLOOMERY_C_LIVE_H

#include "bloomery/c/batch.h"
#include "bloomery/c/file.h"

BLOOMERY_C_BEGIN

/* Safe from any thread, but for free, which nobody may be using it at. Lookups and adds are wait-free. */
typedef struct bloomery_live bloomery_live;

typedef struct bloomery_live_options {
  size_t struct_size;
  const bloomery_options* options; /* hash, seed, secret and memory; NULL: defaults */
  const char* name;                /* the label of its metrics; NULL: "filter" */
  uint64_t patience_ms;            /* how long begin_rebuild waits for what still reads an old filter; 0: 10000 */
  bool lock_memory;                /* never swapped out; what cannot be locked is an error */
} bloomery_live_options;
#define BLOOMERY_LIVE_OPTIONS_INIT \
  { sizeof(bloomery_live_options), NULL, NULL, 0, false }

/* Creates an empty one for n keys. `kind`: "block", "split" or "classic"; NULL: "block". `options` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_create(const char* kind, uint64_t n, double fpr,
                                                        const bloomery_live_options* options, bloomery_live** live);
/* Starts from a saved filter of that kind, with its geometry and keys; n and fpr say what it is designed for. `kind`,
   `options` and `open` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_load(const char* kind, const char* path, uint64_t n, double fpr,
                                                      const bloomery_live_options* options,
                                                      const bloomery_open_options* open, bloomery_live** live);
BLOOMERY_C_API void bloomery_live_free(bloomery_live* live);

/* False: never added. Always true while it is disabled or damaged, and of NULL. */
BLOOMERY_C_API bool bloomery_live_contains(const bloomery_live* live, const void* key, size_t length);
BLOOMERY_C_API bool bloomery_live_contains_uint64(const bloomery_live* live, uint64_t key);
BLOOMERY_C_API bool bloomery_live_contains_hash(const bloomery_live* live, uint64_t hash);
/* As bloomery_filter_contains_many. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_contains_many(const bloomery_live* live, const bloomery_keys* keys,
                                                               uint8_t* answers, size_t length);

/* Adds to the filter in use, and to the one being built. A key is found by every lookup that begins after. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_add(bloomery_live* live, const void* key, size_t length);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_add_uint64(bloomery_live* live, uint64_t key);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_add_hash(bloomery_live* live, uint64_t hash);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_add_many(bloomery_live* live, const bloomery_keys* keys);

/* A rebuild: begin, feed every key of the source of truth from any threads, commit. From the return of begin on, every
   add goes to both filters. Write a key to the source first and add it here then. `options`: another hash, seed or
   secret for the new filter, without memory; NULL: as before. Where it is given, a hash of yours means nothing certain
   any more, from then on: those are refused when they are added or fed, and answered "maybe" when they are asked for.
   That holds for a call that the rebuild overtakes as well; some of its hashes may be there then. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_begin_rebuild(bloomery_live* live, uint64_t n, double fpr,
                                                               const bloomery_options* options);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_feed(bloomery_live* live, const void* key, size_t length);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_feed_uint64(bloomery_live* live, uint64_t key);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_feed_many(bloomery_live* live, const bloomery_keys* keys);
/* Swaps in one atomic step. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_commit(bloomery_live* live);
/* Drops the filter under way; the one in use was never touched. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_abort(bloomery_live* live);

/* Saves it while adds and lookups go on, with every add that returned before. At most so many bytes a second; 0: as
   fast as the disk. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_snapshot(bloomery_live* live, const char* path,
                                                          uint64_t bytes_per_second);

/* The kill switch: every answer is "maybe" until enable. Adds go on. With NULL these do nothing and answer false. */
BLOOMERY_C_API void bloomery_live_disable(bloomery_live* live);
BLOOMERY_C_API void bloomery_live_enable(bloomery_live* live);
BLOOMERY_C_API bool bloomery_live_is_disabled(const bloomery_live* live);
/* Whether all sentinels are found. When not, memory is damaged, and every answer is "maybe" until a rebuild. False of
   NULL. */
BLOOMERY_C_API bool bloomery_live_self_check(bloomery_live* live);
BLOOMERY_C_API bool bloomery_live_is_damaged(const bloomery_live* live);

/* Feedback: a "maybe" that the truth denied; a "no" that it did not, which must never be. Nothing is told to NULL. */
BLOOMERY_C_API void bloomery_live_was_false_positive(bloomery_live* live);
BLOOMERY_C_API void bloomery_live_was_false_negative(bloomery_live* live);

/* Counts, rates, sizes and durations as JSON; they read the whole filter. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_stats(const bloomery_live* live, char** json);
/* The same as text for Prometheus: one page of `count` filters, whose names differ. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_prometheus(const bloomery_live* const* live, size_t count,
                                                            char** text);

BLOOMERY_C_END

#endif
