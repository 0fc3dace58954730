// How a line spells a key: --keys text|int|hex|base64 (spec/keys.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/bloomery.h"
#include "cli/command.h"
#include "cli/parquet.h"

namespace bloomery::cli {

enum class Spelling : std::uint8_t { text, integer, hex, base64 };

// Returns the spelling for a word of --keys.
Result<Spelling> spelling_from_name(std::string_view name);
const char* to_string(Spelling spelling) noexcept;

// What a file says of keys that are spelled so: the record `keys`.
const char* record_of(Spelling spelling) noexcept;

// Appends the bytes of the key. False when the line spells none; then nothing is appended.
bool append_key(Spelling spelling, std::string_view line, std::vector<std::uint8_t>& to);

// What a line should be, for an error: "a whole number such as -42".
const char* example_of(Spelling spelling) noexcept;

// Turns lines into keys: as they are spelled, or as values of a Parquet column. One per stream of keys: it counts
// lines.
class KeyEncoder {
 public:
  explicit KeyEncoder(Spelling spelling, KeyType type = KeyType::bytes) : spelling_(spelling), plain_(type) {}

  // The keys, good until the next call; an error names the file and the line that spells none.
  Result<std::span<const std::string_view>> encode(std::span<const std::string_view> lines, const std::string& file);

 private:
  Spelling spelling_;
  PlainKeys plain_;
  std::string file_;
  std::uint64_t lines_before_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::size_t> ends_;
  std::vector<std::string_view> keys_;
};

// --keys and --force as given.
struct SpellingOptions {
  std::string keys;
  bool force = false;

  // --keys alone; or with --force, for commands that ask a file.
  void add_to(Command& command);
  void add_with_force(Command& command);

  // Returns nothing when --keys was not given. Refuses an unknown word, and --keys beside --parquet, which has
  // --key-type.
  Result<std::optional<Spelling>> given(const ParquetOptions& parquet = {}) const;
  // Returns the encoder of lines that spell the keys of a file with these records.
  Result<KeyEncoder> encoder_for(const Records& records, const ParquetOptions& parquet) const;
};

}  // namespace bloomery::cli
