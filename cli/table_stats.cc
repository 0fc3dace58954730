// bloomery table stats and verify: what a table is, and whether it is sound.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "bloomery/detail/fnv.h"
#include "cli/entries.h"
#include "cli/table.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kSamples = 1'000'000;

struct Findings {
  TableProperties properties;
  bool filter_unusable = false;
  std::optional<SampledRate> sampled;

  std::uint64_t data_bytes() const { return properties.file_bytes - properties.filter_bytes - properties.index_bytes; }
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
    if (!at.valid()) return at.status().error();
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
  const auto line = [](const char* label, const std::string& value) { fmt::print("{:<16}{}\n", label, value); };
  line("entries", fmt::format("{} of {} keys, {} deleted", properties.entries, properties.keys, properties.deleted));
  if (properties.entries > 0) {
    line("smallest key", readable(properties.smallest));
    line("largest key", readable(properties.largest));
  }
  line("sequence", fmt::format("{} to {}", properties.min_sequence, properties.max_sequence));
  line("file bytes", std::to_string(properties.file_bytes));
  line("key bytes", std::to_string(properties.key_bytes));
  line("value bytes", std::to_string(properties.value_bytes));
  line("data bytes",
       fmt::format("{} in {} blocks", f.data_bytes(), properties.blocks) +
           (f.compression() == 0 ? std::string()
                                 : fmt::format(", {} % of keys and values", four_digits(100 / f.compression()))));
  line("index bytes", std::to_string(properties.index_bytes));
  if (!f.sampled) {
    line("filter",
         f.filter_unusable ? "unusable: damaged, unknown, or keyed with a secret that was not given" : "none");
    return;
  }
  line("filter",
       fmt::format("{}, {} bytes, {} % of the file, {} bits/key", to_string(*properties.filter),
                   properties.filter_bytes, four_digits(100 * f.filter_share()), four_digits(f.bits_per_key())));
  if (properties.filter_partitions > 0) line("partitions", std::to_string(properties.filter_partitions));
  line("designed fpr", four_digits(properties.designed_fpr));
  line("sampled fpr", fmt::format("{}, 95 % interval {} to {}, {} absent keys", four_digits(f.sampled->rate),
                                  four_digits(f.sampled->low), four_digits(f.sampled->high), kSamples));
}

// A key that is no UTF-8 stands under another name, in hexadecimal digits, as in the JSON lines of scan.
void put_key(nlohmann::ordered_json& json, const std::string& name, const std::string& key) {
  const std::string text = readable(key);
  if (text.starts_with('"')) json[name] = key;
  else json[name + "_hex"] = text.substr(2);
}

void print_json(const Findings& f) {
  const TableProperties& properties = f.properties;
  nlohmann::ordered_json json = {
      {"entries", properties.entries}, {"keys", properties.keys}, {"deleted", properties.deleted}};
  put_key(json, "smallest", properties.smallest);
  put_key(json, "largest", properties.largest);
  json.update({{"min_sequence", properties.min_sequence},
               {"max_sequence", properties.max_sequence},
               {"file_bytes", properties.file_bytes},
               {"data_bytes", f.data_bytes()},
               {"blocks", properties.blocks},
               {"key_bytes", properties.key_bytes},
               {"value_bytes", properties.value_bytes},
               {"compression_ratio", f.compression()},
               {"index_bytes", properties.index_bytes}});
  json["filter"] = nullptr;
  if (f.sampled)
    json["filter"] = {{"kind", to_string(*properties.filter)},
                      {"bytes", properties.filter_bytes},
                      {"partitions", properties.filter_partitions},
                      {"share", f.filter_share()},
                      {"bits_per_key", f.bits_per_key()},
                      {"designed_fpr", properties.designed_fpr},
                      {"sampled_fpr", f.sampled->rate},
                      {"sampled_low", f.sampled->low},
                      {"sampled_high", f.sampled->high},
                      {"samples", kSamples}};
  json["filter_unusable"] = f.filter_unusable;
  fmt::print("{}\n", json.dump());
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

// Damage and files of others are "no"; what could not be read, or not be judged, is an error.
int properties(const Error& error) {
  fail(error);
  return error.code == ErrorCode::corrupt || error.code == ErrorCode::unsupported ? kNo : kError;
}

int verify(const std::string& path, const SecretOption& secret) {
  Result<std::shared_ptr<Table>> table = open_table(path, secret);
  if (!table.ok()) return properties(table.error());
  if (const Status status = (*table)->verify(); !status.ok()) return properties(status.error());
  const TableProperties& properties = (*table)->properties();
  fmt::print("{}: sound: {} entries in {} blocks, the index{} and the properties agree\n", path, properties.entries,
             properties.blocks, properties.filter ? ", the filter" : "");
  return kYes;
}

}  // namespace

void add_table_stats(CLI::App& table, int& status) {
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto secret = std::make_shared<SecretOption>();
  CLI::App* command = table.add_subcommand("stats", "Show the size, the blocks and the filter of a table");
  command->add_flag("--json", *json, "One line of JSON");
  secret->add_to(*command);
  command->add_option("FILE", *path, "The table")->required();
  command->callback([path, json, secret, &status] {
    const Status done = show_stats(*path, *secret, *json);
    status = done.ok() ? kYes : fail(done.error());
  });
}

void add_table_verify(CLI::App& table, int& status) {
  auto paths = std::make_shared<std::vector<std::string>>();
  auto secret = std::make_shared<SecretOption>();
  CLI::App* command = table.add_subcommand("verify", "Read everything, and check that tables are sound");
  secret->add_to(*command);
  command->add_option("FILE", *paths, "Tables")->required();
  command->callback([paths, secret, &status] {
    for (const std::string& path : *paths) status = std::max(status, verify(path, *secret));
  });
}

}  // namespace bloomery::cli
