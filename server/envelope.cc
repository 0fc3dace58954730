#include "server/envelope.h"

#include "bloomery/detail/bits.h"
#include "server/config.h"
#include "server/memory.h"

namespace bloomery::server {

namespace {

// Where the head of an envelope has what is changed here (spec/envelope.md).
constexpr std::size_t kHeader = 128, kKind = 10, kHash = 12, kSeed = 16, kPayloadSum = 112, kHeaderSum = 120;

// The sum of a head, which covers all of it but the sum itself.
std::uint64_t sum_of_head(std::span<const std::uint8_t> head) {
  std::vector<std::uint8_t> summed(head.begin(), head.begin() + kHeaderSum);
  summed.insert(summed.end(), head.begin() + kHeader, head.end());
  return Hasher::xxh3()(std::span<const std::uint8_t>(summed)).bits;
}

}  // namespace

bool only_gains(Kind kind) noexcept {
  switch (kind) {
    case Kind::classic:
    case Kind::split:
    case Kind::block:
    case Kind::counting:
    case Kind::partitioned:
    case Kind::scalable: return true;
    case Kind::stable:
    case Kind::cuckoo:
    case Kind::quotient:
    case Kind::fuse:
    case Kind::ribbon:
    case Kind::iblt: break;
  }
  return false;
}

Result<std::vector<std::uint8_t>> envelope_head(const AnyView& view, std::optional<std::uint64_t> key_count,
                                                const Records& records) {
  std::vector<std::uint8_t> head;
  EnvelopeOptions options;
  options.records = records;
  // The head is the first piece. The payload is not copied, so the second piece ends the writing.
  const Sink sink = [&](std::span<const std::uint8_t> bytes) -> Status {
    if (!head.empty()) return Error{ErrorCode::io, "the head is all that is wanted", {}, "sink"};
    head.assign(bytes.begin(), bytes.end());
    return {};
  };
  const Status status = encode(view, key_count, options, sink);
  if (head.empty()) BLOOMERY_TRY(status);
  return head;
}

void set_hash_name(std::span<std::uint8_t> head, const Keyed& name) {
  detail::store_le(&head[kHash], static_cast<std::uint16_t>(name.hash));
  detail::store_le(&head[kSeed], name.secret_id);
  detail::store_le(&head[kHeaderSum], sum_of_head(head));
}

void sum_again(std::span<std::uint8_t> file, std::size_t head) {
  if (head < kHeader || !only_gains(static_cast<Kind>(detail::load_le<std::uint16_t>(&file[kKind])))) return;
  const std::uint64_t sum = Hasher::xxh3()(std::span<const std::uint8_t>(file.subspan(head))).bits;
  if (sum == detail::load_le<std::uint64_t>(&file[kPayloadSum])) return;
  if (sum_of_head(file.first(head)) != detail::load_le<std::uint64_t>(&file[kHeaderSum])) return;  // damaged
  detail::store_le(&file[kPayloadSum], sum);
  detail::store_le(&file[kHeaderSum], sum_of_head(file.first(head)));
}

Result<Decoded> verified(std::span<const std::uint8_t> file) {
  OpenOptions options;
  options.secret = config.secret;
  Result<Decoded> decoded = decode(file, options);
  if (!decoded.ok() && decoded.error().code == ErrorCode::wrong_secret) {
    options.secret.reset();
    options.without_secret = true;
    decoded = decode(file, options);
  }
  BLOOMERY_TRY(decoded);
  if (decoded->info.format != Format::envelope)
    return Error{ErrorCode::unsupported, "no .blm file: it has no checksum; convert it with `bloomery merge`", {}, {}};
  return decoded;
}

Result<AnyFilter> copy_of(const Decoded& decoded) {
  return AnyFilter::copy_of(decoded.view, decoded.info.key_count, &server_memory);
}

std::optional<Keyed> keyed_of(const Decoded& decoded) {
  if (decoded.answers_keys) return {};
  return Keyed{decoded.info.hash, decoded.info.seed};
}

Result<OpenedEnvelope> open_envelope(std::span<const std::uint8_t> file) {
  const Result<Decoded> decoded = verified(file);
  BLOOMERY_TRY(decoded);
  Result<AnyFilter> filter = copy_of(*decoded);
  BLOOMERY_TRY(filter);
  return OpenedEnvelope{*std::move(filter), decoded->info.records, keyed_of(*decoded)};
}

}  // namespace bloomery::server
