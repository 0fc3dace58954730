/* Differences of sets: tables (IBLT) as large as the difference, not as the sets. Each side adds its keys, one table is
   subtracted from the other, and what is left is listed. No filter: a table cannot tell whether a key is in a set. */
#ifndef BLOOMERY_C_IBLT_H
#define BLOOMERY_C_IBLT_H

#include "bloomery/c/batch.h"
#include "bloomery/c/file.h"

BLOOMERY_C_BEGIN

/* A table. Keys are a set: one that is added twice can no longer be listed. Threads as of filters: any number may look
   while none changes it. */
typedef struct bloomery_iblt bloomery_iblt;

typedef struct bloomery_iblt_options {
  size_t struct_size;
  uint32_t key_bytes;              /* how long every key is, at most 64; 0: 8, as integers are */
  uint32_t value_bytes;            /* of a value beside each key, at most 64; 0: none */
  bool variable;                   /* keys of any length below key_bytes */
  const bloomery_options* options; /* hash, seed and secret; NULL: xxh3. No memory */
} bloomery_iblt_options;
#define BLOOMERY_IBLT_OPTIONS_INIT \
  { sizeof(bloomery_iblt_options), 0, 0, false, NULL }

/* Creates an empty table for sets that differ in at most so many keys. Both sides take the same numbers. `options` may
   be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_create(uint64_t differences, const bloomery_iblt_options* options,
                                                        bloomery_iblt** iblt);
BLOOMERY_C_API void bloomery_iblt_free(bloomery_iblt* iblt);

/* Adds or removes a key with its value, which may be NULL when its length is 0. A key that is removed and was never
   added is listed as one that the other side has. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_add(bloomery_iblt* iblt, const void* key, size_t key_length,
                                                     const void* value, size_t value_length);
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_remove(bloomery_iblt* iblt, const void* key, size_t key_length,
                                                        const void* value, size_t value_length);
/* Adds many keys without values; integers are their 8 bytes. Refuses hashes. After an error the keys before are in. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_add_many(bloomery_iblt* iblt, const bloomery_keys* keys);

/* Takes away what `other` holds, which must have the same geometry and hash: what both have goes. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_subtract(bloomery_iblt* iblt, const bloomery_iblt* other);

/* What a table holds; after a subtraction the difference. Belongs to the caller, and to no table any more. */
typedef struct bloomery_iblt_listing bloomery_iblt_listing;
typedef enum bloomery_side BLOOMERY_C_ANY_NUMBER {
  BLOOMERY_ONLY_HERE = 0, /* added: the table alone has it */
  BLOOMERY_ONLY_THERE = 1 /* removed: the one that was subtracted alone has it */
} bloomery_side;
/* Lists it. Work and memory in proportion to the table, whatever bytes it holds. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_list(const bloomery_iblt* iblt, bloomery_iblt_listing** listing);
BLOOMERY_C_API void bloomery_iblt_listing_free(bloomery_iblt_listing* listing);
/* Whether this is all. Else the sets differ in more keys than the table was made for; what is listed is right. False
   of NULL. */
BLOOMERY_C_API bool bloomery_iblt_listing_is_complete(const bloomery_iblt_listing* listing);
/* How many keys one side has; 0 of NULL, and of a side that is none. */
BLOOMERY_C_API size_t bloomery_iblt_listing_count(const bloomery_iblt_listing* listing, bloomery_side side);

typedef struct bloomery_item {
  const void* key;
  size_t key_length;
  const void* value;
  size_t value_length;
} bloomery_item;
/* The i-th of a side; its pointers live as long as the listing. All zero past the last, and of NULL. */
BLOOMERY_C_API bloomery_item bloomery_iblt_listing_item(const bloomery_iblt_listing* listing, bloomery_side side,
                                                        size_t index);

/* Its bytes for the other side, with checksums, which bloomery_free frees; and a file of them, which appears whole or
   not at all. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_encode(const bloomery_iblt* iblt, void** bytes, size_t* length);
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_save(const bloomery_iblt* iblt, const char* path);
/* The table of such bytes, or of a file, all of it verified. `options` may be NULL; without_secret is refused. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_decode(const void* bytes, size_t length,
                                                        const bloomery_open_options* options, bloomery_iblt** iblt);
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_open(const char* path, const bloomery_open_options* options,
                                                      bloomery_iblt** iblt);

BLOOMERY_C_END

#endif
