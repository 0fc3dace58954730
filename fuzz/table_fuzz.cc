// Bytes as a whole table, whose footer is put right first. The first byte of the input says how it is read: mostly
// without looking at the checksums of blocks, so that what is behind them is reached. Whatever the bytes are, nothing
// outside them is read and every walk ends; a table that passes verify() answers the same by every way of asking.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/detail/bits.h"
#include "bloomery/table.h"
#include "fuzz/fuzz.h"

namespace {

using namespace bloomery;

constexpr std::size_t kFooter = 80;
constexpr std::uint8_t kMagic[] = {0x89, 'B', 'L', 'M', 'T', '\r', '\n', 0x1a};
// Zstandard makes at most 32,768 bytes of one: a longer file could ask for more than the limit of one allocation.
constexpr std::size_t kMostBytes = 2000;
// Blocks may be listed many times, so that a small file holds very many entries.
constexpr std::size_t kMostSteps = 500;

void repair(std::vector<std::uint8_t>& file) {
  std::uint8_t* footer = file.data() + file.size() - kFooter;
  detail::store_le<std::uint64_t>(footer + 48, file.size());
  detail::store_le<std::uint64_t>(footer + 56, 1);  // version, and no flags
  detail::store_le<std::uint64_t>(footer + 64, Hasher::xxh3()(std::span<const std::uint8_t>(footer, 64)).bits);
  std::copy(std::begin(kMagic), std::end(kMagic), footer + 72);
}

// A file without a name that holds these bytes.
std::string as_file(std::span<const std::uint8_t> bytes) {
  static const int fd = ::memfd_create("table", 0);
  FUZZ_CHECK(fd >= 0 && ::ftruncate(fd, 0) == 0);
  FUZZ_CHECK(::pwrite(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return "/proc/self/fd/" + std::to_string(fd);
}

struct Kept {
  std::string key, value;
  std::uint64_t sequence;
  bool deleted;

  friend bool operator==(const Kept&, const Kept&) = default;
};

// The first entries of a walk in either direction.
std::vector<Kept> walk(const Table& table, bool forward) {
  std::vector<Kept> seen;
  TableIterator at = table.iterate();
  for (forward ? at.first() : at.last(); at.valid() && seen.size() < kMostSteps; forward ? at.next() : at.previous()) {
    const Entry entry = at.entry();
    seen.push_back({std::string(entry.key), std::string(entry.value), entry.sequence, entry.deleted});
  }
  FUZZ_CHECK(at.status().ok() || (!at.valid() && !at.status().error().message.empty()));
  return seen;
}

void ask(const Table& table, std::span<const std::string_view> keys) {
  const std::vector<Result<Lookup>> together = *table.multi_get(keys);
  FUZZ_CHECK(together.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Result<Lookup> alone = table.get(keys[i]);
    FUZZ_CHECK(alone.ok() == together[i].ok());
    if (!alone.ok()) continue;
    FUZZ_CHECK(alone->state == together[i]->state && alone->sequence == together[i]->sequence);
    FUZZ_CHECK(alone->value == together[i]->value);
  }
  TableIterator at = table.iterate();
  for (const std::string_view key : keys) {
    at.seek(key);
    for (int i = 0; i < 3; ++i) at.next();
    for (int i = 0; i < 5; ++i) at.previous();
  }
}

// Of a table that passed verify().
void check_sound(const Table& table, const std::vector<Kept>& forward, std::vector<Kept> back,
                 std::span<const std::string_view> keys) {
  FUZZ_CHECK(std::min<std::uint64_t>(table.properties().entries, kMostSteps) == forward.size());
  FUZZ_CHECK(forward.size() == back.size());
  std::reverse(back.begin(), back.end());
  FUZZ_CHECK(forward.size() == kMostSteps || forward == back);
  TableIterator at = table.iterate();
  for (std::size_t i = 0; i < std::min<std::size_t>(forward.size(), 50); ++i) {
    const Kept& newest = forward[i];
    if (i > 0 && forward[i - 1].key == newest.key) continue;
    const Result<Lookup> got = table.get(newest.key);
    FUZZ_CHECK(got.ok() && got->state == (newest.deleted ? Found::deleted : Found::found));
    FUZZ_CHECK(got->sequence == newest.sequence && got->value == newest.value);
    at.seek(newest.key);
    FUZZ_CHECK(at.valid() && at.entry().key == newest.key && at.entry().sequence == newest.sequence);
  }
  // Keys that are not there, too.
  if (forward.size() == kMostSteps) return;
  for (const std::string_view key : keys) {
    const auto expected =
        std::find_if(forward.begin(), forward.end(), [&](const Kept& kept) { return kept.key >= key; });
    at.seek(key);
    FUZZ_CHECK(at.valid() == (expected != forward.end()) && at.status().ok());
    FUZZ_CHECK(!at.valid() || (at.entry().key == expected->key && at.entry().sequence == expected->sequence));
    const Result<Lookup> got = table.get(key);
    FUZZ_CHECK(got.ok() && (got->state == Found::absent) == (expected == forward.end() || expected->key != key));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + kFooter) return 0;
  std::vector<std::uint8_t> file(data + 1, data + size);
  // The end of a long one, where the footer is.
  if (file.size() > kMostBytes) file.erase(file.begin(), file.end() - kMostBytes);
  if ((data[0] & 16) == 0) repair(file);
  TableReadOptions options;
  options.map = (data[0] & 1) == 0;
  if (data[0] & 2) options.cache = std::make_shared<BlockCache>(1 << 20);
  options.verify = (data[0] & 4) != 0;
  options.use_filter = (data[0] & 8) == 0;
  const Result<std::shared_ptr<Table>> opened = Table::open(as_file(file), options);
  if (!opened.ok()) {
    FUZZ_CHECK(!opened.error().message.empty());
    return 0;
  }
  const Table& table = **opened;
  const std::vector<Kept> forward = walk(table, true), back = walk(table, false);
  // Some that are there, and what comes right behind them, where blocks end.
  std::vector<std::string> names = {"", "a", "key1", "key3x", "\xff\xff"};
  for (std::size_t i = 0; i < std::min<std::size_t>(forward.size(), 12); ++i) {
    names.push_back(forward[i].key);
    names.push_back(forward[i].key + '\0');
  }
  const std::vector<std::string_view> keys(names.begin(), names.end());
  ask(table, keys);
  const Status verified = table.verify();
  if (verified.ok()) check_sound(table, forward, back, keys);
  else FUZZ_CHECK(!verified.error().message.empty());
  (void)table.stats();
  return 0;
}
