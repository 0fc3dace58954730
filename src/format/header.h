// The headers of all formats: parsed from the first bytes of a file and its real length, so that a hostile count is
// refused before anything is allocated.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "any/registry.h"
#include "bloomery/file.h"

namespace BLOOMERY_NAMESPACE::format {

inline constexpr std::size_t kRawHeader = 12;
inline constexpr std::size_t kEnvelopeHeader = 128;

// All that a header says; its geometry is good and fits the file's length.
struct Header {
  FileInfo info;
  const any::KindEntry* kind = nullptr;
  any::CheckedGeometry geometry;
  std::uint64_t payload_checksum = 0;  // envelope only
};

// Returns how many bytes parse_header needs from the beginning of a file: those before the payload. `start` has the
// first kEnvelopeHeader bytes, or all of a shorter file.
std::uint64_t header_bytes(std::span<const std::uint8_t> start, std::uint64_t file_bytes) noexcept;

// `start` holds the file's first header_bytes(). Checks 1 to 6 of spec/envelope.md but for the payload's padding bits,
// or those of spec/classic.md.
Result<Header> parse_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes);
// Parses the header of an iblt, which is no filter and has no view. Each of the two functions refuses what is for the
// other.
Result<Header> parse_iblt_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes);

std::array<std::uint8_t, kRawHeader> raw_header(const ClassicGeometry& geometry);

// What an envelope holds.
struct Contents {
  Kind kind;
  Hasher hasher;
  any::GeometryWords geometry;
  std::span<const std::uint8_t> payload;
};
Contents contents_of(const AnyView& view);
// Returns header and records of a file: all bytes up to the payload, which without options are kEnvelopeHeader.
Result<std::vector<std::uint8_t>> envelope_start(const Contents& contents, std::optional<std::uint64_t> key_count,
                                                 std::uint64_t payload_checksum, const EnvelopeOptions& options = {});
// Returns these bytes for a file that gets other records: its header stays as it is, except for the offset. It neither
// reads nor changes payload and payload checksum. `start` holds a parsed header.
Result<std::vector<std::uint8_t>> with_records(std::span<const std::uint8_t> start, const Records& records,
                                               const std::optional<ChunkSums>& chunks);

// XXH3-64, seed 0.
std::uint64_t checksum(std::span<const std::uint8_t> bytes);

}  // namespace BLOOMERY_NAMESPACE::format
