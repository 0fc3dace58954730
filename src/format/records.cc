#include "format/records.h"

#include <algorithm>
#include <bitset>
#include <memory>
#include <string>
#include <string_view>

#include "bloomery/detail/bits.h"
#include "bloomery/hash.h"
#include "core/base/error.h"
#include "format/header.h"
#include "format/utf8.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::load_le;
using detail::store_le;

using Bytes = std::span<const std::uint8_t>;

// Types and flags of spec/envelope.md.
enum Type : std::uint16_t { kEnd = 0, kLabel = 1, kCreated = 2, kKeys = 3, kChunks = 4, kLineage = 5 };
constexpr std::uint16_t kMustUnderstand = 1, kStaysTrue = 2, kMayIgnore = 0xff00;

constexpr std::size_t kRecordHeader = 8, kMostText = 255;
constexpr std::uint64_t kLeastChunk = 4096, kMostChunkRecord = 524'288;

std::uint16_t flags_of(std::uint16_t type) { return type == kLabel || type == kKeys ? kStaysTrue : 0; }

bool is_chunk_size(std::uint64_t bytes) { return bytes >= kLeastChunk && (bytes & (bytes - 1)) == 0; }

std::uint64_t chunks_in(std::uint64_t payload_bytes, std::uint64_t chunk_bytes) {
  return payload_bytes / chunk_bytes + (payload_bytes % chunk_bytes != 0 ? 1 : 0);
}

Error faulty(const char* field, const std::string& what) {
  return corrupt(field, what + ", though the header checksum is right: the file was made by a faulty program");
}

Error invalid_text(const char* record, const char* rule) {
  return invalid_argument(record, std::string("a record '") + record + "' is " + rule);
}

Status check_label(std::string_view text) {
  const bool control =
      std::any_of(text.begin(), text.end(), [](char c) { return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f; });
  if (!text.empty() && text.size() <= kMostText && !control && format::is_utf8(text)) return {};
  return invalid_text("label", "1 to 255 bytes of UTF-8 without control characters");
}

Status check_keys(std::string_view text) {
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7e; });
  if (!text.empty() && text.size() <= kMostText && printable) return {};
  return invalid_text("keys", "1 to 255 printable ASCII characters without blanks");
}

// A record whose bounds, padding and flags are good.
struct RawRecord {
  std::uint16_t type, flags;
  Bytes contents;
};

// The bytes of a record from its header to its padding.
Result<RawRecord> take_record(Bytes area, std::size_t& at) {
  const std::uint16_t type = load_le<std::uint16_t>(&area[at]);
  const std::uint16_t flags = load_le<std::uint16_t>(&area[at + 2]);
  const std::uint64_t length = load_le<std::uint32_t>(&area[at + 4]);
  const std::string name = "the record of type " + std::to_string(type);
  const std::uint64_t padded = (length + 7) / 8 * 8;
  if (padded > area.size() - at - kRecordHeader) return faulty("records", name + " leaves the place of the records");
  const Bytes padding = area.subspan(at + kRecordHeader + length, padded - length);
  if (std::any_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte != 0; }))
    return faulty("records", "behind " + name + " stand bytes other than zero");
  if ((flags & ~(kMustUnderstand | kStaysTrue | kMayIgnore)) != 0)
    return unsupported(
        "records", name + " has the unknown flags " + std::to_string(flags) + ": read the file with a newer bloomery");
  const RawRecord record{type, flags, area.subspan(at + kRecordHeader, length)};
  at += kRecordHeader + padded;
  return record;
}

Result<ChunkSums> parse_chunks(Bytes contents) {
  if (contents.size() < 8 || contents.size() % 8 != 0)
    return faulty("chunks", "the record 'chunks' is no list of numbers");
  ChunkSums chunks;
  chunks.chunk_bytes = load_le<std::uint64_t>(contents.data());
  if (!is_chunk_size(chunks.chunk_bytes))
    return faulty("chunks", "its chunks have " + std::to_string(chunks.chunk_bytes) + " bytes, not 4096 * 2^j");
  chunks.sums.reserve(contents.size() / 8 - 1);
  for (std::size_t at = 8; at < contents.size(); at += 8) chunks.sums.push_back(load_le<std::uint64_t>(&contents[at]));
  return chunks;
}

Status take_text(const RawRecord& record, Status (*check)(std::string_view), std::optional<std::string>& into) {
  std::string text(record.contents.begin(), record.contents.end());
  if (Status status = check(text); !status.ok()) return faulty(status.error().field.c_str(), status.error().message);
  into = std::move(text);
  return {};
}

