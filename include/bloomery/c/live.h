/* Live filters: shared by all threads of a service, rebuilt and swapped without a pause, saved while in use, watched,
   and switched off when they are the suspect. docs/operations/README.md is the handbook. A build without them
   (-DBLOOMERY_LIVE=OFF) refuses all of it with BLOOMERY_UNSUPPORTED. */
#ifndef BLOOMERY_C_LIVE_H
#define BLOOMERY_C_LIVE_H

#include "bloomery/c/batch.h"
#include "bloomery/c/file.h"

BLOOMERY_C_BEGIN

/* A live filter. Any thread may call any function, but when it is freed nobody may be using it. Lookups and adds are
   wait-free. */
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
/* Starts from a saved filter of that kind, with its geometry and keys; n and fpr say what it is designed for. A hash,
   seed or secret in `options` must be that of the file. `kind`, `options` and `open` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_load(const char* kind, const char* path, uint64_t n, double fpr,
                                                      const bloomery_live_options* options,
                                                      const bloomery_open_options* open, bloomery_live** live);
BLOOMERY_C_API void bloomery_live_free(bloomery_live* live);

/* False: the key was never added. Always true while the filter is disabled or damaged, and for NULL. */
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

/* Begins a rebuild: begin, feed every key of the source of truth from any threads, commit. From the return of begin on,
   every add goes to both filters. Write a key to the source first and add it here then. `options` gives the new filter
   another hash, seed or secret, but no memory; NULL: as before. Once it was given, nothing says which hash function
   made a hash of yours: hashes are then refused when they are added or fed, and answered "maybe" when they are asked
   for. That holds for a call that the rebuild overtakes as well; some of its hashes may be there then. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_begin_rebuild(bloomery_live* live, uint64_t n, double fpr,
                                                               const bloomery_options* options);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_feed(bloomery_live* live, const void* key, size_t length);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_feed_uint64(bloomery_live* live, uint64_t key);
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_feed_many(bloomery_live* live, const bloomery_keys* keys);
/* Swaps the filters in one atomic step. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_commit(bloomery_live* live);
/* Drops the new filter; the one in use was never touched. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_abort(bloomery_live* live);

/* Saves the filter while adds and lookups go on, with every add that returned before the call. It writes at most
   `bytes_per_second`; 0: as fast as the disk is. Snapshots of one filter take turns. A damaged filter is refused with
   BLOOMERY_CORRUPT, and the file stays as it was. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_snapshot(bloomery_live* live, const char* path,
                                                          uint64_t bytes_per_second);

/* The kill switch: every answer is "maybe" until enable. Adds go on. With NULL these do nothing and answer false. */
BLOOMERY_C_API void bloomery_live_disable(bloomery_live* live);
BLOOMERY_C_API void bloomery_live_enable(bloomery_live* live);
BLOOMERY_C_API bool bloomery_live_is_disabled(const bloomery_live* live);
/* self_check returns whether all sentinels are found. If not, memory is damaged, and every answer is "maybe" until a
   rebuild. Both are false for NULL. */
BLOOMERY_C_API bool bloomery_live_self_check(bloomery_live* live);
BLOOMERY_C_API bool bloomery_live_is_damaged(const bloomery_live* live);

/* The caller reports a "maybe" that the truth denied, or a "no" that it did not deny, which must never happen. With
   NULL they do nothing. */
BLOOMERY_C_API void bloomery_live_was_false_positive(bloomery_live* live);
BLOOMERY_C_API void bloomery_live_was_false_negative(bloomery_live* live);

/* Gives counts, rates, sizes and durations as JSON. It reads the whole filter. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_stats(const bloomery_live* live, char** json);
/* Gives them as text for Prometheus: one page for `count` filters, whose names must differ. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_live_prometheus(const bloomery_live* const* live, size_t count,
                                                            char** text);

BLOOMERY_C_END

#endif
