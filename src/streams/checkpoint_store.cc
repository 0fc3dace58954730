#include "streams/checkpoint_store.h"

#include <algorithm>

#include "core/base/callback.h"
#include "core/base/error.h"
#include "streams/answers.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

constexpr std::size_t kMostParts = 4096;
constexpr std::size_t kCopyPart = std::size_t{8} << 20;
constexpr const char* kCopyLife = "3600";  // seconds, in which the replicas of a site come by
constexpr const char* kPartLife = "600";   // seconds, until the pointer names a part, and after it no longer does

// KEYS: pointer, stream, bridges, the new parts, the old parts. ARGV: token before, token, position, position before,
// new parts, bytes, cap of the stream, positions covered, seal. The pointer moves only from the token that the writer
// saw; parts that expired meanwhile end it. The stream keeps what the checkpoint before does not hold, and what a
// bridge has not forwarded. A full stream keeps what this checkpoint does not hold, and a bridge that lacks more is
// marked behind. So is one whose position nobody can read.
constexpr std::string_view kMovePointer = R"(
local function before(a, b)
  local at, an = string.match(a, '^(%d+)-(%d+)$')
  local bt, bn = string.match(b, '^(%d+)-(%d+)$')
  at, an, bt, bn = tonumber(at), tonumber(an), tonumber(bt), tonumber(bn)
  return at < bt or (at == bt and an < bn)
end
if (redis.call('HGET', KEYS[1], 'token') or '') ~= ARGV[1] then return 0 end
local parts = tonumber(ARGV[5])
for i = 4, 3 + parts do if redis.call('EXISTS', KEYS[i]) == 0 then return 0 end end
for i = 4, 3 + parts do redis.call('PERSIST', KEYS[i]) end
for i = 4 + parts, #KEYS do redis.call('EXPIRE', KEYS[i], 600) end
redis.call('HSET', KEYS[1], 'token', ARGV[2], 'position', ARGV[3], 'parts', ARGV[5], 'bytes', ARGV[6],
           'covered', ARGV[8], 'before', ARGV[1], 'seal', ARGV[9])
local full = redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[7])
local least = full and ARGV[3] or ARGV[4]
local bridges = redis.call('HGETALL', KEYS[3])
for i = 1, #bridges, 2 do
  local at = bridges[i + 1]
  if not string.match(at, '^%d+-%d+$') then redis.call('HSET', KEYS[3], bridges[i], 'behind')
  elseif before(at, least) then
    if full then redis.call('HSET', KEYS[3], bridges[i], 'behind') else least = at end
  end
end
if least ~= '0-0' then redis.call('XTRIM', KEYS[2], 'MINID', least) end
return 1
)";

// "origin:incarnation:sequence " for each.
std::string text_of(const std::vector<Position>& positions) {
  std::string text;
  for (const Position& at : positions)
    text += std::to_string(at.origin) + ":" + std::to_string(at.incarnation) + ":" + std::to_string(at.sequence) + " ";
  return text;
}

bool parse_positions(std::string_view text, std::vector<Position>& positions) {
  while (!text.empty()) {
    std::string_view one = cut(text, ' ');
    Position at;
    if (!parse_number(cut(one, ':'), at.origin) || !parse_number(cut(one, ':'), at.incarnation) ||
        !parse_number(one, at.sequence) || positions.size() == kMostPositions)
      return false;
    positions.push_back(at);
  }
  return true;
}

// Returns all that a pointer says, as the text that is sealed.
std::string sealed_text(std::string_view token, EntryId position, std::size_t parts, std::uint64_t bytes,
                        std::string_view before, std::string_view covered) {
  return "pointer " + std::string(token) + " " + position.to_string() + " " + std::to_string(parts) + " " +
         std::to_string(bytes) + " " + std::string(before) + " " + std::string(covered);
}

Error nonsense() {
  return corrupt("checkpoint",
                 "the pointer of the checkpoint holds no checkpoint: delete it, and a whole replica "
                 "writes another");
}

}  // namespace

Result<std::optional<CheckpointPointer>> read_pointer(Connection& connection, const Names& names, PointerCheck check) {
  Result<Reply> reply =
      connection.run({"HMGET", names.checkpoint(), "token", "position", "parts", "bytes", "covered", "before", "seal"});
  BLOOMERY_TRY(reply);
  if (reply->size() != 7) return nonsense();
  CheckpointPointer pointer;
  pointer.token = Reply::text(reply->item(0));
  if (pointer.token.empty()) return std::optional<CheckpointPointer>();
  const std::optional<EntryId> position = EntryId::parse(Reply::text(reply->item(1)));
  if (!position || !parse_number(Reply::text(reply->item(2)), pointer.parts) ||
      !parse_number(Reply::text(reply->item(3)), pointer.bytes) || pointer.parts > kMostParts ||
      !parse_positions(Reply::text(reply->item(4)), pointer.covered))
    return nonsense();
  pointer.position = *position;
  pointer.before = Reply::text(reply->item(5));
  const std::string said =
      sealed_text(pointer.token, *position, pointer.parts, pointer.bytes, pointer.before, Reply::text(reply->item(4)));
  if (check.secret != nullptr && Reply::text(reply->item(6)) != seal_text(said, *check.secret))
    return corrupt(
        "checkpoint",
        "the pointer of the checkpoint is damaged, or of replicas with another secret: delete it, and a whole "
        "replica writes another");
  return std::optional(std::move(pointer));
}

