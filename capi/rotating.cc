// Rotating filters, of the last windows.
#include "bloomery/live/rotating.h"

#include "capi/live_kinds.h"

struct bloomery_rotating {
  template <class Filter>
  using Of = std::unique_ptr<bloomery::RotatingFilter<Filter>>;
  std::variant<Of<bloomery::BlockFilter>, Of<bloomery::SplitFilter>, Of<bloomery::ClassicFilter>> filter;
};

using namespace bloomery;
using namespace bloomery::capi;

namespace {

// Calls use(RotatingFilter&), of whatever kind the filter is.
template <class Use>
auto visit_filter(const bloomery_rotating& rotating, const Use& use) {
  return std::visit([&](const auto& filter) { return use(*filter); }, rotating.filter);
}

Result<RotatingOptions> checked_rotating(uint64_t n, double fpr, const bloomery_rotating_options* given) {
  bloomery_rotating_options all = BLOOMERY_ROTATING_OPTIONS_INIT;
  BLOOMERY_TRY(take(given, all, "options"));
  const Result<CheckedOptions> hash = checked(all.options);
  BLOOMERY_TRY(hash);
  if (hash->memory != nullptr)
    return Error{ErrorCode::invalid_argument, "a rotating filter takes the system's memory", {}, "memory"};
  RotatingOptions options;
  options.n = n;
  options.fpr = fpr;
  options.windows = all.windows == 0 ? 1 : all.windows;
  options.first_epoch = all.first_epoch;
  options.hasher = hash->hasher;
  return options;
}

template <class T>
bool contains(const bloomery_rotating* rotating, const T& key) {
  return rotating == nullptr ||
         answering(true, [&] { return visit_filter(*rotating, [&](auto& filter) { return filter.contains(key); }); });
}

template <class T>
bloomery_error* add(bloomery_rotating* rotating, const T& key) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(rotating);
    visit_filter(*rotating, [&](auto& filter) { return filter.add(key); });
    return {};
  });
}

}  // namespace

bloomery_error* bloomery_rotating_create(const char* kind, uint64_t n, double fpr,
                                         const bloomery_rotating_options* options, bloomery_rotating** rotating) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(rotating);
    *rotating = nullptr;
    const Result<RotatingOptions> all = checked_rotating(n, fpr, options);
    BLOOMERY_TRY(all);
    return with_shared_kind(kind, [&]<class Filter>(std::type_identity<Filter>) -> Status {
      auto made = RotatingFilter<Filter>::make(*all);
      BLOOMERY_TRY(made);
      *rotating = new bloomery_rotating{*std::move(made)};
      return {};
    });
  });
}

void bloomery_rotating_free(bloomery_rotating* rotating) { delete rotating; }

bool bloomery_rotating_contains(const bloomery_rotating* rotating, const void* key, size_t length) {
  return (key == nullptr && length != 0) || contains(rotating, key_of(key, length));
}
bool bloomery_rotating_contains_uint64(const bloomery_rotating* rotating, uint64_t key) {
  return contains(rotating, key);
}
bool bloomery_rotating_contains_hash(const bloomery_rotating* rotating, uint64_t hash) {
  return contains(rotating, Hash(hash));
}

bloomery_error* bloomery_rotating_add(bloomery_rotating* rotating, const void* key, size_t length) {
  if (key == nullptr && length != 0) return returning([&] { return check_key(key, length); });
  return add(rotating, key_of(key, length));
}
bloomery_error* bloomery_rotating_add_uint64(bloomery_rotating* rotating, uint64_t key) { return add(rotating, key); }
bloomery_error* bloomery_rotating_add_hash(bloomery_rotating* rotating, uint64_t hash) {
  return add(rotating, Hash(hash));
}

bloomery_error* bloomery_rotating_advance_to(bloomery_rotating* rotating, uint64_t epoch) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(rotating);
    return visit_filter(*rotating, [&](auto& filter) { return filter.advance_to(epoch); });
  });
}
uint64_t bloomery_rotating_epoch(const bloomery_rotating* rotating) {
  return rotating == nullptr ? 0 : visit_filter(*rotating, [](auto& filter) { return filter.epoch(); });
}
uint64_t bloomery_rotating_bytes(const bloomery_rotating* rotating) {
  return rotating == nullptr ? 0 : visit_filter(*rotating, [](auto& filter) { return filter.bytes(); });
}
