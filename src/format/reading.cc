#include "format/reading.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/io/file.h"
#include "format/records.h"

namespace BLOOMERY_NAMESPACE::format {
namespace {

constexpr char kMadeFor[] = "the file was made with a keyed hash (";

}  // namespace

Result<Hasher> hasher_for(const FileInfo& info, const OpenOptions& options, bool& answers_keys) {
  switch (info.hash) {
    case HashId::fnv_splitmix: return Hasher::fnv_splitmix();
    case HashId::xxh3: return Hasher::xxh3(info.seed);
    case HashId::xxh64: return Hasher::xxh64(info.seed);
    case HashId::siphash13:
    case HashId::siphash24: break;
  }
  if (options.secret.has_value()) {
    if (options.secret->id() != info.seed)
      return Error{
          ErrorCode::wrong_secret,
          kMadeFor + std::string(to_string(info.hash)) + ") and another secret: offer the one it was built with",
          {},
          "secret"};
    return info.hash == HashId::siphash13 ? Hasher::siphash13(*options.secret) : Hasher::siphash24(*options.secret);
  }
  if (!options.without_secret)
    return Error{ErrorCode::wrong_secret,
                 kMadeFor + std::string(to_string(info.hash)) + "): its secret is needed",
                 {},
                 "secret"};
  answers_keys = false;
  return Hasher();
}

Status check_payload_sum(std::span<const std::uint8_t> bytes, const FileInfo& info, std::uint64_t expected) {
  if (info.format != Format::envelope) return {};
  const std::span<const std::uint8_t> payload = bytes.subspan(info.payload_offset);
  if (checksum(payload) == expected) return {};
  if (info.chunks) BLOOMERY_TRY(compare_chunks(*info.chunks, payload, 0, payload.size()));
  return corrupt("payload checksum",
                 "the payload does not match its checksum: the file is damaged; restore it from a copy or rebuild it "
                 "from the keys");
}

Result<ReadFile> read_checked(const std::string& path, const ParseHeader& parse) {
  Result<io::File> file = io::File::open_read(path);
  BLOOMERY_TRY(file);
  Result<std::uint64_t> size = file->size();
  BLOOMERY_TRY(size);
  std::vector<std::uint8_t> head(std::min<std::uint64_t>(kEnvelopeHeader, *size));
  BLOOMERY_TRY(file->read_exactly(head));
  const std::size_t fixed = head.size();
  head.resize(header_bytes(head, *size));
  BLOOMERY_TRY(file->read_exactly(std::span(head).subspan(fixed)));
  Result<Header> header = parse(head, *size);
  BLOOMERY_TRY(header);
  Result<detail::Buffer> bytes = detail::Buffer::zeroed(*size);
  BLOOMERY_TRY(bytes);
  std::copy(head.begin(), head.end(), bytes->data());
  Status status = file->read_exactly(std::span(bytes->data(), bytes->size()).subspan(head.size()));
  BLOOMERY_TRY(status);
  return ReadFile{*std::move(header), *std::move(bytes)};
}

}  // namespace BLOOMERY_NAMESPACE::format
