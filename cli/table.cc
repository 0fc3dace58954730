// bloomery table: the commands of sorted tables, and what they share.
#include "cli/table.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/json.h"
#include "cli/output.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kLongestPrefix = 1000;

std::vector<std::string> table_kind_names() {
  std::vector<std::string> names;
  for (const Kind kind : kTableKinds) names.emplace_back(to_string(kind));
  return names;
}

}  // namespace

void add_table(Command& program) {
  Command& table = program.add("table", "Sorted tables with a filter in front");
  for (auto* add : {add_table_build, add_table_get, add_table_scan, add_table_stats, add_table_verify,
                    add_table_compact, add_table_refilter, add_table_bench})
    add(table);
}

void FilterOptions::add_to(Command& command) {
  command.option("--kind", "K", &kind, "Kind of the filter: block (default), split, classic, fuse or ribbon")
      .choices(table_kind_names());
  command.option("--fpr", "P", &fpr, "False-positive rate of the filter (default: that of 10.5 bits per key)");
  command.option("--bits-per-key", "B", &bits_per_key, "Its size by bits per key (default 10.5; 0: no filter)");
  command.option("--filter-partition", "SIZE", &partition, "Cut it into parts of about so many bytes, loaded by need");
  command.option("--prefix", "P", &prefix,
                 "A filter of prefixes too, for scans: a number of bytes, or the character that ends them");
  command.flag("--no-filter", none, "No filter: every get reads");
  hash.add_to(command, "Hash of the filter (default: xxh3, and fnv_splitmix for classic)");
}

Status FilterOptions::apply_size(TableOptions& table) const {
  if (!fpr.empty() && !bits_per_key.empty())
    return invalid_argument("fpr", "--fpr and --bits-per-key exclude each other: give one");
  if (!fpr.empty()) {
    Result<double> rate = parse_real("fpr", fpr);
    BLOOMERY_TRY(rate);
    table.filter_size = {*rate};
  }
  if (!bits_per_key.empty()) {
    Result<double> bits = parse_real("bits per key", bits_per_key);
    BLOOMERY_TRY(bits);
    table.filter_size.bits_per_key = *bits;
  }
  if (!partition.empty()) {
    Result<std::uint64_t> bytes = parse_count("filter partition", partition);
    BLOOMERY_TRY(bytes);
    table.filter_partition_bytes = *bytes;
  }
  return {};
}

Status FilterOptions::apply_prefix(TableOptions& table) const {
  if (prefix.empty()) return {};
  const Result<std::uint64_t> bytes = parse_count("prefix", prefix);
  const bool digit = prefix.size() == 1 && prefix[0] >= '0' && prefix[0] <= '9';
  if (prefix.size() == 1 && !digit) table.prefix = PrefixExtractor::through(prefix[0]);
  else if (bytes.ok() && *bytes > 0 && *bytes <= kLongestPrefix) table.prefix = PrefixExtractor::fixed(*bytes);
  else
    return invalid_argument("prefix", fmt::format("--prefix is '{}': give a number of bytes from 1 to {}, or one "
                                                  "character that is no digit",
                                                  prefix, kLongestPrefix));
  return {};
}

// Refuses what would do nothing: without a filter of keys there is at most the one of prefixes, of the kind block.
Status FilterOptions::check_no_filter() const {
  const char* words = none ? "--no-filter" : "--bits-per-key 0";
  if (none && !(fpr.empty() && bits_per_key.empty()))
    return invalid_argument("filter", "--no-filter excludes --fpr and --bits-per-key: give one or the other");
  if (!kind.empty() || !partition.empty())
    return invalid_argument("filter", fmt::format("{} excludes --kind and --filter-partition, which are of the filter "
                                                  "that is not made: give one or the other",
                                                  words));
  if (prefix.empty() && !(hash.hash.empty() && hash.seed.empty() && hash.secret_file.empty()))
    return invalid_argument("filter", fmt::format("{} excludes --hash, --seed and --secret, but with --prefix: nothing "
                                                  "is hashed",
                                                  words));
  return {};
}

