#include "cli/keys.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "cli/cli.h"
#include "cli/output.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kFirstLines = 10;  // so many tell what the others will be like

std::string lines_text(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " line" : " lines"); }

// How often the byte comes. Sums of one byte each, as many as cannot overflow, are what compilers make vectors of.
std::uint64_t count_bytes(std::span<const std::uint8_t> bytes, std::uint8_t wanted) {
  constexpr std::size_t kLanes = 64, kRounds = 255;
  std::uint64_t count = 0;
  while (bytes.size() >= kLanes) {
    std::array<std::uint8_t, kLanes> sums{};
    const std::size_t rounds = std::min(kRounds, bytes.size() / kLanes);
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < kLanes; ++i)
        sums[i] = static_cast<std::uint8_t>(sums[i] + (bytes[round * kLanes + i] == wanted));
    for (const std::uint8_t sum : sums) count += sum;
    bytes = bytes.subspan(rounds * kLanes);
  }
  return count + static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), wanted));
}

// Warns of lines that end in CR: at once when the first lines of a file all end so, and at the end with the count.
class CrWarning {
 public:
  CrWarning(std::string name, KeyFormat format)
      : name_(std::move(name)),
        part_(format.last_part),
        off_(!format.warns || format.strip_cr || format.delimiter == '\0') {}

  void first_batch(const KeyCounts& counts) {
    if (off_ || counts.lines < kFirstLines || counts.with_cr != counts.lines) return;
    warn(name_ + ": all of the first " + lines_text(counts.lines) + " end in CR, which is taken for a part of each " +
         part_ + kMend);
    early_ = true;
  }
  void end(const KeyCounts& counts) const {
    if (off_ || counts.with_cr == 0) return;
    warn(name_ + ": " + std::to_string(counts.with_cr) + " of " + lines_text(counts.lines) + " ended in CR" +
         (early_ ? "" : ", which was taken for a part of the " + part_ + kMend));
  }

 private:
  static constexpr const char* kMend = "; give --crlf to strip it";

  std::string name_, part_;
  bool off_, early_ = false;
};

}  // namespace

void KeyCounts::add(const KeyCounts& other) {
  lines += other.lines;
  empty += other.empty;
  with_cr += other.with_cr;
}

void KeyOptions::add_to(Command& command, const char* nul_help) {
  command.flag("-0", nul, nul_help);
  command.flag("--crlf", crlf, "Lines end in CR LF: the CR is no part of the key");
}

void KeyOptions::add_files_to(Command& command) {
  command.argument("KEYS", &files, "Files of keys; standard input when none or '-'");
}

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
    take(reinterpret_cast<const char*>(block_.data()) + pending_, used_ - pending_);
    pending_ = used_;
  }
  return std::span<const std::string_view>(keys_);
}

// Takes the finished keys of block_[pending_, used_); no delimiter stands before `from`.
void KeyReader::split(std::size_t from) {
  const char* const data = reinterpret_cast<const char*>(block_.data());
  const char *key = data + pending_, *at = data + from, *const end = data + used_;
  const char delimiter = format_.delimiter;
  while (const void* found = std::memchr(at, delimiter, static_cast<std::size_t>(end - at))) {
    at = static_cast<const char*>(found);
    take(key, static_cast<std::size_t>(at - key));
    key = ++at;
  }
  pending_ = static_cast<std::size_t>(key - data);
}

void KeyReader::take(const char* key, std::size_t bytes) {
  const bool cr = bytes > 0 && key[bytes - 1] == '\r';
  if (cr && format_.strip_cr) --bytes;
  ++counts_.lines;
  counts_.with_cr += cr ? 1 : 0;
  counts_.empty += bytes == 0 ? 1 : 0;
  keys_.emplace_back(key, bytes);
}

bool is_standard_input(const std::string& path) { return path.empty() || path == "-"; }

Result<io::File> open_keys(const std::string& path) {
  if (!is_standard_input(path)) return io::File::open_read(path);
  if (::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1)
    tell("keys from the terminal, one a line; Ctrl-D ends them\n");
  return io::File::borrowed(STDIN_FILENO, "standard input");
}

