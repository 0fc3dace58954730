/* Filters in files, in bytes, and in memory of the caller's. */
#ifndef BLOOMERY_C_FILE_H
#define BLOOMERY_C_FILE_H

#include "bloomery/c/filter.h"

BLOOMERY_C_BEGIN

typedef struct bloomery_open_options {
  size_t struct_size;
  const uint8_t* secret; /* 16 bytes, for files with a keyed hash; NULL: none */
  bool without_secret;   /* opens a keyed file without its secret: questions about keys are answered "maybe" */
  bool parquet;          /* the bytes are the filter of a Parquet column, which have no magic to know them by */
} bloomery_open_options;
#define BLOOMERY_OPEN_OPTIONS_INIT \
  { sizeof(bloomery_open_options), NULL, false, false }

/* Reads a file into memory and verifies all of it. `options` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_open(const char* path, const bloomery_open_options* options,
                                                        bloomery_filter** filter);
/* Maps a file of any size in place. It checks the header and not the payload: a damaged payload can deny a key that was
   added, so verify unless the storage is trusted. Until then save, encode, clone and a merge or intersection from it
   read and verify all of it each time, and fail when it is damaged. A process that truncates the file ends all that map
   it by SIGBUS: replace it by rename, as save does. `options` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_map(const char* path, const bloomery_open_options* options,
                                                       bloomery_filter** filter);
/* Opens the bytes of a file in memory and verifies all of them. The filter is a view: it refers to `bytes`, which must
   stay unchanged and outlive it. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_decode(const void* bytes, size_t length,
                                                          const bloomery_open_options* options,
                                                          bloomery_filter** filter);

/* Reads all of a mapped file and compares its checksums. Others may ask the filter meanwhile; one thread verifies. Does
   nothing with a filter in memory, whose file was verified when it was opened. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_verify(bloomery_filter* filter);
/* Verifies the chunks that a range of the payload of a mapped file touches, from any thread while it serves, as often
   as you like; the error names the first that is damaged. Refuses a file without sums of chunks
   (bloomery_save_options). Does nothing with a filter in memory. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_verify_range(const bloomery_filter* filter, uint64_t offset,
                                                                uint64_t bytes);
/* Returns whether all bytes were verified: false for a mapped file that was not verified as a whole, and for NULL. */
BLOOMERY_C_API bool bloomery_filter_is_verified(const bloomery_filter* filter);

/* How a filter is written. The defaults write an envelope; the label and the type of the keys that its file had go with
   it. */
typedef struct bloomery_save_options {
  size_t struct_size;
  const char* format;   /* "envelope"; "raw" (classic filters), "parquet" (split filters); NULL: "envelope" */
  const char* label;    /* a name for people, at most 255 bytes; NULL: that of the file it came from, or none */
  const char* keys;     /* what the keys are (spec/keys.md): "text", "bytes", "int", "user:NAME"; NULL as above */
  uint64_t created;     /* Unix seconds; 0: not said */
  bool chunks;          /* a sum of each chunk, for bloomery_filter_verify_range */
  uint64_t chunk_bytes; /* 4096 * 2^j; 0: the smallest that spec/envelope.md allows */
  uint64_t align;       /* the payload starts at a multiple, a power of two from 64 to 4 MiB; 0: 64 */
} bloomery_save_options;
#define BLOOMERY_SAVE_OPTIONS_INIT \
  { sizeof(bloomery_save_options), NULL, NULL, NULL, 0, false, 0, 0 }

/* Writes a file, which appears whole or not at all: temporary file, fsync, rename. `options` may be NULL. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_save(const bloomery_filter* filter, const char* path,
                                                        const bloomery_save_options* options);
/* Gives the bytes of such a file in memory; bloomery_free frees them. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_encode(const bloomery_filter* filter,
                                                          const bloomery_save_options* options, void** bytes,
                                                          size_t* length);
/* Takes the next bytes of a file; anything but 0 ends the writing with BLOOMERY_IO, whose message has the number. */
typedef int (*bloomery_sink)(const void* bytes, size_t length, void* context);
/* Gives the bytes of such a file to the sink piece by piece, without a copy of them all. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_encode_to(const bloomery_filter* filter,
                                                             const bloomery_save_options* options, bloomery_sink sink,
                                                             void* context);

/* Views over a bare payload: a page of an engine, a value of a server. The payload has bloomery_size_plan.bytes or
   bloomery_filter_bytes bytes, no header and no checksum; kind, geometry and hash are the caller's to remember. The
   bytes may lie at any address, and must outlive the view. `kind` and `options` may be NULL; the memory in options is
   not used. */
/* Opens a payload to ask it, and not to change it. Refuses another length than the geometry has, and bytes that no
   filter of the kind can hold. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_view(const char* kind, const bloomery_geometry* geometry,
                                                        const bloomery_options* options, const void* payload,
                                                        size_t length, bloomery_filter** filter);
/* Makes an empty filter of these bytes, whatever they held, and changes it in place: the same adds write the same bytes
   as in a filter of its own. Takes no memory but the handle. Refuses static kinds and scalable, which grows. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_mutable_view_create(const char* kind,
                                                                       const bloomery_geometry* geometry,
                                                                       const bloomery_options* options, void* payload,
                                                                       size_t length, bloomery_filter** filter);
/* Takes the filter that these bytes hold, to change it in place. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_filter_mutable_view(const char* kind, const bloomery_geometry* geometry,
                                                                const bloomery_options* options, void* payload,
                                                                size_t length, bloomery_filter** filter);

BLOOMERY_C_END

#endif
