/* Batches of every type of key, and every form of answers, against one key at a time. */
#include "capi/check.h"

#define N 3000

/* All numbers that fit in 8 bits signed and unsigned, so that every width spells the same keys. */
static int64_t value(size_t i) { return (int64_t)(i % 100); }

typedef struct Columns {
  uint64_t u64[N];
  int64_t i64[N];
  uint32_t u32[N];
  int32_t i32[N];
  uint16_t u16[N];
  int16_t i16[N];
  uint8_t u8[N];
  int8_t i8[N];
} Columns;

static Columns columns;

static void fill(int64_t sign) {
  for (size_t i = 0; i < N; ++i) {
    const int64_t v = sign * value(i);
    columns.u64[i] = (uint64_t)v;
    columns.i64[i] = v;
    columns.u32[i] = (uint32_t)v;
    columns.i32[i] = (int32_t)v;
    columns.u16[i] = (uint16_t)v;
    columns.i16[i] = (int16_t)v;
    columns.u8[i] = (uint8_t)v;
    columns.i8[i] = (int8_t)v;
  }
}

static size_t integer_runs(bloomery_keys* runs, bool unsigned_too) {
  size_t n = 0;
  runs[n++] = bloomery_keys_int64(columns.i64, N);
  runs[n++] = bloomery_keys_int32(columns.i32, N);
  runs[n++] = bloomery_keys_int16(columns.i16, N);
  runs[n++] = bloomery_keys_int8(columns.i8, N);
  runs[n++] = bloomery_keys_uint64(columns.u64, N);
  if (!unsigned_too) return n;
  runs[n++] = bloomery_keys_uint32(columns.u32, N);
  runs[n++] = bloomery_keys_uint16(columns.u16, N);
  runs[n++] = bloomery_keys_uint8(columns.u8, N);
  return n;
}

/* The answers of a filter to a run, by bytes, bits and positions, are those to its keys one by one. */
static void answers_agree(const bloomery_filter* filter, const bloomery_keys* run, const uint8_t* expected) {
  static uint8_t answers[N + 1];
  static uint64_t words[N / 64 + 2];
  static uint32_t positions[N + 1];
  size_t found = 0, next = 0;
  memset(answers, 7, sizeof answers);
  memset(words, 0xff, sizeof words);
  CHECK_OK(bloomery_filter_contains_many(filter, run, answers, run->count));
  CHECK(memcmp(answers, expected, run->count) == 0);
  CHECK(answers[run->count] == 7);
  CHECK_OK(bloomery_filter_contains_bitmap(filter, run, words, (run->count + 63) / 64));
  for (size_t i = 0; i < run->count; ++i) CHECK((words[i / 64] >> (i % 64) & 1) == expected[i]);
  if (run->count % 64 != 0) CHECK(words[run->count / 64] >> (run->count % 64) == 0);
  CHECK(words[(run->count + 63) / 64] == UINT64_MAX);
  CHECK_OK(bloomery_filter_select_present(filter, run, positions, run->count, &found));
  for (size_t i = 0; i < run->count; ++i)
    if (expected[i]) CHECK(next < found && positions[next++] == i);
  CHECK(next == found);
}

static void integers_of_every_width(int64_t sign) {
  bloomery_keys runs[8];
  bloomery_filter* first = NULL;
  fill(sign);
  const size_t count = integer_runs(runs, sign > 0);
  for (size_t r = 0; r < count; ++r) {
    bloomery_filter *added, *built;
    static uint8_t expected[N];
    bloomery_keys half = runs[r];
    half.count = 50;
    CHECK_OK(bloomery_filter_with_capacity("block", 100, 0.0001, NULL, &added));
    CHECK_OK(bloomery_filter_add_many(added, &half, 1));
    if (first == NULL) first = added;
    CHECK(bloomery_filter_equal(first, added));
    for (size_t i = 0; i < N; ++i) expected[i] = bloomery_filter_contains_uint64(added, (uint64_t)(sign * value(i)));
    for (size_t i = 0; i < N; ++i) CHECK(value(i) >= 50 || expected[i] == 1);
    answers_agree(added, &runs[r], expected);
    CHECK_OK(bloomery_filter_build("fuse", &runs[r], NULL, NULL, 2, &built));
    for (size_t i = 0; i < N; ++i) CHECK(bloomery_filter_contains_uint64(built, columns.u64[i]));
    uint64_t distinct = 0;
    CHECK(bloomery_filter_key_count(built, &distinct) && distinct == 100);
    bloomery_filter_free(built);
    if (added != first) bloomery_filter_free(added);
  }
  bloomery_filter_free(first);
}

