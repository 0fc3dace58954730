// The doors of the C interface that take bytes: files in memory, bare payloads with a geometry, tables of differences,
// keys with lengths, strides and offsets. Whatever comes is an error or a filter that answers; no read leaves the
// caller's memory.
#include <cstring>
#include <memory>
#include <vector>

#include "bloomery/c.h"
#include "fuzz/fuzz.h"

namespace {

using bloomery::fuzz::kHeader;

// Takes numbers from the front of the input; zeros when it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  template <class T>
  T number() {
    T value{};
    const std::size_t some = std::min(sizeof value, size_);
    std::memcpy(&value, data_, some);
    data_ += some;
    size_ -= some;
    return value;
  }
  // Bytes on the heap, where a read past their end is noticed.
  std::vector<std::uint8_t> bytes(std::size_t most) {
    const std::size_t some = std::min(most, size_);
    std::vector<std::uint8_t> out(data_, data_ + some);
    out.shrink_to_fit();
    data_ += some;
    size_ -= some;
    return out;
  }
  std::size_t left() const { return size_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

// Whether it went well; an error has a code and a sentence.
bool ok(bloomery_error* error) {
  if (error == nullptr) return true;
  FUZZ_CHECK(bloomery_error_code(error) != BLOOMERY_OK && bloomery_error_code(error) != BLOOMERY_INTERNAL);
  FUZZ_CHECK(std::strlen(bloomery_error_text(error)) > 0);
  bloomery_error_free(error);
  return false;
}

struct Free {
  void operator()(bloomery_filter* filter) const { bloomery_filter_free(filter); }
};
using Filter = std::unique_ptr<bloomery_filter, Free>;

// A description of keys over `memory` that may be wrong in every field but where it would be the caller's lie: data and
// offsets point to memory, and count, stride and width stay in it.
bloomery_keys keys_over(Input& in, const std::vector<std::uint8_t>& memory) {
  bloomery_keys keys = {};
  const auto shape = in.number<std::uint8_t>();
  if (shape % 16 == 0) {  // none, or nothing but its size, which is a run of no keys
    keys.struct_size = in.number<std::uint8_t>() % (sizeof keys.struct_size + 1);
    return keys;
  }
  keys.struct_size = sizeof keys;
  keys.type = static_cast<bloomery_key_type>(in.number<std::uint8_t>() % 14);
  keys.data = shape & 16 ? nullptr : memory.data();
  const bool strings = keys.type == BLOOMERY_STRINGS32 || keys.type == BLOOMERY_STRINGS64;
  const std::size_t offset_bytes = keys.type == BLOOMERY_STRINGS32 ? 4 : 8;
  if (strings) {
    keys.offsets = shape & 32 ? nullptr : memory.data();
    keys.data_bytes = memory.size();
    keys.count = memory.size() < offset_bytes ? 0 : in.number<std::uint8_t>() % (memory.size() / offset_bytes);
    if (shape % 16 == 1) keys.stride = in.number<std::int8_t>();
  } else {
    keys.width = in.number<std::uint8_t>() % 40;
    const std::size_t most = std::max<std::size_t>(keys.width, 8);
    keys.stride = in.number<std::uint8_t>() % 64;
    const std::size_t step = std::max<std::size_t>(static_cast<std::size_t>(keys.stride), most);
    keys.count = memory.size() < most ? 0 : 1 + (memory.size() - most) / step;
    if (shape % 16 == 2) keys.count = SIZE_MAX - in.number<std::uint8_t>(), keys.data = nullptr;
  }
  return keys;
}

// What is built of keys holds them, and hashes of keys stand for them.
void build(const bloomery_keys& keys, Input& in) {
  const char* const kind = bloomery_kind_name(in.number<std::uint8_t>() % 11);
  bloomery_filter* built = nullptr;
  if (!ok(bloomery_filter_build(kind, &keys, nullptr, nullptr, 1, &built))) return;
  const Filter holder(built);
  std::vector<std::uint8_t> answers(keys.count);
  std::vector<std::uint64_t> hashes(keys.count);
  FUZZ_CHECK(ok(bloomery_filter_contains_many(built, &keys, answers.data(), answers.size())));
  FUZZ_CHECK(ok(bloomery_filter_hash_many(built, &keys, hashes.data(), hashes.size())));
  const bool forgets = bloomery_kind_can(kind, BLOOMERY_FORGETS);
  for (std::size_t i = 0; i < keys.count; ++i) {
    FUZZ_CHECK(forgets || answers[i] == 1);
    FUZZ_CHECK(bloomery_filter_contains_hash(built, hashes[i]) == (answers[i] == 1));
  }
}

void use(bloomery_filter* filter, Input& in) {
  const std::vector<std::uint8_t> memory = in.bytes(in.number<std::uint8_t>() * 4u);
  const bloomery_keys keys = keys_over(in, memory);
  const std::size_t room = std::min<std::size_t>(keys.count, 4096);
  std::vector<std::uint8_t> answers(room);
  std::vector<std::uint64_t> words(room / 64 + 1);
  std::vector<std::uint32_t> positions(room);
  std::size_t found = 0;
  const bool asked = ok(bloomery_filter_contains_many(filter, &keys, answers.data(), answers.size()));
  const bool bits = ok(bloomery_filter_contains_bitmap(filter, &keys, words.data(), words.size()));
  const bool selected = ok(bloomery_filter_select_present(filter, &keys, positions.data(), positions.size(), &found));
  FUZZ_CHECK(asked == bits && bits == selected);
  std::size_t present = 0;
  for (std::size_t i = 0; asked && i < keys.count; ++i) {
    FUZZ_CHECK((words[i / 64] >> (i % 64) & 1) == answers[i]);
    present += answers[i];
  }
  FUZZ_CHECK(!asked || present == found);
  (void)bloomery_filter_contains(filter, memory.data(), memory.size());
  if (keys.count <= room) build(keys, in);

  bloomery_filter* copy = nullptr;
  if (!ok(bloomery_filter_clone(filter, nullptr, &copy))) return;
  const Filter holder(copy);
  const bool forgets = bloomery_kind_can(bloomery_filter_kind(copy), BLOOMERY_FORGETS);
  if (ok(bloomery_filter_add_many(copy, &keys, 1 + in.number<std::uint8_t>() % 2)) && !forgets) {
    FUZZ_CHECK(ok(bloomery_filter_contains_many(copy, &keys, answers.data(), answers.size())));
    for (std::size_t i = 0; i < keys.count; ++i) FUZZ_CHECK(answers[i] == 1);
  }
  (void)ok(bloomery_filter_remove_many(copy, &keys, answers.data(), answers.size()));
  (void)ok(bloomery_filter_merge(copy, filter));
  (void)ok(bloomery_filter_intersect(copy, filter));
  void* bytes = nullptr;
  std::size_t length = 0;
  if (ok(bloomery_filter_encode(copy, nullptr, &bytes, &length))) {
    bloomery_filter* again = nullptr;
    FUZZ_CHECK(ok(bloomery_filter_decode(bytes, length, nullptr, &again)) ||
               std::strncmp(bloomery_filter_hash_name(copy), "siphash", 7) == 0);
    FUZZ_CHECK(again == nullptr || bloomery_filter_equal(copy, again));
    bloomery_filter_free(again);
  }
  bloomery_free(bytes);
}

void from_file(Input& in) {
  const auto choice = in.number<std::uint8_t>();
  std::vector<std::uint8_t> file = in.bytes(in.left() / 2);
  if (choice & 128) {
    if (file.size() < kHeader) file.resize(kHeader);
    bloomery::fuzz::repair_envelope(file, choice);
  }
  const std::uint8_t secret[16] = {};
  bloomery_open_options options = BLOOMERY_OPEN_OPTIONS_INIT;
  options.secret = choice & 1 ? secret : nullptr;
  options.without_secret = choice & 2;
  options.parquet = choice & 4;
  bloomery_filter* filter = nullptr;
  const bool made = ok(bloomery_filter_decode(file.data(), file.size(), &options, &filter));
  FUZZ_CHECK(made == (filter != nullptr));
  const Filter holder(filter);
  if (made) use(filter, in);
}

// A view over any payload: the geometry is that of a plan, with some number of it changed.
void from_payload(Input& in) {
  const char* const kind = bloomery_kind_name(in.number<std::uint8_t>() % 12);
  bloomery_size_plan plan;
  if (!ok(bloomery_plan_size(kind, 1 + in.number<std::uint8_t>(), nullptr, &plan))) return;
  const auto twist = in.number<std::uint8_t>();
  if (twist < 32) plan.geometry.numbers[twist % 8].value = in.number<std::uint64_t>();
  if (twist == 32) plan.geometry.count = in.number<std::uint8_t>() % 9;
  if (twist == 33) plan.geometry.numbers[0].name = nullptr;
  std::vector<std::uint8_t> payload = in.bytes(in.left() / 2);
  if (twist & 64) payload.resize(static_cast<std::size_t>(plan.bytes));
  bloomery_filter* filter = nullptr;
  bool made = false;
  switch (in.number<std::uint8_t>() % 3) {
    case 0:
      made = ok(bloomery_filter_view(kind, &plan.geometry, nullptr, payload.data(), payload.size(), &filter));
      break;
    case 1:
      made = ok(bloomery_filter_mutable_view(kind, &plan.geometry, nullptr, payload.data(), payload.size(), &filter));
      break;
    default:
      made = ok(
          bloomery_filter_mutable_view_create(kind, &plan.geometry, nullptr, payload.data(), payload.size(), &filter));
  }
  FUZZ_CHECK(made == (filter != nullptr));
  const Filter holder(filter);
  if (made) use(filter, in);
}

// A table of differences of any bytes, or a new one with any keys; it is listed, whatever it holds.
void from_iblt(Input& in) {
  bloomery_iblt_options options = BLOOMERY_IBLT_OPTIONS_INIT;
  const auto choice = in.number<std::uint8_t>();
  options.key_bytes = in.number<std::uint8_t>() % 70;
  options.variable = choice & 1;
  std::vector<std::uint8_t> bytes = in.bytes(in.left() / 2);
  bloomery_iblt* iblt = nullptr;
  if (choice & 2) {
    if (bytes.size() >= kHeader) bloomery::fuzz::repair_envelope(bytes, choice);
    if (!ok(bloomery_iblt_decode(bytes.data(), bytes.size(), nullptr, &iblt))) return;
  } else {
    if (!ok(bloomery_iblt_create(in.number<std::uint8_t>(), &options, &iblt))) return;
    const bloomery_keys keys = keys_over(in, bytes);
    (void)ok(bloomery_iblt_add_many(iblt, &keys));
  }
  (void)ok(bloomery_iblt_remove(iblt, bytes.data(), std::min<std::size_t>(bytes.size(), 8), nullptr, 0));
  bloomery_iblt_listing* listing = nullptr;
  FUZZ_CHECK(ok(bloomery_iblt_list(iblt, &listing)));
  for (const bloomery_side side : {BLOOMERY_ONLY_HERE, BLOOMERY_ONLY_THERE})
    for (std::size_t i = 0; i <= bloomery_iblt_listing_count(listing, side); ++i) {
      const bloomery_item item = bloomery_iblt_listing_item(listing, side, i);
      FUZZ_CHECK(item.key_length <= 64 && item.value_length <= 64);
    }
  bloomery_iblt_listing_free(listing);
  FUZZ_CHECK(ok(bloomery_iblt_subtract(iblt, iblt)));
  bloomery_iblt_free(iblt);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const auto door = in.number<std::uint8_t>();
  if (door % 8 == 6) from_iblt(in);
  else if (door % 2 == 0) from_file(in);
  else from_payload(in);
  return 0;
}
