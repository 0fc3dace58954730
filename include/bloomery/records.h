// What an envelope says beside its filter: a label, when the filter was created, what its keys are, and sums of its
// chunks (spec/envelope.md, "Records"). Files have no record unless a program asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// A record of a type that this version does not know, as it stands in the file.
struct UnknownRecord {
  std::uint16_t type = 0;
  std::uint16_t flags = 0;
  std::vector<std::uint8_t> contents;

  friend bool operator==(const UnknownRecord&, const UnknownRecord&) = default;
};

// The records that a program may set. It is a plain value; what is not set is not written.
struct Records {
  // A name for people: 1 to 255 bytes of UTF-8 without control characters.
  std::optional<std::string> label = {};
  // When the payload was created, in Unix seconds.
  std::optional<std::uint64_t> created = {};
  // What the keys are (spec/keys.md): "text", "bytes", "int", "parquet-int32", "user:NAME".
  std::optional<std::string> keys = {};
  // Records of other programs, kept when the file is written again.
  std::vector<UnknownRecord> unknown = {};

  // Returns the records that stay true when the payload changes. Throws std::bad_alloc.
  BLOOMERY_API Records after_change() const;
  // Returns the records of the union of two filters. Refuses filters whose records name different types of keys.
  BLOOMERY_API static Result<Records> merged(const Records& a, const Records& b);
  // Refuses the type if the records name another type of keys. Records that name none accept every type.
  BLOOMERY_API Status expect_keys(std::string_view type) const;

  friend bool operator==(const Records&, const Records&) = default;
};

// XXH3 of each chunk of a payload, by which a part of it can be verified alone.
struct ChunkSums {
  std::uint64_t chunk_bytes = 0;
  std::vector<std::uint64_t> sums;

  friend bool operator==(const ChunkSums&, const ChunkSums&) = default;
};

// How an envelope is written, beside its filter.
struct EnvelopeOptions {
  Records records = {};
  // Also writes a sum of each chunk of the payload, for UnverifiedFile::verify_range; an error then names the damaged
  // chunk.
  bool chunks = false;
  // The bytes of a chunk: 4096 * 2^j, or 0 for the smallest that spec/envelope.md allows.
  std::uint64_t chunk_bytes = 0;
  // The payload starts at a multiple of this power of two from 64 to 4 MiB. With 2 MiB a mapped payload can lie in huge
  // pages.
  std::uint64_t align = 64;
  // The payload starts at this offset if the records fit before it, whatever align says: for a file that is rewritten.
  // It is 0 for a new file.
  std::uint64_t payload_offset = 0;
};

}  // namespace BLOOMERY_NAMESPACE
