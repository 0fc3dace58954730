// The header of a message, its checksum and its MAC. The bodies are in bodies.cc.
#include "bloomery/replica/message.h"

#include <algorithm>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"
#include "core/hash/hash_functions.h"
#include "replica/bodies.h"
#include "replica/fields.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

using detail::load_le;
using detail::store_le;

constexpr std::array<std::uint8_t, 4> kMagic = {0x89, 'B', 'L', 'R'};
constexpr std::uint8_t kHasMac = 1;
constexpr std::size_t kChecksumAt = 56;

// XXH3 of the header before the checksum, seeded with XXH3 of the body: one pass over each, and no copy.
std::uint64_t checksum(std::span<const std::uint8_t> header, std::span<const std::uint8_t> body) {
  return detail::xxh3(header.data(), kChecksumAt, detail::xxh3(body.data(), body.size(), 0));
}

std::array<std::uint8_t, kMacBytes> mac_of(std::span<const std::uint8_t> bytes, const Secret& secret) {
  const std::uint8_t* key = secret.bytes().data();
  const detail::SipHash128 mac =
      detail::siphash24_128(bytes.data(), bytes.size(), load_le<std::uint64_t>(key), load_le<std::uint64_t>(key + 8));
  std::array<std::uint8_t, kMacBytes> out{};
  store_le(out.data(), mac.low);
  store_le(out.data() + 8, mac.high);
  return out;
}

// Looks at every byte whatever the first difference is, so that the time tells nothing about a forged MAC.
bool same_mac(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  std::uint8_t different = 0;
  for (std::size_t i = 0; i < kMacBytes; ++i) different = static_cast<std::uint8_t>(different | (a[i] ^ b[i]));
  return different == 0;
}

struct Parts {
  Envelope envelope;
  std::span<const std::uint8_t> body;
};

Header read_header(const std::uint8_t* at) {
  Header header;
  header.version = at[4];
  header.needs = at[5];
  std::copy_n(at + 8, 16, header.lineage.bytes.begin());
  header.origin = load_le<std::uint64_t>(at + 24);
  header.incarnation = load_le<std::uint64_t>(at + 32);
  header.sequence = load_le<std::uint64_t>(at + 40);
  header.generation = load_le<std::uint32_t>(at + 48);
  return header;
}

Status check_version(const Header& header, std::uint8_t type) {
  if (header.version == 0 || header.needs == 0 || header.needs > header.version)
    return corrupt("version", "the message says version " + std::to_string(header.version) + " for readers from " +
                                  std::to_string(header.needs) + " on, which no writer does");
  if (header.needs > kVersion)
    return unsupported("version", "the message needs a reader of version " + std::to_string(header.needs) +
                                      ", and this is version " + std::to_string(kVersion) + ": update this replica");
  if (type < static_cast<std::uint8_t>(Type::hello) || type > static_cast<std::uint8_t>(Type::member))
    return unsupported(
        "type", "there is no message of type " + std::to_string(type) + " in version " + std::to_string(kVersion));
  return {};
}

Status check_mac(std::span<const std::uint8_t> bytes, bool has_mac, const std::optional<Secret>& secret) {
  if (!secret.has_value() && !has_mac) return {};
  if (!secret.has_value())
    return Error{
        ErrorCode::wrong_secret, "the message has a MAC: give this replica the secret of the others", {}, "mac"};
  if (!has_mac) return Error{ErrorCode::wrong_secret, "the message has no MAC: give its sender the secret", {}, "mac"};
  const std::span<const std::uint8_t> signed_bytes = bytes.first(bytes.size() - kMacBytes);
  if (!same_mac(mac_of(signed_bytes, *secret), bytes.last(kMacBytes)))
    return Error{ErrorCode::wrong_secret, "the MAC of the message is wrong: another secret, or a forgery", {}, "mac"};
  return {};
}

