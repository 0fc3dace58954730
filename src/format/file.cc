// decode, encode, open, map, save: see bloomery/file.h.
#include "bloomery/file.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "bloomery/detail/buffer.h"
#include "core/base/callback.h"
#include "core/base/error.h"
#include "core/hash/xxh3_stream.h"
#include "core/io/atomic_file.h"
#include "core/io/file.h"
#include "format/header.h"
#include "format/parquet.h"
#include "format/reading.h"
#include "format/records.h"

namespace BLOOMERY_NAMESPACE {

// What the bytes of a file lie in, and the checksum that its header has for the payload.
struct detail::FileBytes {
  std::variant<Buffer, io::MappedFile> owner;
  std::uint64_t payload_checksum = 0;
};

namespace {

// Parses the file's first bytes, up to its payload or more, given its real length. Bytes that can only be a Parquet
// filter are not taken for one unasked, but the error says what to ask for.
Result<format::Header> parse_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes,
                                    const OpenOptions& options) {
  const auto fixed = start.first(std::min(start.size(), format::kEnvelopeHeader));
  start = start.first(format::header_bytes(fixed, file_bytes));
  if (options.parquet) return format::parse_parquet_header(start, file_bytes);
  Result<format::Header> header = format::parse_header(start, file_bytes);
  if (!header.ok() && format::parse_parquet_header(start, file_bytes).ok())
    return unsupported("format", "looks like the filter of a Parquet column: say so (OpenOptions::parquet)");
  return header;
}

// Makes the rest of checks 1 to 6 on bytes whose header was parsed: all but that of the payload's checksum.
Result<Decoded> view_payload(const format::Header& header, std::span<const std::uint8_t> bytes,
                             const OpenOptions& options) {
  bool answers_keys = true;
  Result<Hasher> hasher = format::hasher_for(header.info, options, answers_keys);
  BLOOMERY_TRY(hasher);
  Result<AnyView> view = header.kind->view_over(bytes.subspan(header.info.payload_offset), header.geometry, *hasher);
  BLOOMERY_TRY(view);
  return Decoded{header.info, *view, answers_keys};
}

// Makes all checks on bytes whose header was parsed.
Result<Decoded> decode_payload(const format::Header& header, std::span<const std::uint8_t> bytes,
                               const OpenOptions& options) {
  Result<Decoded> decoded = view_payload(header, bytes, options);
  BLOOMERY_TRY(decoded);
  BLOOMERY_TRY(format::check_payload_sum(bytes, header.info, header.payload_checksum));
  return decoded;
}

// Returns what a file that was moved from shows: an empty filter of the same kind.
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

// A sink whose exceptions are errors.
Sink noticing(const Sink& given) {
  return [&given](std::span<const std::uint8_t> bytes) {
    return call_user("sink", "the sink", [&] { return given(bytes); });
  };
}

// write(sink) into memory, or into a file that appears whole or not at all.
template <class Write>
Result<std::vector<std::uint8_t>> in_memory(Write write) {
  return guarded([&]() -> Result<std::vector<std::uint8_t>> {
    std::vector<std::uint8_t> out;
    const Sink sink = [&](std::span<const std::uint8_t> bytes) -> Status {
      out.insert(out.end(), bytes.begin(), bytes.end());
      return {};
    };
    BLOOMERY_TRY(write(sink));
    return out;
  });
}
template <class Write>
Status in_file_at(const std::string& path, Write write) {
  return guarded([&]() -> Status {
    Result<io::AtomicFile> file = io::AtomicFile::create(path);
    BLOOMERY_TRY(file);
    const Sink sink = [&](std::span<const std::uint8_t> bytes) { return file->write(bytes); };
    const Status status = write(sink);
    if (!status.ok()) return status.error().file.empty() ? Status(in_file(status.error(), path)) : status;
    return file->commit();
  });
}

// The bytes that were written are not those that the header has the checksum of.
Error changed_meanwhile() {
  return invalid_argument("filter",
                          "the filter was changed while it was saved: save a copy() or a snapshot() of it, or nobody "
                          "may write to it meanwhile");
}

// Gives the payload to the sink. Each piece is copied first, so that what is given is what was hashed: a payload that
// was the same when its header was made and now is one state of the filter, whatever other threads do.
Status give_payload(std::span<const std::uint8_t> payload, std::uint64_t expected, const Sink& sink) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  detail::Xxh3Stream given;
  std::vector<std::uint8_t> room(std::min(kPiece, payload.size()));
  for (std::size_t at = 0; at < payload.size(); at += room.size()) {
    const std::span<std::uint8_t> piece = std::span(room).first(std::min(room.size(), payload.size() - at));
    std::memcpy(piece.data(), payload.data() + at, piece.size());
    given.update(piece);
    BLOOMERY_TRY(sink(piece));
  }
  return given.value() == expected ? Status() : changed_meanwhile();
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
    Result<format::Header> header = parse_header(bytes, bytes.size(), options);
    BLOOMERY_TRY(header);
    return decode_payload(*header, bytes, options);
  });
}

