// Records between the header of an envelope and its payload (spec/envelope.md): from bytes and to bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/records.h"

namespace BLOOMERY_NAMESPACE::format {

inline constexpr std::uint64_t kOffsetUnit = 64;
inline constexpr std::uint64_t kMostOffset = std::uint64_t{4} << 20;

struct ParsedRecords {
  Records records;
  std::optional<ChunkSums> chunks;
};

// The records of a filter that is merged from many: those of each input are added, in any order. The result has no
// `keys` once an input has none, yet all inputs that have them must have the same.
class MergedRecords {
 public:
  // Refuses records whose `keys` differ from those of an input before.
  Status add(const Records& input);
  // The records of the merge so far. Those of a single input are as they were.
  const Records& records() const { return records_; }

 private:
  Records records_;
  Records typed_;  // has the first `keys` of an input, and nothing else
  bool empty_ = true;
};

// Parses the records; `area` is all bytes from the header to the payload.
Result<ParsedRecords> parse_records(std::span<const std::uint8_t> area);
// Checks that there are as many sums as a payload of that length has chunks.
Status check_chunks(const ChunkSums& chunks, std::uint64_t payload_bytes);

// The records one behind the other, and nothing behind the last. Refuses what no reader would take.
Result<std::vector<std::uint8_t>> encode_records(const Records& records, const std::optional<ChunkSums>& chunks);
// Returns where the payload begins behind a header and `record_bytes` of records.
Result<std::uint64_t> payload_offset(std::uint64_t record_bytes, const EnvelopeOptions& options);

// Sums the payload in chunks of `chunk_bytes`; 0: the smallest size whose record is short enough.
Result<ChunkSums> sum_chunks(std::span<const std::uint8_t> payload, std::uint64_t chunk_bytes);
// Compares the chunks that the range touches; the error names the first that differs.
Status compare_chunks(const ChunkSums& chunks, std::span<const std::uint8_t> payload, std::uint64_t offset,
                      std::uint64_t bytes);

}  // namespace BLOOMERY_NAMESPACE::format
