// magic u64, bytes of the hello u32, snapshots u32, position 2 x u64, the hello; of each snapshot: window u64,
// positions u32, reserved u32, payload bytes u64, positions 3 x u64 each, payload; then 16 bytes over all before:
// SipHash-2-4-128 with the secret, or XXH3 and zeros.
#include "streams/checkpoint.h"

#include "core/base/error.h"
#include "core/hash/hash_functions.h"
#include "replica/fields.h"
#include "streams/answers.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

constexpr std::uint64_t kMagic = 0x31'54'50'4b'43'4d'4c'42;  // "BLMCKPT1"
constexpr std::size_t kSealBytes = 16;
constexpr std::uint32_t kMostSnapshots = 256;

std::array<std::uint8_t, kSealBytes> seal_of(std::span<const std::uint8_t> bytes, const std::optional<Secret>& secret) {
  detail::SipHash128 seal;
  if (secret.has_value()) {
    const std::uint8_t* key = secret->bytes().data();
    seal = detail::siphash24_128(bytes.data(), bytes.size(), detail::load_le<std::uint64_t>(key),
                                 detail::load_le<std::uint64_t>(key + 8));
  } else {
    seal.low = detail::xxh3(bytes.data(), bytes.size(), 0);
  }
  std::array<std::uint8_t, kSealBytes> out{};
  detail::store_le(out.data(), seal.low);
  detail::store_le(out.data() + 8, seal.high);
  return out;
}

Error damaged(const char* what) {
  return corrupt("checkpoint", std::string("the checkpoint is damaged: ") + what +
                                   "; delete its pointer, and a whole replica writes another");
}

Result<Snapshot> take_snapshot(FieldReader& fields, const Lineage& lineage) {
  Snapshot snapshot;
  snapshot.lineage = lineage;
  snapshot.window = fields.take<std::uint64_t>();
  const auto positions = fields.take<std::uint32_t>();
  const auto reserved = fields.take<std::uint32_t>();
  const auto bytes = fields.take<std::uint64_t>();
  if (fields.failed() || positions > kMostPositions || positions * 24 > fields.left() || reserved != 0)
    return damaged("its positions");
  snapshot.positions.resize(positions);
  for (Position& position : snapshot.positions) {
    position.origin = fields.take<std::uint64_t>();
    position.incarnation = fields.take<std::uint64_t>();
    position.sequence = fields.take<std::uint64_t>();
  }
  if (bytes > fields.left()) return damaged("it is cut off");
  const std::span<const std::uint8_t> payload = fields.take_bytes(bytes);
  snapshot.payload.assign(payload.begin(), payload.end());
  return snapshot;
}

}  // namespace

std::string seal_text(std::string_view text, const std::optional<Secret>& secret) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const std::uint8_t byte : seal_of(as_bytes(text), secret)) digits += {kDigits[byte >> 4], kDigits[byte & 15]};
  return digits;
}

Bytes encode(std::span<const std::uint8_t> hello, EntryId position, const std::vector<Snapshot>& snapshots,
             const std::optional<Secret>& secret) {
  std::size_t total = 0;
  for (const Snapshot& snapshot : snapshots) total += snapshot.payload.size();
  Bytes bytes;
  bytes.reserve(total + hello.size() + 4096);
  FieldWriter fields(bytes);
  fields.put(kMagic);
  fields.put(static_cast<std::uint32_t>(hello.size()));
  fields.put(static_cast<std::uint32_t>(snapshots.size()));
  fields.put(position.time);
  fields.put(position.number);
  fields.put_bytes(hello);
  for (const Snapshot& snapshot : snapshots) {
    fields.put(snapshot.window);
    fields.put(static_cast<std::uint32_t>(snapshot.positions.size()));
    fields.put(std::uint32_t{0});
    fields.put(static_cast<std::uint64_t>(snapshot.payload.size()));
    for (const Position& at : snapshot.positions) {
      fields.put(at.origin);
      fields.put(at.incarnation);
      fields.put(at.sequence);
    }
    fields.put_bytes(snapshot.payload);
  }
  const auto seal = seal_of(bytes, secret);
  fields.put_bytes(seal);
  return bytes;
}

Result<Checkpoint> decode(std::span<const std::uint8_t> bytes, const Lineage& lineage,
                          const std::optional<Secret>& secret) {
  return guarded([&]() -> Result<Checkpoint> {
    if (bytes.size() < kSealBytes) return damaged("it is cut off");
    const auto sealed = bytes.first(bytes.size() - kSealBytes);
    FieldReader fields(sealed);
    if (fields.take<std::uint64_t>() != kMagic) return damaged("it is no checkpoint of this version");
    const auto seal = seal_of(sealed, secret);
    std::uint8_t difference = 0;  // all of it, however much of a forged one is right
    for (std::size_t i = 0; i < kSealBytes; ++i)
      difference = static_cast<std::uint8_t>(difference | (seal[i] ^ bytes[sealed.size() + i]));
    if (difference != 0) return damaged("its checksum is wrong, or this replica has another secret");
    const auto hello_bytes = fields.take<std::uint32_t>();
    const auto count = fields.take<std::uint32_t>();
    Checkpoint checkpoint;
    checkpoint.position.time = fields.take<std::uint64_t>();
    checkpoint.position.number = fields.take<std::uint64_t>();
    const auto hello = fields.take_bytes(hello_bytes);
    if (fields.failed() || count > kMostSnapshots) return damaged("its header");
    Result<Message> message = parse(hello, secret);
    BLOOMERY_TRY(message);
    if (message->header.lineage != lineage) return mismatch("lineage", "the checkpoint is of another lineage");
    const auto* filter = std::get_if<Hello>(&message->body);
    if (filter == nullptr) return damaged("it does not say of which filter it is");
    checkpoint.filter = *filter;
    for (std::uint32_t i = 0; i < count; ++i) {
      Result<Snapshot> snapshot = take_snapshot(fields, lineage);
      BLOOMERY_TRY(snapshot);
      checkpoint.snapshots.push_back(*std::move(snapshot));
    }
    if (fields.failed() || fields.left() != 0) return damaged("its length");
    return checkpoint;
  });
}

}  // namespace BLOOMERY_NAMESPACE::replica
