// What a filter says of itself, and two filters of each other.
#include "bloomery/inspect.h"
#include "bloomery/overlap.h"
#include "capi/change.h"

using namespace bloomery;
using namespace bloomery::capi;

namespace {

bloomery_estimate given_estimate(const Estimate& estimate) { return {estimate.value, estimate.low, estimate.high}; }

// Returns the filter where the handle owns one. Refuses others: a view over memory of the caller's cannot become
// another size.
Result<AnyFilter*> owned(bloomery_filter& filter, const char* what) {
  if (auto* own = std::get_if<AnyFilter>(&filter.owner)) return own;
  if (!std::holds_alternative<AnyMutableView>(filter.owner)) return cannot_change(filter);
  return Error{ErrorCode::unsupported,
               std::string("a mutable view cannot be ") + what + ": bloomery_filter_clone makes a filter that can",
               {},
               "filter"};
}

// Calls use(const AnyFilter&) with the filter, or with a copy of one that is none.
template <class Use>
Status with_filter(const bloomery_filter& filter, const Use& use) {
  if (const auto* own = std::get_if<AnyFilter>(&filter.owner)) return use(*own);
  const Result<AnyFilter> copy = AnyFilter::copy_of(filter.view, filter.key_count());
  BLOOMERY_TRY(copy);
  return use(*copy);
}

bloomery_error* combine(bloomery_filter* filter, const bloomery_filter* other, const char* what,
                        Status (AnyFilter::*with)(const AnyFilter&)) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    BLOOMERY_C_NEEDS(other);
    BLOOMERY_TRY(check_answers_keys(*other));
    const EnvelopeOptions theirs = other->info ? other->info->rewrite_options_after_change() : other->envelope;
    Result<Records> records = Records::merged(filter->envelope.records, theirs.records);
    BLOOMERY_TRY(records);
    BLOOMERY_TRY(check_sound(*other));
    auto* view = std::get_if<AnyMutableView>(&filter->owner);
    if (view != nullptr && with == &AnyFilter::merge) return view->merge(other->view);
    const Result<AnyFilter*> own = owned(*filter, what);
    BLOOMERY_TRY(own);
    BLOOMERY_TRY(with_filter(*other, [&](const AnyFilter& from) { return ((*own)->*with)(from); }));
    filter->refresh();
    filter->envelope = {};
    filter->envelope.records = *std::move(records);
    return {};
  });
}

}  // namespace

bloomery_error* bloomery_filter_clear(bloomery_filter* filter) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    if (auto* view = std::get_if<AnyMutableView>(&filter->owner)) return view->clear(), Status();
    const Result<AnyFilter*> own = owned(*filter, "cleared");
    BLOOMERY_TRY(own);
    Status status = (*own)->clear();
    filter->refresh();
    return status;
  });
}

bloomery_error* bloomery_filter_resize(bloomery_filter* filter) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    const Result<AnyFilter*> own = owned(*filter, "resized");
    BLOOMERY_TRY(own);
    Status status = (*own)->resize();
    filter->refresh();
    return status;
  });
}

bloomery_error* bloomery_filter_merge(bloomery_filter* filter, const bloomery_filter* other) {
  return combine(filter, other, "merged", &AnyFilter::merge);
}
bloomery_error* bloomery_filter_intersect(bloomery_filter* filter, const bloomery_filter* other) {
  return combine(filter, other, "intersected", &AnyFilter::intersect);
}

bool bloomery_filter_equal(const bloomery_filter* a, const bloomery_filter* b) {
  return a != nullptr && b != nullptr && a->answers_keys && b->answers_keys &&
         answering(false, [&] { return a->view == b->view; });
}

bloomery_error* bloomery_filter_overlap(const bloomery_filter* a, const bloomery_filter* b, bloomery_overlap* out) {
  return returning([&]() -> Status {
    bloomery_overlap* const overlap = out;
    BLOOMERY_C_NEEDS(overlap);
    *overlap = {};
    BLOOMERY_C_NEEDS(a);
    BLOOMERY_C_NEEDS(b);
    BLOOMERY_TRY(check_answers_keys(*a));
    BLOOMERY_TRY(check_answers_keys(*b));
    const Result<Overlap> found = bloomery::overlap(a->view, b->view);
    BLOOMERY_TRY(found);
    *overlap = {given_estimate(found->a), given_estimate(found->b), given_estimate(found->all),
                given_estimate(found->common), given_estimate(found->jaccard)};
    return {};
  });
}

const char* bloomery_filter_kind(const bloomery_filter* filter) {
  return filter == nullptr ? nullptr : to_string(filter->view.kind());
}
const char* bloomery_filter_hash_name(const bloomery_filter* filter) {
  return filter == nullptr ? nullptr : to_string(filter->info ? filter->info->hash : filter->view.hasher().id());
}
uint64_t bloomery_filter_seed(const bloomery_filter* filter) {
  return filter == nullptr ? 0 : filter->info ? filter->info->seed : filter->view.hasher().seed();
}
uint64_t bloomery_filter_bytes(const bloomery_filter* filter) { return filter == nullptr ? 0 : filter->view.bytes(); }
bool bloomery_filter_is_mutable(const bloomery_filter* filter) {
  return filter != nullptr &&
         (std::holds_alternative<AnyFilter>(filter->owner) || std::holds_alternative<AnyMutableView>(filter->owner));
}
const uint8_t* bloomery_filter_payload(const bloomery_filter* filter) {
  return filter == nullptr ? nullptr : filter->view.payload().data();
}

bloomery_error* bloomery_filter_geometry(const bloomery_filter* filter, bloomery_geometry* geometry) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(geometry);
    *geometry = {};
    BLOOMERY_C_NEEDS(filter);
    give_geometry(filter->view.geometry_fields(), *geometry);
    return {};
  });
}

namespace {

bool give_count(const std::optional<std::uint64_t>& known, uint64_t* count) {
  if (!known) return false;
  *count = *known;
  return true;
}

}  // namespace

bool bloomery_filter_key_count(const bloomery_filter* filter, uint64_t* count) {
  return filter != nullptr && count != nullptr && give_count(filter->key_count(), count);
}
double bloomery_filter_fill(const bloomery_filter* filter) {
  return filter == nullptr ? 0 : answering(0.0, [&] { return filter->view.fill(); });
}
double bloomery_filter_predicted_fpr(const bloomery_filter* filter) {
  return filter == nullptr ? 1 : answering(1.0, [&] { return filter->view.predicted_fpr(); });
}
bool bloomery_filter_estimated_count(const bloomery_filter* filter, uint64_t* count) {
  return filter != nullptr && count != nullptr &&
         answering(false, [&] { return give_count(filter->view.estimated_count(), count); });
}

bloomery_error* bloomery_filter_inspect(const bloomery_filter* filter, char** json) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(json);
    *json = nullptr;
    BLOOMERY_C_NEEDS(filter);
    const Result<Inspection> found =
        filter->info ? inspect(filter->view, *filter->info) : inspect(filter->view, filter->key_count());
    BLOOMERY_TRY(found);
    return give_text(found->json(), json);
  });
}
