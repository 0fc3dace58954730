#include "table/filter_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/callback.h"
#include "core/base/error.h"
#include "table/block.h"

namespace BLOOMERY_NAMESPACE::table {
namespace {

constexpr std::uint64_t kLeastPartition = 1024;
constexpr std::uint64_t kManyKeys = 1'000'000;  // a filter of so many tells what its kind takes

Kind kind_of(const TableOptions& options) { return options.filter.value_or(Kind::block); }

std::string_view text_of(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns whether the filter lets all hashes pass, as it must.
bool has_all(const AnyView& filter, std::span<const Hash> hashes) {
  std::vector<std::uint8_t> answers(std::min<std::size_t>(hashes.size(), 1 << 16));
  for (std::size_t first = 0; first < hashes.size(); first += answers.size()) {
    const auto some = hashes.subspan(first, std::min(answers.size(), hashes.size() - first));
    filter.contains_many(some, answers);
    if (std::find(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(some.size()), 0) !=
        answers.begin() + static_cast<std::ptrdiff_t>(some.size()))
      return false;
  }
  return true;
}

// The hash of split is Parquet's, which nobody asks of a table. xxh3 is quicker
// for short keys.
Hasher hasher_of(const TableOptions& options) {
  if (options.hasher) return *options.hasher;
  return kind_of(options) == Kind::split ? Hasher::xxh3() : default_hasher(kind_of(options));
}

// Bits per key of a static kind fall with the number of keys: its rate is what all partitions have in common.
SizeSpec size_of(const TableOptions& options) {
  const Kind kind = kind_of(options);
  if (can(kind, Ability::add) || !options.filter_size.bits_per_key) return options.filter_size;
  SizeSpec size = options.filter_size;
  const Result<SizePlan> plan = plan_size(kind, kManyKeys, size);
  size.bits_per_key.reset();
  if (plan.ok()) size.fpr = plan->predicted_fpr;
  return size;
}

}  // namespace

Result<std::optional<std::string_view>> prefix_of(const PrefixExtractor& extractor, std::string_view key) {
  using Prefix = std::optional<std::string_view>;
  return call_user("prefix", "the prefix extractor", [&]() -> Result<Prefix> { return extractor.of(key); });
}

Status FilterBuilder::check(const TableOptions& options) {
  if (options.prefix && (options.prefix->name.empty() || !options.prefix->of))
    return invalid_argument("prefix", "a prefix extractor needs a name and a function");
  if (options.filter_partition_bytes != 0 && options.filter_partition_bytes < kLeastPartition)
    return invalid_argument("filter_partition_bytes", "a partition of the filter has at least " +
                                                          std::to_string(kLeastPartition) + " bytes, and not " +
                                                          std::to_string(options.filter_partition_bytes));
  if (!options.filter && !options.prefix) return {};
  const Kind kind = kind_of(options);
  if (std::find(kTableKinds.begin(), kTableKinds.end(), kind) == kTableKinds.end())
    return unsupported("filter", std::string("a table takes no filter of the kind '") + to_string(kind) +
                                     "': use split, block, classic, fuse or ribbon");
  // What the kind cannot be is said before anything is written.
  Result<SizePlan> plan = plan_size(kind, kManyKeys, options.filter_size);
  BLOOMERY_TRY(plan);
  return {};
}

FilterBuilder::FilterBuilder(const TableOptions& options)
    : options_(options), hasher_(hasher_of(options)), size_(size_of(options)) {
  if (!options.filter || options.filter_partition_bytes == 0) return;
  const Result<SizePlan> plan = plan_size(*options.filter, kManyKeys, size_);
  const std::uint64_t bytes =
      std::min(options.filter_partition_bytes, std::numeric_limits<std::uint64_t>::max() / kManyKeys);
  if (plan.ok()) partition_keys_ = std::max<std::uint64_t>(bytes * kManyKeys / plan->bytes, 1);
}

Status FilterBuilder::add(std::string_view key) {
  if (options_.filter) {
    if (partition_keys_ != 0 && hashes_.size() == partition_keys_) BLOOMERY_TRY(finish_partition());
    hashes_.push_back(hash_key(hasher_, key));
    if (partition_keys_ != 0) last_key_.assign(key);
  }
  return options_.prefix ? add_prefix(key) : Status();
}

Status FilterBuilder::add_prefix(std::string_view key) {
  const Result<std::optional<std::string_view>> said = prefix_of(*options_.prefix, key);
  BLOOMERY_TRY(said);
  const std::optional<std::string_view> prefix = *said;
  if (prefix && (prefixes_.empty() || *prefix != last_prefix_)) {
    last_prefix_.assign(*prefix);
    prefixes_.push_back(hash_key(hasher_, *prefix));
  }
  return {};
}

// An envelope.
Result<std::vector<std::uint8_t>> FilterBuilder::make(Kind kind, std::span<const Hash> hashes, double& fpr) const {
  const Result<AnyFilter> filter = AnyFilter::build(kind, hashes, size_, hasher_);
  BLOOMERY_TRY(filter);
  if (options_.check_filter && !has_all(filter->view(), hashes))
    return corrupt("filter", "the filter denies a key that was added to it: memory is failing; nothing was written");
  fpr = filter->view().predicted_fpr();
  return encode(filter->view(), Format::envelope, hashes.size());
}

Status FilterBuilder::finish_partition() {
  double fpr = 0;
  Result<std::vector<std::uint8_t>> bytes = make(*options_.filter, hashes_, fpr);
  BLOOMERY_TRY(bytes);
  partitions_.push_back({last_key_, *std::move(bytes)});
  wrong_answers_ += fpr * static_cast<double>(hashes_.size());
  partitioned_keys_ += hashes_.size();
  hashes_.clear();
  return {};
}

Result<Handle> FilterBuilder::write_partitions(const Write& write, TableProperties& properties) {
  BLOOMERY_TRY(finish_partition());
  properties.designed_fpr = wrong_answers_ / static_cast<double>(partitioned_keys_);
  properties.filter_partitions = partitions_.size();
  BlockBuilder index(1);
  for (const Partition& partition : partitions_) {
    Result<Handle> handle = write(text_of(partition.bytes), true);
    BLOOMERY_TRY(handle);
    properties.filter_bytes += partition.bytes.size();
    if (index.is_full()) return index_is_full();
    index.add(partition.last_key, encode_handle(*handle), 0);
  }
  return write(index.finish(), false);
}

Result<Handle> FilterBuilder::write_filter(const Write& write, TableProperties& properties) {
  if (partition_keys_ != 0) return write_partitions(write, properties);
  Result<std::vector<std::uint8_t>> bytes = make(*options_.filter, hashes_, properties.designed_fpr);
  BLOOMERY_TRY(bytes);
  properties.filter_bytes = bytes->size();
  return write(text_of(*bytes), true);
}

Result<FilterBuilder::Written> FilterBuilder::finish(const Write& write, TableProperties& properties) {
  Written written;
  if (!hashes_.empty()) {
    properties.filter = options_.filter;
    written.partitioned = partition_keys_ != 0;
    Result<Handle> handle = write_filter(write, properties);
    BLOOMERY_TRY(handle);
    written.filter = *handle;
  }
  if (!prefixes_.empty()) {
    double fpr = 0;
    Result<std::vector<std::uint8_t>> bytes = make(kind_of(options_), prefixes_, fpr);
    BLOOMERY_TRY(bytes);
    Result<Handle> handle = write(text_of(*bytes), true);
    BLOOMERY_TRY(handle);
    written.prefixes = *handle;
    properties.prefix = options_.prefix->name;
    properties.prefixes = prefixes_.size();
  }
  return written;
}

}  // namespace BLOOMERY_NAMESPACE::table
