// What the fuzzers of tables share: a file of any bytes, everything that can be asked of it, and what must hold of one
// that passes verify().
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/table/table.h"
#include "fuzz/fuzz.h"
#include "table/block.h"
#include "table/format.h"

namespace bloomery::fuzz {

// Blocks may be listed many times, so that a small file holds very many entries.
inline constexpr std::size_t kMostSteps = 100;

// A file without a name that holds these bytes.
inline std::string as_file(std::span<const std::uint8_t> bytes) {
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
inline std::vector<Kept> walk(const Table& table, bool forward) {
  std::vector<Kept> seen;
  TableIterator at = table.iterate();
  for (forward ? at.first() : at.last(); at.valid() && seen.size() < kMostSteps; forward ? at.next() : at.previous()) {
    const Entry entry = at.entry();
    seen.push_back({std::string(entry.key), std::string(entry.value), entry.sequence, entry.deleted});
  }
  FUZZ_CHECK(at.status().ok() || (!at.valid() && !at.status().error().message.empty()));
  return seen;
}

// Whatever comes of it. What a faulty index says of a block may depend on what was read before.
inline void ask(const Table& table, std::span<const std::string_view> keys) {
  FUZZ_CHECK(table.multi_get(keys)->size() == keys.size());
  for (const std::string_view key : keys) (void)table.get(key);
  TableIterator at = table.iterate();
  for (const std::string_view key : keys) {
    at.seek(key);
    for (int i = 0; i < 3; ++i) at.next();
    for (int i = 0; i < 5; ++i) at.previous();
  }
}

// Of a table that passed verify().
inline void check_sound(const Table& table, const std::vector<Kept>& forward, std::vector<Kept> back,
                        std::span<const std::string_view> keys) {
  FUZZ_CHECK(std::min<std::uint64_t>(table.properties().entries, kMostSteps) == forward.size());
  FUZZ_CHECK(forward.size() == back.size());
  std::reverse(back.begin(), back.end());
  FUZZ_CHECK(forward.size() == kMostSteps || forward == back);
  TableIterator at = table.iterate();
  for (std::size_t i = 0; i < std::min<std::size_t>(forward.size(), 20); ++i) {
    const Kept& newest = forward[i];
    if (i > 0 && forward[i - 1].key == newest.key) continue;
    const Result<Lookup> got = table.get(newest.key);
    FUZZ_CHECK(got.ok() && got->state == (newest.deleted ? Found::deleted : Found::found));
    FUZZ_CHECK(got->sequence == newest.sequence && got->value == newest.value);
    at.seek(newest.key);
    FUZZ_CHECK(at.valid() && at.entry().key == newest.key && at.entry().sequence == newest.sequence);
  }
  const std::vector<Result<Lookup>> together = *table.multi_get(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Result<Lookup> alone = table.get(keys[i]);
    FUZZ_CHECK(alone.ok() && together[i].ok() && alone->state == together[i]->state);
    FUZZ_CHECK(alone->sequence == together[i]->sequence && alone->value == together[i]->value);
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

// Opens it and asks for everything.
inline void read_table(std::span<const std::uint8_t> file, const TableReadOptions& options) {
  const Result<std::shared_ptr<Table>> opened = Table::open(as_file(file), options);
  if (!opened.ok()) {
    FUZZ_CHECK(!opened.error().message.empty());
    return;
  }
  const Table& table = **opened;
  const std::vector<Kept> forward = walk(table, true), back = walk(table, false);
  // Some that are there, and what comes right behind them, where blocks end.
  std::vector<std::string> names = {"", "a", "key1", "key3x", "\xff\xff"};
  for (std::size_t i = 0; i < std::min<std::size_t>(forward.size(), 6); ++i) {
    names.push_back(forward[i].key);
    names.push_back(forward[i].key + '\0');
  }
  const std::vector<std::string_view> keys(names.begin(), names.end());
  ask(table, keys);
  const Status verified = table.verify();
  if (verified.ok()) check_sound(table, forward, back, keys);
  else FUZZ_CHECK(!verified.error().message.empty());
  (void)table.stats();
}

// The first bits of a choice.
inline TableReadOptions ways_to_read(std::uint8_t choice) {
  TableReadOptions options;
  options.map = (choice & 1) == 0;
  if (choice & 2) options.cache = std::make_shared<BlockCache>(1 << 20);
  return options;
}

// A small table whose checksums match, of which a fuzzer makes one part. Its entries are key0 to key9.
class SmallTable {
 public:
  static constexpr int kEntries = 10, kPerBlock = 2;

  table::Handle put(std::string_view contents) {
    const table::Handle handle{bytes_.size(), contents.size()};
    bytes_ += *table::encode_block(contents, Compression::none, handle.offset);
    return handle;
  }
  table::Handle put_aligned(std::string_view contents) {
    bytes_.resize((bytes_.size() + table::kFilterAlignment - 1) / table::kFilterAlignment * table::kFilterAlignment);
    return put(contents);
  }
  // The data blocks, which every table begins with; the contents of their index.
  const std::string& put_data() {
    static const SmallTable made = with_data();
    bytes_ = made.bytes_;
    return made.index_;
  }
  // An index of one entry, which leads to another block.
  static std::string leading_to(const table::Handle& handle) {
    table::BlockBuilder block(1);
    block.add(key(kEntries - 1), table::encode_handle(handle), 0);
    return std::string(block.finish());
  }
  std::span<const std::uint8_t> finish(const table::Handle& top, const table::Handle& filter, bool partitioned) {
    static const std::string contents = properties_contents();
    const table::Handle properties = put(contents);
    const auto end = table::encode_footer({.index = top,
                                           .filter = filter,
                                           .properties = properties,
                                           .partitioned = partitioned,
                                           .file_bytes = bytes_.size() + table::kFooterBytes});
    bytes_.append(end.begin(), end.end());
    return {reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()};
  }

 private:
  static std::string key(int i) { return "key" + std::to_string(i); }

  static SmallTable with_data() {
    SmallTable made;
    table::BlockBuilder index(1);
    for (int i = 0; i < kEntries; i += kPerBlock) {
      table::BlockBuilder block(1);
      for (int j = i; j < i + kPerBlock; ++j) block.add(key(j), "v" + std::to_string(j), 2 * std::uint64_t(j));
      const table::Handle handle = made.put(block.finish());
      index.add(key(i + kPerBlock - 1), table::encode_handle(handle), 0);
    }
    made.index_ = std::string(index.finish());
    return made;
  }
  static std::string properties_contents() {
    table::BlockBuilder block(1);
    const std::pair<const char*, std::string> named[] = {
        {"blocks", "5"},     {"deleted", "0"},      {"entries", "10"},     {"key_bytes", "40"},  {"keys", "10"},
        {"largest", "key9"}, {"max_sequence", "9"}, {"min_sequence", "0"}, {"smallest", "key0"}, {"value_bytes", "20"}};
    for (const auto& [name, value] : named) block.add(name, value, 0);
    return std::string(block.finish());
  }

  std::string bytes_, index_;
};

}  // namespace bloomery::fuzz
