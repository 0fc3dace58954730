#include "cli/build_from_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/cli.h"
#include "cli/progress.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

Result<std::uint64_t> count_keys(KeyFiles& keys) {
  Progress progress("counting", keys.bytes());
  return keys.count([&](std::uint64_t read) { progress.update(read); });
}

// use(keys of a batch) for all of them.
template <class Use>
Status use_keys(KeyFiles& keys, KeyEncoder encoder, const char* doing, Use use) {
  Progress progress(doing, keys.bytes());
  return keys.for_each_batch([&](auto batch, std::uint64_t read, const std::string& file) -> Status {
    Result<std::span<const std::string_view>> values = encoder.encode(batch, file);
    BLOOMERY_TRY(values);
    BLOOMERY_TRY(use(*values));
    progress.update(read);
    return {};
  });
}

// Builds a kind that takes keys: counts the keys first unless their number is given, then adds them as they are read.
Result<Built> fill(const BuildFromKeys& b) {
  const bool count_first = !b.shape.n && !b.shape.exact;
  Result<KeyFiles> keys = count_first ? KeyFiles::open_to_count(b.keys) : KeyFiles::open(b.keys);
  BLOOMERY_TRY(keys);
  Result<std::uint64_t> n = count_first ? count_keys(*keys) : b.shape.n.value_or(1);
  BLOOMERY_TRY(n);
  const std::uint64_t sized_for = std::max<std::uint64_t>(*n, 1);
  Result<SizeSpec> size = b.parquet.size(sized_for, b.shape.size);
  BLOOMERY_TRY(size);
  Result<AnyFilter> filter = AnyFilter::with_size(b.kind, sized_for, *size, b.hasher);
  if (!filter.ok()) {
    const Result<SizePlan> plan = plan_size(b.kind, sized_for, *size);
    return named_memory(filter.error(), fmt::format("a {} filter of {} keys", to_string(b.kind), sized_for),
                        plan.ok() ? plan->bytes : 0, "give fewer keys (-n) or a higher rate (--fpr)");
  }
  Status added = use_keys(*keys, b.encoder, "adding", [&](auto batch) { return filter->add_many(batch); });
  BLOOMERY_TRY(added);
  return Built{*std::move(filter), *std::move(keys)};
}

// Builds a static kind: reads all hashes first, then builds the filter on all threads.
Result<Built> build_at_once(const BuildFromKeys& b) {
  if (b.shape.n)
    return invalid_argument(
        "n", fmt::format("{} filters are sized for the very keys they are built of: leave out -n", to_string(b.kind)));
  Result<KeyFiles> keys = KeyFiles::open(b.keys);
  BLOOMERY_TRY(keys);
  std::vector<Hash> hashes;
  const Status read = use_keys(*keys, b.encoder, "reading", [&](auto batch) -> Status {
    return guarded([&]() -> Status {
      hashes.resize(hashes.size() + batch.size());
      hash_keys(b.hasher, batch, std::span(hashes).last(batch.size()));
      return {};
    });
  });
  const auto named = [&](const Error& error) {
    return named_memory(error, fmt::format("the hashes of all keys, of which a {} filter is made", to_string(b.kind)),
                        2 * sizeof(Hash) * hashes.size(), "build a kind that takes keys one by one, such as block");
  };
  if (!read.ok()) return named(read.error());
  const Waiting waiting(fmt::format("building a {} filter of {} keys", to_string(b.kind), hashes.size()));
  Result<AnyFilter> filter = AnyFilter::build(b.kind, hashes, b.shape.size, b.hasher, b.threads);
  if (!filter.ok()) return named(filter.error());
  return Built{*std::move(filter), *std::move(keys)};
}

}  // namespace

Result<Built> build_from_keys(const BuildFromKeys& build) {
  return can(build.kind, Ability::add) ? fill(build) : build_at_once(build);
}

}  // namespace bloomery::cli
