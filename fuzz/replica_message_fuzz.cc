// Bytes as a message between replicas, whose magic, version, length and checksum are put right first unless the first
// byte says otherwise. What is read is written again as it says; a replica that takes it goes on serving, and neither
// forgets a key of its own nor tells positions of what it was not given.
#include "bloomery/live/shared.h"
#include "bloomery/replica/replica.h"
#include "fuzz/fuzz.h"

namespace {

using namespace bloomery;
namespace rep = bloomery::replica;

void repair(rep::Bytes& bytes, std::uint8_t choice) {
  constexpr std::uint8_t kMagic[] = {0x89, 'B', 'L', 'R', 1, 1};
  if (choice & 1) std::copy(std::begin(kMagic), std::end(kMagic), bytes.begin());
  if (choice & 2) bytes[6] = static_cast<std::uint8_t>(1 + (choice >> 5) % 6), bytes[7] = 0;
  if (choice & 4) std::fill(bytes.begin() + 8, bytes.begin() + 24, std::uint8_t{0});
  const std::size_t body = bytes.size() - rep::kHeaderBytes;
  if (choice & 8) detail::store_le(bytes.data() + 52, static_cast<std::uint32_t>(body));
  const auto sum = [](const std::uint8_t* data, std::size_t size, std::uint64_t seed) {
    return Hasher::xxh3(seed)(data, size).bits;
  };
  if (choice & 16)
    detail::store_le(bytes.data() + 56, sum(bytes.data(), 56, sum(bytes.data() + rep::kHeaderBytes, body, 0)));
}

rep::ReplicaOptions options() {
  rep::ReplicaOptions options;
  options.origin = 1;
  options.incarnation = 1;
  options.start = rep::Start::new_lineage;
  options.most_fpr = 0.5;
  options.log = {1, 64};
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + rep::kHeaderBytes) return 0;
  rep::Bytes bytes(data + 1, data + size);
  repair(bytes, data[0]);
  const Result<rep::Message> message = rep::parse(bytes);
  FUZZ_CHECK(rep::parse_header(bytes).ok() || !message.ok());
  auto made = rep::ReplicaOf<ClassicFilter>::make(*Shared<ClassicFilter>::with_geometry({40'003, 5}), options());
  rep::ReplicaOf<ClassicFilter>& replica = **made;
  replica.add(42);
  (void)replica.take_delta();
  (void)replica.begin_repair(detail::load_le<std::uint64_t>(bytes.data() + 24));
  const Result<rep::Received> received = replica.receive(bytes);
  FUZZ_CHECK(message.ok() || !received.ok());
  FUZZ_CHECK(replica.contains(42));
  FUZZ_CHECK(replica.filter().view().check_structure().ok());
  if (!message.ok()) {
    FUZZ_CHECK(!message.error().message.empty() && !message.error().field.empty());
    return 0;
  }
  if (received.ok())
    for (const rep::Bytes& answer : received->answers) FUZZ_CHECK(rep::parse(answer).ok());
  for (const rep::Position& position : replica.positions())
    FUZZ_CHECK(position.origin == 1 || message->type() == rep::Type::delta || message->type() == rep::Type::digest ||
               message->type() == rep::Type::chunks);
  if (message->header.version == rep::kVersion) {
    const Result<rep::Bytes> again = rep::write(*message);
    FUZZ_CHECK(again.ok());
    const Result<rep::Message> twice = rep::parse(*again);
    FUZZ_CHECK(twice.ok() && *twice == *message);
    // A delta may have been coded with other low bits.
    if (message->type() != rep::Type::delta) FUZZ_CHECK(*again == bytes);
  }
  return 0;
}
