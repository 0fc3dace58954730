// Bytes as the contents of a block, or as compressed ones. Whatever they are, nothing outside them is read and every
// walk ends; contents that hold together and are in order answer the same by every way of asking.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"
#include "table/block.h"
#include "table/format.h"
#include "table/index.h"

namespace {

using namespace bloomery;
using table::BlockCursor;
using table::Searched;

constexpr std::size_t kMostBytes = 2000;
constexpr std::size_t kMostUnpacked = 100'000;  // more of it finds no more, and takes long
constexpr std::size_t kMostSteps = 5000;

struct Seen {
  std::string key;
  std::string_view value;
  std::uint64_t tag;

  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> walk(std::string_view contents, bool forward) {
  std::vector<Seen> seen;
  BlockCursor at(contents);
  for (forward ? at.first() : at.last(); at.valid(); forward ? at.next() : at.previous()) {
    FUZZ_CHECK(seen.size() < kMostSteps);
    FUZZ_CHECK(at.value().empty() || (at.value().data() >= contents.data() &&
                                      at.value().data() + at.value().size() <= contents.data() + contents.size()));
    seen.push_back({std::string(at.key()), at.value(), at.tag()});
  }
  return seen;
}

void check(std::string_view contents) {
  const std::vector<Seen> forward = walk(contents, true);
  std::vector<Seen> back = walk(contents, false);
  std::reverse(back.begin(), back.end());
  const bool sound = table::holds_together(contents);
  const bool in_order =
      std::is_sorted(forward.begin(), forward.end(), [](const Seen& a, const Seen& b) { return a.key < b.key; });
  if (sound) FUZZ_CHECK(forward == back && !forward.empty());
  std::vector<std::string> keys = {"", "a", "key5", "\xff\xff"};
  for (std::size_t i = 0; i < std::min<std::size_t>(forward.size(), 20); ++i) {
    keys.push_back(forward[i].key);
    keys.push_back(forward[i].key + '\0');
    if (!forward[i].key.empty()) keys.push_back(forward[i].key.substr(0, forward[i].key.size() - 1));
  }
  const Result<table::IndexBlock> index = table::IndexBlock::make({contents, {}});
  for (const std::string& key : keys) {
    if (index.ok()) FUZZ_CHECK(index->find(key) <= index->size());
    BlockCursor at(contents);
    at.seek(key);
    const Searched newest = table::find_newest(contents, key);
    FUZZ_CHECK(!newest.found || !newest.damaged);
    if (!sound || !in_order) continue;
    const auto expected =
        std::find_if(forward.begin(), forward.end(), [&](const Seen& seen) { return seen.key >= key; });
    const bool there = expected != forward.end() && expected->key == key;
    FUZZ_CHECK(!at.damaged() && at.valid() == (expected != forward.end()));
    FUZZ_CHECK(!at.valid() || (at.key() == expected->key && at.tag() == expected->tag));
    FUZZ_CHECK(!newest.damaged && newest.found == there);
    FUZZ_CHECK(!there || (newest.value == expected->value && newest.tag == expected->tag));
    if (!index.ok() || index->size() != forward.size()) continue;
    FUZZ_CHECK(index->find(key) == static_cast<std::size_t>(expected - forward.begin()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, std::min(size - 1, kMostBytes));
  if (data[0] % 4 == 0 || data[0] % 4 == 3) {
    check(bytes);
    return 0;
  }
  const auto compression = static_cast<Compression>(data[0] % 4);
  const std::string stored = bytes + std::string(table::kTrailerBytes, '\0');
  const Result<std::uint64_t> length = table::unpacked_bytes(stored, compression);
  if (!length.ok() || *length > kMostUnpacked) return 0;
  std::string contents(*length, '\0');
  if (!table::unpack(stored, compression, contents).ok()) return 0;
  if (contents.size() <= kMostBytes) check(contents);
  // Packed again and unpacked it is the same.
  const Result<std::string> again = table::encode_block(contents, compression, 7);
  FUZZ_CHECK(again.ok());
  const Result<Compression> used = table::check_block(*again, 7, true);
  FUZZ_CHECK(used.ok());
  if (*used == Compression::none) return 0;
  std::string back(*table::unpacked_bytes(*again, *used), '\0');
  FUZZ_CHECK(table::unpack(*again, *used, back).ok() && back == contents);
  return 0;
}
