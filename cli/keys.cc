#include "cli/keys.h"

#include <unistd.h>

#include <cstring>

namespace bloomery::cli {

Result<std::span<const std::string_view>> KeyReader::next() {
  keys_.clear();
  if (pending_ > 0) {
    std::memmove(block_.data(), block_.data() + pending_, used_ - pending_);
    used_ -= pending_;
    pending_ = 0;
  }
  while (keys_.empty() && !at_end_) {
    if (used_ == block_.size()) block_.resize(block_.size() * 2);
    Result<std::size_t> got = file_.read_some(std::span(block_).subspan(used_));
    BLOOMERY_TRY(got);
    bytes_read_ += *got;
    at_end_ = *got == 0;
    const std::size_t from = used_;
    used_ += *got;
    split(from);
  }
  if (at_end_ && used_ > pending_) {  // the last key needs no delimiter
    keys_.emplace_back(reinterpret_cast<const char*>(block_.data()) + pending_, used_ - pending_);
    pending_ = used_;
  }
  return std::span<const std::string_view>(keys_);
}

// Takes the finished keys of block_[pending_, used_); no delimiter stands before `from`.
void KeyReader::split(std::size_t from) {
  const char* data = reinterpret_cast<const char*>(block_.data());
  while (const void* found = std::memchr(data + from, delimiter_, used_ - from)) {
    const std::size_t end = static_cast<std::size_t>(static_cast<const char*>(found) - data);
    keys_.emplace_back(data + pending_, end - pending_);
    pending_ = from = end + 1;
  }
}

bool is_standard_input(const std::string& path) { return path.empty() || path == "-"; }

Result<io::File> open_keys(const std::string& path) {
  if (is_standard_input(path)) return io::File::borrowed(STDIN_FILENO, "standard input");
  return io::File::open_read(path);
}

Result<io::File> open_keys_rewindable(const std::string& path) {
  Result<io::File> keys = open_keys(path);
  if (!keys.ok() || (keys->is_regular() && keys->rewind().ok())) return keys;
  Result<io::File> spool = io::File::temporary();
  BLOOMERY_TRY(spool);
  std::vector<std::uint8_t> block(std::size_t{256} << 10);
  for (;;) {
    Result<std::size_t> got = keys->read_some(block);
    BLOOMERY_TRY(got);
    if (*got == 0) break;
    if (Status status = spool->write_all(std::span(block).first(*got)); !status.ok()) {
      Error error = std::move(status).error();
      error.message += "; the keys are kept there while they are counted: set TMPDIR to a larger folder, or give -n";
      return error;
    }
  }
  BLOOMERY_TRY(spool->rewind());
  return spool;
}

Status for_each_batch(io::File& file, char delimiter, const UseKeys& use) {
  KeyReader reader(file, delimiter);
  for (;;) {
    Result<std::span<const std::string_view>> keys = reader.next();
    BLOOMERY_TRY(keys);
    if (keys->empty()) return {};
    BLOOMERY_TRY(use(*keys, reader.bytes_read()));
  }
}

}  // namespace bloomery::cli
