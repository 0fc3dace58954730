// Keys from a file or a stream, one a line (or NUL-terminated), in batches and with bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/result.h"
#include "cli/command.h"
#include "core/io/file.h"

namespace bloomery::cli {

// How keys stand in a file.
struct KeyFormat {
  KeyFormat(char end = '\n', bool without_cr = false) : delimiter(end), strip_cr(without_cr) {}

  char delimiter;
  bool strip_cr;                  // a CR at the end of a line is no part of the key
  bool warns = true;              // of lines that end in CR
  const char* last_part = "key";  // of a line, to which such a CR would belong
};

// What was met while reading.
struct KeyCounts {
  std::uint64_t lines = 0, empty = 0, with_cr = 0;  // with_cr: those that end in CR, stripped or not

  void add(const KeyCounts& other);
};

// -0, --crlf and KEYS, of the commands that read keys.
struct KeyOptions {
  std::vector<std::string> files;  // standard input when there are none
  bool nul = false, crlf = false;

  void add_to(Command& command, const char* nul_help = "Keys end in NUL instead of LF");
  void add_files_to(Command& command);
  KeyFormat format() const { return {nul ? '\0' : '\n', crlf && !nul}; }
};

// Splits a stream into keys. A batch is what one read brought, so keys typed at a terminal are answered at once; the
// views are good until the next call. Memory: one block, or the longest key.
class KeyReader {
 public:
  KeyReader(io::File& file, KeyFormat format) : file_(file), format_(format), block_(kBlock) {}

  // The next keys; none at the end.
  Result<std::span<const std::string_view>> next();
  std::uint64_t bytes_read() const { return bytes_read_; }
  const KeyCounts& counts() const { return counts_; }

 private:
  static constexpr std::size_t kBlock = std::size_t{256} << 10;

  void split(std::size_t from);
  void take(const char* key, std::size_t bytes);

  io::File& file_;
  KeyFormat format_;
  std::vector<std::uint8_t> block_;
  std::size_t used_ = 0;     // bytes in block_
  std::size_t pending_ = 0;  // where the unfinished key starts
  bool at_end_ = false;
  std::uint64_t bytes_read_ = 0;
  KeyCounts counts_;
  std::vector<std::string_view> keys_;
};

// Whether KEYS means standard input: "-" or "".
bool is_standard_input(const std::string& path);
// Opens KEYS: a path, or standard input.
Result<io::File> open_keys(const std::string& path);
// Opens KEYS so that they can be read twice: a stream is copied to an unnamed temporary file first. Where that has no
// room, the error names TMPDIR, and then what else would help.
Result<io::File> open_keys_rewindable(const std::string& path, const std::string& or_else = {});

// Calls use(keys, bytes read so far) for each batch until the end. With `counts`, adds to them, and warns of lines that
// end in CR where that is taken for a part of the key; of the file by `name`, or its own.
using UseKeys = std::function<Status(std::span<const std::string_view> keys, std::uint64_t bytes_read)>;
Status for_each_batch(io::File& file, KeyFormat format, const UseKeys& use, KeyCounts* counts = nullptr,
                      const std::string& name = {});

// Several files of keys, one after the other. All are opened at once, so that a missing one is known before any work.
class KeyFiles {
 public:
  static Result<KeyFiles> open(const KeyOptions& options);
  // Opens them so that count() can be called.
  static Result<KeyFiles> open_to_count(const KeyOptions& options);

  // The bytes of all files together; 0 when one of them is a stream.
  std::uint64_t bytes() const;
  // Calls use(keys, bytes read so far of all, name of the file). Counts and warns when it is to.
  using Use =
      std::function<Status(std::span<const std::string_view> keys, std::uint64_t bytes_read, const std::string& name)>;
  Status for_each_batch(const Use& use);
  // How many keys there are, without looking at them; then all can be read from their start. Of files that were opened
  // to be counted. Calls progress(bytes read so far of all).
  Result<std::uint64_t> count(const std::function<void(std::uint64_t bytes_read)>& progress);
  const KeyCounts& counts() const { return counts_; }
  // "of 100 lines: 3 lines empty, 5 lines repeated", for people; empty when there is nothing to say. `distinct` keys
  // were found: exactly, or about so many, and then a few more or less are not spoken of.
  std::string remarks(std::uint64_t distinct, bool exactly) const;

 private:
  explicit KeyFiles(KeyFormat format) : format_(format) {}
  using Open = std::function<Result<io::File>(const std::string& path)>;
  static Result<KeyFiles> open_with(const KeyOptions& options, const Open& open);

  KeyFormat format_;
  std::vector<io::File> files_;
  std::vector<std::string> names_;  // of a stream that was copied to a temporary file, that of the stream
  KeyCounts counts_;
};

}  // namespace bloomery::cli
