// decode, encode, open, map, save: see bloomery/file.h.
#include "bloomery/file.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "bloomery/detail/buffer.h"
#include "core/base/callback.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/file.h"
#include "format/header.h"
#include "format/parquet.h"
#include "format/reading.h"

namespace BLOOMERY_NAMESPACE {

struct detail::FileBytes {
  std::variant<Buffer, io::MappedFile> owner;
};

namespace {

// Of the file's first bytes and its real length. Bytes that can only be a Parquet filter are not taken for one unasked,
// but the error says what to ask for.
Result<format::Header> parse_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes,
                                    const OpenOptions& options) {
  start = start.first(std::min(start.size(), format::kEnvelopeHeader));
  if (options.parquet) return format::parse_parquet_header(start, file_bytes);
  Result<format::Header> header = format::parse_header(start, file_bytes);
  if (!header.ok() && format::parse_parquet_header(start, file_bytes).ok())
    return unsupported("format",
                       "looks like the filter of a Parquet column: say so with --parquet (OpenOptions::parquet)");
  return header;
}

// Checks 1 to 6: everything but the payload's checksum.
Result<Decoded> decode_unverified(std::span<const std::uint8_t> bytes, const OpenOptions& options) {
  Result<format::Header> header = parse_header(bytes, bytes.size(), options);
  BLOOMERY_TRY(header);
  bool answers_keys = true;
  Result<Hasher> hasher = format::hasher_for(header->info, options, answers_keys);
  BLOOMERY_TRY(hasher);
  Result<AnyView> view = header->kind->view_over(bytes.subspan(header->payload_offset), header->geometry, *hasher);
  BLOOMERY_TRY(view);
  return Decoded{header->info, *view, answers_keys};
}

// Check 7, over bytes whose header was parsed already.
Status verify_payload(std::span<const std::uint8_t> bytes, Format format) {
  if (format != Format::envelope) return {};
  Result<format::Header> header = parse_header(bytes, bytes.size(), {});
  BLOOMERY_TRY(header);
  return format::check_payload_sum(bytes, *header);
}

// What a file shows that was moved from: an empty filter of the same kind.
Decoded empty_like(const Decoded& decoded) noexcept {
  FileInfo info;
  info.kind = decoded.info.kind;
  info.key_count = 0;
  return std::visit(
      [&]<class View>(const View&) {
        const View empty;
        info.hash = empty.hasher().id();
        return Decoded{info, empty, true};
      },
      decoded.view.variant());
}

Status encode_raw(const AnyView& view, const Sink& sink) {
  const auto* classic = view.as<ClassicView>();
  if (classic == nullptr)
    return unsupported("format", std::string("only classic filters have a raw file, and this one is ") +
                                     to_string(view.kind()) + ": save it as an envelope");
  if (view.hasher().id() != HashId::fnv_splitmix)
    return unsupported("hash",
                       std::string("a raw classic file always means the hash fnv_splitmix, and this filter uses ") +
                           to_string(view.hasher().id()) + ": save it as an envelope");
  BLOOMERY_TRY(sink(format::raw_header(classic->geometry())));
  return sink(view.payload());
}

}  // namespace

const char* to_string(Format format) noexcept {
  switch (format) {
    case Format::raw: return "raw";
    case Format::envelope: return "envelope";
    case Format::parquet: return "parquet";
  }
  return "unknown";
}

Result<Decoded> decode(std::span<const std::uint8_t> bytes, const OpenOptions& options) {
  return guarded([&]() -> Result<Decoded> {
    Result<Decoded> decoded = decode_unverified(bytes, options);
    BLOOMERY_TRY(decoded);
    BLOOMERY_TRY(verify_payload(bytes, decoded->info.format));
    return decoded;
  });
}

Status encode(const AnyView& view, Format format, std::optional<std::uint64_t> key_count, const Sink& given) {
  return guarded([&]() -> Status {
    const Sink sink = [&](std::span<const std::uint8_t> bytes) {
      return call_user("sink", "the sink", [&] { return given(bytes); });
    };
    if (format == Format::raw) return encode_raw(view, sink);
    if (format == Format::parquet) return format::encode_parquet(view, sink);
    Status status = sink(format::envelope_header(view, key_count, format::checksum(view.payload())));
    return status.ok() ? sink(view.payload()) : status;
  });
}