Status take_known(const RawRecord& record, format::ParsedRecords& into) {
  if ((record.flags & ~kMayIgnore) != flags_of(record.type))
    return faulty("records", "the record of type " + std::to_string(record.type) + " has the flags " +
                                 std::to_string(record.flags) + ", not its own");
  if (record.type == kLabel) return take_text(record, check_label, into.records.label);
  if (record.type == kKeys) return take_text(record, check_keys, into.records.keys);
  if (record.type == kCreated) {
    if (record.contents.size() != 8) return faulty("created", "the record 'created' is no number");
    into.records.created = load_le<std::uint64_t>(record.contents.data());
    return {};
  }
  Result<ChunkSums> chunks = parse_chunks(record.contents);
  BLOOMERY_TRY(chunks);
  into.chunks = *std::move(chunks);
  return {};
}

Status take(const RawRecord& record, format::ParsedRecords& into) {
  if (record.type < kLineage) return take_known(record, into);
  if ((record.flags & kMustUnderstand) != 0)
    return unsupported("records", "has a record of the unknown type " + std::to_string(record.type) +
                                      " that must be understood: read it with a newer bloomery");
  into.records.unknown.push_back({record.type, record.flags, {record.contents.begin(), record.contents.end()}});
  return {};
}

void append(std::vector<std::uint8_t>& out, std::uint16_t type, std::uint16_t flags, Bytes contents) {
  const std::size_t at = out.size();
  out.resize(at + kRecordHeader + (contents.size() + 7) / 8 * 8);
  store_le<std::uint16_t>(&out[at], type);
  store_le<std::uint16_t>(&out[at + 2], flags);
  store_le<std::uint32_t>(&out[at + 4], static_cast<std::uint32_t>(contents.size()));
  std::copy(contents.begin(), contents.end(), out.begin() + static_cast<std::ptrdiff_t>(at + kRecordHeader));
}

