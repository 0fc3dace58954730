#include "server/blm_open.h"

#include <algorithm>

namespace bloomery::server {

FilterValue* filter_of(const Call& call, const OpenedKey& key) {
  if (key.is_empty()) return call.error("ERR not found"), nullptr;
  auto* const value = key.value<FilterValue>(ValueKind::filter);
  if (value == nullptr) return call.wrong_type(), nullptr;
  if (value->loaded) return call.error("ERR the filter is being loaded"), nullptr;
  return value;
}

FilterValue* filter_by_keys(const Call& call, const OpenedKey& key) {
  FilterValue* const value = filter_of(call, key);
  if (value == nullptr || !value->keyed()) return value;
  if (const Status status = value->use_secret(); !status.ok()) return call.error(status.error()), nullptr;
  if (!value->keyed()) return value;
  call.error("ERR the hash of this filter is keyed: set bloomery.secret-file, or ask by BLM.HASHES");
  return nullptr;
}

FilterValue* filter_by_hashes(const Call& call, const OpenedKey& key) {
  return call.is_replay() ? filter_of(call, key) : filter_by_keys(call, key);
}

namespace {

// Whole turns since the last one.
std::uint64_t overdue(const Call& call, const FilterValue& value, std::uint64_t now) {
  const FilterValue::Windows& windows = value.windows();
  if (windows.every_ms == 0 || now <= windows.turned_ms || call.is_replay() || call.is_replica()) return 0;
  return (now - windows.turned_ms) / windows.every_ms;
}

}  // namespace

std::uint64_t turned_at(const Call& call, std::uint64_t given_ms) {
  return call.is_replay() ? given_ms : std::min(given_ms, static_cast<std::uint64_t>(api.Milliseconds()));
}

std::size_t windows_that_count(const Call& call, const FilterValue& value) {
  const std::uint64_t late = overdue(call, value, static_cast<std::uint64_t>(api.Milliseconds()));
  return value.filters() - static_cast<std::size_t>(std::min<std::uint64_t>(late, value.filters()));
}

bool turn_overdue(const Call& call, FilterValue& value) {
  const std::uint64_t now = static_cast<std::uint64_t>(api.Milliseconds());
  const std::uint64_t late = overdue(call, value, now);
  const std::uint64_t turned = value.windows().turned_ms + late * value.windows().every_ms;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(late, value.filters()); ++i) {
    const Status status = value.rotate(turned);
    if (!status.ok()) return call.error(status.error()), false;
    api.Replicate(call.context, "BLM.ROTATE", "scl", call.arguments[1], "AT", static_cast<long long>(turned));
  }
  return true;
}

}  // namespace bloomery::server
