/* What all of bloomery/c.h stands on: versions, errors, kinds, memory, secrets, the log hook. */
#ifndef BLOOMERY_C_BASE_H
#define BLOOMERY_C_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define BLOOMERY_C_BEGIN extern "C" {
#define BLOOMERY_C_END }
#define BLOOMERY_C_ANY_NUMBER : unsigned int /* what is no name of an enum may come from C, and is refused */
#else
#define BLOOMERY_C_BEGIN
#define BLOOMERY_C_END
#define BLOOMERY_C_ANY_NUMBER
#endif

/* Marks the functions of the library. A CHECKED function returns an error, and the compiler warns when a caller drops
   it. */
#if defined(__GNUC__)
#define BLOOMERY_C_API __attribute__((visibility("default")))
#define BLOOMERY_C_CHECKED __attribute__((visibility("default"), warn_unused_result))
#else
#define BLOOMERY_C_API
#define BLOOMERY_C_CHECKED
#endif

BLOOMERY_C_BEGIN

/* The version of the binary interface. The major number stands in the shared library's name; the minor one grows with
   every addition and starts again with the next major. */
#define BLOOMERY_ABI_MAJOR 1
#define BLOOMERY_ABI_MINOR 0

/* Says why something failed. bloomery_error_free frees it; any thread may read it. */
typedef struct bloomery_error bloomery_error;

typedef enum bloomery_code BLOOMERY_C_ANY_NUMBER {
  BLOOMERY_OK = 0,
  BLOOMERY_INVALID_ARGUMENT = 1, /* something that cannot be: n = 0, fpr = 2, a NULL, a length too short */
  BLOOMERY_OUT_OF_MEMORY = 2,    /* nothing was changed */
  BLOOMERY_IO = 3,               /* the operating system refused: missing file, full disk, no permission */
  BLOOMERY_CORRUPT = 4,          /* the bytes are no filter, or a damaged one */
  BLOOMERY_UNSUPPORTED = 5,      /* a valid request that this kind, version, build or handle cannot serve */
  BLOOMERY_MISMATCH = 6,         /* two filters whose geometry or hash differ */
  BLOOMERY_WRONG_SECRET = 7,     /* a keyed filter, opened without its secret or with another one */
  BLOOMERY_FULL = 8,             /* the filter has no room for this key; nothing was changed */
  BLOOMERY_INTERNAL = 9          /* a bug of the library, which the message describes */
} bloomery_code;

/* Returns the code of an error; BLOOMERY_OK for NULL, which is success. */
BLOOMERY_C_API bloomery_code bloomery_error_code(const bloomery_error* error);
/* Returns what is wrong and how to mend it, a sentence without a full stop; "" for NULL. */
BLOOMERY_C_API const char* bloomery_error_message(const bloomery_error* error);
/* Returns "FILE: message" where a file is concerned, else the message; "" for NULL. */
BLOOMERY_C_API const char* bloomery_error_text(const bloomery_error* error);
/* Return the file, and the argument or field, that the error is about; "" where there is none, and for NULL. */
BLOOMERY_C_API const char* bloomery_error_file(const bloomery_error* error);
BLOOMERY_C_API const char* bloomery_error_field(const bloomery_error* error);
/* Returns the name of a code, such as "corrupt"; "unknown" for a number that is none. */
BLOOMERY_C_API const char* bloomery_code_name(bloomery_code code);
/* Frees an error. Does nothing with NULL. */
BLOOMERY_C_API void bloomery_error_free(bloomery_error* error);

/* Frees what a function gave by char** or void**. Does nothing with NULL. */
BLOOMERY_C_API void bloomery_free(void* memory);

/* Refuses a library of another major version, or one that is older than the header a program was compiled with. Call
   bloomery_check_abi(BLOOMERY_ABI_MAJOR, BLOOMERY_ABI_MINOR) first, above all after dlopen. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_check_abi(uint32_t major, uint32_t minor);
/* Return both numbers of the library that the program runs with. */
BLOOMERY_C_API uint32_t bloomery_abi_major(void);
BLOOMERY_C_API uint32_t bloomery_abi_minor(void);
/* Returns the version of Bloomery in that library, such as "0.1.0". */
BLOOMERY_C_API const char* bloomery_version(void);

