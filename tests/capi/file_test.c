/* Files and bytes: open, map, verify, save, encode, decode, secrets, records. */
#include "capi/check.h"

#define N 20000

static bloomery_filter* numbers(const char* kind, const bloomery_options* options) {
  static uint64_t keys[N];
  bloomery_filter* filter = NULL;
  for (uint64_t i = 0; i < N; ++i) keys[i] = i;
  const bloomery_keys run = bloomery_keys_uint64(keys, N);
  CHECK_OK(bloomery_filter_build(kind, &run, NULL, options, 1, &filter));
  return filter;
}

static bool has_all(const bloomery_filter* filter) {
  for (uint64_t i = 0; i < N; ++i)
    if (!bloomery_filter_contains_uint64(filter, i)) return false;
  return true;
}

static void flip(const char* path, long offset) {
  FILE* const file = fopen(path, "r+b");
  fseek(file, offset, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, offset, SEEK_SET);
  fputc(byte ^ 1, file);
  fclose(file);
}

static void every_kind_is_saved_and_opened(const char* kind) {
  bloomery_filter *opened, *mapped, *copy;
  bloomery_filter* const filter = numbers(kind, NULL);
  uint64_t count = 0;
  CHECK_OK(bloomery_filter_save(filter, scratch("a.blm"), NULL));
  CHECK_OK(bloomery_filter_open(scratch("a.blm"), NULL, &opened));
  CHECK_OK(bloomery_filter_map(scratch("a.blm"), NULL, &mapped));
  CHECK(bloomery_filter_equal(filter, opened) && bloomery_filter_equal(filter, mapped));
  if (!bloomery_kind_can(kind, BLOOMERY_FORGETS)) CHECK(has_all(opened) && has_all(mapped));
  CHECK(bloomery_filter_is_verified(opened) && !bloomery_filter_is_verified(mapped));
  CHECK(bloomery_filter_key_count(opened, &count) && count == N);
  CHECK(!bloomery_filter_is_mutable(opened));
  CHECK_ERROR(bloomery_filter_add_uint64(opened, 1), BLOOMERY_UNSUPPORTED, "bloomery_filter_clone");
  CHECK_ERROR(bloomery_filter_clear(mapped), BLOOMERY_UNSUPPORTED, "bloomery_filter_clone");
  CHECK_OK(bloomery_filter_verify(mapped));
  CHECK(bloomery_filter_is_verified(mapped) && bloomery_filter_equal(filter, mapped));
  CHECK_OK(bloomery_filter_verify(mapped));
  CHECK_OK(bloomery_filter_clone(mapped, NULL, &copy));
  if (bloomery_kind_can(kind, BLOOMERY_CAN_MERGE) && strcmp(kind, "cuckoo") != 0) /* which has no room for all twice */
    CHECK_OK(bloomery_filter_merge(copy, opened));
  bloomery_filter_free(copy);
  bloomery_filter_free(mapped);
  bloomery_filter_free(opened);
  bloomery_filter_free(filter);
}

static int append(const void* bytes, size_t length, void* context) {
  FILE* const file = context;
  return fwrite(bytes, 1, length, file) == length ? 0 : 5;
}
static int refuse(const void* bytes, size_t length, void* context) {
  (void)bytes, (void)length, (void)context;
  return 42;
}

