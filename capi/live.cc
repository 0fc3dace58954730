// Live filters of the three kinds that threads share.
#include "bloomery/live/live.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "capi/keys.h"
#include "capi/live_kinds.h"

struct bloomery_live {
  template <class Filter>
  using Of = std::unique_ptr<bloomery::LiveFilter<Filter>>;

  std::shared_ptr<bloomery::capi::CallerMemory> memory;  // before the filters, which give their bytes back to it
  std::variant<Of<bloomery::BlockFilter>, Of<bloomery::SplitFilter>, Of<bloomery::ClassicFilter>> filter;
  // Once a rebuild brought another hash, a hash of the caller's means nothing certain any more. It is set before the
  // rebuild begins, so that whoever has seen the new filter sees it set too. Only a begin that failed takes it back,
  // and one at a time decides that.
  std::atomic<bool> rehashed{false};
  std::mutex beginning{};
};

using namespace bloomery;
using namespace bloomery::capi;

namespace {

// Calls use(LiveFilter&), of whatever kind the filter is.
template <class Use>
auto visit_filter(const bloomery_live& live, const Use& use) {
  return std::visit([&](const auto& filter) { return use(*filter); }, live.filter);
}

struct Checked {
  LiveOptions options;
  std::shared_ptr<CallerMemory> memory;
};

Result<Checked> checked_live(uint64_t n, double fpr, const bloomery_live_options* given) {
  bloomery_live_options all = BLOOMERY_LIVE_OPTIONS_INIT;
  BLOOMERY_TRY(take(given, all, "options"));
  Result<CheckedOptions> options = checked(all.options);
  BLOOMERY_TRY(options);
  Checked out;
  out.options.n = n;
  out.options.fpr = fpr;
  out.options.hasher = options->hasher;
  out.options.memory = options->memory.get();
  if (all.name != nullptr) out.options.name = all.name;
  if (all.patience_ms != 0)
    out.options.patience = std::chrono::milliseconds(std::min<std::uint64_t>(all.patience_ms, 86'400'000));
  out.options.lock_memory = all.lock_memory;
  out.memory = std::move(options->memory);
  return out;
}

// make(options, std::type_identity<Filter>) gives the live filter.
template <class Make>
bloomery_error* create(const char* kind, uint64_t n, double fpr, const bloomery_live_options* options,
                       bloomery_live** live, const Make& make) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    *live = nullptr;
    Result<Checked> all = checked_live(n, fpr, options);
    BLOOMERY_TRY(all);
    return with_shared_kind(kind, [&](auto filter) -> Status {
      auto made = make(all->options, filter);
      BLOOMERY_TRY(made);
      *live = new bloomery_live{std::move(all->memory), *std::move(made), {}};
      return {};
    });
  });
}

Error hash_changed() {
  return {ErrorCode::unsupported,
          "a rebuild brought another hash, so that hashes from outside mean other keys: add keys themselves",
          {},
          "hash"};
}

template <class T>
bool contains(const bloomery_live* live, const T& key) {
  return live == nullptr ||
         answering(true, [&] { return visit_filter(*live, [&](auto& l) { return l.contains(key); }); });
}

template <class T>
bloomery_error* add(bloomery_live* live, const T& key) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    visit_filter(*live, [&](auto& l) { return l.add(key); });
    return {};
  });
}

template <class T>
bloomery_error* feed(bloomery_live* live, const T& key) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    return visit_filter(*live, [&](auto& l) { return l.feed(key); });
  });
}

// Calls use(live filter, range) for each range of the keys, and ends with its first failure.
template <class Use>
bloomery_error* for_keys(bloomery_live* live, const bloomery_keys* keys, const Use& use) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    if (run->are_hashes() && live->rehashed) return hash_changed();
    Status status;
    run->for_ranges(Keys::kAll, [&](std::size_t, const auto& range) {
      status = visit_filter(*live, [&](auto& l) { return use(l, range); });
      return status.ok();
    });
    // This is asked afterwards too: keys of a call that a rebuild overtakes may be in the old filter alone.
    if (status.ok() && run->are_hashes() && live->rehashed) return hash_changed();
    return status;
  });
}

}  // namespace

bloomery_error* bloomery_live_create(const char* kind, uint64_t n, double fpr, const bloomery_live_options* options,
                                     bloomery_live** live) {
  return create(kind, n, fpr, options, live, []<class Filter>(const LiveOptions& with, std::type_identity<Filter>) {
    return LiveFilter<Filter>::make(with);
  });
}

bloomery_error* bloomery_live_load(const char* kind, const char* path, uint64_t n, double fpr,
                                   const bloomery_live_options* options, const bloomery_open_options* open,
                                   bloomery_live** live) {
  return create(kind, n, fpr, options, live,
                [&]<class Filter>(const LiveOptions& with,
                                  std::type_identity<Filter>) -> Result<std::unique_ptr<LiveFilter<Filter>>> {
                  BLOOMERY_C_NEEDS(path);
                  const Result<OpenOptions> opened = checked_open(open);
                  BLOOMERY_TRY(opened);
                  return LiveFilter<Filter>::load(path, with, *opened);
                });
}

void bloomery_live_free(bloomery_live* live) { delete live; }

bool bloomery_live_contains(const bloomery_live* live, const void* key, size_t length) {
  return (key == nullptr && length != 0) || contains(live, key_of(key, length));
}
bool bloomery_live_contains_uint64(const bloomery_live* live, uint64_t key) { return contains(live, key); }
bool bloomery_live_contains_hash(const bloomery_live* live, uint64_t hash) {
  // `rehashed` is asked afterwards: a rebuild may have begun and ended in between.
  return live == nullptr || contains(live, Hash(hash)) || live->rehashed;
}

