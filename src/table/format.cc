#include "table/format.h"

#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <limits>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"
#include "core/hash/hash_functions.h"
#include "table/coding.h"

namespace BLOOMERY_NAMESPACE::table {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'B', 'L', 'M', 'T', '\r', '\n', 0x1a};
constexpr std::uint32_t kPartitioned = 1;                        // of the flags
constexpr std::uint64_t kMostContents = std::uint64_t{9} << 30;  // a key, a value, and their frame

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

std::uint64_t checksum_of(std::string_view bytes, std::uint64_t seed) {
  return detail::xxh3(bytes.data(), bytes.size(), seed);
}

void append_trailer(std::string& stored, Compression compression, std::uint64_t offset) {
  stored.push_back(static_cast<char>(compression));
  std::uint8_t sum[8];
  detail::store_le(sum, checksum_of(stored, offset));
  stored.append(reinterpret_cast<const char*>(sum), sizeof sum);
}

// Compresses the contents and puts their length in front. False when that is not worth it, or not possible.
bool compress(std::string_view contents, Compression compression, std::string& out) {
  put_varint(out, contents.size());
  const std::size_t head = out.size();
  std::size_t used = 0;
  if (compression == Compression::lz4) {
    if (contents.size() > LZ4_MAX_INPUT_SIZE) return false;
    out.resize(head + static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(contents.size()))));
    used = static_cast<std::size_t>(LZ4_compress_default(
        contents.data(), out.data() + head, static_cast<int>(contents.size()), static_cast<int>(out.size() - head)));
  } else {
    out.resize(head + ZSTD_compressBound(contents.size()));
    used = ZSTD_compress(out.data() + head, out.size() - head, contents.data(), contents.size(), 1);
    if (ZSTD_isError(used) != 0) return false;
  }
  out.resize(head + used);
  return used > 0 && out.size() < contents.size() - contents.size() / 8;
}

}  // namespace

std::string encode_handle(const Handle& handle) {
  std::string out;
  put_varint(out, handle.offset);
  put_varint(out, handle.bytes);
  return out;
}

std::optional<Handle> decode_handle(std::string_view bytes) {
  const std::optional<std::uint64_t> offset = take_varint(bytes), length = take_varint(bytes);
  if (!offset || !length || !bytes.empty()) return std::nullopt;
  return Handle{*offset, *length};
}

bool lies_inside(const Handle& handle, std::uint64_t file_bytes) {
  if (file_bytes < kFooterBytes + kTrailerBytes) return false;
  const std::uint64_t room = file_bytes - kFooterBytes - kTrailerBytes;
  return handle.offset <= room && handle.bytes <= room - handle.offset;
}

std::array<std::uint8_t, kFooterBytes> encode_footer(const Footer& footer) {
  std::array<std::uint8_t, kFooterBytes> out{};
  std::uint8_t* at = out.data();
  for (const Handle& handle : {footer.index, footer.filter, footer.properties}) {
    detail::store_le(at, handle.offset);
    detail::store_le(at + 8, handle.bytes);
    at += 16;
  }
  detail::store_le(at, footer.file_bytes);
  detail::store_le(at + 8, kVersion);
  detail::store_le(at + 12, footer.partitioned ? kPartitioned : 0);
  detail::store_le(at + 16, checksum_of({reinterpret_cast<const char*>(out.data()), 64}, 0));
  std::memcpy(at + 24, kMagic.data(), kMagic.size());
  return out;
}

