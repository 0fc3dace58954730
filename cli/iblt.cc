// build --kind iblt, and what set-diff and iblt-size open.
#include "cli/iblt.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "cli/filter_file.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/replace.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace bloomery::cli {
namespace {

constexpr std::array<std::uint8_t, 4> kEnvelope = {0x89, 'B', 'L', 'M'};

std::array<std::uint8_t, 12> first_bytes(const std::string& path) {
  std::array<std::uint8_t, 12> start{};
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};  // who opens a FIFO and closes it cuts its writer off
  Result<io::File> file = io::File::open_regular(path);
  if (file.ok() && file->size().value() >= start.size() && file->read_exactly(start).ok()) return start;
  return {};
}

Result<Iblt> empty_table(const IbltBuild& build, const Hasher& hasher) {
  if (build.options.differences.empty())
    return invalid_argument("differences",
                            "an iblt is sized by how many keys may differ: give --differences D, which 'bloomery "
                            "iblt-size A B' tells, or --estimator to find out");
  Result<std::uint64_t> d = parse_count("differences", build.options.differences);
  BLOOMERY_TRY(d);
  Result<std::uint32_t> key_bytes = parse_key_bytes(build.options.key_bytes, kDefaultKeyBytes);
  BLOOMERY_TRY(key_bytes);
  Result<IbltGeometry> geometry = IbltGeometry::for_differences(*d, *key_bytes, 0, true);
  BLOOMERY_TRY(geometry);
  return Iblt::with_geometry(*geometry, hasher);
}

std::string ability_of(const Iblt& table) {
  return fmt::format("lists {} differences with probability {}", table.geometry().capacity(), IbltGeometry::kSuccess);
}
std::string ability_of(const StrataEstimator&) {
  return "tells how many keys differ: compare two with 'bloomery iblt-size'";
}

Status add_all(Iblt& table, DistinctKeys& keys, const std::string& path) { return add_keys(table, keys, path); }
Status add_all(StrataEstimator& estimator, DistinctKeys& keys, const std::string&) {
  return keys.for_each([&](std::string_view key) -> Status {
    estimator.add(key);
    return {};
  });
}

template <class Sketch>
Status fill_and_save(Result<Sketch> sketch, const IbltBuild& build) {
  BLOOMERY_TRY(sketch);
  // A place that cannot be written to shall be noticed before the work, not after it.
  BLOOMERY_TRY(io::AtomicFile::create(build.output));
  if (build.keys.files.size() > 1)
    return invalid_argument("keys",
                            "an iblt is built from one file of keys: bring them together first (cat A B | ...)");
  const std::string path = build.keys.files.empty() ? "-" : build.keys.files.front();
  Result<DistinctKeys> keys = DistinctKeys::read(path, build.keys.format());
  BLOOMERY_TRY(keys);
  BLOOMERY_TRY(add_all(*sketch, *keys, path));
  Status saved = replace(build.output, [&] { return save(build.output, *sketch, build.envelope); });
  if (!saved.ok() || build.quiet) return saved;
  // The bytes of the file that was written; for a device, those that a file without records would have.
  const std::uint64_t written = size_of_file(build.output);
  const std::uint64_t bytes = written > 0 ? written : 128 + sketch->geometry().payload_bytes();
  if (build.json) {
    JsonObject json;
    json.put("file", build.output)
        .put("kind", to_string(Kind::iblt))
        .put("format", to_string(Format::envelope))
        .put("keys", sketch->key_count())
        .put("bytes", bytes)
        .put("repeated_lines", keys->repeated_lines());
    summarize(json.text() + "\n", build.output);
    return {};
  }
  const std::string again =
      keys->repeated_lines() == 0 ? "" : fmt::format(" ({} repeated lines left out)", keys->repeated_lines());
  summarize(fmt::format("{}: iblt, {} keys{}, {}, {}\n", build.output, *sketch->key_count(), again, bytes_text(bytes),
                        ability_of(*sketch)),
            build.output);
  return {};
}

}  // namespace

void IbltOptions::add_to(Command& command) {
  command.option("--differences", "D", &differences, "Of an iblt: list up to D keys that differ");
  command.option("--key-bytes", "B", &key_bytes, "Of an iblt: keys of up to B - 1 bytes (default 32, at most 64)");
  command.flag("--estimator", estimator, "Of an iblt: a small estimator of how many keys differ, instead of a table");
}