bloomery_error* bloomery_live_contains_many(const bloomery_live* live, const bloomery_keys* keys, uint8_t* answers,
                                            size_t length) {
  const auto ask = [&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    BLOOMERY_TRY(check_length("answers", answers, length, run->count()));
    const std::span<std::uint8_t> all(answers, run->count());
    run->for_ranges(Keys::kAll, [&](std::size_t first, const auto& range) {
      visit_filter(*live, [&](auto& l) { l.contains_many(range, all.subspan(first)); });
      return true;
    });
    if (run->are_hashes() && live->rehashed) std::fill(all.begin(), all.end(), std::uint8_t{1});
    return {};
  };
  return all_maybe(returning(ask), keys, answers, length);
}

bloomery_error* bloomery_live_add(bloomery_live* live, const void* key, size_t length) {
  if (key == nullptr && length != 0) return returning([&] { return check_key(key, length); });
  return add(live, key_of(key, length));
}
bloomery_error* bloomery_live_add_uint64(bloomery_live* live, uint64_t key) { return add(live, key); }
bloomery_error* bloomery_live_add_hash(bloomery_live* live, uint64_t hash) {
  const auto changed = [live] { return live != nullptr && live->rehashed; };
  if (!changed()) {
    bloomery_error* const error = add(live, Hash(hash));
    if (error != nullptr || !changed()) return error;
  }
  return returning([]() -> Status { return hash_changed(); });
}
bloomery_error* bloomery_live_add_many(bloomery_live* live, const bloomery_keys* keys) {
  return for_keys(live, keys, [](auto& l, const auto& range) { return l.add_many(range); });
}

bloomery_error* bloomery_live_begin_rebuild(bloomery_live* live, uint64_t n, double fpr,
                                            const bloomery_options* options) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    const Result<CheckedOptions> all = checked(options);
    BLOOMERY_TRY(all);
    if (all->memory != nullptr)
      return Error{ErrorCode::invalid_argument, "a rebuild takes the memory that the live filter has", {}, "memory"};
    const std::lock_guard<std::mutex> one_at_a_time(live->beginning);
    const bool before = live->rehashed;
    if (all->hasher) live->rehashed = true;
    Status status = visit_filter(*live, [&](auto& l) { return l.begin_rebuild(n, fpr, all->hasher); });
    if (!status.ok() && !before) live->rehashed = false;
    return status;
  });
}

bloomery_error* bloomery_live_feed(bloomery_live* live, const void* key, size_t length) {
  if (key == nullptr && length != 0) return returning([&] { return check_key(key, length); });
  return feed(live, key_of(key, length));
}
bloomery_error* bloomery_live_feed_uint64(bloomery_live* live, uint64_t key) { return feed(live, key); }
bloomery_error* bloomery_live_feed_many(bloomery_live* live, const bloomery_keys* keys) {
  return for_keys(live, keys, [](auto& l, const auto& range) { return l.feed_many(range); });
}

bloomery_error* bloomery_live_commit(bloomery_live* live) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    return visit_filter(*live, [](auto& l) { return l.commit(); });
  });
}
bloomery_error* bloomery_live_abort(bloomery_live* live) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    return visit_filter(*live, [](auto& l) { return l.abort(); });
  });
}
bloomery_error* bloomery_live_snapshot(bloomery_live* live, const char* path, uint64_t bytes_per_second) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(live);
    BLOOMERY_C_NEEDS(path);
    return visit_filter(*live, [&](auto& l) { return l.snapshot(path, {.bytes_per_second = bytes_per_second}); });
  });
}

void bloomery_live_disable(bloomery_live* live) {
  if (live != nullptr) visit_filter(*live, [](auto& l) { l.disable(); });
}
void bloomery_live_enable(bloomery_live* live) {
  if (live != nullptr) visit_filter(*live, [](auto& l) { l.enable(); });
}
bool bloomery_live_is_disabled(const bloomery_live* live) {
  return live != nullptr && visit_filter(*live, [](auto& l) { return l.disabled(); });
}
bool bloomery_live_self_check(bloomery_live* live) {
  return live != nullptr &&
         answering(false, [&] { return visit_filter(*live, [](auto& l) { return l.self_check(); }); });
}
bool bloomery_live_is_damaged(const bloomery_live* live) {
  return live != nullptr && visit_filter(*live, [](auto& l) { return l.damaged(); });
}
void bloomery_live_was_false_positive(bloomery_live* live) {
  if (live != nullptr) visit_filter(*live, [](auto& l) { l.was_false_positive(); });
}
void bloomery_live_was_false_negative(bloomery_live* live) {
  if (live != nullptr) visit_filter(*live, [](auto& l) { l.was_false_negative(); });
}

bloomery_error* bloomery_live_stats(const bloomery_live* live, char** json) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(json);
    *json = nullptr;
    BLOOMERY_C_NEEDS(live);
    const Result<std::string> text = visit_filter(*live, [](auto& l) { return l.json(); });
    BLOOMERY_TRY(text);
    return give_text(*text, json);
  });
}

bloomery_error* bloomery_live_prometheus(const bloomery_live* const* live, size_t count, char** text) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(text);
    *text = nullptr;
    std::vector<Figures> all;
    for (std::size_t i = 0; i < count; ++i) {
      BLOOMERY_C_NEEDS(live);
      BLOOMERY_C_NEEDS(live[i]);
      Result<Figures> figures = visit_filter(*live[i], [](auto& l) { return l.figures(); });
      BLOOMERY_TRY(figures);
      all.push_back(*std::move(figures));
    }
    const Result<std::string> page = prometheus(all);
    BLOOMERY_TRY(page);
    return give_text(*page, text);
  });
}
