/* Sorted tables: files with a filter in front, so that a key that is not there costs no read. docs/table.md is the
   guide. A build without tables (-DBLOOMERY_TABLE=OFF) refuses all of it with BLOOMERY_UNSUPPORTED. */
#ifndef BLOOMERY_C_TABLE_H
#define BLOOMERY_C_TABLE_H

#include "bloomery/c/batch.h"

BLOOMERY_C_BEGIN

typedef struct bloomery_table_options {
  size_t struct_size;
  size_t block_bytes;        /* of a data block before compression; 0: 4096 */
  unsigned restart_interval; /* keys between two that are written whole; 0: 16 */
  const char* compression;   /* "none", "lz4", "zstd"; NULL: "none" */
  const char* filter;        /* "classic", "split", "block", "fuse", "ribbon"; "none": every get reads; NULL: "block" */
  const bloomery_size_spec* filter_size; /* NULL: 10.5 bits a key */
  const bloomery_options* filter_hash;   /* hash, seed and secret of the filter; NULL: its own. No memory */
  uint64_t filter_partition_bytes;       /* filters of about so many bytes, loaded when asked; 0: one filter */
  /* A filter for scans by prefix: of so many bytes, or up to the first such character. 0 and NULL: none. */
  size_t prefix_bytes;
  const char* prefix_through; /* one character: ":" */
} bloomery_table_options;
#define BLOOMERY_TABLE_OPTIONS_INIT \
  { sizeof(bloomery_table_options), 0, 0, NULL, NULL, NULL, NULL, 0, 0, NULL }

/* What a table says of itself. */
typedef struct bloomery_table_properties {
  size_t struct_size; /* set by the caller, as in options */
  uint64_t file_bytes, filter_bytes, index_bytes;
  uint64_t entries, keys, deleted, blocks;
  uint64_t key_bytes, value_bytes; /* of all entries, before compression */
  uint64_t min_sequence, max_sequence;
  double designed_fpr; /* of the filter; 0 without one */
  uint64_t filter_partitions, prefixes;
} bloomery_table_properties;
#define BLOOMERY_TABLE_PROPERTIES_INIT \
  { sizeof(bloomery_table_properties), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Writes a table: create, add in order, finish, free. One thread at a time. Freed without finish, it leaves nothing. */
typedef struct bloomery_table_builder bloomery_table_builder;
/* `options` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_builder_create(const char* path,
                                                                 const bloomery_table_options* options,
                                                                 bloomery_table_builder** builder);
/* Adds an entry. Keys ascend as unsigned bytes; of one key the larger sequence number comes first. After an error only
   free is left. `value` may be NULL when its length is 0. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_builder_add(bloomery_table_builder* builder, const void* key,
                                                              size_t key_length, const void* value, size_t value_length,
                                                              uint64_t sequence);
/* Adds a tombstone, which hides older entries of the key, here and in older tables. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_builder_add_deleted(bloomery_table_builder* builder, const void* key,
                                                                      size_t key_length, uint64_t sequence);
/* Publishes the file under its name, whole. `properties` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_builder_finish(bloomery_table_builder* builder,
                                                                 bloomery_table_properties* properties);
BLOOMERY_C_API void bloomery_table_builder_free(bloomery_table_builder* builder);

/* Keeps blocks that were read, for any number of tables, up to `capacity_bytes`. Any thread may use it. Tables keep it
   alive. */
typedef struct bloomery_block_cache bloomery_block_cache;
BLOOMERY_C_CHECKED bloomery_error* bloomery_block_cache_create(uint64_t capacity_bytes, bloomery_block_cache** cache);
BLOOMERY_C_API void bloomery_block_cache_free(bloomery_block_cache* cache);

typedef struct bloomery_table_read_options {
  size_t struct_size;
  bloomery_block_cache* cache; /* NULL: none, blocks are read and verified each time */
  bool no_map;                 /* reads each block by pread instead of mapping the file */
  bool no_verify;              /* leaves out the checksum of each block that is read */
  bool no_filter;              /* does without the filter */
  const uint8_t* secret;       /* 16 bytes, of a filter with a keyed hash; NULL: none */
} bloomery_table_read_options;
#define BLOOMERY_TABLE_READ_OPTIONS_INIT \
  { sizeof(bloomery_table_read_options), NULL, false, false, false, NULL }

/* An open table. Any thread may use it. */
typedef struct bloomery_table bloomery_table;
/* `options` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_open(const char* path, const bloomery_table_read_options* options,
                                                       bloomery_table** table);
BLOOMERY_C_API void bloomery_table_free(bloomery_table* table);

typedef enum bloomery_found BLOOMERY_C_ANY_NUMBER {
  BLOOMERY_ABSENT = 0,
  BLOOMERY_FOUND = 1,
  BLOOMERY_DELETED = 2,   /* a tombstone */
  BLOOMERY_UNREADABLE = 3 /* of multi_get: its block is damaged or cannot be read */
} bloomery_found;

typedef struct bloomery_lookup {
  bloomery_found state;
  uint64_t sequence;
  void* value; /* of BLOOMERY_FOUND the caller's, NULL else: bloomery_free */
  size_t value_length;
} bloomery_lookup;