static void bytes_are_those_of_the_file(void) {
  bloomery_filter* const filter = numbers("block", NULL);
  bloomery_filter* decoded;
  static char read[1 << 20];
  void* bytes;
  size_t length;
  CHECK_OK(bloomery_filter_save(filter, scratch("b.blm"), NULL));
  CHECK_OK(bloomery_filter_encode(filter, NULL, &bytes, &length));
  FILE* file = fopen(scratch("b.blm"), "rb");
  CHECK(fread(read, 1, sizeof read, file) == length && memcmp(read, bytes, length) == 0);
  fclose(file);
  file = fopen(scratch("c.blm"), "w+b");
  CHECK_OK(bloomery_filter_encode_to(filter, NULL, append, file));
  rewind(file);
  CHECK(fread(read, 1, sizeof read, file) == length && memcmp(read, bytes, length) == 0);
  fclose(file);
  CHECK_ERROR(bloomery_filter_encode_to(filter, NULL, refuse, NULL), BLOOMERY_IO, "42");

  CHECK_OK(bloomery_filter_decode(bytes, length, NULL, &decoded));
  CHECK(bloomery_filter_equal(filter, decoded) && has_all(decoded) && !bloomery_filter_is_mutable(decoded));
  const uint8_t* const payload = bloomery_filter_payload(decoded);
  CHECK(payload > (uint8_t*)bytes && payload + bloomery_filter_bytes(decoded) == (uint8_t*)bytes + length);
  bloomery_filter_free(decoded);
  for (size_t cut = 0; cut < length; cut += 777)
    CHECK_ERROR(bloomery_filter_decode(bytes, cut, NULL, &decoded), BLOOMERY_CORRUPT, "");
  ((uint8_t*)bytes)[length - 1] ^= 4;
  CHECK_ERROR(bloomery_filter_decode(bytes, length, NULL, &decoded), BLOOMERY_CORRUPT, "");
  bloomery_free(bytes);
  bloomery_filter_free(filter);
}

static void damage_is_found_by_range(void) {
  bloomery_filter* const filter = numbers("block", NULL);
  bloomery_filter* mapped;
  bloomery_save_options options = BLOOMERY_SAVE_OPTIONS_INIT;
  CHECK_OK(bloomery_filter_save(filter, scratch("plain.blm"), NULL));
  CHECK_OK(bloomery_filter_map(scratch("plain.blm"), NULL, &mapped));
  CHECK_ERROR(bloomery_filter_verify_range(mapped, 0, 1), BLOOMERY_UNSUPPORTED, "chunks");
  CHECK_OK(bloomery_filter_verify(mapped));
  CHECK_ERROR(bloomery_filter_verify_range(mapped, 0, 1), BLOOMERY_UNSUPPORTED, "chunks");
  CHECK(has_all(mapped));
  bloomery_filter_free(mapped);
  options.chunks = true;
  options.label = "numbers";
  options.keys = "int";
  options.created = 1700000000;
  options.align = 4096;
  CHECK_OK(bloomery_filter_save(filter, scratch("d.blm"), &options));
  CHECK_OK(bloomery_filter_map(scratch("d.blm"), NULL, &mapped));
  CHECK_OK(bloomery_filter_verify_range(mapped, 0, bloomery_filter_bytes(mapped)));
  CHECK(!bloomery_filter_is_verified(mapped));
  CHECK_OK(bloomery_filter_verify(mapped));
  CHECK(bloomery_filter_is_verified(mapped) && has_all(mapped));
  flip(scratch("d.blm"), 4096 + 100); /* damage that comes later is found as well */
  CHECK_ERROR(bloomery_filter_verify_range(mapped, 0, 1), BLOOMERY_CORRUPT, "chunk");
  flip(scratch("d.blm"), 4096 + 100);
  bloomery_filter_free(mapped);
  flip(scratch("d.blm"), 4096 + 9000); /* in the third chunk */
  CHECK_OK(bloomery_filter_map(scratch("d.blm"), NULL, &mapped));
  CHECK_OK(bloomery_filter_verify_range(mapped, 0, 8192));
  CHECK_ERROR(bloomery_filter_verify_range(mapped, 0, 8193), BLOOMERY_CORRUPT, "chunk");
  CHECK_ERROR(bloomery_filter_verify(mapped), BLOOMERY_CORRUPT, "d.blm");
  CHECK(!bloomery_filter_is_verified(mapped)); /* and it still answers */
  (void)bloomery_filter_contains_uint64(mapped, 1);
  bloomery_filter_free(mapped);
  bloomery_filter_free(filter);
}