Status FilterOptions::apply(TableOptions& table) const {
  Result<Kind> chosen = parse_kind(kind.empty() ? to_string(Kind::block) : kind);
  BLOOMERY_TRY(chosen);
  BLOOMERY_TRY(apply_size(table));
  BLOOMERY_TRY(apply_prefix(table));
  table.filter = *chosen;
  if (none || table.filter_size.bits_per_key == 0.0) {
    BLOOMERY_TRY(check_no_filter());
    table.filter.reset();
    table.filter_size = TableOptions().filter_size;  // that of the filter of prefixes, which is made all the same
  }
  const bool asked = !hash.hash.empty() || !hash.seed.empty() || !hash.secret_file.empty();
  if (!asked) return {};  // the library's own choice
  Result<Hasher> hasher = hash.hasher(*chosen == Kind::classic ? HashId::fnv_splitmix : HashId::xxh3);
  BLOOMERY_TRY(hasher);
  table.hasher = *hasher;
  return {};
}

void LayoutOptions::add_to(Command& command) {
  command.option("--block-size", "SIZE", &block_size, "Bytes of a data block, before compression (default 4096)");
  command.option("--compression", "C", &compression, "Of data blocks: none (default), lz4 or zstd")
      .choices({"none", "lz4", "zstd"});
  command.option("--restart-interval", "N", &restart_interval, "Keys between two that are written whole (default 16)");
}

Status LayoutOptions::apply(TableOptions& table) const {
  Result<Compression> chosen = compression_from_name(compression);
  BLOOMERY_TRY(chosen);
  Result<std::uint64_t> bytes = parse_count("block size", block_size);
  BLOOMERY_TRY(bytes);
  Result<std::uint64_t> interval = parse_count("restart interval", restart_interval);
  BLOOMERY_TRY(interval);
  if (*interval > 0xffffffff)
    return invalid_argument("restart interval", "--restart-interval is above 2^32 - 1: give a smaller number");
  table.compression = *chosen;
  table.block_bytes = *bytes;
  table.restart_interval = static_cast<unsigned>(*interval);
  return {};
}

void ReportOptions::add_to(Command& command) {
  command.flag("--json", json, "One line of JSON for each table");
  command.flag("-q,--quiet", quiet, "Print nothing when all goes well");
}

void add_table_output(Command& command, std::string& output) {
  command.option("-o,--output", "FILE", &output, "The table; it appears whole or not at all").required();
}

std::string summary_line(const std::string& path, const TableProperties& properties, bool json) {
  const double bits_per_key = 8 * static_cast<double>(properties.filter_bytes) / static_cast<double>(properties.keys);
  if (json) {
    const bool has = properties.filter.has_value();
    return JsonObject()
        .put("file", path)
        .put("entries", properties.entries)
        .put("bytes", properties.file_bytes)
        .put("filter", has ? Json(to_string(*properties.filter)) : Json())
        .put("filter_bytes", properties.filter_bytes)
        .put("bits_per_key", has ? Json::four_digits(bits_per_key) : Json())
        .put("predicted_fpr", has ? Json::four_digits(properties.designed_fpr) : Json())
        .text();
  }
  std::string line = fmt::format("{}: {} entries, {}, ", path, properties.entries, bytes_text(properties.file_bytes));
  if (!properties.filter) return line + "no filter";
  line +=
      fmt::format("filter {} of {}, {} bits/key, predicted fpr {}", to_string(*properties.filter),
                  bytes_text(properties.filter_bytes), four_digits(bits_per_key), four_digits(properties.designed_fpr));
  return line;
}

void print_speed(std::uint64_t entries, double seconds) {
  if (::isatty(STDERR_FILENO) == 1) tell(speed_text(seconds, entries, "entries") + "\n");
}

Result<std::shared_ptr<Table>> open_table(const std::string& path, const SecretOption& secret, bool use_filter) {
  Result<OpenOptions> options = secret.open_options();
  BLOOMERY_TRY(options);
  TableReadOptions read;
  read.use_filter = use_filter;
  read.secret = options->secret;
  return Table::open(path, read);
}

}  // namespace bloomery::cli
