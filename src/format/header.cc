#include "format/header.h"

#include <algorithm>
#include <string>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::format {
namespace {

using detail::load_le;
using detail::store_le;

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'B', 'L', 'M', 0x0d, 0x0a, 0x1a, 0x0a};
constexpr std::uint16_t kVersion = 1;
constexpr std::uint64_t kUnknownCount = ~std::uint64_t{0};

// Offsets of spec/envelope.md.
constexpr std::size_t kAtVersion = 8, kAtKind = 10, kAtHash = 12, kAtFlags = 14, kAtSeed = 16, kAtCount = 24,
                      kAtOffset = 32, kAtLength = 40, kAtGeometry = 48, kAtPayloadSum = 112, kAtHeaderSum = 120;

Error damaged(const char* field, const std::string& what) {
  return corrupt(field, what + ": the file is damaged; restore it from a copy or rebuild it from the keys");
}

Result<Header> parse_raw(std::span<const std::uint8_t> start, std::uint64_t file_bytes) {
  if (start.size() < kRawHeader)
    return corrupt("header", "is " + std::to_string(start.size()) +
                                 " bytes long, shorter than any filter file: it is cut off, or no filter");
  const std::uint32_t k = load_le<std::uint32_t>(start.data());
  const std::uint64_t m = load_le<std::uint64_t>(start.data() + 4);
  if (k < 1 || k > ClassicGeometry::kMaxK)
    return corrupt("k", "is no filter file: it starts neither like an envelope nor with a k of 1 to 30 (k is " +
                            std::to_string(k) + ")");
  if (m == 0) return corrupt("m", "m is 0: it is no classic filter file, or a damaged one");
  const std::uint64_t expected = detail::bytes_for_bits(m), body = file_bytes - kRawHeader;
  if (body != expected)
    return damaged("m", "m is " + std::to_string(m) + ", so " + std::to_string(expected) +
                            " bytes should follow the header, but " + std::to_string(body) + " do");
  Header header;
  header.info.file_bytes = file_bytes;
  header.kind = any::find_kind(Kind::classic);
  header.geometry = {m, k};
  header.payload_offset = kRawHeader;
  return header;
}

// What a door takes.
enum class Door : std::uint8_t { filters, iblts };

const any::KindEntry* entry_for(Door door, Kind kind) {
  return door == Door::filters ? any::find_kind(kind) : kind == Kind::iblt ? &any::iblt_entry() : nullptr;
}

Error not_for(Door door, Kind kind) {
  const std::string name = to_string(kind);
  if (door == Door::iblts)
    return unsupported("kind", "holds a '" + name +
                                   "' filter, from which no keys can be listed: an iblt is needed here "
                                   "('bloomery build --kind iblt')");
  if (kind == Kind::iblt)
    return unsupported("kind",
                       "holds an iblt, which is no filter: compare two of them with 'bloomery set-diff', or open "
                       "it with open_iblt (bloomery/iblt_file.h)");
  return unsupported("kind", "holds a '" + name + "' filter, which this version cannot read: use a newer bloomery");
}

// Step 4: what the numbers mean.
Status parse_identity(std::span<const std::uint8_t> start, Door door, Header& header) {
  const std::uint16_t kind = load_le<std::uint16_t>(&start[kAtKind]);
  const std::uint16_t hash = load_le<std::uint16_t>(&start[kAtHash]);
  const std::uint16_t flags = load_le<std::uint16_t>(&start[kAtFlags]);
  if (!is_known(Kind{kind}))
    return unsupported(
        "kind", "holds a filter of the unknown kind " + std::to_string(kind) + ": read it with a newer bloomery");
  header.kind = entry_for(door, Kind{kind});
  if (header.kind == nullptr) return not_for(door, Kind{kind});
  const std::optional<HashId> id = hash_id_from_number(hash);
  if (!id.has_value())
    return unsupported("hash", "uses the unknown hash " + std::to_string(hash) + ": read it with a newer bloomery");
  if (flags != 0)
    return unsupported("flags", "has the unknown flags " + std::to_string(flags) + ": read it with a newer bloomery");
  header.info.kind = static_cast<Kind>(kind);
  header.info.hash = *id;
  header.info.seed = load_le<std::uint64_t>(&start[kAtSeed]);
  if (header.info.seed != 0 && !takes_seed(*id) && !takes_secret(*id))
    return corrupt("seed", std::string("has a seed, which ") + to_string(*id) + " does not take");
  return {};
}

