/* Differences of sets: tables (IBLT) as large as the difference, not as the sets. Each side adds its keys, one table is
   subtracted from the other, and what is left is listed. No filter: a table cannot tell whether a key is in a set. */
#ifndef BLOOMERY_C_IBLT_H
#define BLOOMERY_C_IBLT_H

#include "bloomery/c/batch.h"
#include "bloomery/c/file.h"

BLOOMERY_C_BEGIN

/* A table. Keys are a set: one that is added twice can no longer be listed. As with filters, any number of threads may
   look while none changes it. */
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

/* Takes away what `other` holds: what both have is gone afterwards. Both must have the same geometry and hash. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_subtract(bloomery_iblt* iblt, const bloomery_iblt* other);

/* What a table held when it was listed; after a subtraction the difference. It belongs to the caller and to no
   table. */
typedef struct bloomery_iblt_listing bloomery_iblt_listing;
typedef enum bloomery_side BLOOMERY_C_ANY_NUMBER {
  BLOOMERY_ONLY_HERE = 0, /* added: the table alone has it */
  BLOOMERY_ONLY_THERE = 1 /* removed: the one that was subtracted alone has it */
} bloomery_side;
/* Lists what a table holds. It takes work and memory in proportion to the table, whatever bytes that holds. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_list(const bloomery_iblt* iblt, bloomery_iblt_listing** listing);
BLOOMERY_C_API void bloomery_iblt_listing_free(bloomery_iblt_listing* listing);
/* Returns whether everything is listed. If not, the sets differ in more keys than the table was made for; what is
   listed is right even then. False for NULL. */
BLOOMERY_C_API bool bloomery_iblt_listing_is_complete(const bloomery_iblt_listing* listing);
/* Returns how many keys one side has; 0 for NULL, and for a side that is none. */
BLOOMERY_C_API size_t bloomery_iblt_listing_count(const bloomery_iblt_listing* listing, bloomery_side side);

typedef struct bloomery_item {
  const void* key;
  size_t key_length;
  const void* value;
  size_t value_length;
} bloomery_item;
/* Returns one key of a side, counted from 0; its pointers live as long as the listing. All is zero past the last one,
   and for NULL. */
BLOOMERY_C_API bloomery_item bloomery_iblt_listing_item(const bloomery_iblt_listing* listing, bloomery_side side,
                                                        size_t index);

/* encode gives the bytes of a table for the other side, with checksums; bloomery_free frees them. save writes them to a
   file, which appears whole or not at all. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_encode(const bloomery_iblt* iblt, void** bytes, size_t* length);
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_save(const bloomery_iblt* iblt, const char* path);
/* Give the table of such bytes, or of such a file, and verify all of it. `options` may be NULL; without_secret is
   refused. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_decode(const void* bytes, size_t length,
                                                        const bloomery_open_options* options, bloomery_iblt** iblt);
BLOOMERY_C_CHECKED bloomery_error* bloomery_iblt_open(const char* path, const bloomery_open_options* options,
                                                      bloomery_iblt** iblt);

BLOOMERY_C_END

#endif
