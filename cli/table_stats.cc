// bloomery table stats and verify: what a table is, and whether it is sound.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bloomery/detail/fnv.h"
#include "cli/entries.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/table.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kSamples = 1'000'000;

struct Findings {
  TableProperties properties;
  bool filter_unusable = false;
  std::optional<SampledRate> sampled;

  // The properties may say anything.
  std::uint64_t data_bytes() const {
    const std::uint64_t behind_filter =
        properties.file_bytes - std::min(properties.file_bytes, properties.filter_bytes);
    return behind_filter - std::min(behind_filter, properties.index_bytes);
  }
  double bits_per_key() const { return 8 * ratio(properties.filter_bytes, properties.keys); }
  double filter_share() const { return ratio(properties.filter_bytes, properties.file_bytes); }
  double compression() const { return ratio(properties.key_bytes + properties.value_bytes, data_bytes()); }

  static double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
  }
};

// Counts how often the filter passes keys that are not there.
class Sampler {
 public:
  explicit Sampler(const Table& table) : table_(table) {}

  // Keys of 16 random bytes; behind a key of the table, when that decides which part of the filter is asked.
  void ask(std::string_view begin = {}) {
    const std::uint64_t words[2] = {detail::splitmix64(2 * asked_), detail::splitmix64(2 * asked_ + 1)};
    key_.assign(begin);
    key_.append(reinterpret_cast<const char*>(words), sizeof words);
    ++asked_;
    hits_ += table_.may_contain(key_) ? 1 : 0;
  }
  bool enough() const { return asked_ == kSamples; }
  SampledRate rate() const { return sampled_rate(hits_, asked_); }

 private:
  const Table& table_;
  std::string key_;
  std::uint64_t asked_ = 0, hits_ = 0;
};

Result<SampledRate> sample(const Table& table) {
  Sampler sampler(table);
  if (table.properties().filter_partitions == 0) {
    while (!sampler.enough()) sampler.ask();
    return sampler.rate();
  }
  TableIterator at = table.iterate();
  while (!sampler.enough()) {
    at.first();
    if (!at.status().ok()) return at.status().error();
    if (!at.valid())
      return corrupt("properties", "the table has keys by its properties, and no entries; build it again");
    for (; at.valid() && !sampler.enough(); at.next()) sampler.ask(at.entry().key);
    if (!at.status().ok()) return at.status().error();
  }
  return sampler.rate();
}

Result<Findings> examine(const Table& table) {
  Findings found{table.properties(), table.stats().filter_unusable != 0, {}};
  if (!found.properties.filter || found.properties.keys == 0) return found;
  Result<SampledRate> rate = sample(table);
  BLOOMERY_TRY(rate);
  found.sampled = *rate;
  return found;
}

void print_text(const Findings& f) {
  const TableProperties& properties = f.properties;
  const std::size_t columns = is_terminal() ? terminal_columns() : kUnlimited;
  const auto line = [&](const char* label, const std::string& value) {
    fmt::print("{}\n", wrapped(fmt::format("{:<16}{}", label, value), columns, 16));
  };
  line("entries", fmt::format("{} of {} keys, {} deleted", properties.entries, properties.keys, properties.deleted));
  if (properties.entries > 0) {
    line("smallest key", readable(properties.smallest));
    line("largest key", readable(properties.largest));
  }
  line("sequence", fmt::format("{} to {}", properties.min_sequence, properties.max_sequence));
  line("file bytes", with_size(properties.file_bytes));
  line("key bytes", with_size(properties.key_bytes));
  line("value bytes", with_size(properties.value_bytes));
  line("data bytes",
       fmt::format("{} in {} block{}", f.data_bytes(), properties.blocks, properties.blocks == 1 ? "" : "s") +
           (f.compression() == 0 ? std::string()
                                 : fmt::format(", {} % of keys and values", four_digits(100 / f.compression()))));
  line("index bytes", with_size(properties.index_bytes));
  if (!f.sampled) {
    line("filter",
         f.filter_unusable ? "unusable: damaged, unknown, or keyed with a secret that was not given" : "none");
    return;
  }
  line("filter",
       fmt::format("{}, {} bytes, {} % of the file, {} bits/key", to_string(*properties.filter),
                   properties.filter_bytes, four_digits(100 * f.filter_share()), four_digits(f.bits_per_key())));
  if (!properties.prefix.empty())
    line("prefixes", fmt::format("{} in a filter of their own, by {}", properties.prefixes, properties.prefix));
  if (properties.filter_partitions > 0) line("partitions", std::to_string(properties.filter_partitions));
  line("designed fpr", four_digits(properties.designed_fpr));
  line("sampled fpr", fmt::format("{}, 95 % interval {} to {}, {} absent keys", four_digits(f.sampled->rate),
                                  four_digits(f.sampled->low), four_digits(f.sampled->high), kSamples));
}