/* Kinds go by name everywhere: "block", "fuse", "cuckoo"; NULL is "block". docs/kinds.md says which to take. */
/* Returns the name of a kind, counted from 0; NULL after the last. */
BLOOMERY_C_API const char* bloomery_kind_name(size_t index);
/* Returns in a phrase when to pick a kind; NULL for a name that is none. */
BLOOMERY_C_API const char* bloomery_kind_when_to_pick(const char* kind);

typedef enum bloomery_ability BLOOMERY_C_ANY_NUMBER {
  BLOOMERY_CAN_ADD = 0, /* kinds that cannot are built of all their keys at once: bloomery_filter_build */
  BLOOMERY_CAN_REMOVE = 1,
  BLOOMERY_CAN_MERGE = 2,
  BLOOMERY_CAN_INTERSECT = 3,
  BLOOMERY_CAN_RESIZE = 4,
  BLOOMERY_FORGETS = 5 /* its "no" is no promise: newer keys took the place of older ones */
} bloomery_ability;
/* Returns whether a kind has the ability; false for a name that is none. NULL is "block". */
BLOOMERY_C_API bool bloomery_kind_can(const char* kind, bloomery_ability ability);

/* Memory of an engine's own, for the bytes that filters hold. The struct is copied; `context` must outlive every filter
   that was created with it, and copies of those. Both functions are called on the threads that create, grow, merge and
   free filters, and must not throw. */
typedef struct bloomery_memory {
  /* Returns `bytes` bytes, at least one, at a multiple of `alignment`, which is a power of two of at most 64; or NULL,
     which becomes BLOOMERY_OUT_OF_MEMORY. */
  void* (*allocate)(size_t bytes, size_t alignment, void* context);
  /* Takes back what allocate gave for the same two numbers. */
  void (*release)(void* memory, size_t bytes, size_t alignment, void* context);
  void* context; /* may be NULL */
} bloomery_memory;

/* What a filter is created with beside its size. NULL stands for all defaults wherever options are taken. */
typedef struct bloomery_options {
  size_t struct_size;
  /* "xxh3", "xxh64", "fnv_splitmix", "siphash13", "siphash24". NULL: siphash13 where there is a secret, xxh3 where
     there is a seed, else the kind's own. */
  const char* hash;
  uint64_t seed;                 /* of xxh3 and xxh64; refused beside others unless 0 */
  const uint8_t* secret;         /* 16 bytes, of siphash13 and siphash24; NULL: none */
  const bloomery_memory* memory; /* NULL: the system's */
} bloomery_options;
#define BLOOMERY_OPTIONS_INIT \
  { sizeof(bloomery_options), NULL, 0, NULL, NULL }

/* Reads 32 hexadecimal digits, then at most one line end. */
BLOOMERY_C_CHECKED bloomery_error* bloomery_secret_from_hex(const char* text, uint8_t secret[16]);

typedef enum bloomery_log_level BLOOMERY_C_ANY_NUMBER {
  BLOOMERY_LOG_INFO = 0,
  BLOOMERY_LOG_WARNING = 1
} bloomery_log_level;
typedef void (*bloomery_log_hook)(bloomery_log_level level, const char* message, void* context);
/* Installs a hook, or none for NULL, as at the start. The library calls it from any thread with what is neither an
   answer nor an error: "this filter will miss its target". Install it while no other thread uses the library. */
BLOOMERY_C_API void bloomery_set_log_hook(bloomery_log_hook hook, void* context);
/* From now on the library takes its environment variables (bloomery/environment.h) for unset. */
BLOOMERY_C_API void bloomery_ignore_environment(void);

BLOOMERY_C_END

#endif
