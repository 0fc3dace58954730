// The keys of a file as a set. An iblt cannot list a key that was added twice, and a file may well hold a line twice.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/result.h"
#include "cli/keys.h"
#include "core/io/file.h"

namespace bloomery::cli {

// 128 bits of two hashes with seeds that are drawn anew in each run: keys that share them are taken for the same one,
// which happens by chance to one set of 10^9 keys in 10^20.
struct Digest {
  std::uint64_t high, low;
  friend auto operator<=>(const Digest&, const Digest&) = default;  // NOLINT(modernize-use-nullptr): it has none
};

// Reads the file twice: once for the digests, once for the keys. Memory: 16 to 32 bytes a key. One thread.
class DistinctKeys {
 public:
  // KEYS is a path, or - for standard input, which is copied to a temporary file.
  static Result<DistinctKeys> read(const std::string& path, KeyFormat format);

  // Calls use(key) for each key once, in the order of the file.
  Status for_each(const std::function<Status(std::string_view key)>& use);

  // Sorted, each once.
  std::span<const Digest> digests() const { return digests_; }
  std::uint64_t repeated_lines() const { return lines_ - digests_.size(); }
  // The bytes of the longest key, and the number of its line.
  std::size_t longest() const { return longest_; }
  std::uint64_t longest_line() const { return longest_line_; }

 private:
  DistinctKeys(io::File file, std::string path, KeyFormat format)
      : file_(std::move(file)), path_(std::move(path)), format_(format) {}
  Status collect();

  io::File file_;
  std::string path_;
  KeyFormat format_;
  std::vector<Digest> digests_, repeated_;
  std::uint64_t lines_ = 0, longest_line_ = 0, total_ = 0;
  std::size_t longest_ = 0;
};

Digest digest(std::string_view key);

// What is in one sorted list and not in the other.
std::vector<Digest> only_in(std::span<const Digest> one, std::span<const Digest> other);

}  // namespace bloomery::cli
