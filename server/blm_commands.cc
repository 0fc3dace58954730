// BLM.*: what the existing commands lack. Any kind of filter, packed hashes, windows, merges, files.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "bloomery/rate.h"
#include "server/blm_create.h"
#include "server/blm_open.h"
#include "server/dump_commands.h"

namespace bloomery::server {

namespace {

// The hashes of the arguments from `first` on; nothing when it has replied why not.
std::optional<std::vector<Hash>> hashes_of(const Call& call, const FilterValue& value, int first) {
  std::vector<Hash> hashes;
  hashes.reserve(static_cast<std::size_t>(call.count - first));
  for (int i = first; i < call.count; ++i) {
    const Result<Hash> hash = value.hash(call[i]);
    if (!hash.ok()) return call.error(hash.error()), std::nullopt;
    hashes.push_back(*hash);
  }
  return hashes;
}

// The numbers of a blob; nothing when it has replied why not.
std::optional<std::vector<Hash>> hashes_of_blob(const Call& call, std::string_view blob) {
  if (blob.size() % sizeof(Hash) != 0)
    return call.error("ERR the blob must hold hashes of 8 bytes each, little-endian"), std::nullopt;
  std::vector<Hash> hashes(blob.size() / sizeof(Hash));
  if (!hashes.empty()) std::memcpy(hashes.data(), blob.data(), blob.size());
  return hashes;
}

void reply_bools(const Call& call, std::span<const std::uint8_t> answers) {
  api.ReplyWithArray(call.context, static_cast<long>(answers.size()));
  for (const std::uint8_t answer : answers) api.ReplyWithBool(call.context, answer);
}

// Answers of any number of hashes, in groups.
std::vector<std::uint8_t> ask(const Call& call, const FilterValue& value, std::span<const Hash> hashes) {
  const std::size_t windows = windows_that_count(call, value);
  std::vector<std::uint8_t> answers(hashes.size());
  for (std::size_t first = 0; first < hashes.size(); first += 256) {
    const std::size_t count = std::min<std::size_t>(256, hashes.size() - first);
    value.contains_many(hashes.subspan(first, count), std::span(answers).subspan(first, count), windows);
  }
  return answers;
}

// Adds hashes to the newest filter until one is refused. `fresh` tells of each that is in whether it seemed new.
Status add_hashes(const Call& call, FilterValue& value, std::span<const Hash> hashes,
                  std::vector<std::uint8_t>& fresh) {
  const std::uint64_t most = value.most_of_one(call.most_bytes());
  const AllocationLimit limit(most);
  fresh.reserve(hashes.size());
  for (const Hash hash : hashes) {
    const bool seen = value.contains(hash, value.filters());
    BLOOMERY_TRY(value.add(hash, most));
    fresh.push_back(seen ? 0 : 1);
  }
  return {};
}

// Tells replicas and the AOF hashes instead of keys: they need no secret then.
void replicate_hashes(const Call& call, const char* command, std::span<const Hash> hashes) {
  api.Replicate(call.context, command, "sb", call.arguments[1], reinterpret_cast<const char*>(hashes.data()),
                hashes.size_bytes());
}

bool is_keyed(const FilterValue& value) { return takes_secret(value.hash_name().hash); }

void add(const Call& call) {
  if (call.count < 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  FilterValue* const value = filter_by_keys(call, key);
  if (value == nullptr) return;
  const std::optional<std::vector<Hash>> hashes = hashes_of(call, *value, 2);
  if (!hashes || !turn_overdue(call, *value)) return;
  std::vector<std::uint8_t> fresh;
  const Status status = add_hashes(call, *value, *hashes, fresh);
  if (!fresh.empty()) {
    value->touch(FilterValue::Change::more);
    if (is_keyed(*value)) replicate_hashes(call, "BLM.ADDHASH", std::span(*hashes).first(fresh.size()));
    else api.Replicate(call.context, "BLM.ADD", "sv", call.arguments[1], call.arguments + 2, fresh.size());
    call.changed(1, "blm.add");
  }
  if (status.ok()) return reply_bools(call, fresh);
  api.ReplyWithArray(call.context, static_cast<long>(fresh.size() + 1));
  for (const std::uint8_t answer : fresh) api.ReplyWithBool(call.context, answer);
  call.error(status.error());
}

void add_blob(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  FilterValue* const value = filter_by_hashes(call, key);
  if (value == nullptr) return;
  const std::optional<std::vector<Hash>> hashes = hashes_of_blob(call, call[2]);
  if (!hashes || !turn_overdue(call, *value)) return;
  std::vector<std::uint8_t> fresh;
  const Status status = add_hashes(call, *value, *hashes, fresh);
  if (!fresh.empty()) {
    value->touch(FilterValue::Change::more);
    replicate_hashes(call, "BLM.ADDHASH", std::span(*hashes).first(fresh.size()));
    call.changed(1, "blm.add");
  }
  if (!status.ok()) return call.error(status.error());
  call.number(static_cast<std::uint64_t>(std::count(fresh.begin(), fresh.end(), 1)));
}

void exists(const Call& call) {
  if (call.count < 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const FilterValue* const value = filter_by_keys(call, key);
  if (value == nullptr) return;
  if (const std::optional<std::vector<Hash>> hashes = hashes_of(call, *value, 2))
    reply_bools(call, ask(call, *value, *hashes));
}

// Answers of 0 and 1 as bits, the first in bit 0 of byte 0. The product moves byte i of eight to bit 56 + i.
std::vector<std::uint8_t> packed(std::span<const std::uint8_t> answers) {
  std::vector<std::uint8_t> bits((answers.size() + 7) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, answers.data() + 8 * i, std::min<std::size_t>(8, answers.size() - 8 * i));
    bits[i] = static_cast<std::uint8_t>(eight * 0x0102040810204080u >> 56);
  }
  return bits;
}

void ask_blob(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const FilterValue* const value = filter_of(call, key);
  if (value == nullptr) return;
  const std::optional<std::vector<Hash>> hashes = hashes_of_blob(call, call[2]);
  if (!hashes) return;
  const std::vector<std::uint8_t> answers = ask(call, *value, *hashes);
  call.bytes(packed(answers));
}

// Tells of each hash whether it was removed; nothing when it has replied why not.
std::optional<std::vector<std::uint8_t>> remove_hashes(const Call& call, FilterValue& value,
                                                       std::span<const Hash> hashes) {
  if (!can(value.newest().view().kind(), Ability::remove))
    return call.error("ERR this kind does not remove: counting, cuckoo and quotient filters do"), std::nullopt;
  // A window that does not hold the item, or no longer, would lose the entry of another one.
  if (value.has_windows() && !call.is_replay())
    return call.error("ERR windows take no removals: nobody can tell which of them an item is in"), std::nullopt;
  std::vector<std::uint8_t> removed;
  removed.reserve(hashes.size());
  for (const Hash hash : hashes) removed.push_back(value.newest().remove(hash).value_or(false) ? 1 : 0);
  if (std::count(removed.begin(), removed.end(), 1) > 0) {
    value.touch(FilterValue::Change::other);
    if (is_keyed(value)) replicate_hashes(call, "BLM.DELHASH", hashes);
    else api.ReplicateVerbatim(call.context);
    call.changed(1, "blm.del");
  }
  return removed;
}

void remove(const Call& call) {
  if (call.count < 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  FilterValue* const value = filter_by_keys(call, key);
  if (value == nullptr) return;
  const std::optional<std::vector<Hash>> hashes = hashes_of(call, *value, 2);
  if (!hashes) return;
  if (const auto removed = remove_hashes(call, *value, *hashes)) reply_bools(call, *removed);
}

void remove_blob(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  FilterValue* const value = filter_by_hashes(call, key);
  if (value == nullptr) return;
  const std::optional<std::vector<Hash>> hashes = hashes_of_blob(call, call[2]);
  if (!hashes) return;
  if (const auto removed = remove_hashes(call, *value, *hashes))
    call.number(static_cast<std::uint64_t>(std::count(removed->begin(), removed->end(), 1)));
}

void count(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const FilterValue* const value = filter_by_keys(call, key);
  if (value == nullptr) return;
  const Result<Hash> hash = value->hash(call[2]);
  if (!hash.ok()) return call.error(hash.error());
  if (const std::optional<std::uint64_t> times = value->count(*hash, windows_that_count(call, *value)))
    return call.number(*times);
  call.error("ERR this kind does not count: counting, cuckoo and quotient filters do");
}

void rotate(const Call& call) {
  if (call.count != 2 && call.count != 4) return call.wrong_arity();
  std::uint64_t at = static_cast<std::uint64_t>(api.Milliseconds());
  if (call.count == 4) {
    const std::optional<std::uint64_t> given = parse_unsigned(call[3]);
    if (!is_word(call[2], "AT") || !given) return call.error("ERR unknown argument");
    at = turned_at(call, *given);
  }
  const OpenedKey key(call, 1, kRead | kWrite);
  FilterValue* const value = filter_by_hashes(call, key);
  if (value == nullptr) return;
  if (!value->has_windows() && !call.is_replay())
    return call.error("ERR this filter has no windows, and would lose all items: BLM.WINDOW makes one that has");
  const Status status = value->rotate(at);
  if (!status.ok()) return call.error(status.error());
  api.Replicate(call.context, "BLM.ROTATE", "scl", call.arguments[1], "AT", static_cast<long long>(at));
  call.changed(1, "blm.rotate");
  call.ok();
}

void reply_text(const Call& call, std::string_view text) {
  api.ReplyWithStringBuffer(call.context, text.data(), text.size());
}

// How a client hashes for BLM.HASHES and BLM.ADDHASH.
void hasher(const Call& call) {
  if (call.count != 2) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const FilterValue* const value = filter_of(call, key);
  if (value == nullptr) return;
  const auto [hash, seed] = value->hash_name();
  api.ReplyWithMap(call.context, 3);
  call.name("hash");
  reply_text(call, to_string(hash));
  call.name(takes_secret(hash) ? "secret id" : "seed");
  reply_text(call, std::to_string(seed));
  call.name("keys");
  reply_text(call, value->records().keys.value_or("bytes"));
}

// Asks for hashes that nobody added on purpose; the same ones each time.
SampledRate sample(const FilterValue& value) {
  constexpr std::uint64_t kSamples = 8192;
  std::array<Hash, 256> hashes;
  std::array<std::uint8_t, 256> answers;
  std::uint64_t hits = 0;
  for (std::uint64_t first = 0; first < kSamples; first += hashes.size()) {
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = Hasher::xxh3(0x5a4d)(first + i);
    value.contains_many(hashes, answers, value.filters());
    hits += static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 1));
  }
  return sampled_rate(hits, kSamples);
}

void info(const Call& call) {
  if (call.count != 2) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const FilterValue* const value = filter_of(call, key);
  if (value == nullptr) return;
  const AnyView view = value->newest().view();
  api.ReplyWithMap(call.context, 13);
  const auto optional_number = [&](const char* name, const std::optional<std::uint64_t>& number) {
    call.name(name);
    if (number) call.number(*number);
    else api.ReplyWithNull(call.context);
  };
  const auto real = [&](const char* name, double number) {
    call.name(name);
    api.ReplyWithDouble(call.context, number);
  };
  call.name("kind");
  reply_text(call, to_string(view.kind()));
  optional_number("bytes", value->payload_bytes());
  optional_number("memory", value->memory());
  optional_number("items", value->newest().key_count());
  optional_number("estimated items", view.estimated_count());
  real("fill", view.fill());
  real("predicted rate", view.predicted_fpr());
  real("sampled rate", sample(*value).rate);
  call.name("hash");
  reply_text(call, to_string(value->hash_name().hash));
  call.name("keys");
  reply_text(call, value->records().keys.value_or("bytes"));
  call.name("label");
  if (value->records().label) reply_text(call, *value->records().label);
  else api.ReplyWithNull(call.context);
  optional_number("windows", value->filters());
  optional_number("seconds a window", value->windows().every_ms / 1000);
}

void scan(const Call& call) { scan_dump(call, ValueKind::filter); }
void load(const Call& call) { load_chunk(call, ValueKind::filter, "blm.loadchunk"); }

constexpr CommandRow kCommands[] = {
    {"BLM.RESERVE", command<blm_reserve>, "write deny-oom", -4, "Creates a filter of any kind that takes keys",
     "O(bytes)"},
    {"BLM.WINDOW", command<blm_window>, "write deny-oom", -4,
     "Creates filters that take turns: seen in the last windows", "O(bytes)"},
    {"BLM.ROTATE", command<rotate>, "write", -2, "Forgets the oldest window and begins a new one",
     "O(bytes of a window)"},
    {"BLM.ADD", command<add>, "write deny-oom", -3, "Adds items", "O(items)"},
    {"BLM.ADDHASH", command<add_blob>, "write deny-oom", 3, "Adds hashes of 8 bytes each", "O(hashes)"},
    {"BLM.EXISTS", command<exists>, "readonly", -3, "Whether items may have been added", "O(items)"},
    {"BLM.HASHES", command<ask_blob>, "readonly", 3, "Whether hashes may have been added, a bit each", "O(hashes)"},
    {"BLM.DEL", command<remove>, "write", -3, "Removes items that were added", "O(items)"},
    {"BLM.DELHASH", command<remove_blob>, "write", 3, "Removes hashes of 8 bytes each", "O(hashes)"},
    {"BLM.COUNT", command<count>, "readonly fast", 3, "How often an item may be there", "O(1)"},
    {"BLM.HASHER", command<hasher>, "readonly fast", 2, "How to hash for BLM.HASHES", "O(1)"},
    {"BLM.INFO", command<info>, "readonly", 2, "Kind, sizes, rates, label", "O(bytes)"},
    {"BLM.MERGE", command<blm_merge>, "write deny-oom", -3, "The union of filters", "O(bytes)", -1},
    {"BLM.INTERSECT", command<blm_intersect>, "write deny-oom", -3, "The intersection of filters", "O(bytes)", -1},
    {"BLM.OVERLAP", command<blm_overlap>, "readonly", 3, "What two filters have in common", "O(bytes)", 1},
    {"BLM.EXPORT", command<blm_export>, "readonly", -2, "A .blm file in parts", "O(bytes of the part)"},
    {"BLM.IMPORT", command<blm_import>, "write deny-oom", -5, "Takes a .blm file in parts", "O(bytes of the part)"},
    {"BLM.SCANDUMP", command<scan>, "readonly", 3, "The value in parts, windows included", "O(bytes of the part)"},
    {"BLM.LOADCHUNK", command<load>, "write deny-oom", 4, "Takes a part of BLM.SCANDUMP", "O(bytes of the part)"},
};

}  // namespace

std::span<const CommandRow> blm_commands() { return kCommands; }

}  // namespace bloomery::server