void append_text(std::vector<std::uint8_t>& out, std::uint16_t type, const std::string& text) {
  append(out, type, flags_of(type), {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void append_numbers(std::vector<std::uint8_t>& out, std::uint16_t type, std::uint64_t first,
                    std::span<const std::uint64_t> rest) {
  std::vector<std::uint8_t> bytes(8 * (1 + rest.size()));
  store_le<std::uint64_t>(bytes.data(), first);
  for (std::size_t i = 0; i < rest.size(); ++i) store_le<std::uint64_t>(&bytes[8 * (i + 1)], rest[i]);
  append(out, type, flags_of(type), bytes);
}

// Checks that a program may ask for these records: their types are unknown here, and each comes once.
Status check_unknown(const std::vector<UnknownRecord>& unknown) {
  const auto same_type = [](const UnknownRecord& a, const UnknownRecord& b) { return a.type == b.type; };
  for (const UnknownRecord& record : unknown) {
    if (record.type < kLineage || (record.flags & ~(kStaysTrue | kMayIgnore)) != 0)
      return invalid_argument("records", "a record of the type " + std::to_string(record.type) + " and the flags " +
                                             std::to_string(record.flags) + " cannot be written as an unknown one");
  }
  if (std::adjacent_find(unknown.begin(), unknown.end(), same_type) == unknown.end()) return {};
  return invalid_argument("records", "two records have the same type");
}

}  // namespace

Records Records::after_change() const {
  Records kept{label, {}, keys, unknown};
  std::erase_if(kept.unknown, [](const UnknownRecord& record) { return (record.flags & kStaysTrue) == 0; });
  return kept;
}

Result<Records> Records::merged(const Records& a, const Records& b) {
  return guarded([&]() -> Result<Records> {
    if (a.keys && b.keys) BLOOMERY_TRY(b.expect_keys(*a.keys));
    Records kept = a.after_change();
    kept.label.reset();
    if (!b.keys) kept.keys.reset();
    std::erase_if(kept.unknown, [&](const UnknownRecord& record) {
      return record.type == kLineage || std::find(b.unknown.begin(), b.unknown.end(), record) == b.unknown.end();
    });
    return kept;
  });
}

Status Records::expect_keys(std::string_view type) const {
  return guarded([&]() -> Status {
    if (!keys || *keys == type) return {};
    return invalid_argument("keys",
                            "the keys of this filter are of the type '" + *keys + "', not '" + std::string(type) + "'");
  });
}

namespace format {

Status MergedRecords::add(const Records& input) {
  return guarded([&]() -> Status {
    if (typed_.keys) BLOOMERY_TRY(input.expect_keys(*typed_.keys));
    Result<Records> next = empty_ ? Result<Records>(input) : Records::merged(records_, input);
    BLOOMERY_TRY(next);
    if (!typed_.keys) typed_.keys = input.keys;
    records_ = *std::move(next);
    empty_ = false;
    return {};
  });
}

Result<ParsedRecords> parse_records(Bytes area) {
  ParsedRecords parsed;
  if (area.empty()) return parsed;
  const auto seen = std::make_unique<std::bitset<65536>>();
  std::size_t at = 0;
  while (at < area.size() && load_le<std::uint16_t>(&area[at]) != kEnd) {
    Result<RawRecord> record = take_record(area, at);
    BLOOMERY_TRY(record);
    if (seen->test(record->type))
      return faulty("records", "has two records of the type " + std::to_string(record->type));
    seen->set(record->type);
    BLOOMERY_TRY(take(*record, parsed));
  }
  const Bytes rest = area.subspan(at);
  if (std::any_of(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte != 0; }))
    return faulty("records", "behind the last record stand bytes other than zero");
  std::sort(parsed.records.unknown.begin(), parsed.records.unknown.end(),
            [](const auto& a, const auto& b) { return a.type < b.type; });
  return parsed;
}

Status check_chunks(const ChunkSums& chunks, std::uint64_t payload_bytes) {
  const std::uint64_t expected = chunks_in(payload_bytes, chunks.chunk_bytes);
  if (chunks.sums.size() == expected) return {};
  return faulty("chunks", "its record 'chunks' has " + std::to_string(chunks.sums.size()) + " sums for " +
                              std::to_string(expected) + " chunks");
}

Result<std::vector<std::uint8_t>> encode_records(const Records& records, const std::optional<ChunkSums>& chunks) {
  std::vector<std::uint8_t> out;
  if (records.label) {
    BLOOMERY_TRY(check_label(*records.label));
    append_text(out, kLabel, *records.label);
  }
  if (records.created) append_numbers(out, kCreated, *records.created, {});
  if (records.keys) {
    BLOOMERY_TRY(check_keys(*records.keys));
    append_text(out, kKeys, *records.keys);
  }
  if (chunks) append_numbers(out, kChunks, chunks->chunk_bytes, chunks->sums);
  std::vector<UnknownRecord> unknown = records.unknown;
  std::sort(unknown.begin(), unknown.end(), [](const auto& a, const auto& b) { return a.type < b.type; });
  BLOOMERY_TRY(check_unknown(unknown));
  for (const UnknownRecord& record : unknown) append(out, record.type, record.flags, record.contents);
  return out;
}

Result<std::uint64_t> payload_offset(std::uint64_t record_bytes, const EnvelopeOptions& options) {
  const auto is_power = [](std::uint64_t n) { return n != 0 && (n & (n - 1)) == 0; };
  if (!is_power(options.align) || options.align < kOffsetUnit || options.align > kMostOffset)
    return invalid_argument("align", "the payload can be aligned to a power of two from 64 bytes to 4 MiB, not to " +
                                         std::to_string(options.align));
  const std::uint64_t kept = options.payload_offset;
  if (kept % kOffsetUnit != 0 || kept > kMostOffset)
    return invalid_argument("payload_offset",
                            "the payload begins at a multiple of 64 up to 4 MiB, not at " + std::to_string(kept));
  const std::uint64_t end = kEnvelopeHeader + record_bytes;
  if (kept >= end) return kept;
  const std::uint64_t offset = (end + options.align - 1) / options.align * options.align;
  if (record_bytes <= kMostOffset && offset <= kMostOffset) return offset;
  return invalid_argument("records", "the records take " + std::to_string(record_bytes) +
                                         " bytes, and the payload must begin within 4 MiB");
}

Result<ChunkSums> sum_chunks(Bytes payload, std::uint64_t chunk_bytes) {
  ChunkSums chunks{chunk_bytes == 0 ? kLeastChunk : chunk_bytes, {}};
  if (!is_chunk_size(chunks.chunk_bytes))
    return invalid_argument("chunk_bytes", "chunks have 4096 * 2^j bytes, not " + std::to_string(chunk_bytes));
  while (chunk_bytes == 0 && 8 * (1 + chunks_in(payload.size(), chunks.chunk_bytes)) > kMostChunkRecord)
    chunks.chunk_bytes *= 2;
  chunks.sums.reserve(chunks_in(payload.size(), chunks.chunk_bytes));
  for (std::size_t at = 0; at < payload.size(); at += chunks.chunk_bytes)
    chunks.sums.push_back(
        checksum(payload.subspan(at, std::min<std::uint64_t>(chunks.chunk_bytes, payload.size() - at))));
  return chunks;
}

Status compare_chunks(const ChunkSums& chunks, Bytes payload, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > payload.size() || bytes > payload.size() - offset)
    return invalid_argument(
        "range", "the range ends behind the payload, which has " + std::to_string(payload.size()) + " bytes");
  if (bytes == 0) return {};
  for (std::uint64_t i = offset / chunks.chunk_bytes; i <= (offset + bytes - 1) / chunks.chunk_bytes; ++i) {
    const std::uint64_t first = i * chunks.chunk_bytes;
    const std::uint64_t size = std::min<std::uint64_t>(chunks.chunk_bytes, payload.size() - first);
    if (checksum(payload.subspan(first, size)) == chunks.sums[i]) continue;
    return corrupt("chunk", "chunk " + std::to_string(i) + " of " + std::to_string(chunks.sums.size()) + ", bytes " +
                                std::to_string(first) + " to " + std::to_string(first + size - 1) +
                                " of the payload, does not match its checksum: the file is damaged; restore it from "
                                "a copy or rebuild it from the keys");
  }
  return {};
}

}  // namespace format
}  // namespace BLOOMERY_NAMESPACE
