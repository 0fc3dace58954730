// What the commands share that have to do with iblts: build --kind iblt, set-diff, iblt-size, inspect and verify.
#pragma once

#include <optional>
#include <string>

#include "bloomery/iblt_file.h"
#include "cli/cli.h"
#include "cli/distinct.h"
#include "cli/keys.h"

namespace bloomery::cli {

// Keys of up to 31 bytes unless told otherwise. Both sides have to choose the same, so it does not follow from the
// keys.
inline constexpr std::uint32_t kDefaultKeyBytes = 32;

// --differences, --key-bytes and --estimator of `build`.
struct IbltOptions {
  std::string differences, key_bytes;
  bool estimator = false;

  void add_to(Command& command);
  bool given() const { return estimator || !differences.empty() || !key_bytes.empty(); }
};

// `build --kind iblt`.
struct IbltBuild {
  const IbltOptions& options;
  const HashOptions& hash;
  const KeyOptions& keys;
  const std::string& output;
  const EnvelopeOptions& envelope;
  bool quiet, json;
};
Status build_iblt(const IbltBuild& build);

// --key-bytes, checked.
Result<std::uint32_t> parse_key_bytes(const std::string& text, std::uint32_t fallback);

// Whether a file begins as an envelope does, and as one with an iblt.
bool is_envelope(const std::string& path);
bool is_iblt(const std::string& path);

// How inspect answers.
struct InspectStyle {
  bool json, with_name;  // with_name: one of several files
};
int inspect_iblt(const std::string& path, InspectStyle style);

// A side of a comparison: a file of keys, or an iblt file.
class Side {
 public:
  static Result<Side> open(const std::string& path, KeyFormat format, const OpenOptions& options);

  const std::string& path() const { return path_; }
  DistinctKeys* keys() { return keys_ ? &*keys_ : nullptr; }
  // nullptr of a file of keys.
  const Iblt* table() const { return file_ ? file_->table() : nullptr; }
  const StrataEstimator* estimator() const { return file_ ? file_->estimator() : nullptr; }

  // Its table, or one of its keys that can be subtracted from the other's.
  Result<Iblt> table_like(const Iblt& other);
  Result<StrataEstimator> estimator_like(const StrataEstimator& other);

 private:
  explicit Side(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::optional<DistinctKeys> keys_;
  std::optional<IbltFile> file_;
};

// Adds all of them; an error names the file and the line of a key that is too long.
Status add_keys(Iblt& table, DistinctKeys& keys, const std::string& path);

}  // namespace bloomery::cli
