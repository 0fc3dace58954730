// CF.*: the cuckoo commands, answered as the existing modules do (docs/server.md has the differences).
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "server/call.h"
#include "server/config.h"
#include "server/cuckoo_chain.h"
#include "server/dump_commands.h"

namespace bloomery::server {

namespace {

constexpr ValueKind kKind = ValueKind::cuckoo;
constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << 40;

CuckooChain::Shape default_shape() {
  CuckooChain::Shape shape;
  shape.capacity = static_cast<std::uint64_t>(config.cf_initial_size);
  shape.bucket_size = static_cast<std::uint32_t>(config.cf_bucket_size);
  shape.max_iterations = static_cast<std::uint32_t>(config.cf_max_iterations);
  shape.expansion = static_cast<std::uint32_t>(config.cf_expansion_factor);
  return shape;
}

// A number from least to most into `field`; false when it has replied `message`.
template <class Field>
bool take_number(const Call& call, std::string_view argument, const char* message, long long least, std::uint64_t most,
                 Field& field) {
  const std::optional<long long> number = parse_integer(argument);
  if (!number || *number < least || static_cast<std::uint64_t>(*number) > most) return call.error(message), false;
  field = static_cast<Field>(*number);
  return true;
}

CuckooChain* create_chain(const Call& call, const OpenedKey& key, const CuckooChain::Shape& shape) {
  if (call.refuses_memory(shape.capacity)) return nullptr;
  Result<CuckooChain::Pointer> chain = CuckooChain::create(shape, call.most_bytes());
  if (!chain.ok()) {
    if (chain.error().code == ErrorCode::full) call.error(chain.error());
    else if (chain.error().code == ErrorCode::out_of_memory) call.error("ERR Insufficient memory to create filter");
    else call.error("ERR could not create filter");
    return nullptr;
  }
  CuckooChain* const created = chain->get();
  key.set(ValuePointer(chain->release()));
  api.Replicate(call.context, "CF.RESERVE", "slclclcl", call.arguments[1], static_cast<long long>(shape.capacity),
                "BUCKETSIZE", static_cast<long long>(shape.bucket_size), "MAXITERATIONS",
                static_cast<long long>(shape.max_iterations), "EXPANSION", static_cast<long long>(shape.expansion));
  return created;
}

void reserve(const Call& call) {
  if (call.count < 3 || call.count % 2 == 0) return call.wrong_arity();
  CuckooChain::Shape shape = default_shape();
  if (!take_number(call, call[2], "Bad capacity", 1, kMostCapacity, shape.capacity)) return;
  for (int i = 3; i < call.count; i += 2) {
    const std::string_view word = call[i], value = call[i + 1];
    bool taken = false;
    if (is_word(word, "BUCKETSIZE")) taken = take_number(call, value, "Bad bucket size", 1, 255, shape.bucket_size);
    else if (is_word(word, "MAXITERATIONS"))
      taken = take_number(call, value, "Bad max iterations", 1, 65535, shape.max_iterations);
    else if (is_word(word, "EXPANSION")) taken = take_number(call, value, "Bad expansion", 0, 32768, shape.expansion);
    else call.error("Unknown argument received");
    if (!taken) return;
  }
  const OpenedKey key(call, 1, kRead | kWrite);
  if (!key.is_empty())
    return key.value<CuckooChain>(kKind) == nullptr ? call.wrong_type() : call.error("ERR item exists");
  if (create_chain(call, key, shape) == nullptr) return;
  call.changed(1, "cf.reserve");
  call.ok();
}

CuckooChain* chain_to_change(const Call& call, const OpenedKey& key, const CuckooChain::Shape& shape, bool create) {
  if (key.is_empty()) {
    if (create) return create_chain(call, key, shape);
    return call.error("ERR not found"), nullptr;
  }
  auto* const chain = key.value<CuckooChain>(kKind);
  if (chain == nullptr) return call.wrong_type(), nullptr;
  if (chain->loaded) return call.error("ERR the filter is being loaded"), nullptr;
  return chain;
}

// What became of items: 1 added, 0 there already (NX), -1 no room. The last error is that of the last -1.
struct Added {
  std::vector<int> results;
  std::vector<String*> replicated;
  Status last_error;
};

Added add_items(const Call& call, CuckooChain& chain, int first, bool only_new) {
  Added added;
  added.results.reserve(static_cast<std::size_t>(call.count - first));
  added.replicated.reserve(static_cast<std::size_t>(call.count - first));
  const std::uint64_t most = call.most_bytes();
  const std::size_t links =
      call.is_replay() ? CuckooChain::kMaxLinks : static_cast<std::size_t>(config.cf_max_expansions);
  for (int i = first; i < call.count; ++i) {
    const Hash hash = CuckooChain::hash(call[i]);
    if (only_new && chain.contains(hash)) {
      added.results.push_back(0);
      continue;
    }
    const Status status = chain.add(hash, most, links);
    added.results.push_back(status.ok() ? 1 : -1);
    if (status.ok()) added.replicated.push_back(call.arguments[i]);
    else added.last_error = status;
  }
  return added;
}

void publish(const Call& call, const Added& added) {
  if (added.replicated.empty()) return;
  api.Replicate(call.context, "CF.INSERT", "sccv", call.arguments[1], "NOCREATE", "ITEMS", added.replicated.data(),
                added.replicated.size());
  call.changed(1, "cf.add");
}

void add_one(const Call& call, bool only_new) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  CuckooChain* const chain = chain_to_change(call, key, default_shape(), true);
  if (chain == nullptr) return;
  const Added added = add_items(call, *chain, 2, only_new);
  publish(call, added);
  if (added.results[0] < 0) return call.error(added.last_error.error());
  api.ReplyWithBool(call.context, added.results[0]);
}
void add(const Call& call) { add_one(call, false); }
void add_new(const Call& call) { add_one(call, true); }

void insert_items(const Call& call, bool only_new) {
  if (call.count < 4) return call.wrong_arity();
  CuckooChain::Shape shape = default_shape();
  bool create = true;
  int items = 0;
  for (int i = 2; i < call.count && items == 0; ++i) {
    if (is_word(call[i], "ITEMS")) items = i + 1;
    else if (is_word(call[i], "NOCREATE")) create = false;
    else if (is_word(call[i], "CAPACITY")) {
      if (i + 1 == call.count) return call.error("Bad capacity");
      if (!take_number(call, call[++i], "Bad capacity", 1, kMostCapacity, shape.capacity)) return;
    } else {
      return call.error("Unknown argument received");
    }
  }
  if (items == 0 || items == call.count) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  CuckooChain* const chain = chain_to_change(call, key, shape, create);
  if (chain == nullptr) return;
  const Added added = add_items(call, *chain, items, only_new);
  publish(call, added);
  api.ReplyWithArray(call.context, static_cast<long>(added.results.size()));
  for (const int result : added.results) api.ReplyWithLongLong(call.context, result);
}
void insert(const Call& call) { insert_items(call, false); }
void insert_new(const Call& call) { insert_items(call, true); }

bool may_contain(const CuckooChain* chain, std::string_view item) {
  return chain != nullptr && (chain->loaded || chain->contains(CuckooChain::hash(item)));
}

void exists(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  api.ReplyWithBool(call.context, may_contain(key.value<CuckooChain>(kKind), call[2]));
}

void exists_many(const Call& call) {
  if (call.count < 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const auto* const chain = key.value<CuckooChain>(kKind);
  api.ReplyWithArray(call.context, call.count - 2);
  for (int i = 2; i < call.count; ++i) api.ReplyWithBool(call.context, may_contain(chain, call[i]));
}

void count(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const auto* const chain = key.value<CuckooChain>(kKind);
  if (chain == nullptr) return call.number(0);
  if (chain->loaded) return call.error("ERR the filter is being loaded");
  call.number(chain->count(CuckooChain::hash(call[2])));
}

void remove(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  if (key.is_empty()) return call.error("Not found");
  CuckooChain* const chain = chain_to_change(call, key, {}, false);
  if (chain == nullptr) return;
  const bool removed = chain->remove(CuckooChain::hash(call[2]));
  if (removed) {
    api.ReplicateVerbatim(call.context);
    call.changed(1, "cf.del");
  }
  api.ReplyWithBool(call.context, removed);
}

void compact(const Call& call) {
  if (call.count != 2) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  CuckooChain* const chain = chain_to_change(call, key, {}, false);
  if (chain == nullptr) return;
  chain->compact();
  api.ReplicateVerbatim(call.context);
  call.changed(1, "cf.compact");
  call.ok();
}

void info(const Call& call) {
  if (call.count != 2) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  if (key.is_empty()) return call.error("ERR not found");
  const auto* const chain = key.value<CuckooChain>(kKind);
  if (chain == nullptr) return call.wrong_type();
  api.ReplyWithMap(call.context, 8);
  const auto field = [&](const char* name, std::uint64_t value) {
    call.name(name);
    call.number(value);
  };
  field("Size", chain->memory());
  field("Number of buckets", chain->buckets());
  field("Number of filters", chain->links());
  field("Number of items inserted", chain->items());
  field("Number of items deleted", chain->deleted());
  field("Bucket size", chain->shape().bucket_size);
  field("Expansion rate", chain->shape().expansion);
  field("Max iterations", chain->shape().max_iterations);
}

void debug(const Call& call) {
  if (call.count != 2) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  if (key.is_empty()) return call.error("ERR not found");
  const auto* const chain = key.value<CuckooChain>(kKind);
  if (chain == nullptr) return call.wrong_type();
  std::array<char, 160> line;
  const int size = std::snprintf(
      line.data(), line.size(), "bktsize:%u buckets:%llu items:%llu deletes:%llu filters:%zu max_iter:%u expansion:%u",
      chain->shape().bucket_size, static_cast<unsigned long long>(chain->buckets()),
      static_cast<unsigned long long>(chain->items()), static_cast<unsigned long long>(chain->deleted()),
      chain->links(), chain->shape().max_iterations, chain->shape().expansion);
  api.ReplyWithStringBuffer(call.context, line.data(), static_cast<std::size_t>(std::min<int>(size, line.size() - 1)));
}

void scan(const Call& call) { scan_dump(call, kKind); }
void load(const Call& call) { load_chunk(call, kKind, "cf.loadchunk"); }

constexpr CommandRow kCommands[] = {
    {"CF.RESERVE", command<reserve>, "write deny-oom", -3, "Creates a filter of a capacity", "O(bytes)"},
    {"CF.ADD", command<add>, "write deny-oom fast", 3, "Adds an item, again if it is there", "O(links)"},
    {"CF.ADDNX", command<add_new>, "write deny-oom fast", 3, "Adds an item unless it seems to be there", "O(links)"},
    {"CF.INSERT", command<insert>, "write deny-oom", -4, "Adds items", "O(items * links)"},
    {"CF.INSERTNX", command<insert_new>, "write deny-oom", -4, "Adds items that are not there", "O(items * links)"},
    {"CF.EXISTS", command<exists>, "readonly fast", 3, "Whether an item may be there", "O(links)"},
    {"CF.MEXISTS", command<exists_many>, "readonly", -3, "Whether items may be there", "O(items * links)"},
    {"CF.COUNT", command<count>, "readonly fast", 3, "How often an item may be there", "O(links)"},
    {"CF.DEL", command<remove>, "write fast", 3, "Removes one copy of an item that was added", "O(links)"},
    {"CF.COMPACT", command<compact>, "write", 2, "Moves items to older links of the same size", "O(bytes)"},
    {"CF.INFO", command<info>, "readonly fast", 2, "Size, buckets, links, items, settings", "O(links)"},
    {"CF.SCANDUMP", command<scan>, "readonly", 3, "The filter in parts", "O(bytes of the part)"},
    {"CF.LOADCHUNK", command<load>, "write deny-oom", 4, "Takes a part of CF.SCANDUMP", "O(bytes of the part)"},
    {"CF.DEBUG", command<debug>, "readonly fast", 2, "A line about the filter", "O(links)"},
};

}  // namespace

std::span<const CommandRow> cf_commands() { return kCommands; }

}  // namespace bloomery::server
