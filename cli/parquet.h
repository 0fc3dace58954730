// --parquet and --key-type: filters as they stand in a Parquet column (spec/parquet.md). Used by build, query, inspect
// and verify.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/bloomery.h"
#include "cli/command.h"

namespace bloomery::cli {

// The physical types of Parquet whose values can be keys here.
enum class KeyType : std::uint8_t { bytes, int32, int64, float64 };

// What the record `keys` of an envelope calls it: "parquet-int32". Nothing for any other word.
std::optional<KeyType> key_type_of_record(std::string_view record);

// The options as given.
struct ParquetOptions {
  bool on = false;
  std::string key_type;

  // --parquet alone, for commands that ask about no keys; or with --key-type.
  void add_to(Command& command, const char* help);
  void add_with_key_type(Command& command, const char* help);

  // Refuses an unknown type, and a type without --parquet.
  Result<KeyType> type() const;
  // What else the options of `build` have to be; each has one value only in a Parquet column.
  Status check_build(Kind kind, const Hasher& hasher, bool envelope) const;
  // The size that build was asked for; with --parquet, as a number of blocks that Parquet readers take: rounded up to a
  // power of two, but for an exact number, which has to be one.
  Result<SizeSpec> size(std::uint64_t n, const SizeSpec& asked) const;
};

// Turns key lines into what is hashed: the value in Parquet's PLAIN encoding. One per stream of keys: it counts lines.
class PlainKeys {
 public:
  explicit PlainKeys(KeyType type) : type_(type) {}

  // The encoded keys, good until the next call; an error names the file and the line that is no such number.
  Result<std::span<const std::string_view>> encode(std::span<const std::string_view> lines, const std::string& file);

 private:
  KeyType type_;
  std::string file_;
  std::uint64_t lines_before_ = 0;
  std::vector<std::uint8_t> values_;
  std::vector<std::string_view> keys_;
};

// How many bytes of a file stand before the filter's own.
std::uint64_t header_bytes(const AnyView& view, Format format);

}  // namespace bloomery::cli
