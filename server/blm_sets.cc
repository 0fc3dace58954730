// BLM.MERGE, BLM.INTERSECT, BLM.OVERLAP: filters with filters.
#include <array>

#include "bloomery/overlap.h"
#include "format/records.h"
#include "server/blm_create.h"
#include "server/blm_open.h"
#include "server/combine_job.h"

namespace bloomery::server {

namespace {

// Sources are opened one after another, and each is looked at while its key is open.
FilterValue* source_of(const Call& call, const OpenedKey& key) {
  FilterValue* const value = filter_by_hashes(call, key);
  if (value == nullptr || value->filters() == 1) return value;
  return call.error("ERR windows are not combined"), nullptr;
}

// What filters are combined to.
struct Combined {
  std::optional<AnyFilter> filter;
  format::MergedRecords records;
  FilterValue::Keyed hash;
  bool has_secret = false;
};

// Combines a source into it; false when it has replied why not.
bool combine(const Call& call, int source, bool merge, Combined& result) {
  const OpenedKey key(call, source, kRead);
  const FilterValue* const value = source_of(call, key);
  if (value == nullptr) return false;
  const Status same_keys = result.records.add(value->records());
  if (!same_keys.ok()) return call.error(same_keys.error()), false;
  if (!result.filter) {
    if (call.refuses_memory(value->payload_bytes())) return false;
    Result<AnyFilter> clone = value->newest().clone();
    if (!clone.ok()) return call.error(clone.error()), false;
    result.filter = *std::move(clone);
    result.hash = value->hash_name();
    result.has_secret = !value->keyed();
    return true;
  }
  // A primary may combine what we loaded with its secret and without.
  std::optional<AnyFilter> alike;
  if (result.has_secret == value->keyed().has_value() && result.hash == value->hash_name()) {
    Result<AnyFilter> same = value->newest_hashed_by(result.filter->hasher());
    if (!same.ok()) return call.error(same.error()), false;
    alike = *std::move(same);
  }
  const AnyFilter& other = alike ? *alike : value->newest();
  const Status status = merge ? result.filter->merge(other) : result.filter->intersect(other);
  if (!status.ok()) return call.error(status.error()), false;
  return true;
}

// The bytes of all filters that take part; nothing when it has replied why they cannot. What a key hashes to hangs on
// whether it is an integer.
std::optional<std::uint64_t> bytes_of_all(const Call& call) {
  std::uint64_t sum = 0;
  std::optional<bool> integers;
  for (int i = 1; i < call.count; ++i) {
    const OpenedKey key(call, i, kRead);
    if (i == 1 && key.is_empty()) continue;
    const FilterValue* const value = source_of(call, key);
    if (value == nullptr) return {};
    if (integers.value_or(value->keys_are_integers()) != value->keys_are_integers() && !call.is_replay())
      return call.error("ERR the keys of some of these filters are integers (KEYS int), those of others are not"),
             std::nullopt;
    integers = value->keys_are_integers();
    sum += value->payload_bytes();
  }
  return sum;
}

// dst takes its own place among the sources when it is there. Nothing has changed unless all of them fit.
void combine_all(const Call& call, bool merge) {
  if (call.count < 3) return call.wrong_arity();
  const std::optional<std::uint64_t> bytes = bytes_of_all(call);
  if (!bytes) return;
  if (*bytes > kCombinedAtOnce && call.may_wait()) {
    if (call.refuses_memory(*bytes / static_cast<unsigned>(call.count - 1) * 3)) return;  // two copies and the result
    return begin_combination(call, merge);
  }
  const AllocationLimit limit(call.most_bytes());
  Combined result;
  const OpenedKey target(call, 1, kRead | kWrite);
  if (!target.is_empty() && !combine(call, 1, merge, result)) return;
  for (int i = 2; i < call.count; ++i)
    if (!combine(call, i, merge, result)) return;
  if (auto* const value = target.value<FilterValue>(ValueKind::filter)) {
    value->exchange(*std::move(result.filter), merge ? FilterValue::Change::more : FilterValue::Change::other);
    value->set_records(result.records.records());
  } else {
    const auto keyed = result.has_secret ? std::nullopt : std::optional(result.hash);
    Result<FilterValue::Pointer> created =
        FilterValue::create(*std::move(result.filter), result.records.records(), keyed, {});
    if (!created.ok()) return call.error(created.error());
    target.set(ValuePointer(created->release()));
  }
  api.ReplicateVerbatim(call.context);
  call.changed(1, merge ? "blm.merge" : "blm.intersect");
  call.ok();
}

void reply_estimate(const Call& call, const char* name, const Estimate& estimate) {
  call.name(name);
  api.ReplyWithArray(call.context, 3);
  for (const double value : {estimate.value, estimate.low, estimate.high}) api.ReplyWithDouble(call.context, value);
}

}  // namespace

void blm_merge(const Call& call) { combine_all(call, true); }
void blm_intersect(const Call& call) { combine_all(call, false); }

void blm_overlap(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey first(call, 1, kRead), second(call, 2, kRead);
  const FilterValue* const a = source_of(call, first);
  const FilterValue* const b = a == nullptr ? nullptr : source_of(call, second);
  if (b == nullptr) return;
  const Result<Overlap> found = overlap(a->newest().view(), b->newest().view());
  if (!found.ok()) return call.error(found.error());
  api.ReplyWithMap(call.context, 5);
  reply_estimate(call, "a", found->a);
  reply_estimate(call, "b", found->b);
  reply_estimate(call, "union", found->all);
  reply_estimate(call, "intersection", found->common);
  reply_estimate(call, "jaccard", found->jaccard);
}

}  // namespace bloomery::server
