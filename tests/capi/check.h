/* What the tests of the C interface share. A test is a function; CHECK counts what does not hold and goes on. */
#ifndef TESTS_CAPI_CHECK_H
#define TESTS_CAPI_CHECK_H

#include <bloomery/c.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int check_failures;

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      ++check_failures;                                                              \
    }                                                                                \
  } while (false)

/* Prints and frees an error that should not be. */
#define CHECK_OK(call)                                                                                 \
  do {                                                                                                 \
    bloomery_error* check_error = (call);                                                              \
    if (check_error != NULL) {                                                                         \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, bloomery_error_text(check_error)); \
      ++check_failures;                                                                                \
      bloomery_error_free(check_error);                                                                \
    }                                                                                                  \
  } while (false)

/* Holds when the call fails with that code, and its message has these words. */
#define CHECK_ERROR(call, expected, words)                                                                           \
  do {                                                                                                               \
    bloomery_error* check_error = (call);                                                                            \
    if (bloomery_error_code(check_error) != (expected) || strstr(bloomery_error_text(check_error), words) == NULL) { \
      fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call,                                              \
              bloomery_code_name(bloomery_error_code(check_error)), bloomery_error_text(check_error));               \
      ++check_failures;                                                                                              \
    }                                                                                                                \
    bloomery_error_free(check_error);                                                                                \
  } while (false)

/* A path in a folder of this run alone. The text lives until the next eighth call. */
const char* scratch(const char* name);

#endif
