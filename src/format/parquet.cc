#include "format/parquet.h"

#include <optional>
#include <string>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::format {
namespace {

// A field begins with a byte: how far its number is above the one before, and its type. Byte 0 ends a struct.
constexpr std::uint8_t kStop = 0x00, kNextI32 = 0x15, kNextStruct = 0x1c, kStructType = 0x0c;
constexpr std::uint8_t kEnvelopeStart = 0x89;

// The three unions, in the order of the struct, each with its only member so far.
struct Choice {
  const char* field;
  const char* known;
};
constexpr Choice kChoices[] = {{"algorithm", "BLOCK"}, {"hash", "XXHASH"}, {"compression", "UNCOMPRESSED"}};

// Hands out bytes one by one, and nothing beyond the end.
class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::optional<std::uint8_t> next() {
    if (at_ == bytes_.size()) return std::nullopt;
    return bytes_[at_++];
  }
  std::size_t at() const { return at_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

Error no_parquet(const std::string& field, const std::string& what) {
  return corrupt(field, what + ": it is no Parquet filter, or a damaged one");
}

Status expect(Cursor& cursor, std::uint8_t wanted, const char* field) {
  const std::optional<std::uint8_t> got = cursor.next();
  if (!got) return no_parquet(field, "is cut off within the Parquet header");
  if (*got == wanted) return {};
  return no_parquet(field, "byte " + std::to_string(cursor.at() - 1) + " of the Parquet header is " +
                               std::to_string(*got) + ", not " + std::to_string(wanted));
}

// A zigzag varint of at most 32 bits in its shortest form, as a number that is not negative.
Result<std::uint64_t> parse_num_bytes(Cursor& cursor) {
  std::uint64_t zigzag = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    const std::optional<std::uint8_t> byte = cursor.next();
    if (!byte) return no_parquet("numBytes", "is cut off within the Parquet header");
    zigzag |= static_cast<std::uint64_t>(*byte & 0x7f) << shift;
    if ((*byte & 0x80) != 0) continue;
    if (zigzag >> 32 != 0 || (*byte == 0 && shift != 0)) break;
    if (zigzag % 2 != 0) return no_parquet("numBytes", "numBytes is negative");
    return zigzag / 2;
  }
  return no_parquet("numBytes", "numBytes is no 32-bit number in its shortest form");
}

// A union of empty structs: which member, its end, the end of the union.
Status parse_choice(Cursor& cursor, const Choice& choice) {
  BLOOMERY_TRY(expect(cursor, kNextStruct, choice.field));
  const std::optional<std::uint8_t> member = cursor.next();
  if (!member) return no_parquet(choice.field, "is cut off within the Parquet header");
  if (*member % 16 != kStructType || *member < 16)
    return no_parquet(choice.field, std::string("the Parquet header does not say which ") + choice.field + " it means");
  if (*member != kNextStruct)
    return unsupported(choice.field, std::string("its Parquet header asks for the unknown ") + choice.field + " " +
                                         std::to_string(*member / 16) + ", and this version knows 1 (" + choice.known +
                                         ") only: read it with a newer bloomery");
  for (int ends = 0; ends < 2; ++ends) BLOOMERY_TRY(expect(cursor, kStop, choice.field));
  return {};
}

Status check_num_bytes(std::uint64_t num_bytes, std::uint64_t rest) {
  if (num_bytes == 0 || num_bytes % SplitGeometry::kBlockBytes != 0)
    return no_parquet("numBytes", "numBytes is " + std::to_string(num_bytes) + ", no positive multiple of 32");
  if (num_bytes != rest)
    return corrupt("numBytes",
                   "numBytes is " + std::to_string(num_bytes) + ", but " + std::to_string(rest) +
                       " bytes follow the Parquet header: it is cut off, or more than the filter was copied");
  return {};
}

}  // namespace

Result<Header> parse_parquet_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes) {
  if (!start.empty() && start[0] == kEnvelopeStart)
    return corrupt("header", "is an envelope, no Parquet filter: open it as such (OpenOptions::parquet)");
  Cursor cursor(start);
  BLOOMERY_TRY(expect(cursor, kNextI32, "numBytes"));
  Result<std::uint64_t> num_bytes = parse_num_bytes(cursor);
  BLOOMERY_TRY(num_bytes);
  for (const Choice& choice : kChoices) BLOOMERY_TRY(parse_choice(cursor, choice));
  BLOOMERY_TRY(expect(cursor, kStop, "header"));
  BLOOMERY_TRY(check_num_bytes(*num_bytes, file_bytes - cursor.at()));
  Header header;
  header.info.format = Format::parquet;
  header.info.kind = Kind::split;
  header.info.hash = HashId::xxh64;
  header.info.file_bytes = file_bytes;
  header.info.payload_offset = cursor.at();
  header.kind = any::find_kind(Kind::split);
  Result<any::CheckedGeometry> geometry = header.kind->parse({*num_bytes / SplitGeometry::kBlockBytes});
  BLOOMERY_TRY(geometry);
  header.geometry = *geometry;
  return header;
}

std::vector<std::uint8_t> parquet_header(const SplitGeometry& geometry) {
  std::vector<std::uint8_t> out = {kNextI32};
  std::uint64_t zigzag = 2 * geometry.payload_bytes();
  for (; zigzag >= 0x80; zigzag >>= 7) out.push_back(static_cast<std::uint8_t>(zigzag | 0x80));
  out.push_back(static_cast<std::uint8_t>(zigzag));
  for ([[maybe_unused]] const Choice& choice : kChoices)
    out.insert(out.end(), {kNextStruct, kNextStruct, kStop, kStop});
  out.push_back(kStop);
  return out;
}

Status encode_parquet(const AnyView& view, const Sink& sink) {
  const auto* split = view.as<SplitView>();
  if (split == nullptr)
    return unsupported("format", std::string("a Parquet filter is a split filter, and this one is ") +
                                     to_string(view.kind()) + ": build a split filter, or save it as an envelope");
  if (view.hasher().id() != HashId::xxh64 || view.hasher().seed() != 0)
    return unsupported("hash",
                       "a Parquet filter always means the hash xxh64 with seed 0: build it so, or save it as an "
                       "envelope");
  if (!split->geometry().fits_parquet())
    return unsupported(
        "blocks", "Parquet readers take a power of two of blocks, from 1 to 4194304, and this filter has " +
                      std::to_string(split->geometry().blocks) + ": size it for Parquet, or save it as an envelope");
  BLOOMERY_TRY(sink(parquet_header(split->geometry())));
  return sink(view.payload());
}

}  // namespace BLOOMERY_NAMESPACE::format