static void strings_as_offsets_and_bytes(void) {
  static char bytes[16 * N];
  static int32_t offsets32[N + 1];
  static int64_t offsets64[N + 1];
  static uint8_t expected[N];
  bloomery_filter *filter, *wide, *one;
  size_t used = 3; /* as in a slice, the first offset need not be 0 */
  for (size_t i = 0; i < N; ++i) {
    offsets32[i] = (int32_t)used;
    offsets64[i] = (int64_t)used;
    used += (size_t)sprintf(bytes + used, "%.*s%u", (int)(i % 5), "prefix", (unsigned)i);
    if (i % 7 == 0) used = (size_t)offsets32[i]; /* an empty one */
  }
  offsets32[N] = (int32_t)used;
  offsets64[N] = (int64_t)used;
  bloomery_keys run = bloomery_keys_strings32(bytes, used, offsets32, N);
  bloomery_keys wide_run = bloomery_keys_strings64(bytes, used, offsets64, N);
  bloomery_keys half = run;
  half.count = N / 2;
  CHECK_OK(bloomery_filter_build("block", &half, NULL, NULL, 1, &filter));
  wide_run.count = N / 2;
  CHECK_OK(bloomery_filter_build(NULL, &wide_run, NULL, NULL, 2, &wide));
  wide_run.count = N;
  CHECK_OK(bloomery_filter_with_capacity("block", N / 2, 0.01, NULL, &one));
  for (size_t i = 0; i < N / 2; ++i)
    CHECK_OK(bloomery_filter_add(one, bytes + offsets32[i], (size_t)(offsets32[i + 1] - offsets32[i])));
  CHECK(bloomery_filter_equal(filter, wide) && bloomery_filter_equal(filter, one));
  bloomery_filter_free(one);
  for (size_t i = 0; i < N; ++i) {
    expected[i] = bloomery_filter_contains(filter, bytes + offsets32[i], (size_t)(offsets32[i + 1] - offsets32[i]));
    CHECK(i >= N / 2 || expected[i]);
  }
  answers_agree(filter, &run, expected);
  answers_agree(filter, &wide_run, expected);

  run.data_bytes = used - 1;
  uint8_t answers[N];
  memset(answers, 0, sizeof answers);
  CHECK_ERROR(bloomery_filter_contains_many(filter, &run, answers, N), BLOOMERY_INVALID_ARGUMENT, "offset");
  for (size_t i = 0; i < N; ++i) CHECK(answers[i] == 1); /* in doubt, maybe */
  run.data_bytes = used;
  offsets32[10] = -1;
  CHECK_ERROR(bloomery_filter_add_many(filter, &run, 1), BLOOMERY_INVALID_ARGUMENT, "offset");
  CHECK(bloomery_filter_equal(filter, wide)); /* nothing was added */
  offsets32[0] = -5;
  CHECK_ERROR(bloomery_filter_build("ribbon", &run, NULL, NULL, 1, &one), BLOOMERY_INVALID_ARGUMENT, "offset");
  run.offsets = (const char*)offsets32 + 1;
  CHECK_ERROR(bloomery_filter_add_many(filter, &run, 1), BLOOMERY_INVALID_ARGUMENT, "address");
  run.stride = 4;
  CHECK_ERROR(bloomery_filter_add_many(filter, &run, 1), BLOOMERY_INVALID_ARGUMENT, "stride");
  bloomery_filter_free(filter);
  bloomery_filter_free(wide);
}

/* Keys of no bytes can be as many as a size_t counts; their hashes cannot be held. */
static void more_keys_than_memory(void) {
  const bloomery_keys run = bloomery_keys_fixed_bytes(NULL, 0, SIZE_MAX / 2);
  bloomery_filter* filter = NULL;
  CHECK_ERROR(bloomery_filter_build("fuse", &run, NULL, NULL, 1, &filter), BLOOMERY_OUT_OF_MEMORY, "memory");
  CHECK_ERROR(bloomery_filter_build("block", &run, NULL, NULL, 1, &filter), BLOOMERY_OUT_OF_MEMORY, "memory");
  CHECK(filter == NULL);
}

