/* Differences of sets: keys of every shape, values, bytes and files, tables that are too small. */
#include "capi/check.h"

#define N 1000

static bloomery_iblt* of_integers(uint64_t first, uint64_t last) {
  static uint64_t keys[2 * N];
  bloomery_iblt* iblt = NULL;
  for (uint64_t i = first; i < last; ++i) keys[i - first] = i;
  const bloomery_keys run = bloomery_keys_uint64(keys, (size_t)(last - first));
  CHECK_OK(bloomery_iblt_create(20, NULL, &iblt));
  CHECK_OK(bloomery_iblt_add_many(iblt, &run));
  return iblt;
}

static uint64_t number_of(bloomery_item item) {
  uint64_t number = 0;
  CHECK(item.key_length == 8);
  for (size_t i = 8; i-- > 0 && item.key_length == 8;) number = number << 8 | ((const uint8_t*)item.key)[i];
  return number;
}

static void two_sides_differ(void) {
  bloomery_iblt* here = of_integers(0, N);
  bloomery_iblt* sent = of_integers(3, N + 2);
  bloomery_iblt* there;
  bloomery_iblt_listing* found;
  void* bytes;
  size_t length;
  uint64_t sum = 0;
  CHECK_OK(bloomery_iblt_encode(sent, &bytes, &length));
  CHECK_OK(bloomery_iblt_decode(bytes, length, NULL, &there));
  CHECK_OK(bloomery_iblt_subtract(here, there));
  CHECK_OK(bloomery_iblt_list(here, &found));
  CHECK(bloomery_iblt_listing_is_complete(found));
  CHECK(bloomery_iblt_listing_count(found, BLOOMERY_ONLY_HERE) == 3);
  CHECK(bloomery_iblt_listing_count(found, BLOOMERY_ONLY_THERE) == 2);
  for (size_t i = 0; i < 3; ++i) sum += number_of(bloomery_iblt_listing_item(found, BLOOMERY_ONLY_HERE, i));
  CHECK(sum == 0 + 1 + 2);
  for (size_t i = 0; i < 2; ++i) sum += number_of(bloomery_iblt_listing_item(found, BLOOMERY_ONLY_THERE, i));
  CHECK(sum == 3 + N + N + 1);
  CHECK(bloomery_iblt_listing_item(found, BLOOMERY_ONLY_HERE, 3).key == NULL);
  CHECK(bloomery_iblt_listing_count(found, (bloomery_side)7) == 0);
  CHECK(bloomery_iblt_listing_item(found, (bloomery_side)7, 0).key == NULL);
  bloomery_iblt_listing_free(found);

  ((uint8_t*)bytes)[length - 1] ^= 1;
  bloomery_iblt_free(there);
  CHECK_ERROR(bloomery_iblt_decode(bytes, length, NULL, &there), BLOOMERY_CORRUPT, "");
  CHECK(there == NULL);
  bloomery_free(bytes);
  bloomery_iblt_free(here);
  bloomery_iblt_free(sent);
}

static void texts_with_values(void) {
  static const char words[] = "onetwothree";
  static const int32_t offsets[4] = {0, 3, 6, 11};
  const bloomery_keys run = bloomery_keys_strings32(words, 11, offsets, 3);
  bloomery_iblt_options options = BLOOMERY_IBLT_OPTIONS_INIT;
  bloomery_iblt *iblt, *other;
  bloomery_iblt_listing* found;
  options.key_bytes = 16;
  options.variable = true;
  CHECK_OK(bloomery_iblt_create(10, &options, &iblt));
  CHECK_OK(bloomery_iblt_add_many(iblt, &run));
  CHECK_OK(bloomery_iblt_remove(iblt, "two", 3, NULL, 0));
  CHECK_OK(bloomery_iblt_save(iblt, scratch("words.blm")));
  CHECK_OK(bloomery_iblt_open(scratch("words.blm"), NULL, &other));
  CHECK_OK(bloomery_iblt_list(other, &found));
  CHECK(bloomery_iblt_listing_is_complete(found) && bloomery_iblt_listing_count(found, BLOOMERY_ONLY_HERE) == 2);
  bloomery_iblt_listing_free(found);
  CHECK_ERROR(bloomery_iblt_add(iblt, "a key that is too long", 22, NULL, 0), BLOOMERY_INVALID_ARGUMENT, "");
  bloomery_iblt_free(iblt);
  bloomery_iblt_free(other);

  options.value_bytes = 2;
  CHECK_OK(bloomery_iblt_create(10, &options, &iblt));
  CHECK_OK(bloomery_iblt_add(iblt, "key", 3, "ab", 2));
  CHECK_ERROR(bloomery_iblt_add(iblt, "key", 3, "abc", 3), BLOOMERY_INVALID_ARGUMENT, "");
  CHECK_OK(bloomery_iblt_list(iblt, &found));
  const bloomery_item item = bloomery_iblt_listing_item(found, BLOOMERY_ONLY_HERE, 0);
  CHECK(item.key_length == 3 && memcmp(item.key, "key", 3) == 0);
  CHECK(item.value_length == 2 && memcmp(item.value, "ab", 2) == 0);
  bloomery_iblt_listing_free(found);
  bloomery_iblt_free(iblt);
}

static void what_cannot_be(void) {
  static const uint64_t hashes[1] = {1};
  const bloomery_keys run = bloomery_keys_hashes(hashes, 1);
  const uint8_t secret[16] = {1};
  bloomery_options keyed = BLOOMERY_OPTIONS_INIT;
  bloomery_iblt_options options = BLOOMERY_IBLT_OPTIONS_INIT;
  bloomery_open_options open = BLOOMERY_OPEN_OPTIONS_INIT;
  bloomery_iblt *small = of_integers(0, N), *other;
  bloomery_iblt_listing* found;
  CHECK_OK(bloomery_iblt_list(small, &found)); /* a thousand keys in a table for twenty */
  CHECK(!bloomery_iblt_listing_is_complete(found));
  bloomery_iblt_listing_free(found);
  CHECK_ERROR(bloomery_iblt_add_many(small, &run), BLOOMERY_UNSUPPORTED, "hashes");
  bloomery_keys none = run;
  none.count = 0;
  CHECK_OK(bloomery_iblt_add_many(small, &none));
  CHECK_OK(bloomery_iblt_create(1000, NULL, &other));
  CHECK_ERROR(bloomery_iblt_subtract(small, other), BLOOMERY_MISMATCH, "");
  bloomery_iblt_free(other);
  options.key_bytes = 1000;
  CHECK_ERROR(bloomery_iblt_create(1, &options, &other), BLOOMERY_INVALID_ARGUMENT, "");
  CHECK(other == NULL);
  options.key_bytes = 8;
  keyed.secret = secret;
  options.options = &keyed;
  CHECK_OK(bloomery_iblt_create(5, &options, &other));
  CHECK_OK(bloomery_iblt_save(other, scratch("keyed.blm")));
  bloomery_iblt_free(other);
  CHECK_ERROR(bloomery_iblt_open(scratch("keyed.blm"), NULL, &other), BLOOMERY_WRONG_SECRET, "");
  open.without_secret = true;
  CHECK_ERROR(bloomery_iblt_open(scratch("keyed.blm"), &open, &other), BLOOMERY_WRONG_SECRET, "");
  open.without_secret = false;
  open.secret = secret;
  CHECK_OK(bloomery_iblt_open(scratch("keyed.blm"), &open, &other));
  bloomery_iblt_free(other);
  bloomery_iblt_free(small);
}

void test_iblt(void) {
  two_sides_differ();
  texts_with_values();
  what_cannot_be();
}