Result<std::uint32_t> parse_key_bytes(const std::string& text, std::uint32_t fallback) {
  if (text.empty()) return fallback;
  Result<std::uint64_t> bytes = parse_count("key bytes", text);
  BLOOMERY_TRY(bytes);
  if (*bytes < 2 || *bytes > IbltGeometry::kMaxKeyBytes)
    return invalid_argument("key_bytes",
                            fmt::format("--key-bytes is {}: give 2 to 64, one more than the longest key has", *bytes));
  return static_cast<std::uint32_t>(*bytes);
}

Status build_iblt(const IbltBuild& build) {
  Result<Hasher> hasher = build.hash.hasher(HashId::xxh3);
  BLOOMERY_TRY(hasher);
  if (!build.options.estimator) return fill_and_save(empty_table(build, *hasher), build);
  if (!build.options.differences.empty() || !build.options.key_bytes.empty())
    return invalid_argument("estimator",
                            "--estimator has one size, and takes keys of any length: leave out "
                            "--differences and --key-bytes");
  return fill_and_save(StrataEstimator::make(*hasher), build);
}

bool is_envelope(const std::string& path) {
  const auto start = first_bytes(path);
  return std::equal(kEnvelope.begin(), kEnvelope.end(), start.begin());
}

bool is_iblt(const std::string& path) {
  const auto start = first_bytes(path);
  return is_envelope(path) && start[10] == static_cast<std::uint8_t>(Kind::iblt) && start[11] == 0;
}

Status add_keys(Iblt& table, DistinctKeys& keys, const std::string& path) {
  const std::string name = path.empty() || path == "-" ? "standard input" : path;
  if (!table.geometry().variable)
    return in_file(unsupported("variable",
                               "is to be compared with a table of keys of a fixed width, which is no table "
                               "of lines: compare two such tables"),
                   name);
  const std::size_t longest = keys.longest();
  if (longest > table.geometry().longest_key()) {
    std::string how = longest < IbltGeometry::kMaxKeyBytes
                          ? fmt::format("build both sides with --key-bytes {}", longest + 1)
                          : "no iblt takes keys of more than 63 bytes; compare their hashes ('bloomery hash')";
    return in_file(
        invalid_argument("key_bytes", fmt::format("line {} has {} bytes, and this table takes keys of up to "
                                                  "{}: {}",
                                                  keys.longest_line(), longest, table.geometry().longest_key(), how)),
        name);
  }
  return keys.for_each([&](std::string_view key) { return table.add(key); });
}

Result<Side> Side::open(const std::string& path, KeyFormat format, const OpenOptions& options) {
  Side side(path);
  if (is_envelope(path)) {
    Result<IbltFile> file = open_iblt(path, options);
    BLOOMERY_TRY(file);
    side.file_ = *std::move(file);
  } else {
    Result<DistinctKeys> keys = DistinctKeys::read(path, format);
    BLOOMERY_TRY(keys);
    side.keys_.emplace(*std::move(keys));
  }
  return side;
}

Result<Iblt> Side::table_like(const Iblt& other) {
  if (estimator() != nullptr)
    return in_file(unsupported("strata",
                               "holds an estimator, which tells how many keys differ and not which: give an "
                               "iblt built with --differences"),
                   path_);
  if (table() != nullptr) return table()->clone();
  Result<Iblt> made = Iblt::with_geometry(other.geometry(), other.hasher());
  BLOOMERY_TRY(made);
  BLOOMERY_TRY(add_keys(*made, *keys(), path_));
  return made;
}

Result<StrataEstimator> Side::estimator_like(const StrataEstimator& other) {
  if (table() != nullptr)
    return in_file(unsupported("strata",
                               "holds a table, and the other file an estimator: compare two of a kind, or one "
                               "of them with a file of keys"),
                   path_);
  Result<StrataEstimator> made = StrataEstimator::with_geometry(other.geometry(), other.hasher());
  BLOOMERY_TRY(made);
  if (keys() != nullptr) {
    BLOOMERY_TRY(add_all(*made, *keys(), path_));
    return made;
  }
  return estimator()->clone();
}

}  // namespace bloomery::cli