Result<io::File> open_keys_rewindable(const std::string& path, const std::string& or_else) {
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
      error.message += "; the keys are kept there to be read twice: set TMPDIR to a larger folder" + or_else;
      return error;
    }
  }
  BLOOMERY_TRY(spool->rewind());
  return spool;
}

Status for_each_batch(io::File& file, KeyFormat format, const UseKeys& use, KeyCounts* counts,
                      const std::string& name) {
  KeyReader reader(file, format);
  CrWarning warning(name.empty() ? file.name() : name, format);
  for (bool first = true;; first = false) {
    Result<std::span<const std::string_view>> keys = reader.next();
    BLOOMERY_TRY(keys);
    if (keys->empty()) break;
    if (first && counts != nullptr) warning.first_batch(reader.counts());
    BLOOMERY_TRY(use(*keys, reader.bytes_read()));
  }
  if (counts == nullptr) return {};
  warning.end(reader.counts());
  counts->add(reader.counts());
  return {};
}

Result<KeyFiles> KeyFiles::open(const KeyOptions& options) { return open_with(options, open_keys); }

Result<KeyFiles> KeyFiles::open_to_count(const KeyOptions& options) {
  return open_with(options, [](const std::string& path) { return open_keys_rewindable(path, ", or give -n"); });
}

Result<KeyFiles> KeyFiles::open_with(const KeyOptions& options, const Open& open) {
  KeyFiles all(options.format());
  const std::vector<std::string> standard_input = {"-"};
  for (const std::string& path : options.files.empty() ? standard_input : options.files) {
    Result<io::File> file = open(path);
    BLOOMERY_TRY(file);
    all.files_.push_back(*std::move(file));
    all.names_.push_back(is_standard_input(path) ? "standard input" : path);
  }
  return all;
}

std::uint64_t KeyFiles::bytes() const {
  std::uint64_t sum = 0;
  for (const io::File& file : files_) {
    if (!file.is_regular()) return 0;
    sum += file.size().value();
  }
  return sum;
}

Status KeyFiles::for_each_batch(const Use& use) {
  std::uint64_t before = 0, last = 0;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto with_name = [&](std::span<const std::string_view> keys, std::uint64_t read) {
      last = read;
      return use(keys, before + read, names_[i]);
    };
    BLOOMERY_TRY(cli::for_each_batch(files_[i], format_, with_name, &counts_, names_[i]));
    before += last;
    last = 0;
  }
  return {};
}

Result<std::uint64_t> KeyFiles::count(const std::function<void(std::uint64_t bytes_read)>& progress) {
  std::vector<std::uint8_t> block(std::size_t{256} << 10);
  std::uint64_t keys = 0, read = 0;
  for (io::File& file : files_) {
    auto last = static_cast<std::uint8_t>(format_.delimiter);
    for (;;) {
      const Result<std::size_t> got = file.read_some(block);
      BLOOMERY_TRY(got);
      if (*got == 0) break;
      keys += count_bytes(std::span(block).first(*got), static_cast<std::uint8_t>(format_.delimiter));
      last = block[*got - 1];
      progress(read += *got);
    }
    if (last != static_cast<std::uint8_t>(format_.delimiter)) ++keys;  // the last key of a file needs no delimiter
  }
  for (io::File& file : files_) BLOOMERY_TRY(file.rewind());  // when all are read: two may be one stream
  return keys;
}
std::string KeyFiles::remarks(std::uint64_t distinct, bool exactly) const {
  std::uint64_t repeated = distinct < counts_.lines ? counts_.lines - distinct : 0;
  if (!exactly && repeated < counts_.lines / 20) repeated = 0;  // an estimate may be off by some percent
  std::string text;
  if (counts_.empty > 0) text += lines_text(counts_.empty) + " empty";
  if (repeated > 0)
    text += (text.empty() ? "" : ", ") + std::string(exactly ? "" : "about ") + lines_text(repeated) + " repeated";
  return text.empty() ? text : "of " + lines_text(counts_.lines) + ": " + text;
}

}  // namespace bloomery::cli
