// Arbitrary bytes as a filter of LevelDB: every key gets an answer, nothing is read outside of them, and "maybe" is the
// answer to what is no filter. Then the bytes as keys: none is lost. The first byte says which kind, and how long the
// keys are.
#include <leveldb/slice.h>

#include <array>

#include "bloomery/leveldb.h"
#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  static const std::array policies = {*leveldb_filter_policy(Kind::classic), *leveldb_filter_policy(Kind::split),
                                      *leveldb_filter_policy(Kind::block)};
  if (size == 0) return 0;
  const std::size_t which = data[0] % policies.size(), length = 1 + data[0] / policies.size();
  const leveldb::FilterPolicy& policy = *policies[which];
  const auto tag = static_cast<std::uint8_t>(0x10 + static_cast<unsigned>(kAllKinds[which]));
  // A copy of its own, so that a read behind the end is noticed.
  const std::vector<char> copy(data + 1, data + size);
  const leveldb::Slice filter(copy.data(), copy.size());
  const bool no_filter = copy.size() < 3 || static_cast<std::uint8_t>(copy.back()) != tag;
  for (std::uint64_t i = 0; i < 16; ++i) {
    const std::string key = std::to_string(i);
    FUZZ_CHECK(policy.KeyMayMatch(key, filter) || !no_filter);
  }
  std::vector<leveldb::Slice> keys;
  for (std::size_t at = 0; at < copy.size(); at += length)
    keys.emplace_back(copy.data() + at, std::min(length, copy.size() - at));
  std::string made;
  policy.CreateFilter(keys.data(), static_cast<int>(keys.size()), &made);
  for (const leveldb::Slice& key : keys) FUZZ_CHECK(policy.KeyMayMatch(key, made));
  return 0;
}
