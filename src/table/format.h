// The bytes of a table around its entries: handles, blocks with their checksums, the footer. spec/table.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/result.h"
#include "bloomery/table/table.h"

namespace BLOOMERY_NAMESPACE::table {

inline constexpr std::uint64_t kTrailerBytes = 9;  // compression and checksum
inline constexpr std::uint64_t kFooterBytes = 80;
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint64_t kFilterAlignment = 128;

// Where a block lies: its contents as stored, without the trailer.
struct Handle {
  std::uint64_t offset = 0, bytes = 0;

  friend bool operator==(const Handle&, const Handle&) = default;
};

std::string encode_handle(const Handle& handle);
// Returns nothing when the bytes are no handle, or more than one.
std::optional<Handle> decode_handle(std::string_view bytes);

struct Footer {
  Handle index, filter, properties;  // a length of 0: there is none
  bool partitioned = false;          // what it calls the filter is the index of several
  std::uint64_t file_bytes = 0;
};

std::array<std::uint8_t, kFooterBytes> encode_footer(const Footer& footer);
// Reads the footer of a file of that size. Refuses handles that lie outside of it.
Result<Footer> decode_footer(std::string_view bytes, std::uint64_t file_bytes);

// Whether a block of that handle, with its trailer, lies before the footer.
bool lies_inside(const Handle& handle, std::uint64_t file_bytes);

// Returns the contents as they are stored, with their trailer. A compression that gains less than an eighth is not
// used.
Result<std::string> encode_block(std::string_view contents, Compression compression, std::uint64_t offset);

// `stored` is contents and trailer. Compares the checksum if `verify` says so.
Result<Compression> check_block(std::string_view stored, std::uint64_t offset, bool verify);
// Return the length of the contents of a compressed block, and unpack them.
Result<std::uint64_t> unpacked_bytes(std::string_view stored, Compression compression);
Status unpack(std::string_view stored, Compression compression, std::span<char> into);

}  // namespace BLOOMERY_NAMESPACE::table
