// How functions change a filter: one that owns its memory, or a mutable view; others refuse.
#pragma once

#include "capi/handles.h"

namespace bloomery::capi {

Error cannot_change(const bloomery_filter& filter);

// work(AnyFilter& or AnyMutableView&), which returns a Status. `moves`: the bytes may lie elsewhere afterwards.
template <class Work>
Status change(bloomery_filter& filter, const Work& work, bool moves) {
  if (auto* own = std::get_if<AnyFilter>(&filter.owner)) {
    Status status = work(*own);
    if (moves) filter.refresh();
    return status;
  }
  if (auto* view = std::get_if<AnyMutableView>(&filter.owner)) return work(*view);
  return cannot_change(filter);
}

// Refuses a keyed file that was opened without its secret: keys have no hash there.
inline Status check_answers_keys(const bloomery_filter& filter) {
  if (filter.answers_keys) return {};
  return Error{ErrorCode::wrong_secret, "a keyed filter opened without its secret cannot hash keys", {}, "secret"};
}

// Refuses a mapped file that is damaged, before its bytes get a checksum of their own or come among those of another
// filter. Reads all of a file that bloomery_filter_verify has not read, each time, and nothing of other filters.
inline Status check_sound(const bloomery_filter& filter) {
  const auto* const mapped = std::get_if<UnverifiedFile>(&filter.owner);
  return mapped == nullptr || filter.verified ? Status() : mapped->verify_all();
}

}  // namespace bloomery::capi