/* What is written gets a checksum of its own, under which nobody would find the damage again. */
static void damage_is_in_no_copy(void) {
  bloomery_filter* const filter = numbers("block", NULL);
  bloomery_filter *mapped, *copy = NULL, *view;
  bloomery_geometry geometry;
  const size_t bytes = (size_t)bloomery_filter_bytes(filter);
  uint8_t* const page = malloc(bytes);
  void* encoded = NULL;
  size_t length = 0;
  CHECK_OK(bloomery_filter_geometry(filter, &geometry));
  CHECK_OK(bloomery_filter_mutable_view_create("block", &geometry, NULL, page, bytes, &view));
  CHECK_OK(bloomery_filter_save(filter, scratch("damaged.blm"), NULL));
  flip(scratch("damaged.blm"), 1000);
  CHECK_OK(bloomery_filter_map(scratch("damaged.blm"), NULL, &mapped));
  CHECK_ERROR(bloomery_filter_save(mapped, scratch("saved.blm"), NULL), BLOOMERY_CORRUPT, "damaged.blm");
  CHECK(fopen(scratch("saved.blm"), "rb") == NULL);
  CHECK_ERROR(bloomery_filter_encode(mapped, NULL, &encoded, &length), BLOOMERY_CORRUPT, "damaged.blm");
  CHECK(encoded == NULL && length == 0);
  CHECK_ERROR(bloomery_filter_encode_to(mapped, NULL, refuse, NULL), BLOOMERY_CORRUPT, "damaged.blm");
  CHECK_ERROR(bloomery_filter_clone(mapped, NULL, &copy), BLOOMERY_CORRUPT, "damaged.blm");
  CHECK(copy == NULL);
  CHECK_ERROR(bloomery_filter_merge(filter, mapped), BLOOMERY_CORRUPT, "damaged.blm");
  CHECK_ERROR(bloomery_filter_intersect(filter, mapped), BLOOMERY_CORRUPT, "damaged.blm");
  CHECK_ERROR(bloomery_filter_merge(view, mapped), BLOOMERY_CORRUPT, "damaged.blm");
  CHECK(has_all(filter) && bloomery_filter_fill(view) == 0);
  flip(scratch("damaged.blm"), 1000); /* and what is sound needs no call of verify */
  CHECK_OK(bloomery_filter_save(mapped, scratch("saved.blm"), NULL));
  CHECK_OK(bloomery_filter_clone(mapped, NULL, &copy));
  CHECK_OK(bloomery_filter_merge(view, mapped));
  CHECK(bloomery_filter_equal(copy, filter) && bloomery_filter_equal(view, filter));
  bloomery_filter_free(copy);
  bloomery_filter_free(mapped);
  bloomery_filter_free(view);
  bloomery_filter_free(filter);
  free(page);
}

static void records_stay(void) {
  bloomery_filter* const filter = numbers("block", NULL);
  bloomery_filter *opened, *copy, *other;
  bloomery_save_options options = BLOOMERY_SAVE_OPTIONS_INIT;
  char* json;
  options.label = "na\"me";
  options.keys = "int";
  CHECK_OK(bloomery_filter_save(filter, scratch("e.blm"), &options));
  CHECK_OK(bloomery_filter_open(scratch("e.blm"), NULL, &opened));
  CHECK_OK(bloomery_filter_clone(opened, NULL, &copy));
  CHECK_OK(bloomery_filter_add_uint64(copy, 77));
  CHECK_OK(bloomery_filter_save(copy, scratch("f.blm"), NULL));
  bloomery_filter_free(opened);
  CHECK_OK(bloomery_filter_open(scratch("f.blm"), NULL, &opened));
  CHECK_OK(bloomery_filter_inspect(opened, &json));
  CHECK(strstr(json, "\"format\":\"envelope\"") != NULL);
  CHECK(strstr(json, "\"label\":\"na\\\"me\"") != NULL && strstr(json, "\"keys\":\"int\"") != NULL);
  bloomery_free(json);
  options.keys = "text";
  CHECK_OK(bloomery_filter_save(filter, scratch("g.blm"), &options));
  CHECK_OK(bloomery_filter_open(scratch("g.blm"), NULL, &other));
  CHECK_ERROR(bloomery_filter_merge(copy, other), BLOOMERY_INVALID_ARGUMENT, "text");
  options.label = "a\nline";
  CHECK_ERROR(bloomery_filter_save(filter, scratch("h.blm"), &options), BLOOMERY_INVALID_ARGUMENT, "label");
  options.label = NULL;
  options.format = "zip";
  CHECK_ERROR(bloomery_filter_save(filter, scratch("h.blm"), &options), BLOOMERY_INVALID_ARGUMENT, "zip");
  options.format = "raw";
  CHECK_ERROR(bloomery_filter_save(filter, scratch("h.blm"), &options), BLOOMERY_UNSUPPORTED, "classic");
  bloomery_filter_free(other);
  bloomery_filter_free(opened);
  bloomery_filter_free(copy);
  bloomery_filter_free(filter);
}