EnvelopeOptions FileInfo::rewrite_options() const {
  return {records, chunks.has_value(), chunks ? chunks->chunk_bytes : 0, format::kOffsetUnit,
          format == Format::envelope ? payload_offset : 0};
}

EnvelopeOptions FileInfo::rewrite_options_after_change() const {
  EnvelopeOptions options = rewrite_options();
  options.records = records.after_change();
  options.chunks = false;
  return options;
}

Status encode(const AnyView& view, Format format, std::optional<std::uint64_t> key_count, const Sink& given) {
  if (format == Format::envelope) return encode(view, key_count, EnvelopeOptions{}, given);
  return guarded([&]() -> Status {
    const Sink sink = noticing(given);
    return format == Format::raw ? encode_raw(view, sink) : format::encode_parquet(view, sink);
  });
}

Status encode(const AnyView& view, std::optional<std::uint64_t> key_count, const EnvelopeOptions& options,
              const Sink& given) {
  return guarded([&]() -> Status {
    const Sink sink = noticing(given);
    const std::uint64_t sum = format::checksum(view.payload());
    const Result<std::vector<std::uint8_t>> start =
        format::envelope_start(format::contents_of(view), key_count, sum, options);
    BLOOMERY_TRY(start);
    BLOOMERY_TRY(sink(*start));
    return give_payload(view.payload(), sum, sink);
  });
}

Result<std::vector<std::uint8_t>> encode(const AnyView& view, Format format, std::optional<std::uint64_t> key_count) {
  if (format == Format::envelope) return encode(view, key_count, EnvelopeOptions{});
  return in_memory([&](const Sink& sink) { return encode(view, format, key_count, sink); });
}

Result<std::vector<std::uint8_t>> encode(const AnyView& view, std::optional<std::uint64_t> key_count,
                                         const EnvelopeOptions& options) {
  return guarded([&]() -> Result<std::vector<std::uint8_t>> {
    const std::span<const std::uint8_t> payload = view.payload();
    const std::uint64_t sum = format::checksum(payload);
    Result<std::vector<std::uint8_t>> out = format::envelope_start(format::contents_of(view), key_count, sum, options);
    BLOOMERY_TRY(out);
    const std::size_t offset = out->size();
    out->reserve(offset + payload.size());
    out->insert(out->end(), payload.begin(), payload.end());
    if (format::checksum(std::span(*out).subspan(offset)) != sum) return changed_meanwhile();
    return out;
  });
}

Status save(const std::string& path, const AnyView& view, Format format, std::optional<std::uint64_t> key_count) {
  return in_file_at(path, [&](const Sink& sink) { return encode(view, format, key_count, sink); });
}

