// Checkpoints among the keys of a server: parts under fresh names, then one compare-and-set moves the pointer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "streams/checkpoint.h"
#include "streams/connection.h"
#include "streams/names.h"

namespace BLOOMERY_NAMESPACE::replica {

// What the pointer says.
struct CheckpointPointer {
  std::string token;  // of the names of the parts
  EntryId position;
  std::size_t parts = 0;
  std::uint64_t bytes = 0;
  std::vector<Position> covered;  // deltas that are in it
};

// Nothing where no checkpoint was ever written.
Result<std::optional<CheckpointPointer>> read_pointer(Connection& connection, const Names& names);
// The bytes of the newest checkpoint, or nothing where there is none.
Result<std::optional<Bytes>> read_checkpoint(Connection& connection, const Names& names);

// A checkpoint of another site, under names of its own, which expire after an hour.
struct CheckpointCopy {
  std::string token;
  std::size_t parts = 0;
  std::uint64_t bytes = 0;

  static std::optional<CheckpointCopy> parse(std::string_view text);
  std::string to_string() const;
};
// Nothing when a part is gone.
Result<std::optional<Bytes>> read_copy(Connection& connection, const Names& names, const CheckpointCopy& copy);
Result<CheckpointCopy> write_copy(Connection& connection, const Names& names, std::span<const std::uint8_t> bytes);

struct CheckpointWrite {
  EntryId position;
  std::vector<Position> covered;
  std::size_t part_bytes = 0;
  std::uint64_t stream_cap = 0;
};
// Writes parts and moves the pointer from `before` on, forward only; then trims the stream to the position of the
// checkpoint before. False: somebody else moved it, or the parts were lost.
Result<bool> write_checkpoint(Connection& connection, const Names& names,
                              const std::optional<CheckpointPointer>& before, const CheckpointWrite& write,
                              std::span<const std::uint8_t> bytes);

}  // namespace BLOOMERY_NAMESPACE::replica