Result<Footer> decode_footer(std::string_view bytes, std::uint64_t file_bytes) {
  const std::uint8_t* at = bytes_of(bytes);
  if (bytes.size() != kFooterBytes || std::memcmp(at + 72, kMagic.data(), kMagic.size()) != 0)
    return corrupt("magic", "this is no table, or its end is missing: its last eight bytes are not those of one");
  if (detail::load_le<std::uint64_t>(at + 64) != checksum_of(bytes.substr(0, 64), 0))
    return corrupt("footer", "the footer is damaged: its checksum does not match; restore the file from a copy");
  const auto version = detail::load_le<std::uint32_t>(at + 56), flags = detail::load_le<std::uint32_t>(at + 60);
  if (version != kVersion || (flags & ~kPartitioned) != 0)
    return unsupported("version", "the table has version " + std::to_string(version) + " and flags " +
                                      std::to_string(flags) +
                                      ", and this build reads version 1 with flags 0 or 1: use a newer one");
  Footer footer;
  footer.partitioned = (flags & kPartitioned) != 0;
  for (Handle* handle : {&footer.index, &footer.filter, &footer.properties}) {
    *handle = {detail::load_le<std::uint64_t>(at), detail::load_le<std::uint64_t>(at + 8)};
    at += 16;
    if (!lies_inside(*handle, file_bytes)) return corrupt("footer", "the footer points outside the file");
  }
  footer.file_bytes = detail::load_le<std::uint64_t>(at);
  if (footer.file_bytes != file_bytes)
    return corrupt("size", "the table has " + std::to_string(file_bytes) + " bytes where its footer says " +
                               std::to_string(footer.file_bytes) + ": the file was cut or something was added to it");
  return footer;
}

Result<std::string> encode_block(std::string_view contents, Compression compression, std::uint64_t offset) {
  std::string stored;
  if (compression == Compression::none || !compress(contents, compression, stored)) {
    stored.assign(contents);
    compression = Compression::none;
  }
  append_trailer(stored, compression, offset);
  return stored;
}

Result<Compression> check_block(std::string_view stored, std::uint64_t offset, bool verify) {
  if (stored.size() < kTrailerBytes)
    return corrupt("block", "the block at " + std::to_string(offset) + " is too short");
  const std::size_t length = stored.size() - kTrailerBytes;
  if (verify && detail::load_le<std::uint64_t>(bytes_of(stored) + length + 1) !=
                    checksum_of(stored.substr(0, length + 1), offset))
    return corrupt("checksum", "the block at " + std::to_string(offset) +
                                   " is damaged: its checksum does not match; the keys in it cannot be read");
  const auto compression = static_cast<std::uint8_t>(stored[length]);
  if (compression > static_cast<std::uint8_t>(Compression::zstd))
    return unsupported("compression", "the block at " + std::to_string(offset) + " has compression " +
                                          std::to_string(compression) + ", which this build does not know");
  return static_cast<Compression>(compression);
}

Result<std::uint64_t> unpacked_bytes(std::string_view stored, Compression compression) {
  std::string_view bytes = stored.substr(0, stored.size() - kTrailerBytes);
  const std::optional<std::uint64_t> length = take_varint(bytes);
  // Neither compression gains more than that, so a length out of all proportion is not worth its memory. A block of
  // Zstandard has four bytes or more, and gives at most 128 KiB.
  const bool lz4 = compression == Compression::lz4;
  const std::uint64_t most = lz4 ? 255 * (bytes.size() + 16) : (128 << 10) / 4 * bytes.size();
  if (!length || *length > most || *length > kMostContents ||
      (lz4 && (bytes.size() > std::numeric_limits<int>::max() || *length > LZ4_MAX_INPUT_SIZE)))
    return corrupt("compression", "a compressed block does not say how long it is");
  if (compression == Compression::zstd && ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != *length)
    return corrupt("compression", "a compressed block is not as long as it says");
  return *length;
}

Status unpack(std::string_view stored, Compression compression, std::span<char> into) {
  std::string_view bytes = stored.substr(0, stored.size() - kTrailerBytes);
  (void)take_varint(bytes);
  const bool whole = compression == Compression::lz4
                         ? LZ4_decompress_safe(bytes.data(), into.data(), static_cast<int>(bytes.size()),
                                               static_cast<int>(into.size())) == static_cast<int>(into.size())
                         : ZSTD_decompress(into.data(), into.size(), bytes.data(), bytes.size()) == into.size();
  return whole ? Status() : Status(corrupt("compression", "a compressed block cannot be unpacked"));
}

}  // namespace BLOOMERY_NAMESPACE::table
