/* Filters, one key at a time; see bloomery/c.h for the rules of NULL, errors and threads. */
#ifndef BLOOMERY_C_FILTER_H
#define BLOOMERY_C_FILTER_H

#include "bloomery/c/base.h"

BLOOMERY_C_BEGIN

/* A filter of any kind, wherever its bytes are: in memory of its own (with_capacity, with_size, build, clone), in a
   file (open, map), or in memory of the caller's (decode, view, mutable_view). Everything can be asked of every one.
   Those in files and read-only views refuse changes with BLOOMERY_UNSUPPORTED: bloomery_filter_clone makes a filter
   that takes them. */
typedef struct bloomery_filter bloomery_filter;

/* One number of a geometry. */
typedef struct bloomery_number {
  const char* name; /* "blocks", "k", "m"; as `bloomery inspect` prints them */
  uint64_t value;
} bloomery_number;

/* The numbers that fix the layout of a filter, in the order of files. */
typedef struct bloomery_geometry {
  size_t count;
  bloomery_number numbers[8];
} bloomery_geometry;

/* How large a filter shall be: by rate, by bits per key, or exactly. */
typedef struct bloomery_size_spec {
  size_t struct_size;
  double fpr;                        /* 0: 0.01 */
  double bits_per_key;               /* instead of fpr; 0: by fpr */
  const bloomery_geometry* geometry; /* instead of both, all numbers of the kind; or beside fpr the one that the kind
                                        leaves open (counter_bits of counting, growth of scalable). NULL: none */
} bloomery_size_spec;
#define BLOOMERY_SIZE_SPEC_INIT \
  { sizeof(bloomery_size_spec), 0, 0, NULL }

/* What a filter for n keys would be. */
typedef struct bloomery_size_plan {
  uint64_t bytes;
  double predicted_fpr; /* with n keys; of a kind that forgets, where it settles */
  bool misses_target;   /* by more than 10 % */
  bloomery_geometry geometry;
} bloomery_size_plan;
/* Plans a filter and creates none. `kind` NULL: "block"; `spec` NULL: 1 %. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_plan_size(const char* kind, uint64_t n, const bloomery_size_spec* spec,
                                                      bloomery_size_plan* plan);

/* Creates an empty filter for n keys at a false-positive rate of fpr. Refuses static kinds (fuse, ribbon), which are
   built of all their keys: bloomery_filter_build. `kind` NULL: "block"; `options` NULL: defaults. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_with_capacity(const char* kind, uint64_t n, double fpr,
                                                                 const bloomery_options* options,
                                                                 bloomery_filter** filter);
/* Creates an empty filter whose size is given by rate, by bits per key, or exactly. `kind`, `spec` and `options` may be
   NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_with_size(const char* kind, uint64_t n,
                                                             const bloomery_size_spec* spec,
                                                             const bloomery_options* options, bloomery_filter** filter);
/* Copies any filter, a view or a file too, into memory of its own: it can be changed where its kind can. `memory` NULL:
   that of the filter's own source, else the system's. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_clone(const bloomery_filter* filter, const bloomery_memory* memory,
                                                         bloomery_filter** copy);
/* Frees a filter, which nobody may be using. Does nothing with NULL. */
BLOOMERY_C_API void bloomery_filter_free(bloomery_filter* filter);

/* False: the key was never added. True: it may have been, and always of NULL. (Of a kind that forgets, false: not
   lately.)
   An integer key is its 8 bytes, little-endian: a negative one is cast to uint64_t. A hash is one that
   bloomery_filter_hash gave, of any filter with the same hash function and seed or secret. */
BLOOMERY_C_API bool bloomery_filter_contains(const bloomery_filter* filter, const void* key, size_t length);
BLOOMERY_C_API bool bloomery_filter_contains_uint64(const bloomery_filter* filter, uint64_t key);
BLOOMERY_C_API bool bloomery_filter_contains_hash(const bloomery_filter* filter, uint64_t hash);