Result<std::vector<std::uint8_t>> encode(const AnyView& view, Format format, std::optional<std::uint64_t> key_count) {
  return guarded([&]() -> Result<std::vector<std::uint8_t>> {
    std::vector<std::uint8_t> out;
    Status status = encode(view, format, key_count, [&](std::span<const std::uint8_t> bytes) -> Status {
      out.insert(out.end(), bytes.begin(), bytes.end());
      return {};
    });
    BLOOMERY_TRY(status);
    return out;
  });
}

Status save(const std::string& path, const AnyView& view, Format format, std::optional<std::uint64_t> key_count) {
  return guarded([&]() -> Status {
    Result<io::AtomicFile> file = io::AtomicFile::create(path);
    BLOOMERY_TRY(file);
    Status status =
        encode(view, format, key_count, [&](std::span<const std::uint8_t> bytes) { return file->write(bytes); });
    if (!status.ok()) return status.error().file.empty() ? Status(in_file(status.error(), path)) : status;
    return file->commit();
  });
}

Status save(const std::string& path, const AnyFilter& filter, Format format) {
  return save(path, filter.view(), format, filter.key_count());
}

FilterFile::FilterFile(std::unique_ptr<detail::FileBytes> bytes, const Decoded& decoded)
    : bytes_(std::move(bytes)), decoded_(decoded) {}
FilterFile::FilterFile(FilterFile&& other) noexcept
    : bytes_(std::move(other.bytes_)), decoded_(std::exchange(other.decoded_, empty_like(other.decoded_))) {}
FilterFile& FilterFile::operator=(FilterFile&& other) noexcept {
  FilterFile taken(std::move(other));  // so that a move to itself changes nothing
  bytes_ = std::move(taken.bytes_);
  decoded_ = taken.decoded_;
  return *this;
}
FilterFile::~FilterFile() = default;

Result<FilterFile> FilterFile::open(const std::string& path, const OpenOptions& options) {
  return guarded([&]() -> Result<FilterFile> {
    Result<detail::Buffer> bytes = format::read_checked(
        path, [&](auto start, std::uint64_t file_bytes) { return parse_header(start, file_bytes, options); });
    if (!bytes.ok()) return in_file(std::move(bytes).error(), path);
    Result<Decoded> decoded = decode({bytes->data(), bytes->size()}, options);
    if (!decoded.ok()) return in_file(std::move(decoded).error(), path);
    return FilterFile(std::make_unique<detail::FileBytes>(detail::FileBytes{*std::move(bytes)}), *decoded);
  });
}

Result<AnyFilter> FilterFile::copy() const {
  if (answers_keys()) return AnyFilter::copy_of(view(), info().key_count);
  return guarded([]() -> Result<AnyFilter> {
    return Error{ErrorCode::wrong_secret, "a keyed filter opened without its secret cannot be copied", {}, "secret"};
  });
}

Result<UnverifiedFile> UnverifiedFile::map(const std::string& path, const OpenOptions& options) {
  return guarded([&]() -> Result<UnverifiedFile> {
    Result<io::MappedFile> mapped = io::MappedFile::open(path);
    BLOOMERY_TRY(mapped);
    Result<Decoded> decoded = decode_unverified(mapped->bytes(), options);
    if (!decoded.ok()) return in_file(std::move(decoded).error(), path);
    return UnverifiedFile(
        path, FilterFile(std::make_unique<detail::FileBytes>(detail::FileBytes{*std::move(mapped)}), *decoded));
  });
}

Result<FilterFile> UnverifiedFile::verify() && {
  return guarded([&]() -> Result<FilterFile> {
    if (file_.bytes_ == nullptr)
      return invalid_argument("file", "this mapped file was verified before, or moved from: map it again");
    Status status = verify_payload(std::get<io::MappedFile>(file_.bytes_->owner).bytes(), info().format);
    if (!status.ok()) return in_file(std::move(status).error(), path_);
    return std::move(file_);
  });
}

}  // namespace BLOOMERY_NAMESPACE
