// Values as bytes: one header and the payloads behind it, each part with a sum of its own. RDB files, AOF rewrites,
// SCANDUMP and LOADCHUNK, COPY and digests all go through here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/result.h"
#include "server/api.h"
#include "server/value.h"

namespace bloomery::server {

// The version of what stands in RDB files; a module refuses a higher one.
inline constexpr int kEncodingVersion = 1;
// The most bytes of a part of a dump, its sum included.
inline constexpr std::size_t kMostPart = std::size_t{16} << 20;

// The header with its magic and its sum.
std::vector<std::uint8_t> header_of(const Value& value);
// The value that a header tells of, its payloads still to come. Refuses what is no header of that kind, and more than
// `most` bytes of payload.
Result<ValuePointer> value_from_header(ValueKind kind, std::span<const std::uint8_t> header, std::uint64_t most);

// Reads or writes payload bytes from a position on, counted over all payloads.
void copy_out(const Value& value, std::uint64_t offset, std::span<std::uint8_t> out);
void copy_in(Value& value, std::uint64_t offset, std::span<const std::uint8_t> bytes);

// A dump in parts. The iterator of a part is 1, more by the payload bytes up to its end, and carries the tag.
struct DumpPart {
  std::uint64_t next = 0;  // 0 at the end
  std::vector<std::uint8_t> bytes;
};
Result<DumpPart> dump_part(Value& value, std::uint64_t iterator);
inline bool is_header_part(std::uint64_t iterator) { return (iterator & ((std::uint64_t{1} << 40) - 1)) == 1; }
// Takes a part into a value that is loading. Parts come in order; one that was taken already changes nothing. When the
// last one makes no usable value, `loaded` says that all bytes have come, and the value is of no use.
Status load_part(Value& value, std::uint64_t iterator, std::span<const std::uint8_t> part);

Result<ValuePointer> copy_value(const Value& value);
void digest_value(Digest* digest, const Value& value);
void save_value(Io* io, const Value& value);
Result<ValuePointer> load_value(Io* io, ValueKind kind);
// As commands that load it again.
void rewrite_value(Io* io, String* key, const Value& value, const char* load_command);

}  // namespace bloomery::server
