// BLM.IMPORT: .blm files in parts. An import is invisible until all of it is there and verified; one that nobody goes
// on with expires.
#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "server/blm_create.h"
#include "server/blm_open.h"
#include "server/config.h"
#include "server/link_items.h"
#include "server/transfer.h"

namespace bloomery::server {

namespace {

struct Import {
  Bytes file;
  std::uint64_t received = 0;
  long long last_ms = 0;
};
// The imports that are under way, by database and key.
std::unordered_map<std::string, Import>& imports() {
  static std::unordered_map<std::string, Import> all;
  return all;
}

void drop_expired() {
  const long long since = api.Milliseconds() - 1000 * config.import_timeout_seconds;
  std::erase_if(imports(), [&](const auto& entry) { return entry.second.last_ms < since; });
}

// Looks once a while as long as there is an import.
bool timer_runs = false;
void look_for_expired(Context* context, void*) {
  drop_expired();
  timer_runs = !imports().empty();
  if (timer_runs) api.CreateTimer(context, 1000, look_for_expired, nullptr);
}

// Makes the verified file the value of the key; false when it has replied why not.
bool publish(const Call& call, const OpenedKey& key, std::span<const std::uint8_t> file) {
  Result<OpenedEnvelope> opened = open_envelope(file);
  if (!opened.ok()) return call.error(opened.error()), false;
  count_again(opened->filter);
  Result<FilterValue::Pointer> value =
      FilterValue::create(std::move(opened->filter), opened->records, std::move(opened->keyed), {});
  if (!value.ok()) return call.error(value.error()), false;
  key.set(ValuePointer(value->release()));
  for (std::size_t offset = 0; offset < file.size();) {
    const std::size_t size = std::min(file.size() - offset, kMostPart);
    api.Replicate(call.context, "BLM.IMPORT", "sllbc", call.arguments[1], static_cast<long long>(offset),
                  static_cast<long long>(file.size()), reinterpret_cast<const char*>(file.data()) + offset, size,
                  "REPLACE");
    offset += size;
  }
  call.changed(1, "blm.import");
  return true;
}

// How many bytes have come of an import of that size; 0 when there is none. That is what an empty part asks.
std::uint64_t received_of(const std::string& name, std::uint64_t total) {
  const auto found = imports().find(name);
  return found == imports().end() || found->second.file.size() != total ? 0 : found->second.received;
}

// The import that the part belongs to; nullptr when it has replied why there is none.
Import* import_of(const Call& call, const std::string& name, std::uint64_t offset, std::uint64_t total) {
  if (offset == 0) {
    imports().erase(name);
    if (call.refuses_memory(2 * total)) return nullptr;  // the file, and the filter that is made of it
    Import import;
    import.file = Bytes::take(static_cast<std::size_t>(total));
    if (import.file.empty()) return call.error("ERR Insufficient memory to create filter"), nullptr;
    return &(imports()[name] = std::move(import));
  }
  const auto found = imports().find(name);
  if (found == imports().end() || found->second.file.size() != total)
    return call.error("ERR no import of that size has begun: begin again with offset 0"), nullptr;
  return &found->second;
}

}  // namespace

void blm_import(const Call& call) {
  if (call.count < 5 || call.count > 6) return call.wrong_arity();
  if (call.count == 6 && !is_word(call[5], "REPLACE")) return call.error("ERR unknown argument");
  const std::optional<std::uint64_t> offset = parse_unsigned(call[2]), total = parse_unsigned(call[3]);
  const std::string_view part = call[4];
  if (!offset || !total) return call.error("ERR offset and total must be numbers");
  if (*total > call.most_bytes())
    return call.error("ERR the filter would be larger than bloomery.max-filter-bytes allows");
  if (*offset > *total || part.size() > *total - *offset) return call.error("ERR the part does not fit into the total");
  const OpenedKey key(call, 1, kRead | kWrite);
  if (!key.is_empty() && call.count == 5) return call.error("ERR item exists: give REPLACE to replace it");
  drop_expired();
  const std::string name = std::to_string(api.GetSelectedDb(call.context)) + " " + std::string(call[1]);
  if (part.empty()) return call.number(received_of(name, *total));
  Import* const import = import_of(call, name, *offset, *total);
  if (import == nullptr) return;
  if (*offset > import->received)
    return call.error("ERR parts come in order: BLM.IMPORT goes on at the end of the last");
  std::memcpy(import->file.data() + *offset, part.data(), part.size());
  import->received = std::max(import->received, *offset + part.size());
  import->last_ms = api.Milliseconds();
  if (import->received < *total) {
    if (!timer_runs) timer_runs = true, api.CreateTimer(call.context, 1000, look_for_expired, nullptr);
    return call.number(import->received);
  }
  const Import whole = std::move(*import);
  imports().erase(name);
  if (publish(call, key, whole.file.span())) call.number(*total);
}

}  // namespace bloomery::server
