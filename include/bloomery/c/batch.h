/* Many keys at once: the fast way to ask and to add, and the only way to build a static kind. */
#ifndef BLOOMERY_C_BATCH_H
#define BLOOMERY_C_BATCH_H

#include "bloomery/c/filter.h"

BLOOMERY_C_BEGIN

typedef enum bloomery_key_type BLOOMERY_C_ANY_NUMBER {
  BLOOMERY_HASHES = 0, /* uint64_t that bloomery_filter_hash gave, or random bits that stand for keys */
  BLOOMERY_UINT64 = 1, /* integers of every width are the same keys as the numbers in 64 bits */
  BLOOMERY_INT64 = 2,
  BLOOMERY_UINT32 = 3,
  BLOOMERY_INT32 = 4,
  BLOOMERY_UINT16 = 5,
  BLOOMERY_INT16 = 6,
  BLOOMERY_UINT8 = 7,
  BLOOMERY_INT8 = 8,
  BLOOMERY_FIXED_BYTES = 9, /* byte strings that are all `width` long */
  BLOOMERY_STRINGS32 = 10,  /* bytes, and int32_t offsets: Arrow's binary and utf8 */
  BLOOMERY_STRINGS64 = 11   /* the same with int64_t offsets: large_binary and large_utf8 */
} bloomery_key_type;

/* A run of keys that the caller owns; nothing is copied or kept. The functions below fill it; bindings set the fields.
   It is valid when count is 0 whatever else it holds. Answers by bytes, bits or positions may not share memory with the
   keys. */
typedef struct bloomery_keys {
  size_t struct_size;
  bloomery_key_type type;
  size_t count;
  const void* data; /* the first key, at any address; of strings their bytes */
  /* Bytes from one key to the next: 0 when they lie side by side, negative to go back. Refused of strings. */
  ptrdiff_t stride;
  size_t width;        /* of BLOOMERY_FIXED_BYTES */
  const void* offsets; /* of strings, count + 1 integers: key i is the bytes from offsets[i] to offsets[i + 1] */
  size_t data_bytes;   /* of strings: how many bytes there are; offsets that lead out of them are refused */
} bloomery_keys;

#define BLOOMERY_KEYS_OF(function, type, name)                                           \
  static inline bloomery_keys function(const type* keys, size_t count) {                 \
    const bloomery_keys run = {sizeof(bloomery_keys), name, count, keys, 0, 0, NULL, 0}; \
    return run;                                                                          \
  }
BLOOMERY_KEYS_OF(bloomery_keys_hashes, uint64_t, BLOOMERY_HASHES)
BLOOMERY_KEYS_OF(bloomery_keys_uint64, uint64_t, BLOOMERY_UINT64)
BLOOMERY_KEYS_OF(bloomery_keys_int64, int64_t, BLOOMERY_INT64)
BLOOMERY_KEYS_OF(bloomery_keys_uint32, uint32_t, BLOOMERY_UINT32)
BLOOMERY_KEYS_OF(bloomery_keys_int32, int32_t, BLOOMERY_INT32)
BLOOMERY_KEYS_OF(bloomery_keys_uint16, uint16_t, BLOOMERY_UINT16)
BLOOMERY_KEYS_OF(bloomery_keys_int16, int16_t, BLOOMERY_INT16)
BLOOMERY_KEYS_OF(bloomery_keys_uint8, uint8_t, BLOOMERY_UINT8)
BLOOMERY_KEYS_OF(bloomery_keys_int8, int8_t, BLOOMERY_INT8)
#undef BLOOMERY_KEYS_OF

static inline bloomery_keys bloomery_keys_fixed_bytes(const void* data, size_t width, size_t count) {
  const bloomery_keys run = {sizeof(bloomery_keys), BLOOMERY_FIXED_BYTES, count, data, 0, width, NULL, 0};
  return run;
}
static inline bloomery_keys bloomery_keys_strings32(const void* data, size_t data_bytes, const int32_t* offsets,
                                                    size_t count) {
  const bloomery_keys run = {sizeof(bloomery_keys), BLOOMERY_STRINGS32, count, data, 0, 0, offsets, data_bytes};
  return run;
}
static inline bloomery_keys bloomery_keys_strings64(const void* data, size_t data_bytes, const int64_t* offsets,
                                                    size_t count) {
  const bloomery_keys run = {sizeof(bloomery_keys), BLOOMERY_STRINGS64, count, data, 0, 0, offsets, data_bytes};
  return run;
}
/* Returns the same keys with `stride` bytes from one to the next: a field of an array of structs, every second
   element. */
static inline bloomery_keys bloomery_keys_strided(bloomery_keys keys, ptrdiff_t stride) {
  keys.stride = stride;
  return keys;
}

/* Creates the filter of these keys, of any kind; static kinds (fuse, ribbon) are created in no other way and count
   equal keys once. `kind`, `spec` and `options` may be NULL. Block, split, fuse and ribbon use the threads; 0 is 1. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_build(const char* kind, const bloomery_keys* keys,
                                                         const bloomery_size_spec* spec,
                                                         const bloomery_options* options, unsigned threads,
                                                         bloomery_filter** filter);
/* Adds all keys in order. On BLOOMERY_FULL and BLOOMERY_OUT_OF_MEMORY those before the one that was refused are in. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_add_many(bloomery_filter* filter, const bloomery_keys* keys,
                                                            unsigned threads);
/* Removes all keys in order. Sets removed[i] to whether keys[i] was there (1 or 0). `removed` may be NULL with a
   length of 0; else a length below the number of keys is refused, and nothing is removed. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_remove_many(bloomery_filter* filter, const bloomery_keys* keys,
                                                               uint8_t* removed, size_t length);

/* Answers by bytes: sets answers[i] to whether keys[i] may be present (1 or 0). On an error the answers are all 1 as
   far as `length` and the number of keys go. Refuses a length below the number of keys. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_contains_many(const bloomery_filter* filter,
                                                                 const bloomery_keys* keys, uint8_t* answers,
                                                                 size_t length);
/* Answers by bits: sets bit i % 64 of words[i / 64], and the bits behind the last key in its word to 0. Words behind
   that one stay as they are. Refuses fewer than count / 64 words, rounded up. On an error the words are not changed. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_contains_bitmap(const bloomery_filter* filter,
                                                                   const bloomery_keys* keys, uint64_t* words,
                                                                   size_t length);
/* Answers by positions: puts the positions of the keys that may be present into `positions`, in order, and their number
   into *found. Refuses a length below the number of keys, and more than 2^32 keys. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_select_present(const bloomery_filter* filter,
                                                                  const bloomery_keys* keys, uint32_t* positions,
                                                                  size_t length, size_t* found);
/* Sets hashes[i] to the hash of keys[i] as this filter hashes it. Refuses a length below the number of keys. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_hash_many(const bloomery_filter* filter, const bloomery_keys* keys,
                                                             uint64_t* hashes, size_t length);

BLOOMERY_C_END

#endif
