/* Runs the tests of the C interface that are named, or all of them. usage: bloomery_c_tests [NAME]... */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <dirent.h>
#include <unistd.h>

#include "capi/check.h"

int check_failures = 0;

void test_errors(void);
void test_filter(void);
void test_batch(void);
void test_file(void);
void test_view(void);
void test_memory(void);
void test_nulls(void);
void test_table(void);
void test_live(void);
void test_rotating(void);
void test_iblt(void);
void test_merge(void);
void test_threads(void);

static const struct {
  const char* name;
  void (*run)(void);
} kTests[] = {{"errors", test_errors},  {"filter", test_filter},     {"batch", test_batch}, {"file", test_file},
              {"view", test_view},      {"memory", test_memory},     {"nulls", test_nulls}, {"table", test_table},
              {"live", test_live},      {"rotating", test_rotating}, {"iblt", test_iblt},   {"merge", test_merge},
              {"threads", test_threads}};

static char folder[64] = "/tmp/bloomery-c-XXXXXX";

const char* scratch(const char* name) {
  static char paths[8][512];
  static size_t next = 0;
  char* const path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void remove_folder(void) {
  DIR* const all = opendir(folder);
  const struct dirent* entry;
  while (all != NULL && (entry = readdir(all)) != NULL)
    if (entry->d_name[0] != '.') unlink(scratch(entry->d_name));
  if (all != NULL) closedir(all);
  rmdir(folder);
}

static bool wanted(const char* name, int count, char** names) {
  for (int i = 1; i < count; ++i)
    if (strcmp(names[i], name) == 0) return true;
  return count == 1;
}

int main(int argc, char** argv) {
  size_t ran = 0;
  if (mkdtemp(folder) == NULL) return perror(folder), 2;
  CHECK_OK(bloomery_check_abi(BLOOMERY_ABI_MAJOR, BLOOMERY_ABI_MINOR));
  for (size_t i = 0; i < sizeof kTests / sizeof *kTests; ++i) {
    if (!wanted(kTests[i].name, argc, argv)) continue;
    const int before = check_failures;
    kTests[i].run();
    printf("%s %s\n", check_failures == before ? "ok    " : "FAILED", kTests[i].name);
    ++ran;
  }
  remove_folder();
  if (ran == 0) return fprintf(stderr, "there is no such test\n"), 2;
  return check_failures == 0 ? 0 : 1;
}
