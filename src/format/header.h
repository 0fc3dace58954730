// The headers of both formats: parsed from the first bytes of a file and its real length, so that a hostile count is
// refused before anything is allocated.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "any/registry.h"
#include "bloomery/file.h"

namespace BLOOMERY_NAMESPACE::format {

inline constexpr std::size_t kRawHeader = 12;
inline constexpr std::size_t kEnvelopeHeader = 128;

// All that a header says; its geometry fits the file's length.
struct Header {
  FileInfo info;
  const any::KindEntry* kind = nullptr;
  any::GeometryWords geometry{};
  std::size_t payload_offset = 0;
  std::uint64_t payload_checksum = 0;  // envelope only
};

// `start` holds the file's first kEnvelopeHeader bytes, or all of a shorter file. Checks 1 to 6 of spec/envelope.md
// but for the payload's padding bits, or those of spec/classic.md.
Result<Header> parse_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes);
// The same of an envelope that holds an iblt, which is no filter and has no view: each door refuses what is the
// other's.
Result<Header> parse_iblt_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes);

std::array<std::uint8_t, kRawHeader> raw_header(const ClassicGeometry& geometry);
std::array<std::uint8_t, kEnvelopeHeader> envelope_header(const AnyView& view, std::optional<std::uint64_t> key_count,
                                                          std::uint64_t payload_checksum);

// The same of anything that an envelope holds.
struct Contents {
  Kind kind;
  const Hasher& hasher;
  any::GeometryWords geometry;
  std::span<const std::uint8_t> payload;
};
std::array<std::uint8_t, kEnvelopeHeader> envelope_header(const Contents& contents,
                                                          std::optional<std::uint64_t> key_count,
                                                          std::uint64_t payload_checksum);

// XXH3-64, seed 0.
std::uint64_t checksum(std::span<const std::uint8_t> bytes);

}  // namespace BLOOMERY_NAMESPACE::format