typedef struct Row {
  char tag;
  int32_t id;
  char name[6];
} Row;

static void strides_and_odd_addresses(void) {
  static Row rows[N];
  static int32_t ids[N];
  static char shifted[4 * N + 1], names[6 * N];
  bloomery_filter *dense, *strided, *back, *odd;
  for (size_t i = 0; i < N; ++i) {
    rows[i].id = ids[i] = (int32_t)i * 7919 - 5000;
    snprintf(rows[i].name, sizeof rows[i].name, "%05u", (unsigned)i);
    memcpy(names + 6 * i, rows[i].name, 6);
  }
  memcpy(shifted + 1, ids, sizeof ids);
  bloomery_keys run = bloomery_keys_int32(ids, N);
  CHECK_OK(bloomery_filter_build("block", &run, NULL, NULL, 1, &dense));
  run = bloomery_keys_strided(bloomery_keys_int32(&rows[0].id, N), sizeof(Row));
  CHECK_OK(bloomery_filter_build("block", &run, NULL, NULL, 1, &strided));
  run = bloomery_keys_strided(bloomery_keys_int32(&rows[N - 1].id, N), -(ptrdiff_t)sizeof(Row));
  CHECK_OK(bloomery_filter_build("block", &run, NULL, NULL, 1, &back));
  run = bloomery_keys_int32((const int32_t*)(const void*)(shifted + 1), N);
  CHECK_OK(bloomery_filter_build("block", &run, NULL, NULL, 1, &odd));
  CHECK(bloomery_filter_equal(dense, strided) && bloomery_filter_equal(dense, back));
  CHECK(bloomery_filter_equal(dense, odd));
  bloomery_filter_free(strided);
  bloomery_filter_free(back);
  bloomery_filter_free(odd);
  bloomery_filter_free(dense);

  run = bloomery_keys_fixed_bytes(names, 6, N);
  CHECK_OK(bloomery_filter_build("block", &run, NULL, NULL, 1, &dense));
  run = bloomery_keys_strided(bloomery_keys_fixed_bytes(rows[0].name, 6, N), sizeof(Row));
  CHECK_OK(bloomery_filter_build("block", &run, NULL, NULL, 1, &strided));
  CHECK(bloomery_filter_equal(dense, strided) && bloomery_filter_contains(dense, "00017", 6));
  CHECK(!bloomery_filter_contains(dense, "00017", 5));
  bloomery_filter_free(strided);
  bloomery_filter_free(dense);
}

static void hashes_are_keys_already(void) {
  static uint64_t hashes[N];
  static uint8_t expected[N];
  bloomery_filter *filter, *by_hash;
  fill(1);
  const bloomery_keys run = bloomery_keys_int64(columns.i64, N);
  CHECK_OK(bloomery_filter_build("split", &run, NULL, NULL, 1, &filter));
  CHECK_OK(bloomery_filter_hash_many(filter, &run, hashes, N));
  const bloomery_keys hashed = bloomery_keys_hashes(hashes, N);
  CHECK_OK(bloomery_filter_build("split", &hashed, NULL, NULL, 1, &by_hash));
  CHECK(bloomery_filter_equal(filter, by_hash));
  memset(expected, 1, N);
  answers_agree(filter, &hashed, expected);
  const bloomery_keys twisted = bloomery_keys_strided(bloomery_keys_hashes(hashes, N / 2), 16);
  answers_agree(filter, &twisted, expected);
  bloomery_filter_free(filter);
  bloomery_filter_free(by_hash);
}