Result<Parts> split(std::span<const std::uint8_t> bytes, const std::optional<Secret>& secret) {
  if (bytes.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    return corrupt("magic", "these bytes are no message of a replica");
  if (bytes.size() < kHeaderBytes) return corrupt("length", "the message ends in its header");
  const std::uint8_t flags = bytes[7];
  const bool has_mac = (flags & kHasMac) != 0;
  const Header header = read_header(bytes.data());
  BLOOMERY_TRY(check_version(header, bytes[6]));
  if ((flags & ~kHasMac) != 0) return unsupported("flags", "the message has flags that this version does not know");
  const std::uint64_t body_bytes = load_le<std::uint32_t>(bytes.data() + 52);
  if (body_bytes > kMostBody)
    return corrupt("length", "the body of the message has " + std::to_string(body_bytes) + " bytes, and at most " +
                                 std::to_string(kMostBody) + " are taken");
  if (bytes.size() != kHeaderBytes + body_bytes + (has_mac ? kMacBytes : 0))
    return corrupt("length",
                   "the message is " + std::to_string(bytes.size()) + " bytes long, which is not what it says");
  const std::span<const std::uint8_t> body = bytes.subspan(kHeaderBytes, static_cast<std::size_t>(body_bytes));
  BLOOMERY_TRY(check_mac(bytes, has_mac, secret));
  if (load_le<std::uint64_t>(bytes.data() + kChecksumAt) != checksum(bytes, body))
    return corrupt("checksum", "the checksum of the message is wrong");
  return Parts{{header, static_cast<Type>(bytes[6])}, body};
}

}  // namespace

const char* to_string(Type type) noexcept {
  switch (type) {
    case Type::hello: return "hello";
    case Type::delta: return "delta";
    case Type::digest: return "digest";
    case Type::chunks: return "chunks";
    case Type::acknowledgement: return "acknowledgement";
    case Type::member: return "member";
  }
  return "unknown";
}

Result<Lineage> Lineage::from_hex(std::string_view text) {
  return guarded([&]() -> Result<Lineage> {
    Result<Secret> bytes = Secret::from_hex(text);  // the same 32 digits
    if (!bytes.ok()) return invalid_argument("lineage", "a lineage is 32 hexadecimal digits");
    return Lineage{bytes->bytes()};
  });
}

std::string Lineage::to_hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Result<Bytes> write(Message message, const std::optional<Secret>& secret) {
  return guarded([&]() -> Result<Bytes> {
    if (Delta* const delta = std::get_if<Delta>(&message.body)) {
      std::sort(delta->hashes.begin(), delta->hashes.end(), [](Hash a, Hash b) { return a.bits < b.bits; });
      delta->hashes.erase(std::unique(delta->hashes.begin(), delta->hashes.end()), delta->hashes.end());
    }
    const Header& header = message.header;
    BLOOMERY_TRY(check_version(header, static_cast<std::uint8_t>(message.type())));
    Bytes bytes;
    FieldWriter fields(bytes);
    fields.put_bytes(kMagic);
    fields.put(header.version);
    fields.put(header.needs);
    fields.put(static_cast<std::uint8_t>(message.type()));
    fields.put(secret.has_value() ? kHasMac : std::uint8_t{0});
    fields.put_bytes(header.lineage.bytes);
    fields.put(header.origin);
    fields.put(header.incarnation);
    fields.put(header.sequence);
    fields.put(header.generation);
    bytes.resize(kHeaderBytes);
    BLOOMERY_TRY(write_body(message.body, bytes));
    const std::size_t body_bytes = bytes.size() - kHeaderBytes;
    if (body_bytes > kMostBody)
      return invalid_argument("length", "the body would have " + std::to_string(body_bytes) + " bytes");
    store_le(bytes.data() + 52, static_cast<std::uint32_t>(body_bytes));
    store_le(bytes.data() + kChecksumAt, checksum(bytes, std::span(bytes).subspan(kHeaderBytes)));
    if (secret.has_value()) fields.put_bytes(mac_of(bytes, *secret));
    return bytes;
  });
}

Result<Message> parse(std::span<const std::uint8_t> bytes, const std::optional<Secret>& secret) {
  return guarded([&]() -> Result<Message> {
    const Result<Parts> parts = split(bytes, secret);
    BLOOMERY_TRY(parts);
    const auto& [header, type] = parts->envelope;
    Result<Body> body = parse_body(type, parts->body, header.version > kVersion);
    BLOOMERY_TRY(body);
    return Message{header, *std::move(body)};
  });
}

Result<Envelope> parse_header(std::span<const std::uint8_t> bytes, const std::optional<Secret>& secret) {
  return guarded([&]() -> Result<Envelope> {
    const Result<Parts> parts = split(bytes, secret);
    BLOOMERY_TRY(parts);
    return parts->envelope;
  });
}

}  // namespace BLOOMERY_NAMESPACE::replica