/* Adds a key. Errors: BLOOMERY_FULL and BLOOMERY_OUT_OF_MEMORY of kinds that can be full or that grow. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_add(bloomery_filter* filter, const void* key, size_t length);
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_add_uint64(bloomery_filter* filter, uint64_t key);
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_add_hash(bloomery_filter* filter, uint64_t hash);

/* Removes a key that was added, once. Sets *removed, unless that is NULL, to false when the key was certainly not
   there. Remove only what was added: else the filter may deny other keys afterwards. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_remove(bloomery_filter* filter, const void* key, size_t length,
                                                          bool* removed);
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_remove_uint64(bloomery_filter* filter, uint64_t key, bool* removed);
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_remove_hash(bloomery_filter* filter, uint64_t hash, bool* removed);

/* Sets *hash to the hash of a key as this filter hashes it: hash once, then ask many filters by contains_hash. An
   integer is the key of its 8 bytes; bloomery_filter_hash_many takes many keys of any type. Refuses a keyed file that
   was opened without its secret. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_hash(const bloomery_filter* filter, const void* key, size_t length,
                                                        uint64_t* hash);

/* Removes all keys. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_clear(bloomery_filter* filter);
/* Doubles the room. It does not need the keys. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_resize(bloomery_filter* filter);

/* Adds all that `other` holds, which must have the same kind, geometry and hash; the error names what differs. An
   `other` that is no filter in memory of its own is copied for the time of the call. A keyed file that was opened
   without its secret is refused here, by intersect and by overlap: nobody knows the hash of its keys. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_merge(bloomery_filter* filter, const bloomery_filter* other);
/* Keeps only what `other` holds as well. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_intersect(bloomery_filter* filter, const bloomery_filter* other);
/* Returns whether both have the same geometry, hash and bits. False when either is NULL, or a keyed file that was
   opened without its secret. */
BLOOMERY_C_API bool bloomery_filter_equal(const bloomery_filter* a, const bloomery_filter* b);

/* An estimated number. The true one lies from low to high in 95 of 100 cases. */
typedef struct bloomery_estimate {
  double value, low, high;
} bloomery_estimate;
/* Numbers of different keys: of either filter, of their union and intersection; and intersection over union. */
typedef struct bloomery_overlap {
  bloomery_estimate a, b, all, common, jaccard;
} bloomery_overlap;
/* Estimates how many keys two classic, split, block, partitioned or counting filters have in common. Refuses other
   kinds, and filters for which the answer would be lost in its error. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_overlap(const bloomery_filter* a, const bloomery_filter* b,
                                                           bloomery_overlap* overlap);

/* These say what a filter is; for NULL they return NULL, 0 or false. The names are static. */
BLOOMERY_C_API const char* bloomery_filter_kind(const bloomery_filter* filter);
BLOOMERY_C_API const char* bloomery_filter_hash_name(const bloomery_filter* filter);
/* Returns the seed, or the id by which files recognise the secret; 0 for NULL. */
BLOOMERY_C_API uint64_t bloomery_filter_seed(const bloomery_filter* filter);
/* Returns how long the payload is; 0 for NULL. */
BLOOMERY_C_API uint64_t bloomery_filter_bytes(const bloomery_filter* filter);
/* Returns whether it takes changes: true for filters in memory of their own and for mutable views; false for other
   views, files and NULL. bloomery_kind_can says which changes the kind can do. */
BLOOMERY_C_API bool bloomery_filter_is_mutable(const bloomery_filter* filter);
/* Returns the payload, which has bloomery_filter_bytes bytes and is valid until the filter changes. A view over memory
   of yours takes such bytes. NULL for NULL. */
BLOOMERY_C_API const uint8_t* bloomery_filter_payload(const bloomery_filter* filter);
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_geometry(const bloomery_filter* filter, bloomery_geometry* geometry);
/* Sets *count to the adds that returned, less removes, and returns true. Returns false when nobody knows the number, or
   when either argument is NULL. */
BLOOMERY_C_API bool bloomery_filter_key_count(const bloomery_filter* filter, uint64_t* count);

/* These say what the bits tell, and read the whole filter. For NULL the fill is 0 and the predicted rate 1. */
BLOOMERY_C_API double bloomery_filter_fill(const bloomery_filter* filter);
BLOOMERY_C_API double bloomery_filter_predicted_fpr(const bloomery_filter* filter);
/* Sets *count to the number of keys that the bits tell, and returns true. Returns false when the filter is saturated,
   when its kind does not tell, or when either argument is NULL. */
BLOOMERY_C_API bool bloomery_filter_estimated_count(const bloomery_filter* filter, uint64_t* count);
/* Gives all of this and a sampled rate as one line of JSON, the line of `bloomery inspect --json` (spec/cli.md). The
   fields format, version and file_bytes are null for a filter that is in no file. It asks the filter for a million
   random hashes. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_inspect(const bloomery_filter* filter, char** json);

BLOOMERY_C_END

#endif
