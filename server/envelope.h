// Filters of BLM.* keys as .blm files (spec/envelope.md): their heads, and files that the server reads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/any.h"
#include "bloomery/file.h"
#include "bloomery/records.h"
#include "bloomery/result.h"

namespace bloomery::server {

// How a file names a keyed hash.
struct Keyed {
  HashId hash = HashId::siphash13;
  std::uint64_t secret_id = 0;

  friend bool operator==(const Keyed&, const Keyed&) = default;
};

// Whether a key that is added to a filter of the kind sets bits or raises counters, and changes nothing else. Bytes of
// such a filter that were read one after the other, while keys were added, hold every key that was there before.
bool only_gains(Kind kind) noexcept;

// The bytes of an envelope before its payload.
Result<std::vector<std::uint8_t>> envelope_head(const AnyView& view, std::optional<std::uint64_t> key_count,
                                                const Records& records);
// Puts the name of a keyed hash into it.
void set_hash_name(std::span<std::uint8_t> head, const Keyed& name);
// Gives the head, of so many bytes, of a file that came in parts the sum of the payload that came. In the head is the
// sum of the state in which the dump began. The parts have sums of their own, which were compared when they came, and
// may hold more bits. A damaged head, and that of a kind that does more than gain bits, stays as it is.
void sum_again(std::span<std::uint8_t> file, std::size_t head);

// A verified envelope over the bytes of its file; of its hashes alone where the setting has no secret for its keys.
Result<Decoded> verified(std::span<const std::uint8_t> file);
// The name of its hash, when it answers hashes alone.
std::optional<Keyed> keyed_of(const Decoded& decoded);
// Its filter in memory of the server.
Result<AnyFilter> copy_of(const Decoded& decoded);

// A verified envelope as a filter of the server's memory.
struct OpenedEnvelope {
  AnyFilter filter;
  Records records;
  std::optional<Keyed> keyed;
};
Result<OpenedEnvelope> open_envelope(std::span<const std::uint8_t> file);

}  // namespace bloomery::server
