#include "cli/distinct.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "bloomery/hash.h"
#include "cli/cli.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

Hasher randomly_seeded() {
  std::random_device random;
  return Hasher::xxh3(std::uint64_t{random()} << 32 | random());
}

}  // namespace

Digest digest(std::string_view key) {
  static const Hasher high = randomly_seeded(), low = randomly_seeded();
  return {high(key).bits, low(key).bits};
}

Result<DistinctKeys> DistinctKeys::read(const std::string& path, KeyFormat format) {
  Result<io::File> file = open_keys_rewindable(path);
  BLOOMERY_TRY(file);
  DistinctKeys keys(*std::move(file), path, format);
  BLOOMERY_TRY(keys.collect());
  return keys;
}

Status DistinctKeys::collect() {
  total_ = file_.is_regular() ? file_.size().value() : 0;
  Progress progress("reading", total_);
  KeyCounts counts;
  const auto take = [&](auto batch, std::uint64_t read) -> Status {
    for (const std::string_view key : batch) {
      digests_.push_back(digest(key));
      ++lines_;
      if (key.size() > longest_) longest_ = key.size(), longest_line_ = lines_;
    }
    progress.update(read);
    return {};
  };
  const std::string name = is_standard_input(path_) ? "standard input" : path_;
  const Status read = guarded([&] { return for_each_batch(file_, format_, take, &counts, name); });
  if (!read.ok())
    return named_memory(read.error(), fmt::format("the digests of more than {} keys", digests_.size()),
                        2 * sizeof(Digest) * digests_.size(), "compare parts of the keys, or iblts of them");
  std::sort(digests_.begin(), digests_.end());
  for (std::size_t i = 1; i < digests_.size(); ++i)
    if (digests_[i] == digests_[i - 1] && (repeated_.empty() || repeated_.back() != digests_[i]))
      repeated_.push_back(digests_[i]);
  digests_.erase(std::unique(digests_.begin(), digests_.end()), digests_.end());
  return {};
}

Status DistinctKeys::for_each(const std::function<Status(std::string_view key)>& use) {
  BLOOMERY_TRY(file_.rewind());
  Progress progress("reading again", total_);
  std::vector<bool> seen(repeated_.size());
  const auto comes_again = [&](std::string_view key) {
    const Digest wanted = digest(key);
    const auto found = std::lower_bound(repeated_.begin(), repeated_.end(), wanted);
    if (found == repeated_.end() || *found != wanted) return false;
    const auto number = static_cast<std::size_t>(found - repeated_.begin());
    if (seen[number]) return true;
    seen[number] = true;
    return false;
  };
  return for_each_batch(file_, format_, [&](auto batch, std::uint64_t read) -> Status {
    for (const std::string_view key : batch) {
      if (!repeated_.empty() && comes_again(key)) continue;
      BLOOMERY_TRY(use(key));
    }
    progress.update(read);
    return {};
  });
}

std::vector<Digest> only_in(std::span<const Digest> one, std::span<const Digest> other) {
  std::vector<Digest> left;
  std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(left));
  return left;
}

}  // namespace bloomery::cli
