/* Bloomery in C99: filters that answer "is this key definitely absent?", their files, sorted tables, live filters,
   differences of sets.
   docs/c.md is the tutorial. The library libbloomery_c.so.1 holds all of it.

     bloomery_filter* seen;
     bloomery_error* error = bloomery_filter_with_capacity("block", 1000000, 0.01, NULL, &seen);
     if (error == NULL) error = bloomery_filter_add(seen, "alpha", 5);
     if (error != NULL) fprintf(stderr, "%s\n", bloomery_error_text(error));
     printf("%d\n", bloomery_filter_contains(seen, "omega", 5));
     bloomery_error_free(error);
     bloomery_filter_free(seen);

   Rules that hold everywhere, so that no function repeats them:
   - What can fail returns a bloomery_error*, NULL when all went well; bloomery_error_free frees one.
   - A new object comes by the last argument, which is set to NULL on an error. Its own _free function ends it, and does
     nothing with NULL.
   - A question that cannot be asked is answered "maybe" (true), never "no": of a NULL filter, and of a NULL key with a
     length. NULL with a length of 0 is the empty key.
   - Where an argument may be NULL its description says so. Other NULLs are BLOOMERY_INVALID_ARGUMENT; functions that
     return no error then answer NULL, 0 or false and do nothing.
   - Texts are NUL-terminated UTF-8. What a const pointer points to belongs to the object it came from and lives as long
     as that stays unchanged. What a plain pointer points to (char**, void**) is the caller's: bloomery_free.
   - Nothing prints, exits or throws. Handles of different objects may be used from different threads at once. Of one
     object, any number of threads may ask while none changes it; tables and live filters are safe from any thread.
   - A struct that begins with `struct_size` is filled from its _INIT macro, or with zeros and struct_size = its sizeof:
     zero means the default. Later versions add fields at the end, and take the shorter structs of older programs. */
#ifndef BLOOMERY_C_H
#define BLOOMERY_C_H

#include "bloomery/c/base.h"     /* versions, errors, kinds, memory, secrets, the log hook */
#include "bloomery/c/batch.h"    /* many keys at once, and building a filter of them */
#include "bloomery/c/file.h"     /* files, bytes, views over memory of yours */
#include "bloomery/c/filter.h"   /* one key at a time; what a filter says of itself; two filters */
#include "bloomery/c/iblt.h"     /* in which keys two sets differ */
#include "bloomery/c/live.h"     /* filters that all threads of a service share */
#include "bloomery/c/rotating.h" /* filters of the last N windows */
#include "bloomery/c/table.h"    /* sorted files with a filter in front */

#endif