void print_json(const Findings& f) {
  const TableProperties& properties = f.properties;
  JsonObject json, filter;
  json.put("entries", properties.entries).put("keys", properties.keys).put("deleted", properties.deleted);
  json.put_bytes("smallest", properties.smallest);
  json.put_bytes("largest", properties.largest);
  json.put("min_sequence", properties.min_sequence)
      .put("max_sequence", properties.max_sequence)
      .put("file_bytes", properties.file_bytes)
      .put("data_bytes", f.data_bytes())
      .put("blocks", properties.blocks)
      .put("key_bytes", properties.key_bytes)
      .put("value_bytes", properties.value_bytes)
      .put("compression_ratio", f.compression())
      .put("index_bytes", properties.index_bytes);
  if (f.sampled)
    filter.put("kind", to_string(*properties.filter))
        .put("bytes", properties.filter_bytes)
        .put("partitions", properties.filter_partitions)
        .put("share", f.filter_share())
        .put("bits_per_key", f.bits_per_key())
        .put("designed_fpr", properties.designed_fpr)
        .put("sampled_fpr", f.sampled->rate)
        .put("sampled_low", f.sampled->low)
        .put("sampled_high", f.sampled->high)
        .put("samples", kSamples);
  json.put("filter", f.sampled ? filter : Json()).put("filter_unusable", f.filter_unusable);
  json.put("prefix", properties.prefix).put("prefixes", properties.prefixes);
  fmt::print("{}\n", json.text());
}

Status show_stats(const std::string& path, const SecretOption& secret, bool json) {
  Result<std::shared_ptr<Table>> table = open_table(path, secret);
  BLOOMERY_TRY(table);
  Result<Findings> found = examine(**table);
  BLOOMERY_TRY(found);
  if (json) print_json(*found);
  else print_text(*found);
  return {};
}

int verify(const std::string& path, const SecretOption& secret, bool json) {
  Result<std::shared_ptr<Table>> table = open_table(path, secret);
  if (!table.ok()) return report_verdict(path, table.error(), {}, json);
  const Status found = (*table)->verify();
  const TableProperties& properties = (*table)->properties();
  return report_verdict(
      path, found,
      fmt::format("sound: {} entries in {} block{}, the index{} and the properties agree", properties.entries,
                  properties.blocks, properties.blocks == 1 ? "" : "s", properties.filter ? ", the filter" : ""),
      json);
}

}  // namespace

void add_table_stats(Command& table) {
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto secret = std::make_shared<SecretOption>();
  Command& command = table.add("stats", "Show the size, the blocks and the filter of a table");
  command.details(
      "Shows how many entries, keys, deletions and blocks a table has, what its parts take, and of its "
      "filter the designed false-positive rate and the one sampled with a million absent keys.");
  command.flag("--json", *json, "One line of JSON");
  secret->add_to(command);
  command.argument("FILE", &*path, "The table").required();
  command.runs([path, json, secret] { return exit_status(show_stats(*path, *secret, *json)); });
}

void add_table_verify(Command& table) {
  auto paths = std::make_shared<std::vector<std::string>>();
  auto secret = std::make_shared<SecretOption>();
  Command& command = table.add("verify", "Read everything, and check that tables are sound");
  command.details(
      "Compares checksums, order, index, filter and properties. Exit status 1 when a file is damaged "
      "or no table, 2 when it cannot be read.");
  secret->add_to(command);
  command.argument("FILE", &*paths, "Tables").required();
  auto json = std::make_shared<bool>(false);
  command.flag("--json", *json, "A line of JSON for each table");
  command.runs([paths, secret, json] {
    int status = kYes;
    for (const std::string& path : *paths) status = std::max(status, verify(path, *secret, *json));
    return status;
  });
}

}  // namespace bloomery::cli
