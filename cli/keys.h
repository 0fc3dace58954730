// Keys from a file or a stream, one a line (or NUL-terminated), in batches and with bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/result.h"
#include "core/io/file.h"

namespace bloomery::cli {

// Splits a stream into keys. A batch is what one read brought, so keys typed at a terminal are answered at once; the
// views are good until the next call. Memory: one block, or the longest key.
class KeyReader {
 public:
  KeyReader(io::File& file, char delimiter) : file_(file), delimiter_(delimiter), block_(kBlock) {}

  // The next keys; none at the end.
  Result<std::span<const std::string_view>> next();
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  static constexpr std::size_t kBlock = std::size_t{256} << 10;

  void split(std::size_t from);

  io::File& file_;
  char delimiter_;
  std::vector<std::uint8_t> block_;
  std::size_t used_ = 0;     // bytes in block_
  std::size_t pending_ = 0;  // where the unfinished key starts
  bool at_end_ = false;
  std::uint64_t bytes_read_ = 0;
  std::vector<std::string_view> keys_;
};

// Whether KEYS means standard input: "-" or "".
bool is_standard_input(const std::string& path);
// Opens KEYS: a path, or standard input.
Result<io::File> open_keys(const std::string& path);
// The same, as something that can be read twice: a stream is copied to an unnamed temporary file first.
Result<io::File> open_keys_rewindable(const std::string& path);

// Calls use(keys, bytes read so far) for each batch until the end.
using UseKeys = std::function<Status(std::span<const std::string_view> keys, std::uint64_t bytes_read)>;
Status for_each_batch(io::File& file, char delimiter, const UseKeys& use);

}  // namespace bloomery::cli