static void other_formats(void) {
  bloomery_filter* const classic = numbers("classic", NULL);
  bloomery_filter* opened;
  bloomery_save_options options = BLOOMERY_SAVE_OPTIONS_INIT;
  bloomery_open_options open = BLOOMERY_OPEN_OPTIONS_INIT;
  options.format = "raw";
  CHECK_OK(bloomery_filter_save(classic, scratch("raw"), &options));
  CHECK_OK(bloomery_filter_open(scratch("raw"), NULL, &opened));
  CHECK(bloomery_filter_equal(classic, opened));
  bloomery_filter_free(opened);
  bloomery_filter_free(classic);

  bloomery_geometry geometry = {1, {{"blocks", 1024}}};
  bloomery_size_spec size = BLOOMERY_SIZE_SPEC_INIT;
  bloomery_options hash = BLOOMERY_OPTIONS_INIT;
  bloomery_filter* split;
  size.geometry = &geometry;
  hash.hash = "xxh64";
  CHECK_OK(bloomery_filter_with_size("split", 1, &size, &hash, &split));
  CHECK_OK(bloomery_filter_add(split, "a", 1));
  options.format = "parquet";
  CHECK_OK(bloomery_filter_save(split, scratch("column"), &options));
  CHECK_ERROR(bloomery_filter_open(scratch("column"), NULL, &opened), BLOOMERY_UNSUPPORTED, "Parquet");
  open.parquet = true;
  CHECK_OK(bloomery_filter_open(scratch("column"), &open, &opened));
  CHECK(bloomery_filter_contains(opened, "a", 1) && !bloomery_filter_contains(opened, "b", 1));
  bloomery_filter_free(opened);
  bloomery_filter_free(split);
}

/* `keyed` was opened without its secret, so nobody knows the hash of its keys: no filter matches it, one of the hash
   that is nobody's secret neither. */
static void combines_with_nothing(bloomery_filter* own, const bloomery_filter* keyed) {
  bloomery_geometry geometry;
  bloomery_filter *view, *same_bits;
  bloomery_overlap overlap;
  bloomery_options fnv = BLOOMERY_OPTIONS_INIT;
  fnv.hash = "fnv_splitmix";
  const size_t bytes = (size_t)bloomery_filter_bytes(keyed);
  uint8_t* const page = calloc(1, bytes);
  CHECK_OK(bloomery_filter_geometry(keyed, &geometry));
  const char* const kind = bloomery_filter_kind(keyed);
  CHECK_OK(bloomery_filter_mutable_view_create(kind, &geometry, &fnv, page, bytes, &view));
  CHECK_ERROR(bloomery_filter_merge(view, keyed), BLOOMERY_WRONG_SECRET, "secret");
  size_t written = 0;
  for (size_t i = 0; i < bytes; ++i) written += page[i];
  CHECK(written == 0);
  CHECK_ERROR(bloomery_filter_intersect(own, keyed), BLOOMERY_WRONG_SECRET, "secret");
  CHECK_ERROR(bloomery_filter_overlap(view, keyed, &overlap), BLOOMERY_WRONG_SECRET, "secret");
  CHECK_ERROR(bloomery_filter_overlap(keyed, view, &overlap), BLOOMERY_WRONG_SECRET, "secret");
  CHECK_OK(bloomery_filter_view(kind, &geometry, &fnv, bloomery_filter_payload(keyed), bytes, &same_bits));
  CHECK(!bloomery_filter_equal(same_bits, keyed) && !bloomery_filter_equal(keyed, same_bits));
  bloomery_filter_free(same_bits);
  bloomery_filter_free(view);
  free(page);
}