static void many_keys_are_removed(void) {
  static uint8_t removed[N];
  bloomery_filter* filter;
  fill(1);
  bloomery_keys run = bloomery_keys_int32(columns.i32, 100);
  CHECK_OK(bloomery_filter_build("cuckoo", &run, NULL, NULL, 1, &filter));
  CHECK_ERROR(bloomery_filter_remove_many(filter, &run, removed, 99), BLOOMERY_INVALID_ARGUMENT, "99");
  CHECK_OK(bloomery_filter_remove_many(filter, &run, removed, 100));
  for (size_t i = 0; i < 100; ++i) CHECK(removed[i] == 1 && !bloomery_filter_contains_uint64(filter, i));
  CHECK_OK(bloomery_filter_remove_many(filter, &run, NULL, 0));
  bloomery_filter_free(filter);
}

/* Every kind from a batch, by one thread and by three; empty batches; lengths that are too short. */
static void every_kind_is_built(void) {
  static uint64_t keys[N];
  uint8_t answers[N];
  uint64_t words[1];
  uint32_t positions[1];
  size_t found;
  for (size_t i = 0; i < N; ++i) keys[i] = i * 0x9e3779b97f4a7c15u;
  const bloomery_keys run = bloomery_keys_uint64(keys, N), none = bloomery_keys_uint64(NULL, 0);
  for (size_t k = 0; bloomery_kind_name(k) != NULL; ++k) {
    const char* const kind = bloomery_kind_name(k);
    bloomery_filter *filter, *more, *empty;
    CHECK_OK(bloomery_filter_build(kind, &run, NULL, NULL, 0, &filter));
    CHECK_OK(bloomery_filter_build(kind, &run, NULL, NULL, 3, &more));
    CHECK(bloomery_filter_equal(filter, more));
    CHECK_OK(bloomery_filter_contains_many(filter, &run, answers, N));
    if (!bloomery_kind_can(kind, BLOOMERY_FORGETS))
      for (size_t i = 0; i < N; ++i) CHECK(answers[i] == 1);
    CHECK_OK(bloomery_filter_build(kind, &none, NULL, NULL, 1, &empty));
    CHECK(!bloomery_filter_contains_uint64(empty, 7));
    CHECK_OK(bloomery_filter_contains_many(filter, &none, NULL, 0));
    CHECK_OK(bloomery_filter_contains_bitmap(filter, &none, NULL, 0));
    CHECK_OK(bloomery_filter_select_present(filter, &none, NULL, 0, &found));
    CHECK_ERROR(bloomery_filter_contains_many(filter, &run, answers, N - 1), BLOOMERY_INVALID_ARGUMENT, "2999");
    CHECK_ERROR(bloomery_filter_contains_bitmap(filter, &run, words, 1), BLOOMERY_INVALID_ARGUMENT, "words");
    CHECK_ERROR(bloomery_filter_select_present(filter, &run, positions, 1, &found), BLOOMERY_INVALID_ARGUMENT, "1");
    CHECK_ERROR(bloomery_filter_contains_many(filter, &run, NULL, N), BLOOMERY_INVALID_ARGUMENT, "answers");
    if (!bloomery_kind_can(kind, BLOOMERY_CAN_ADD))
      CHECK_ERROR(bloomery_filter_add_many(filter, &run, 1), BLOOMERY_UNSUPPORTED, "at once");
    bloomery_filter_free(filter);
    bloomery_filter_free(more);
    bloomery_filter_free(empty);
  }
  bloomery_filter* filter;
  bloomery_keys strange = run;
  strange.type = (bloomery_key_type)77;
  CHECK_ERROR(bloomery_filter_build(NULL, &strange, NULL, NULL, 1, &filter), BLOOMERY_INVALID_ARGUMENT, "77");
  strange.count = 0; /* then nothing else of it counts */
  CHECK_OK(bloomery_filter_build(NULL, &strange, NULL, NULL, 1, &filter));
  CHECK_OK(bloomery_filter_contains_many(filter, &strange, NULL, 0));
  bloomery_filter_free(filter);
  strange = run;
  strange.count = SIZE_MAX;
  CHECK_ERROR(bloomery_filter_build(NULL, &strange, NULL, NULL, 1, &filter), BLOOMERY_INVALID_ARGUMENT, "more keys");
}

void test_batch(void) {
  integers_of_every_width(1);
  integers_of_every_width(-1);
  strings_as_offsets_and_bytes();
  more_keys_than_memory();
  strides_and_odd_addresses();
  hashes_are_keys_already();
  many_keys_are_removed();
  every_kind_is_built();
}
