// Filters: creation, one key at a time, what they say of themselves.
#include "capi/change.h"
#include "capi/handles.h"

namespace bloomery::capi {

bloomery_filter* handle_of(AnyFilter filter, std::shared_ptr<CallerMemory> memory) {
  const AnyView view = filter.view();
  auto* handle = new bloomery_filter{std::move(memory), std::move(filter), view, true, false, {}, {}};
  handle->moves = can(view.kind(), Ability::fold);  // chains, which grow
  return handle;
}

Status check_key(const void* key, std::size_t length) {
  if (key == nullptr && length != 0) return null_argument("key");
  return {};
}

Error cannot_change(const bloomery_filter& filter) {
  const bool file =
      std::holds_alternative<FilterFile>(filter.owner) || std::holds_alternative<UnverifiedFile>(filter.owner);
  return {ErrorCode::unsupported,
          std::string(file ? "a filter of a file" : "a view") +
              " is only read: bloomery_filter_clone makes one that can be changed",
          {},
          "filter"};
}

}  // namespace bloomery::capi

using namespace bloomery;
using namespace bloomery::capi;

namespace {

bloomery_error* create(const char* kind, uint64_t n, const Result<SizeSpec>& size, const bloomery_options* options,
                       bloomery_filter** filter) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    *filter = nullptr;
    const Result<Kind> known = kind_of(kind);
    BLOOMERY_TRY(known);
    BLOOMERY_TRY(size);
    Result<CheckedOptions> with = checked(options);
    BLOOMERY_TRY(with);
    Result<AnyFilter> made = AnyFilter::with_size(*known, n, *size, with->filter());
    BLOOMERY_TRY(made);
    *filter = handle_of(*std::move(made), std::move(with->memory));
    return {};
  });
}

template <class T>
bloomery_error* add(bloomery_filter* filter, const T& key) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    return change(
        *filter, [&](auto& owner) -> Status { return owner.add(key); }, filter->moves);
  });
}

template <class T>
bloomery_error* remove(bloomery_filter* filter, const T& key, bool* removed) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    return change(
        *filter,
        [&](auto& owner) -> Status {
          const Result<bool> was_there = owner.remove(key);
          BLOOMERY_TRY(was_there);
          if (removed != nullptr) *removed = *was_there;
          return {};
        },
        false);
  });
}

}  // namespace

bloomery_error* bloomery_plan_size(const char* kind, uint64_t n, const bloomery_size_spec* spec,
                                   bloomery_size_plan* plan) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(plan);
    *plan = {};
    const Result<Kind> known = kind_of(kind);
    BLOOMERY_TRY(known);
    const Result<SizeSpec> size = size_of(spec);
    BLOOMERY_TRY(size);
    const Result<SizePlan> made = plan_size(*known, n, *size);
    BLOOMERY_TRY(made);
    plan->bytes = made->bytes;
    plan->predicted_fpr = made->predicted_fpr;
    plan->misses_target = !made->warning.empty();
    give_geometry(made->geometry, plan->geometry);
    return {};
  });
}

bloomery_error* bloomery_filter_with_capacity(const char* kind, uint64_t n, double fpr, const bloomery_options* options,
                                              bloomery_filter** filter) {
  SizeSpec size;
  size.fpr = fpr;
  return create(kind, n, size, options, filter);
}

bloomery_error* bloomery_filter_with_size(const char* kind, uint64_t n, const bloomery_size_spec* spec,
                                          const bloomery_options* options, bloomery_filter** filter) {
  try {
    return create(kind, n, size_of(spec), options, filter);
  } catch (...) {  // size_of takes memory
    return out_of_memory();
  }
}

bloomery_error* bloomery_filter_clone(const bloomery_filter* filter, const bloomery_memory* memory,
                                      bloomery_filter** copy) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(copy);
    *copy = nullptr;
    BLOOMERY_C_NEEDS(filter);
    Result<std::shared_ptr<CallerMemory>> source = checked_memory(memory);
    BLOOMERY_TRY(source);
    if (*source == nullptr) *source = filter->memory;
    if (!filter->answers_keys)
      return Error{ErrorCode::wrong_secret, "a keyed filter opened without its secret cannot be copied", {}, "secret"};
    BLOOMERY_TRY(check_sound(*filter));
    Result<AnyFilter> made = AnyFilter::copy_of(filter->view, filter->key_count(), source->get());
    BLOOMERY_TRY(made);
    EnvelopeOptions envelope = filter->info ? filter->info->rewrite_options_after_change() : filter->envelope;
    *copy = handle_of(*std::move(made), *std::move(source));
    (*copy)->envelope = std::move(envelope);
    return {};
  });
}

void bloomery_filter_free(bloomery_filter* filter) { delete filter; }

bool bloomery_filter_contains(const bloomery_filter* filter, const void* key, size_t length) {
  if (filter == nullptr || (key == nullptr && length != 0) || !filter->answers_keys) return true;
  return filter->view.contains(key_of(key, length));
}
bool bloomery_filter_contains_uint64(const bloomery_filter* filter, uint64_t key) {
  return filter == nullptr || !filter->answers_keys || filter->view.contains(key);
}
bool bloomery_filter_contains_hash(const bloomery_filter* filter, uint64_t hash) {
  return filter == nullptr || filter->view.contains(Hash(hash));
}

bloomery_error* bloomery_filter_add(bloomery_filter* filter, const void* key, size_t length) {
  if (key == nullptr && length != 0) return returning([&] { return check_key(key, length); });
  return add(filter, key_of(key, length));
}
bloomery_error* bloomery_filter_add_uint64(bloomery_filter* filter, uint64_t key) { return add(filter, key); }
bloomery_error* bloomery_filter_add_hash(bloomery_filter* filter, uint64_t hash) { return add(filter, Hash(hash)); }

bloomery_error* bloomery_filter_remove(bloomery_filter* filter, const void* key, size_t length, bool* removed) {
  if (key == nullptr && length != 0) return returning([&] { return check_key(key, length); });
  return remove(filter, key_of(key, length), removed);
}
bloomery_error* bloomery_filter_remove_uint64(bloomery_filter* filter, uint64_t key, bool* removed) {
  return remove(filter, key, removed);
}
bloomery_error* bloomery_filter_remove_hash(bloomery_filter* filter, uint64_t hash, bool* removed) {
  return remove(filter, Hash(hash), removed);
}

bloomery_error* bloomery_filter_hash(const bloomery_filter* filter, const void* key, size_t length, uint64_t* hash) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(filter);
    BLOOMERY_C_NEEDS(hash);
    BLOOMERY_TRY(check_key(key, length));
    BLOOMERY_TRY(check_answers_keys(*filter));
    *hash = filter->view.hasher()(key_of(key, length)).bits;
    return {};
  });
}
