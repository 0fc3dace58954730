#include "format/header.h"

#include <algorithm>
#include <string>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"
#include "core/hash/xxh3_stream.h"
#include "format/records.h"

namespace BLOOMERY_NAMESPACE::format {
namespace {

using detail::load_le;
using detail::store_le;

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'B', 'L', 'M', 0x0d, 0x0a, 0x1a, 0x0a};
constexpr std::uint16_t kVersion = 1;
constexpr std::uint64_t kUnknownCount = ~std::uint64_t{0};
constexpr std::uint16_t kFlagsToUnderstand = 0x00ff;

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
  header.info.payload_offset = kRawHeader;
  header.kind = any::find_kind(Kind::classic);
  Result<any::CheckedGeometry> geometry = header.kind->parse({m, k});
  BLOOMERY_TRY(geometry);
  header.geometry = *geometry;
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
    return unsupported("kind",
                       "holds a '" + name + "' filter, from which no keys can be listed: an iblt is needed here");
  if (kind == Kind::iblt)
    return unsupported("kind", "holds an iblt, which is no filter: open it with open_iblt (bloomery/iblt_file.h)");
  return unsupported("kind", "holds a '" + name + "' filter, which this version cannot read: use a newer bloomery");
}

// Step 4: what the numbers mean.
Status parse_identity(std::span<const std::uint8_t> start, Door door, Header& header) {
  const std::uint16_t kind = load_le<std::uint16_t>(&start[kAtKind]);
  const std::uint16_t hash = load_le<std::uint16_t>(&start[kAtHash]);
  const std::uint16_t flags = load_le<std::uint16_t>(&start[kAtFlags]) & kFlagsToUnderstand;
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

// The end of step 4.
Status take_records(std::span<const std::uint8_t> area, Header& header) {
  Result<ParsedRecords> parsed = parse_records(area);
  BLOOMERY_TRY(parsed);
  header.info.records = std::move(parsed->records);
  header.info.chunks = std::move(parsed->chunks);
  return {};
}

// Steps 5 and 6: lengths and geometry.
Status parse_layout(std::span<const std::uint8_t> start, std::uint64_t file_bytes, Header& header) {
  const std::uint64_t length = load_le<std::uint64_t>(&start[kAtLength]),
                      rest = file_bytes - header.info.payload_offset;
  if (length != rest)
    return damaged("payload length", "the payload should have " + std::to_string(length) + " bytes, but " +
                                         std::to_string(rest) + " follow the header");
  if (header.info.chunks) BLOOMERY_TRY(check_chunks(*header.info.chunks, length));
  any::GeometryWords words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = load_le<std::uint64_t>(&start[kAtGeometry + 8 * i]);
  Result<any::CheckedGeometry> geometry = header.kind->parse(words);
  BLOOMERY_TRY(geometry);
  header.geometry = *geometry;
  if (const std::uint64_t expected = any::payload_bytes(*geometry); expected != length)
    return corrupt("geometry", "the geometry takes " + std::to_string(expected) + " bytes, but the payload has " +
                                   std::to_string(length));
  return {};
}

// XXH3 of the header without its checksum, and of the records.
std::uint64_t header_checksum(std::span<const std::uint8_t> start) {
  if (start.size() == kEnvelopeHeader) return checksum(start.first(kAtHeaderSum));
  detail::Xxh3Stream sum;
  sum.update(start.first(kAtHeaderSum));
  sum.update(start.subspan(kEnvelopeHeader));
  return sum.value();
}

bool can_be_offset(std::uint64_t offset) {
  return offset >= kEnvelopeHeader && offset <= kMostOffset && offset % kOffsetUnit == 0;
}

// Step 3.
Result<std::uint64_t> check_start(std::span<const std::uint8_t> start, std::uint64_t file_bytes) {
  const std::uint64_t offset = load_le<std::uint64_t>(&start[kAtOffset]);
  if (!can_be_offset(offset))
    return damaged("payload offset", "the payload offset is " + std::to_string(offset) +
                                         ", which is no multiple of 64 from 128 to 4 MiB");
  if (offset > file_bytes || offset > start.size())
    return damaged("payload offset", "the payload should begin at byte " + std::to_string(offset) +
                                         ", but the file has " + std::to_string(file_bytes) + " bytes");
  if (load_le<std::uint64_t>(&start[kAtHeaderSum]) != header_checksum(start.first(offset)))
    return damaged("header checksum", "the header does not match its checksum");
  return offset;
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
  const Result<std::uint64_t> offset = check_start(start, file_bytes);
  BLOOMERY_TRY(offset);
  Header header;
  header.info.payload_offset = *offset;
  header.info.format = Format::envelope;
  header.info.version = version;
  header.info.file_bytes = file_bytes;
  BLOOMERY_TRY(parse_identity(start, door, header));
  BLOOMERY_TRY(take_records(start.first(*offset).subspan(kEnvelopeHeader), header));
  BLOOMERY_TRY(parse_layout(start, file_bytes, header));
  const std::uint64_t count = load_le<std::uint64_t>(&start[kAtCount]);
  if (count != kUnknownCount) header.info.key_count = count;
  header.payload_checksum = load_le<std::uint64_t>(&start[kAtPayloadSum]);
  return header;
}

// A whole start from a header that lacks its offset and its checksum.
Result<std::vector<std::uint8_t>> finish_start(std::span<const std::uint8_t, kEnvelopeHeader> header,
                                               const std::optional<ChunkSums>& chunks, const EnvelopeOptions& options) {
  const Result<std::vector<std::uint8_t>> records = encode_records(options.records, chunks);
  BLOOMERY_TRY(records);
  const Result<std::uint64_t> offset = payload_offset(records->size(), options);
  BLOOMERY_TRY(offset);
  std::vector<std::uint8_t> out(*offset);
  std::copy(header.begin(), header.end(), out.begin());
  store_le<std::uint64_t>(&out[kAtOffset], *offset);
  std::copy(records->begin(), records->end(), out.begin() + kEnvelopeHeader);
  store_le<std::uint64_t>(&out[kAtHeaderSum], header_checksum(out));
  return out;
}

}  // namespace

