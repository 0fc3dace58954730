#include "server/dump_commands.h"

#include <cstring>

#include "server/transfer.h"

namespace bloomery::server {

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Whether these can be a dump of a filter of another module: then it is refused by name.
const char* foreign(std::span<const std::uint8_t> part) {
  if (part.size() >= 4 && std::memcmp(part.data(), "BLMV", 4) == 0) return nullptr;
  return "ERR received bad data: a dump of this module begins with BLMV; those of other modules cannot be loaded";
}

void load_header(const Call& call, ValueKind kind, const OpenedKey& key, std::span<const std::uint8_t> part,
                 const char* event) {
  if (!key.is_empty()) return call.error("ERR received bad data: the key exists, remove it first");
  if (const char* message = foreign(part)) return call.error(message);
  Result<ValuePointer> value = value_from_header(kind, part, call.most_bytes());
  if (!value.ok()) return call.error(value.error());
  const std::uint64_t bytes = (*value)->payload_bytes();
  if (call.refuses_memory(bytes, true)) return;  // nothing of it has been touched yet
  for (std::size_t i = 0; i < (*value)->payloads(); ++i) {
    const auto payload = (*value)->payload(i);
    std::memset(payload.data(), 0, payload.size());
  }
  if (bytes > 0) (*value)->loaded = 0;
  else if (const Status finished = (*value)->finish_loading(); !finished.ok()) return call.error(finished.error());
  key.set(*std::move(value));
  api.ReplicateVerbatim(call.context);
  call.changed(1, event);
  call.ok();
}

}  // namespace

void scan_dump(const Call& call, ValueKind kind) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  if (key.is_empty()) return call.error("ERR not found");
  auto* const value = key.value<Value>(kind);
  if (value == nullptr) return call.wrong_type();
  const std::optional<std::uint64_t> iterator = parse_unsigned(call[2]);
  if (!iterator) return call.error("ERR Second argument must be numeric");
  if (value->loaded) return call.error("ERR the filter is being loaded");
  const Result<DumpPart> part = dump_part(*value, *iterator);
  if (!part.ok()) return call.error(part.error());
  api.ReplyWithArray(call.context, 2);
  call.number(part->next);
  call.bytes(part->bytes);
}

void load_chunk(const Call& call, ValueKind kind, const char* event) {
  if (call.count != 4) return call.wrong_arity();
  const std::optional<std::uint64_t> iterator = parse_unsigned(call[2]);
  if (!iterator || *iterator == 0) return call.error("ERR Second argument must be numeric");
  const OpenedKey key(call, 1, kRead | kWrite);
  const std::span<const std::uint8_t> part = bytes_of(call[3]);
  if (!key.is_empty() && key.value<Value>(kind) == nullptr) return call.wrong_type();
  if (is_header_part(*iterator)) {
    load_header(call, kind, key, part, event);
    return;
  }
  auto* const value = key.value<Value>(kind);
  if (value == nullptr) return call.error("ERR not found");
  const std::optional<std::uint64_t> before = value->loaded;
  const std::uint64_t total = value->payload_bytes();
  const Status taken = load_part(*value, *iterator, part);
  if (!taken.ok()) {
    const bool all_there = value->loaded == total && before != value->loaded;
    if (all_there) {  // its parts were sound, and what they make is not
      key.remove();
      api.Replicate(call.context, "DEL", "s", call.arguments[1]);
      call.changed(1, "del");
    }
    return call.error(taken.error());
  }
  if (before != value->loaded) {
    api.ReplicateVerbatim(call.context);
    call.changed(1, event);
  }
  call.ok();
}

void replicate_header(const Call& call, const Value& value, const char* load_command) {
  const std::vector<std::uint8_t> header = header_of(value);
  api.Replicate(call.context, load_command, "slb", call.arguments[1], 1LL, reinterpret_cast<const char*>(header.data()),
                header.size());
}

}  // namespace bloomery::server