namespace {

// The parts, by the names that name_of gives; nothing when one is gone.
template <class NameOf>
Result<std::optional<Bytes>> read_parts(Connection& connection, std::size_t parts, std::uint64_t total,
                                        NameOf name_of) {
  if (total > kMostCheckpoint + kMostCheckpoint / 16 || parts > kMostParts) return nonsense();
  Bytes bytes;  // grows with what there really is
  for (std::size_t i = 0; i < parts; ++i) {
    Result<Reply> part = connection.run({"GET", name_of(i)});
    BLOOMERY_TRY(part);
    if (part->is_nil()) return std::optional<Bytes>();
    const std::string_view text = part->text();
    if (text.size() > total - bytes.size()) return nonsense();
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  if (bytes.size() != total) return nonsense();
  return std::optional(std::move(bytes));
}

}  // namespace

Result<std::optional<Bytes>> read_bytes(Connection& connection, const Names& names, const CheckpointPointer& pointer,
                                        CheckpointStore* store) {
  if (pointer.parts != 0)
    return read_parts(connection, pointer.parts, pointer.bytes,
                      [&](std::size_t i) { return names.part(pointer.token, i); });
  if (store == nullptr)
    return unsupported("checkpoint", "the checkpoint lies in a store, and this process was given none");
  return call_user("store", "the store of checkpoints", [&] { return store->get(pointer.token); });
}

std::optional<CheckpointCopy> CheckpointCopy::parse(std::string_view text) {
  CheckpointCopy copy;
  copy.token = cut(text, ' ');
  if (copy.token.empty() || !parse_number(cut(text, ' '), copy.parts) || !parse_number(text, copy.bytes)) return {};
  return copy;
}

std::string CheckpointCopy::to_string() const {
  return token + " " + std::to_string(parts) + " " + std::to_string(bytes);
}

Result<std::optional<Bytes>> read_copy(Connection& connection, const Names& names, const CheckpointCopy& copy) {
  return read_parts(connection, copy.parts, copy.bytes, [&](std::size_t i) { return names.copy(copy.token, i); });
}

Result<CheckpointCopy> write_copy(Connection& connection, const Names& names, std::span<const std::uint8_t> bytes) {
  CheckpointCopy copy = {world().fresh_token(), 0, bytes.size()};
  for (; !bytes.empty(); ++copy.parts) {
    const auto part = bytes.first(std::min(kCopyPart, bytes.size()));
    BLOOMERY_TRY(connection.run({"SET", names.copy(copy.token, copy.parts), as_text(part), "EX", kCopyLife}));
    bytes = bytes.subspan(part.size());
  }
  return copy;
}

namespace {

// Writes the parts, which expire unless the pointer comes to name them. Returns their names.
Result<std::vector<std::string>> write_parts(Connection& connection, const Names& names, const std::string& token,
                                             std::size_t part_bytes, std::span<const std::uint8_t> bytes) {
  if (bytes.size() > kMostCheckpoint + kMostCheckpoint / 16)
    return unsupported("checkpoint", "the checkpoint has " + std::to_string(bytes.size()) +
                                         " bytes, and a server keeps at most " + std::to_string(kMostCheckpoint) +
                                         " of a filter: give StreamOptions::store");
  std::vector<std::string> keys;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(part_bytes, bytes.size()))) {
    keys.push_back(names.part(token, keys.size()));
    const auto part = bytes.first(std::min(part_bytes, bytes.size()));
    BLOOMERY_TRY(connection.run({"SET", keys.back(), as_text(part), "EX", kPartLife}));
  }
  return keys;
}

}  // namespace

Result<bool> write_checkpoint(Connection& connection, const Names& names,
                              const std::optional<CheckpointPointer>& before, const CheckpointWrite& write,
                              std::span<const std::uint8_t> bytes) {
  if (before && (before->position > write.position || (before->position == write.position && !write.stream_full)))
    return false;
  const std::string token = world().fresh_token();
  std::vector<std::string> keys = {names.checkpoint(), names.stream(), names.bridges()};
  std::size_t parts = 0;
  if (write.store == nullptr) {
    Result<std::vector<std::string>> written = write_parts(connection, names, token, write.part_bytes, bytes);
    BLOOMERY_TRY(written);
    parts = written->size();
    keys.insert(keys.end(), written->begin(), written->end());
  } else {
    BLOOMERY_TRY(call_user("store", "the store of checkpoints", [&] { return write.store->put(token, bytes); }));
  }
  for (std::size_t i = 0; before && i < before->parts; ++i) keys.push_back(names.part(before->token, i));
  const std::string token_before = before ? before->token : "", covered = text_of(write.covered);
  const std::vector<std::string> arguments = {
      token_before,
      token,
      write.position.to_string(),
      before ? before->position.to_string() : "0-0",
      std::to_string(parts),
      std::to_string(bytes.size()),
      std::to_string(write.stream_cap),
      covered,
      seal_text(sealed_text(token, write.position, parts, bytes.size(), token_before, covered), write.secret)};
  const std::string key_count = std::to_string(keys.size());
  Words words = {"EVAL", kMovePointer, key_count};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  Result<Reply> moved = connection.run(words);
  BLOOMERY_TRY(moved);
  const bool is_ours = moved->number() == 1;
  const std::string unused = !is_ours ? token : before ? before->before : "";
  if (write.store != nullptr && !unused.empty())
    BLOOMERY_TRY(call_user("store", "the store of checkpoints", [&] { return write.store->remove(unused); }));
  return is_ours;
}

}  // namespace BLOOMERY_NAMESPACE::replica
