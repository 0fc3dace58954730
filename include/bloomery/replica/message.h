// The messages of replicas as bytes: six types under one header (spec/replica.md). Nothing here opens a socket or keeps
// state; Replica (replica.h) writes and takes messages, and a transport carries them. All types are plain values, and
// all functions may be called from any thread.
//
//   auto bytes = replica::write({header, replica::Delta{.window = 0, .hashes = hashes}}, secret);
//   auto message = replica::parse(*bytes, secret);   // every length was checked before memory was taken
//   if (!message.ok()) refused[message.error().field] += 1;
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bloomery/export.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::replica {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = 64, kMacBytes = 16;
// Caps that every reader applies before it takes memory, and every writer keeps.
inline constexpr std::size_t kMostBody = std::size_t{2} << 20;
inline constexpr std::size_t kMostHashes = std::size_t{1} << 17;   // of a delta
inline constexpr std::size_t kMostPositions = 1024;                // of a list of positions
inline constexpr std::size_t kMostMembers = 1024;                  // of a configuration
inline constexpr std::size_t kMostDigests = std::size_t{1} << 16;  // of a digest message
inline constexpr std::size_t kMostChunks = 256;                    // of a message of chunks, or of lines
inline constexpr std::size_t kChunkBytes = 4096, kLineBytes = 64, kLines = kChunkBytes / kLineBytes;

// The 128 random bits that replicas of one filter share. They are drawn once, together with geometry and hash; another
// size is another lineage.
struct Lineage {
  std::array<std::uint8_t, 16> bytes{};

  // 32 hexadecimal digits.
  BLOOMERY_API static Result<Lineage> from_hex(std::string_view text);
  BLOOMERY_API std::string to_hex() const;
  friend auto operator<=>(const Lineage&, const Lineage&) = default;
};

// All deltas of an origin and incarnation up to a sequence number, without a gap.
struct Position {
  std::uint64_t origin = 0, incarnation = 0, sequence = 0;
  friend auto operator<=>(const Position&, const Position&) = default;  // NOLINT(modernize-use-nullptr): no pointer
};

enum class Type : std::uint8_t { hello = 1, delta = 2, digest = 3, chunks = 4, acknowledgement = 5, member = 6 };
BLOOMERY_API const char* to_string(Type type) noexcept;

// The header before every body.
struct Header {
  std::uint8_t version = kVersion;
  std::uint8_t needs = kVersion;  // the oldest version whose readers understand the message
  Lineage lineage = {};
  std::uint64_t origin = 0;       // the replica that wrote the message
  std::uint64_t incarnation = 0;  // differs after each start of that replica
  // In a delta its number, counted from 1 without a gap in each incarnation. In other messages the number of the last
  // delta that the origin had written by then: a receiver that has fewer deltas lacks something.
  std::uint64_t sequence = 0;
  std::uint32_t generation = 0;  // of the newest configuration of members that the origin knows; 0: none
  friend bool operator==(const Header&, const Header&) = default;
};

// Says who the sender is, which filter it holds, and what it has applied.
struct Hello {
  std::uint16_t kind = 0, hash = 0;     // the numbers of spec/envelope.md and spec/hash.md
  std::uint64_t seed = 0;               // or the id of the secret of a keyed hash
  std::vector<std::uint64_t> geometry;  // the numbers of the kind, at most 8
  std::uint64_t window = 0;             // the newest window of a rotating filter, else 0
  bool whole = false;                   // as Replica::whole
  bool asks = false;                    // the sender wants a hello in answer
  std::vector<Position> positions;      // what it has applied
  friend bool operator==(const Hello&, const Hello&) = default;
};

// The hashes of keys that were new to the origin. `write` sorts them and drops equal ones.
struct Delta {
  std::uint64_t window = 0;  // the one they were added in; 0 without rotation
  std::vector<Hash> hashes;  // 1 to kMostHashes
  friend bool operator==(const Delta&, const Delta&) = default;
};

// One step of a repair (spec/replica.md). The replica that is repaired sends ask or estimator, gets plain or table,
// finds out which chunks differ, sends lines, and gets chunks.
struct Digest {
  enum class Form : std::uint8_t {
    ask = 1,        // wants plain from chunk `first` on (count 0), or a table for `count` differences
    estimator = 2,  // the strata of its (chunk, digest) pairs; wants a table that fits, or plain
    plain = 3,      // digests of `count` chunks from `first` on
    table = 4,      // an iblt of `count` cells over the (chunk, digest) pairs of all chunks
    lines = 5,      // of each of `count` chunks its number and a digest of each line
  };
  std::uint64_t window = 0;
  std::uint64_t request = 0;  // chosen by the replica that is repaired; answers repeat it
  std::uint64_t chunks = 0;   // of the filter
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  Form form = Form::ask;
  bool whole = false;        // in an answer: the "no" of its origin counted in a quorum when it began to compute it
  std::uint64_t newest = 0;  // in an answer: the newest window of its origin
  std::vector<std::uint8_t> contents;  // as long as form and count say
  std::vector<Position> positions;     // in an answer: what its origin had applied when it began to compute it
  friend bool operator==(const Digest&, const Digest&) = default;
};

// Lines of chunks that differ, in answer to lines.
struct Chunks {
  struct Entry {
    std::uint64_t chunk = 0;
    std::uint64_t mask = 0;           // bit i: line i is here
    std::vector<std::uint8_t> lines;  // kLineBytes for each bit of the mask; past the payload's end zeros
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::uint64_t window = 0, request = 0, chunks = 0;
  std::vector<Entry> entries;  // at most kMostChunks
  friend bool operator==(const Chunks&, const Chunks&) = default;
};

// Says what its origin has applied of each origin, without a gap.
struct Acknowledgement {
  bool whole = false;
  std::vector<Position> positions;
  friend bool operator==(const Acknowledgement&, const Acknowledgement&) = default;
};

// The members, how many of them an add waits for (w), and how many a "no" needs (r).
struct Configuration {
  std::uint32_t generation = 0;  // 1, 2, ..
  std::uint16_t w = 1, r = 1;
  std::vector<std::uint64_t> members;  // origins, sorted, each once
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

// Says what its origin knows of the members: the configuration in force and, during a change, the next one.
struct Member {
  bool ready = false;                         // for the next one: its origin is repaired as the change wants it
  std::vector<Configuration> configurations;  // 1 or 2, the one in force first
  friend bool operator==(const Member&, const Member&) = default;
};

using Body = std::variant<Hello, Delta, Digest, Chunks, Acknowledgement, Member>;

struct Message {
  Header header;
  Body body;
  Type type() const { return static_cast<Type>(body.index() + 1); }
  friend bool operator==(const Message&, const Message&) = default;
};

// Returns the bytes of a message, with a MAC when there is a secret. Refuses what a reader would refuse.
BLOOMERY_API Result<Bytes> write(Message message, const std::optional<Secret>& secret = {});

// Reads a message. The `field` of an error says what was refused: magic, version, type, flags, length, checksum, mac,
// or the field of the body. With a secret a message needs its MAC; without one a message that has a MAC is refused,
// because it cannot be checked.
BLOOMERY_API Result<Message> parse(std::span<const std::uint8_t> bytes, const std::optional<Secret>& secret = {});

// The header and the type of a message. parse_header checks all that parse checks, except the body.
struct Envelope {
  Header header;
  Type type = Type::hello;
};
BLOOMERY_API Result<Envelope> parse_header(std::span<const std::uint8_t> bytes,
                                           const std::optional<Secret>& secret = {});

}  // namespace BLOOMERY_NAMESPACE::replica
