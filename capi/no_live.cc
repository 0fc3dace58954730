// Stands in for live filters in a build without them: every function refuses, and questions are answered "maybe".
#include "capi/handles.h"

namespace {

bloomery_error* refused() {
  return bloomery::capi::returning([]() -> bloomery::Status {
    return bloomery::Error{bloomery::ErrorCode::unsupported,
                           "this build has no live filters: configure it with -DBLOOMERY_LIVE=ON",
                           {},
                           {}};
  });
}

template <class T>
bloomery_error* refuse(T** out) {
  if (out != nullptr) *out = nullptr;
  return refused();
}

}  // namespace

bloomery_error* bloomery_live_create(const char*, uint64_t, double, const bloomery_live_options*,
                                     bloomery_live** live) {
  return refuse(live);
}
bloomery_error* bloomery_live_load(const char*, const char*, uint64_t, double, const bloomery_live_options*,
                                   const bloomery_open_options*, bloomery_live** live) {
  return refuse(live);
}
void bloomery_live_free(bloomery_live*) {}
bool bloomery_live_contains(const bloomery_live*, const void*, size_t) { return true; }
bool bloomery_live_contains_uint64(const bloomery_live*, uint64_t) { return true; }
bool bloomery_live_contains_hash(const bloomery_live*, uint64_t) { return true; }
bloomery_error* bloomery_live_contains_many(const bloomery_live*, const bloomery_keys*, uint8_t*, size_t) {
  return refused();
}
bloomery_error* bloomery_live_add(bloomery_live*, const void*, size_t) { return refused(); }
bloomery_error* bloomery_live_add_uint64(bloomery_live*, uint64_t) { return refused(); }
bloomery_error* bloomery_live_add_hash(bloomery_live*, uint64_t) { return refused(); }
bloomery_error* bloomery_live_add_many(bloomery_live*, const bloomery_keys*) { return refused(); }
bloomery_error* bloomery_live_begin_rebuild(bloomery_live*, uint64_t, double, const bloomery_options*) {
  return refused();
}
bloomery_error* bloomery_live_feed(bloomery_live*, const void*, size_t) { return refused(); }
bloomery_error* bloomery_live_feed_uint64(bloomery_live*, uint64_t) { return refused(); }
bloomery_error* bloomery_live_feed_many(bloomery_live*, const bloomery_keys*) { return refused(); }
bloomery_error* bloomery_live_commit(bloomery_live*) { return refused(); }
bloomery_error* bloomery_live_abort(bloomery_live*) { return refused(); }
bloomery_error* bloomery_live_snapshot(bloomery_live*, const char*, uint64_t) { return refused(); }
void bloomery_live_disable(bloomery_live*) {}
void bloomery_live_enable(bloomery_live*) {}
bool bloomery_live_is_disabled(const bloomery_live*) { return false; }
bool bloomery_live_self_check(bloomery_live*) { return false; }
bool bloomery_live_is_damaged(const bloomery_live*) { return false; }
void bloomery_live_was_false_positive(bloomery_live*) {}
void bloomery_live_was_false_negative(bloomery_live*) {}
bloomery_error* bloomery_live_stats(const bloomery_live*, char** json) { return refuse(json); }
bloomery_error* bloomery_live_prometheus(const bloomery_live* const*, size_t, char** text) { return refuse(text); }

bloomery_error* bloomery_rotating_create(const char*, uint64_t, double, const bloomery_rotating_options*,
                                         bloomery_rotating** rotating) {
  return refuse(rotating);
}
void bloomery_rotating_free(bloomery_rotating*) {}
bool bloomery_rotating_contains(const bloomery_rotating*, const void*, size_t) { return true; }
bool bloomery_rotating_contains_uint64(const bloomery_rotating*, uint64_t) { return true; }
bool bloomery_rotating_contains_hash(const bloomery_rotating*, uint64_t) { return true; }
bloomery_error* bloomery_rotating_add(bloomery_rotating*, const void*, size_t) { return refused(); }
bloomery_error* bloomery_rotating_add_uint64(bloomery_rotating*, uint64_t) { return refused(); }
bloomery_error* bloomery_rotating_add_hash(bloomery_rotating*, uint64_t) { return refused(); }
bloomery_error* bloomery_rotating_advance_to(bloomery_rotating*, uint64_t) { return refused(); }
uint64_t bloomery_rotating_epoch(const bloomery_rotating*) { return 0; }
uint64_t bloomery_rotating_bytes(const bloomery_rotating*) { return 0; }