/* Looks up the newest entry of the key. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_get(const bloomery_table* table, const void* key, size_t length,
                                                      bloomery_lookup* lookup);
/* Looks up many keys, which are strings or fixed bytes: it hashes them and asks the filter for them together, and reads
   in the order of the file. Refuses a length below the number of keys. When some are unreadable the others are right,
   and the error is that of the first; every value is the caller's to free. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_multi_get(const bloomery_table* table, const bloomery_keys* keys,
                                                            bloomery_lookup* lookups, size_t length);
/* False: the key is not here, by the filter alone. True of NULL. */
BLOOMERY_C_API bool bloomery_table_may_contain(const bloomery_table* table, const void* key, size_t length);
/* False: no key begins so, by the filter of prefixes alone. True of NULL. */
BLOOMERY_C_API bool bloomery_table_may_contain_prefix(const bloomery_table* table, const void* prefix, size_t length);
/* Reads every block and compares all there is to compare. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_verify(const bloomery_table* table);
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_get_properties(const bloomery_table* table,
                                                                 bloomery_table_properties* properties);
/* Give the properties of the table and its counts since it was opened, under the label `name`: as text for Prometheus,
   and as JSON. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_prometheus(const bloomery_table* table, const char* name,
                                                             char** text);
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_json(const bloomery_table* table, const char* name, char** text);

/* Writes a table of the same entries with other filters: of the options it uses those of filters and prefixes. It
   copies and verifies the blocks. `path` may be the table's own: those that have it open go on reading the old file.
   `options` and `properties` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_refilter(const bloomery_table* table, const char* path,
                                                           const bloomery_table_options* options,
                                                           bloomery_table_properties* properties);

/* Called now and then with the entries read so far and those of all tables. When it returns false, the work ends. */
typedef bool (*bloomery_progress)(uint64_t read, uint64_t total, void* context);
typedef struct bloomery_compact_options {
  size_t struct_size;
  const bloomery_table_options* table; /* of the table that is written; NULL: defaults */
  bool last_level;                     /* nothing older is left anywhere: drops tombstones and what they hid */
  uint64_t bytes_per_second;           /* of what is written; 0: as fast as it goes */
  bloomery_progress progress;          /* NULL: nobody is asked */
  void* context;                       /* of progress; may be NULL */
} bloomery_compact_options;
#define BLOOMERY_COMPACT_OPTIONS_INIT \
  { sizeof(bloomery_compact_options), NULL, false, 0, NULL, NULL }
/* Merges tables into a new one that has the newest entry of every key. The newest table comes first: of entries with
   one key and sequence number it has the right one. Those that are read stay as they are. On an error, and when
   progress ends it, nothing is written. `options` and `properties` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_compact(const bloomery_table* const* newest_first, size_t count,
                                                          const char* path, const bloomery_compact_options* options,
                                                          bloomery_table_properties* properties);

/* Walks over the entries in order; all versions of a key, the newest first. Keeps its table alive. One thread. */
typedef struct bloomery_table_iterator bloomery_table_iterator;
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_iterate(const bloomery_table* table,
                                                          bloomery_table_iterator** iterator);
BLOOMERY_C_API void bloomery_table_iterator_free(bloomery_table_iterator* iterator);
/* These move the iterator, and do nothing with NULL; valid and status say how that went. */
BLOOMERY_C_API void bloomery_table_iterator_first(bloomery_table_iterator* iterator);
BLOOMERY_C_API void bloomery_table_iterator_last(bloomery_table_iterator* iterator);
BLOOMERY_C_API void bloomery_table_iterator_next(bloomery_table_iterator* iterator);
BLOOMERY_C_API void bloomery_table_iterator_previous(bloomery_table_iterator* iterator);
/* Moves to the first entry whose key is not less. A NULL key with a length ends the walk with an error. */
BLOOMERY_C_API void bloomery_table_iterator_seek(bloomery_table_iterator* iterator, const void* key, size_t length);
/* Moves to the first entry whose key begins with the prefix; the walk ends with the last such entry. A NULL prefix ends
   it with an error. */
BLOOMERY_C_API void bloomery_table_iterator_seek_prefix(bloomery_table_iterator* iterator, const void* prefix,
                                                        size_t length);
/* Returns false at either end, after an error, which status returns, and for NULL. */
BLOOMERY_C_API bool bloomery_table_iterator_valid(const bloomery_table_iterator* iterator);
BLOOMERY_C_CHECKED bloomery_error* bloomery_table_iterator_status(const bloomery_table_iterator* iterator);

typedef struct bloomery_entry {
  const void* key;
  size_t key_length;
  const void* value;
  size_t value_length;
  uint64_t sequence;
  bool deleted;
} bloomery_entry;
/* Returns the entry at which the iterator stands; its pointers live until it moves. All is zero when it is not valid,
   and for NULL. */
BLOOMERY_C_API bloomery_entry bloomery_table_iterator_entry(const bloomery_table_iterator* iterator);

BLOOMERY_C_END

#endif
