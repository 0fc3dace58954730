/* Errors, versions, kinds, secrets, options, the log hook. */
#include "capi/check.h"

static void errors_have_code_and_message(void) {
  bloomery_filter* filter = (bloomery_filter*)&check_failures; /* anything but NULL */
  bloomery_error* error = bloomery_filter_with_capacity("blcok", 10, 0.01, NULL, &filter);
  CHECK(filter == NULL);
  CHECK(bloomery_error_code(error) == BLOOMERY_UNSUPPORTED);
  CHECK(strstr(bloomery_error_message(error), "blcok") != NULL);
  CHECK(strcmp(bloomery_error_field(error), "kind") == 0);
  CHECK(strcmp(bloomery_error_file(error), "") == 0);
  bloomery_error_free(error);

  error = bloomery_filter_open("/nonexistent/x.blm", NULL, &filter);
  CHECK(bloomery_error_code(error) == BLOOMERY_IO);
  CHECK(strcmp(bloomery_error_file(error), "/nonexistent/x.blm") == 0);
  CHECK(strncmp(bloomery_error_text(error), "/nonexistent/x.blm: ", 20) == 0);
  bloomery_error_free(error);

  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 0, 0.01, NULL, &filter), BLOOMERY_INVALID_ARGUMENT, "n ");
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 10, 2, NULL, &filter), BLOOMERY_INVALID_ARGUMENT, "2");
  CHECK_ERROR(bloomery_filter_with_capacity("fuse", 10, 0.01, NULL, &filter), BLOOMERY_UNSUPPORTED, "build");
  CHECK(strcmp(bloomery_code_name(BLOOMERY_CORRUPT), "corrupt") == 0);
  CHECK(strcmp(bloomery_code_name((bloomery_code)99), "unknown") == 0);
}

static void versions_are_compared(void) {
  CHECK_OK(bloomery_check_abi(bloomery_abi_major(), bloomery_abi_minor()));
  CHECK_ERROR(bloomery_check_abi(BLOOMERY_ABI_MAJOR + 1, 0), BLOOMERY_UNSUPPORTED, "C interface");
  CHECK_ERROR(bloomery_check_abi(BLOOMERY_ABI_MAJOR, BLOOMERY_ABI_MINOR + 1), BLOOMERY_UNSUPPORTED, "C interface");
  CHECK(strchr(bloomery_version(), '.') != NULL);
}

static void kinds_go_by_name(void) {
  size_t count = 0;
  bool has_block = false;
  while (bloomery_kind_name(count) != NULL) {
    has_block = has_block || strcmp(bloomery_kind_name(count), "block") == 0;
    CHECK(strlen(bloomery_kind_when_to_pick(bloomery_kind_name(count))) > 0);
    ++count;
  }
  CHECK(count == 11 && has_block);
  CHECK(bloomery_kind_name(SIZE_MAX) == NULL);
  CHECK(bloomery_kind_when_to_pick("nothing") == NULL);
  CHECK(bloomery_kind_can("cuckoo", BLOOMERY_CAN_REMOVE) && !bloomery_kind_can("block", BLOOMERY_CAN_REMOVE));
  CHECK(bloomery_kind_can("stable", BLOOMERY_FORGETS) && !bloomery_kind_can(NULL, BLOOMERY_FORGETS));
  CHECK(!bloomery_kind_can("fuse", BLOOMERY_CAN_ADD) && !bloomery_kind_can("nothing", BLOOMERY_CAN_ADD));
  CHECK(!bloomery_kind_can("block", (bloomery_ability)99));
}

static void options_are_checked(void) {
  static const uint8_t secret[16] = {1, 2, 3};
  bloomery_filter* filter;
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  options.hash = "md5";
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 10, 0.1, &options, &filter), BLOOMERY_INVALID_ARGUMENT, "md5");
  options.hash = "siphash24";
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 10, 0.1, &options, &filter), BLOOMERY_INVALID_ARGUMENT, "secret");
  options.secret = secret;
  options.seed = 7;
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 10, 0.1, &options, &filter), BLOOMERY_INVALID_ARGUMENT, "seed");
  options.seed = 0;
  CHECK_OK(bloomery_filter_with_capacity(NULL, 10, 0.1, &options, &filter));
  CHECK(strcmp(bloomery_filter_hash_name(filter), "siphash24") == 0);
  bloomery_filter_free(filter);
  options.hash = "xxh3";
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 10, 0.1, &options, &filter), BLOOMERY_INVALID_ARGUMENT, "secret");
  options.secret = NULL;
  options.seed = 7;
  CHECK_OK(bloomery_filter_with_capacity(NULL, 10, 0.1, &options, &filter));
  CHECK(bloomery_filter_seed(filter) == 7);
  bloomery_filter_free(filter);
  options.struct_size = 0;
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 10, 0.1, &options, &filter), BLOOMERY_INVALID_ARGUMENT, "_INIT");
}

/* A program that was compiled with a header of another version. */
static void structs_of_other_versions(void) {
  struct {
    bloomery_options known;
    uint64_t later;
  } newer = {BLOOMERY_OPTIONS_INIT, 0};
  bloomery_filter* filter;
  newer.known.struct_size = sizeof newer;
  CHECK_OK(bloomery_filter_with_capacity(NULL, 10, 0.1, &newer.known, &filter));
  bloomery_filter_free(filter);
  newer.later = 1;
  CHECK_ERROR(bloomery_filter_with_capacity(NULL, 10, 0.1, &newer.known, &filter), BLOOMERY_UNSUPPORTED, "newer");
  newer.known.struct_size = offsetof(bloomery_options, seed); /* as if the rest were not there */
  newer.known.hash = "xxh64";
  newer.known.memory = (const bloomery_memory*)&newer;
  CHECK_OK(bloomery_filter_with_capacity(NULL, 10, 0.1, &newer.known, &filter));
  CHECK(strcmp(bloomery_filter_hash_name(filter), "xxh64") == 0);
  bloomery_filter_free(filter);
}

static void secrets_are_read(void) {
  uint8_t secret[16];
  CHECK_OK(bloomery_secret_from_hex("000102030405060708090a0b0c0d0e0f\n", secret));
  for (uint8_t i = 0; i < 16; ++i) CHECK(secret[i] == i);
  CHECK_ERROR(bloomery_secret_from_hex("0001", secret), BLOOMERY_INVALID_ARGUMENT, "32");
}

static char logged[512];
static void keep(bloomery_log_level level, const char* message, void* context) {
  CHECK(level == BLOOMERY_LOG_WARNING);
  CHECK(context == logged);
  snprintf(logged, sizeof logged, "%s", message);
}

static void the_log_hook_is_called(void) {
  bloomery_filter* filter;
  bloomery_set_log_hook(keep, logged);
  CHECK_OK(bloomery_filter_with_capacity("classic", 1, 0.5, NULL, &filter)); /* such a small one misses its rate */
  CHECK(strlen(logged) > 0);
  bloomery_filter_free(filter);
  bloomery_set_log_hook(NULL, NULL);
  logged[0] = '\0';
  CHECK_OK(bloomery_filter_with_capacity("classic", 1, 0.5, NULL, &filter));
  CHECK(strlen(logged) == 0);
  bloomery_filter_free(filter);
}

void test_errors(void) {
  errors_have_code_and_message();
  versions_are_compared();
  kinds_go_by_name();
  options_are_checked();
  structs_of_other_versions();
  secrets_are_read();
  the_log_hook_is_called();
}