Status save(const std::string& path, const AnyView& view, std::optional<std::uint64_t> key_count,
            const EnvelopeOptions& options) {
  return in_file_at(path, [&](const Sink& sink) { return encode(view, key_count, options, sink); });
}

Status save(const std::string& path, const AnyFilter& filter, Format format) {
  return save(path, filter.view(), format, filter.key_count());
}

Status save(const std::string& path, const AnyFilter& filter, const EnvelopeOptions& options) {
  return save(path, filter.view(), filter.key_count(), options);
}

FilterFile::FilterFile(std::unique_ptr<detail::FileBytes> bytes, Decoded decoded)
    : bytes_(std::move(bytes)), decoded_(std::move(decoded)) {}
FilterFile::FilterFile(FilterFile&& other) noexcept
    : bytes_(std::move(other.bytes_)), decoded_(std::exchange(other.decoded_, empty_like(other.decoded_))) {}
FilterFile& FilterFile::operator=(FilterFile&& other) noexcept {
  FilterFile taken(std::move(other));  // so that a move to itself changes nothing
  bytes_ = std::move(taken.bytes_);
  decoded_ = std::move(taken.decoded_);
  return *this;
}
FilterFile::~FilterFile() = default;

Result<FilterFile> FilterFile::open(const std::string& path, const OpenOptions& options) {
  return guarded([&]() -> Result<FilterFile> {
    Result<format::ReadFile> read = format::read_checked(
        path, [&](auto start, std::uint64_t file_bytes) { return parse_header(start, file_bytes, options); });
    if (!read.ok()) return in_file(std::move(read).error(), path);
    const std::span<const std::uint8_t> bytes(read->bytes.data(), read->bytes.size());
    Result<Decoded> decoded = decode_payload(read->header, bytes, options);
    if (!decoded.ok()) return in_file(std::move(decoded).error(), path);
    detail::FileBytes owner{std::move(read->bytes), read->header.payload_checksum};
    return FilterFile(std::make_unique<detail::FileBytes>(std::move(owner)), *std::move(decoded));
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
    const std::span<const std::uint8_t> bytes = mapped->bytes();
    Result<format::Header> header = parse_header(bytes, bytes.size(), options);
    if (!header.ok()) return in_file(std::move(header).error(), path);
    Result<Decoded> decoded = view_payload(*header, bytes, options);
    if (!decoded.ok()) return in_file(std::move(decoded).error(), path);
    detail::FileBytes owner{*std::move(mapped), header->payload_checksum};
    return UnverifiedFile(path, FilterFile(std::make_unique<detail::FileBytes>(std::move(owner)), *std::move(decoded)));
  });
}

Status UnverifiedFile::verify_range(std::uint64_t offset, std::uint64_t bytes) const {
  return guarded([&]() -> Status {
    if (!info().chunks)
      return in_file(unsupported("chunks",
                                 "has no sums of chunks, so that a range cannot be verified: verify all of "
                                 "it, or build it with chunks"),
                     path_);
    Status status = format::compare_chunks(*info().chunks, unverified_view().payload(), offset, bytes);
    return status.ok() ? status : Status(in_file(std::move(status).error(), path_));
  });
}

Status UnverifiedFile::verify_all() const {
  return guarded([&]() -> Status {
    if (file_.bytes_ == nullptr)
      return invalid_argument("file", "this mapped file was verified before, or moved from: map it again");
    const std::span<const std::uint8_t> bytes = std::get<io::MappedFile>(file_.bytes_->owner).bytes();
    Status status = format::check_all_sums(bytes, info(), file_.bytes_->payload_checksum);
    return status.ok() ? status : Status(in_file(std::move(status).error(), path_));
  });
}

Result<FilterFile> UnverifiedFile::verify() && {
  return guarded([&]() -> Result<FilterFile> {
    BLOOMERY_TRY(verify_all());
    return std::move(file_);
  });
}

}  // namespace BLOOMERY_NAMESPACE
