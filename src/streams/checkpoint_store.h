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
  std::string token;   // of the names of the parts
  std::string before;  // the token of the checkpoint before, or empty
  EntryId position;
  std::size_t parts = 0;  // 0: the bytes lie in the user's store, under the token
  std::uint64_t bytes = 0;
  std::vector<Position> covered;  // deltas that are in it
};

// Who may have written it: an error where the seal is not that of the secret. Bridges, which have none, ask nothing.
struct PointerCheck {
  const std::optional<Secret>* secret = nullptr;
};
// Returns nothing where no checkpoint was ever written. An error of the field `checkpoint` is about what the pointer
// says.
Result<std::optional<CheckpointPointer>> read_pointer(Connection& connection, const Names& names, PointerCheck check);
// The bytes of that checkpoint, or nothing where they are gone, because a newer one has taken its place.
Result<std::optional<Bytes>> read_bytes(Connection& connection, const Names& names, const CheckpointPointer& pointer,
                                        CheckpointStore* store);

// A checkpoint of another site, under names of its own, which expire after an hour.
struct CheckpointCopy {
  std::string token;
  std::size_t parts = 0;
  std::uint64_t bytes = 0;

  static std::optional<CheckpointCopy> parse(std::string_view text);
  std::string to_string() const;
};
// Returns nothing when a part is gone.
Result<std::optional<Bytes>> read_copy(Connection& connection, const Names& names, const CheckpointCopy& copy);
Result<CheckpointCopy> write_copy(Connection& connection, const Names& names, std::span<const std::uint8_t> bytes);

struct CheckpointWrite {
  EntryId position;
  std::vector<Position> covered;
  std::size_t part_bytes = 0;
  std::uint64_t stream_cap = 0;
  bool stream_full =
      false;  // then one at the same position may take the place of another, so that the stream is trimmed
  const std::optional<Secret>& secret;
  CheckpointStore* store = nullptr;
};
// Writes parts and moves the pointer from `before` on, forward only; then trims the stream. False: somebody else moved
// it or is further, or the parts were lost.
Result<bool> write_checkpoint(Connection& connection, const Names& names,
                              const std::optional<CheckpointPointer>& before, const CheckpointWrite& write,
                              std::span<const std::uint8_t> bytes);

}  // namespace BLOOMERY_NAMESPACE::replica
