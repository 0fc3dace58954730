// The header of Parquet's split-block Bloom filter: a Thrift struct in the compact protocol, by hand (spec/parquet.md).
// It has no magic number, so the caller must say that the bytes are one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/header.h"

namespace BLOOMERY_NAMESPACE::format {

// `start` holds the file's first bytes, kEnvelopeHeader of them or all of a shorter file. Takes the one form that
// Thrift's writers make, and refuses every other with the field it is about.
Result<Header> parse_parquet_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes);

// At most 19 bytes, for a geometry of less than 2 GiB.
std::vector<std::uint8_t> parquet_header(const SplitGeometry& geometry);

// Header and bits. Refuses what no Parquet reader would understand: another kind, hash or seed, or a size that some
// readers do not take.
Status encode_parquet(const AnyView& view, const Sink& sink);

}  // namespace BLOOMERY_NAMESPACE::format
