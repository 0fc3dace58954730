// Bytes as a checkpoint of a stream, whose hello and seal are put right first unless the first byte says otherwise.
// What is read is written again as it was, and takes no more memory than its bytes.
#include "bloomery/live/shared.h"
#include "fuzz/fuzz.h"
#include "streams/checkpoint.h"

namespace {

using namespace bloomery;
namespace rep = bloomery::replica;

constexpr std::size_t kSeal = 16, kHeader = 32;

const rep::Bytes& hello() {
  static const rep::Bytes bytes = [] {
    auto made = rep::ReplicaOf<ClassicFilter>::make(*Shared<ClassicFilter>::with_geometry({512, 5}),
                                                    {.origin = 1, .incarnation = 1});
    return *(*made)->hello();
  }();
  return bytes;
}

// magic, the hello with its length, the seal.
void repair(rep::Bytes& bytes, std::uint8_t choice) {
  if (choice & 1) detail::store_le<std::uint64_t>(bytes.data(), 0x31'54'50'4b'43'4d'4c'42);
  if (choice & 2) {
    detail::store_le(bytes.data() + 8, static_cast<std::uint32_t>(hello().size()));
    bytes.insert(bytes.begin() + kHeader, hello().begin(), hello().end());
  }
  if (choice & 4) {
    const std::size_t sealed = bytes.size() - kSeal;
    detail::store_le(bytes.data() + sealed, Hasher::xxh3()(bytes.data(), sealed).bits);
    detail::store_le(bytes.data() + sealed + 8, std::uint64_t{0});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + kHeader + kSeal) return 0;
  rep::Bytes bytes(data + 1, data + size);
  repair(bytes, data[0]);
  const Result<rep::Checkpoint> checkpoint = rep::decode(bytes, {}, {});
  if (!checkpoint.ok()) {
    FUZZ_CHECK(!checkpoint.error().message.empty() && !checkpoint.error().field.empty());
    return 0;
  }
  std::size_t held = 0;
  for (const rep::Snapshot& snapshot : checkpoint->snapshots) held += snapshot.payload.size();
  FUZZ_CHECK(held <= bytes.size());
  const auto filter = std::span(bytes).subspan(kHeader, detail::load_le<std::uint32_t>(bytes.data() + 8));
  FUZZ_CHECK(rep::encode(filter, checkpoint->position, checkpoint->snapshots, {}) == bytes);
  return 0;
}