std::uint64_t checksum(std::span<const std::uint8_t> bytes) { return Hasher::xxh3()(bytes).bits; }

std::uint64_t header_bytes(std::span<const std::uint8_t> start, std::uint64_t file_bytes) noexcept {
  if (start.size() < kEnvelopeHeader) return start.size();
  const std::uint64_t offset = load_le<std::uint64_t>(&start[kAtOffset]);
  const bool has_records = std::equal(kMagic.begin(), kMagic.end(), start.begin()) && can_be_offset(offset);
  return has_records && offset <= file_bytes ? offset : kEnvelopeHeader;
}

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

Contents contents_of(const AnyView& view) {
  return {view.kind(), view.hasher(), any::geometry_words(view), view.payload()};
}

Result<std::vector<std::uint8_t>> envelope_start(const Contents& contents, std::optional<std::uint64_t> key_count,
                                                 std::uint64_t payload_checksum, const EnvelopeOptions& options) {
  std::optional<ChunkSums> chunks;
  if (options.chunks) {
    Result<ChunkSums> sums = sum_chunks(contents.payload, options.chunk_bytes);
    BLOOMERY_TRY(sums);
    chunks = *std::move(sums);
  }
  std::array<std::uint8_t, kEnvelopeHeader> out{};
  std::copy(kMagic.begin(), kMagic.end(), out.begin());
  store_le<std::uint16_t>(&out[kAtVersion], kVersion);
  store_le<std::uint16_t>(&out[kAtKind], static_cast<std::uint16_t>(contents.kind));
  store_le<std::uint16_t>(&out[kAtHash], static_cast<std::uint16_t>(contents.hasher.id()));
  store_le<std::uint64_t>(&out[kAtSeed], contents.hasher.seed());
  store_le<std::uint64_t>(&out[kAtCount], key_count.value_or(kUnknownCount));
  store_le<std::uint64_t>(&out[kAtLength], contents.payload.size());
  for (std::size_t i = 0; i < contents.geometry.size(); ++i)
    store_le<std::uint64_t>(&out[kAtGeometry + 8 * i], contents.geometry[i]);
  store_le<std::uint64_t>(&out[kAtPayloadSum], payload_checksum);
  return finish_start(out, chunks, options);
}

Result<std::vector<std::uint8_t>> with_records(std::span<const std::uint8_t> start, const Records& records,
                                               const std::optional<ChunkSums>& chunks) {
  EnvelopeOptions options;
  options.records = records;
  options.payload_offset = load_le<std::uint64_t>(&start[kAtOffset]);
  std::array<std::uint8_t, kEnvelopeHeader> out;
  std::copy_n(start.begin(), out.size(), out.begin());
  store_le<std::uint16_t>(&out[kAtFlags], 0);  // a flag that this program does not know may not stay true
  return finish_start(out, chunks, options);
}

}  // namespace BLOOMERY_NAMESPACE::format