static void keyed_files_need_their_secret(void) {
  static const uint8_t secret[16] = {7, 7, 7}, wrong[16] = {8};
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_open_options open = BLOOMERY_OPEN_OPTIONS_INIT;
  bloomery_filter *opened, *copy;
  uint8_t answers[2];
  uint64_t hash;
  static const uint64_t keys[2] = {1, UINT64_MAX};
  const bloomery_keys run = bloomery_keys_uint64(keys, 2);
  options.secret = secret;
  bloomery_filter* const filter = numbers("block", &options);
  CHECK_OK(bloomery_filter_save(filter, scratch("k.blm"), NULL));
  CHECK_ERROR(bloomery_filter_open(scratch("k.blm"), NULL, &opened), BLOOMERY_WRONG_SECRET, "k.blm");
  open.secret = wrong;
  CHECK_ERROR(bloomery_filter_map(scratch("k.blm"), &open, &opened), BLOOMERY_WRONG_SECRET, "k.blm");
  open.secret = secret;
  CHECK_OK(bloomery_filter_open(scratch("k.blm"), &open, &opened));
  CHECK(has_all(opened) && !bloomery_filter_contains_uint64(opened, UINT64_MAX));
  bloomery_filter_free(opened);
  open.secret = NULL;
  open.without_secret = true;
  CHECK_OK(bloomery_filter_open(scratch("k.blm"), &open, &opened));
  CHECK(bloomery_filter_contains_uint64(opened, UINT64_MAX) && bloomery_filter_contains(opened, "x", 1));
  CHECK_OK(bloomery_filter_contains_many(opened, &run, answers, 2));
  CHECK(answers[0] == 1 && answers[1] == 1);
  CHECK_OK(bloomery_filter_hash(filter, "x", 1, &hash));
  CHECK(bloomery_filter_contains_hash(opened, hash) == bloomery_filter_contains(filter, "x", 1));
  CHECK_ERROR(bloomery_filter_hash(opened, "x", 1, &hash), BLOOMERY_WRONG_SECRET, "secret");
  CHECK_ERROR(bloomery_filter_clone(opened, NULL, &copy), BLOOMERY_WRONG_SECRET, "secret");
  CHECK_ERROR(bloomery_filter_save(opened, scratch("l.blm"), NULL), BLOOMERY_WRONG_SECRET, "secret");
  CHECK_ERROR(bloomery_filter_merge(filter, opened), BLOOMERY_WRONG_SECRET, "secret");
  combines_with_nothing(filter, opened);
  CHECK(strcmp(bloomery_filter_hash_name(opened), "siphash13") == 0);
  CHECK(bloomery_filter_seed(opened) == bloomery_filter_seed(filter));
  bloomery_filter_free(opened);
  bloomery_filter_free(filter);
}

void test_file(void) {
  for (size_t i = 0; bloomery_kind_name(i) != NULL; ++i) every_kind_is_saved_and_opened(bloomery_kind_name(i));
  bytes_are_those_of_the_file();
  damage_is_found_by_range();
  damage_is_in_no_copy();
  records_stay();
  other_formats();
  keyed_files_need_their_secret();
}