// Steps 5 and 6: lengths and geometry.
Status parse_layout(std::span<const std::uint8_t> start, std::uint64_t file_bytes, Header& header) {
  const std::uint64_t offset = load_le<std::uint64_t>(&start[kAtOffset]);
  const std::uint64_t length = load_le<std::uint64_t>(&start[kAtLength]);
  if (offset != kEnvelopeHeader)
    return corrupt("payload offset", "the payload offset is " + std::to_string(offset) + ", not 128 as in version 1");
  if (length != file_bytes - kEnvelopeHeader)
    return damaged("payload length", "the payload should have " + std::to_string(length) + " bytes, but " +
                                         std::to_string(file_bytes - kEnvelopeHeader) + " follow the header");
  for (std::size_t i = 0; i < header.geometry.size(); ++i)
    header.geometry[i] = load_le<std::uint64_t>(&start[kAtGeometry + 8 * i]);
  Result<std::uint64_t> expected = header.kind->payload_bytes(header.geometry);
  BLOOMERY_TRY(expected);
  if (*expected != length)
    return corrupt("geometry", "the geometry takes " + std::to_string(*expected) + " bytes, but the payload has " +
                                   std::to_string(length));
  return {};
}

Result<Header> parse_envelope(std::span<const std::uint8_t> start, std::uint64_t file_bytes, Door door) {
  if (start.size() < kEnvelopeHeader)
    return damaged("header", "is cut off within the 128-byte header, after " + std::to_string(start.size()) + " bytes");
  if (!std::equal(kMagic.begin(), kMagic.end(), start.begin()))
    return damaged("magic", "begins like an envelope, but its magic is changed, as by a transfer in text mode");
  const std::uint16_t version = load_le<std::uint16_t>(&start[kAtVersion]);
  if (version != kVersion)
    return unsupported(
        "version", "is an envelope of version " + std::to_string(version) + ", and this program reads version 1 only");
  if (load_le<std::uint64_t>(&start[kAtHeaderSum]) != checksum(start.first(kAtHeaderSum)))
    return damaged("header checksum", "the header does not match its checksum");
  Header header;
  header.info.format = Format::envelope;
  header.info.version = version;
  header.info.file_bytes = file_bytes;
  BLOOMERY_TRY(parse_identity(start, door, header));
  BLOOMERY_TRY(parse_layout(start, file_bytes, header));
  const std::uint64_t count = load_le<std::uint64_t>(&start[kAtCount]);
  if (count != kUnknownCount) header.info.key_count = count;
  header.payload_offset = kEnvelopeHeader;
  header.payload_checksum = load_le<std::uint64_t>(&start[kAtPayloadSum]);
  return header;
}

}  // namespace

std::uint64_t checksum(std::span<const std::uint8_t> bytes) { return Hasher::xxh3()(bytes).bits; }

Result<Header> parse_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes) {
  if (!start.empty() && start[0] == kMagic[0]) return parse_envelope(start, file_bytes, Door::filters);
  return parse_raw(start, file_bytes);
}

Result<Header> parse_iblt_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes) {
  if (!start.empty() && start[0] == kMagic[0]) return parse_envelope(start, file_bytes, Door::iblts);
  return corrupt("magic", "is no envelope, and so no iblt file");
}

std::array<std::uint8_t, kRawHeader> raw_header(const ClassicGeometry& geometry) {
  std::array<std::uint8_t, kRawHeader> out;
  store_le<std::uint32_t>(out.data(), geometry.k);
  store_le<std::uint64_t>(out.data() + 4, geometry.m);
  return out;
}

std::array<std::uint8_t, kEnvelopeHeader> envelope_header(const AnyView& view, std::optional<std::uint64_t> key_count,
                                                          std::uint64_t payload_checksum) {
  return envelope_header({view.kind(), view.hasher(), any::geometry_words(view), view.payload()}, key_count,
                         payload_checksum);
}

std::array<std::uint8_t, kEnvelopeHeader> envelope_header(const Contents& contents,
                                                          std::optional<std::uint64_t> key_count,
                                                          std::uint64_t payload_checksum) {
  std::array<std::uint8_t, kEnvelopeHeader> out{};
  std::copy(kMagic.begin(), kMagic.end(), out.begin());
  store_le<std::uint16_t>(&out[kAtVersion], kVersion);
  store_le<std::uint16_t>(&out[kAtKind], static_cast<std::uint16_t>(contents.kind));
  store_le<std::uint16_t>(&out[kAtHash], static_cast<std::uint16_t>(contents.hasher.id()));
  store_le<std::uint64_t>(&out[kAtSeed], contents.hasher.seed());
  store_le<std::uint64_t>(&out[kAtCount], key_count.value_or(kUnknownCount));
  store_le<std::uint64_t>(&out[kAtOffset], kEnvelopeHeader);
  store_le<std::uint64_t>(&out[kAtLength], contents.payload.size());
  for (std::size_t i = 0; i < contents.geometry.size(); ++i)
    store_le<std::uint64_t>(&out[kAtGeometry + 8 * i], contents.geometry[i]);
  store_le<std::uint64_t>(&out[kAtPayloadSum], payload_checksum);
  store_le<std::uint64_t>(&out[kAtHeaderSum], checksum(std::span(out).first(kAtHeaderSum)));
  return out;
}

}  // namespace BLOOMERY_NAMESPACE::format
