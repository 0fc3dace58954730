/* A program of somebody else's in C99, built against an installed copy. Prints 1 0, then 1, as the README's does. */
#include <bloomery/c.h>
#include <stdio.h>

static int failed(bloomery_error* error) {
  if (error == NULL) return 0;
  fprintf(stderr, "%s\n", bloomery_error_text(error));
  bloomery_error_free(error);
  return 1;
}

int main(void) {
  bloomery_filter *filter = NULL, *file = NULL;
  if (failed(bloomery_check_abi(BLOOMERY_ABI_MAJOR, BLOOMERY_ABI_MINOR)) ||
      failed(bloomery_filter_with_capacity("block", 1000000, 0.01, NULL, &filter)) ||
      failed(bloomery_filter_add(filter, "alpha", 5)) || failed(bloomery_filter_add_uint64(filter, 42)))
    return 1;
  printf("%d %d\n", bloomery_filter_contains(filter, "alpha", 5), bloomery_filter_contains(filter, "omega", 5));
  if (failed(bloomery_filter_save(filter, "demo.blm", NULL)) || failed(bloomery_filter_open("demo.blm", NULL, &file)))
    return 1;
  printf("%d\n", bloomery_filter_contains(file, "alpha", 5));
  bloomery_filter_free(file);
  bloomery_filter_free(filter);
  return 0;
}
