// A checkpoint as bytes: which filter it belongs to, what a replica held of it, and where in the stream the replica
// was.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/replica/message.h"
#include "bloomery/replica/replica.h"
#include "streams/connection.h"

namespace BLOOMERY_NAMESPACE::replica {

// The most bytes of all snapshots together. A larger filter needs a CheckpointStore in the place of keys of the server.
inline constexpr std::uint64_t kMostCheckpoint = std::uint64_t{512} << 20;

struct Checkpoint {
  Hello filter = {};      // kind, hash and geometry; by the replica that wrote it
  EntryId position = {};  // all entries up to this one are in the snapshots
  std::vector<Snapshot> snapshots;
};

// 32 hexadecimal digits over a text: SipHash-2-4-128 with the secret, or XXH3 and zeros.
std::string seal_text(std::string_view text, const std::optional<Secret>& secret);

// `hello` is a message of the replica itself, which describes the filter.
Bytes encode(std::span<const std::uint8_t> hello, EntryId position, const std::vector<Snapshot>& snapshots,
             const std::optional<Secret>& secret);
// Every length is compared with what is there before memory is taken.
Result<Checkpoint> decode(std::span<const std::uint8_t> bytes, const Lineage& lineage,
                          const std::optional<Secret>& secret);

}  // namespace BLOOMERY_NAMESPACE::replica
