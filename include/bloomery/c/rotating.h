/* "Seen in the last N windows": a filter that forgets. Keys go to the newest generation; when the window changes, a new
   one begins and the oldest is dropped whole. A build without live filters (-DBLOOMERY_LIVE=OFF) refuses all of it with
   BLOOMERY_UNSUPPORTED. */
#ifndef BLOOMERY_C_ROTATING_H
#define BLOOMERY_C_ROTATING_H

#include "bloomery/c/filter.h"

BLOOMERY_C_BEGIN

/* A rotating filter. Any thread may call any function, but when it is freed nobody may be using it. Lookups and adds
   are wait-free. */
typedef struct bloomery_rotating bloomery_rotating;

typedef struct bloomery_rotating_options {
  size_t struct_size;
  unsigned windows;                /* a key stays for so many whole windows after its own; 0: 1 */
  uint64_t first_epoch;            /* the number of the first window */
  const bloomery_options* options; /* hash, seed and secret; NULL: the kind's own. No memory */
} bloomery_rotating_options;
#define BLOOMERY_ROTATING_OPTIONS_INIT \
  { sizeof(bloomery_rotating_options), 0, 0, NULL }

/* Creates an empty one for n keys in each window, at a rate of fpr over all of them. `kind`: "block", "split" or
   "classic"; NULL: "block". `options` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_rotating_create(const char* kind, uint64_t n, double fpr,
                                                            const bloomery_rotating_options* options,
                                                            bloomery_rotating** rotating);
BLOOMERY_C_API void bloomery_rotating_free(bloomery_rotating* rotating);

/* False: the key was not added in this window, nor in those that are kept. True for NULL. */
BLOOMERY_C_API bool bloomery_rotating_contains(const bloomery_rotating* rotating, const void* key, size_t length);
BLOOMERY_C_API bool bloomery_rotating_contains_uint64(const bloomery_rotating* rotating, uint64_t key);
BLOOMERY_C_API bool bloomery_rotating_contains_hash(const bloomery_rotating* rotating, uint64_t hash);

/* Adds to the newest generation. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_rotating_add(bloomery_rotating* rotating, const void* key, size_t length);
BLOOMERY_C_CHECKED bloomery_error* bloomery_rotating_add_uint64(bloomery_rotating* rotating, uint64_t key);
BLOOMERY_C_CHECKED bloomery_error* bloomery_rotating_add_hash(bloomery_rotating* rotating, uint64_t hash);

/* Begins the window of that epoch, a number of the caller's: hours since 1970, batches, offsets of a log. The current
   epoch changes nothing, and an earlier one is refused. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_rotating_advance_to(bloomery_rotating* rotating, uint64_t epoch);
/* Return the current epoch, and the bytes of all generations; 0 for NULL. */
BLOOMERY_C_API uint64_t bloomery_rotating_epoch(const bloomery_rotating* rotating);
BLOOMERY_C_API uint64_t bloomery_rotating_bytes(const bloomery_rotating* rotating);

BLOOMERY_C_END

#endif
