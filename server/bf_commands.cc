// BF.*: the Bloom commands, answered as the existing modules do (docs/server.md has the differences).
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "server/bloom_chain.h"
#include "server/call.h"
#include "server/config.h"
#include "server/dump_commands.h"

namespace bloomery::server {

namespace {

constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << 30;
constexpr long long kMostExpansion = 32768;
constexpr ValueKind kKind = ValueKind::bloom;
constexpr const char* kLoad = "BF.LOADCHUNK";

// The error texts of one command for the same mistakes.
struct Texts {
  const char *bad_rate, *bad_capacity, *bad_expansion;
};
constexpr Texts kReserveTexts = {"ERR bad error rate", "ERR bad capacity", "ERR bad expansion"};
constexpr Texts kInsertTexts = {"Bad error rate", "Bad capacity", "Bad expansion"};

// Each takes an argument into the shape; false when it has replied why not.
bool take_rate(const Call& call, std::string_view argument, const Texts& texts, BloomChain::Shape& shape) {
  const std::optional<double> rate = parse_real(argument);
  if (!rate) return call.error(texts.bad_rate), false;
  if (!(*rate > 0 && *rate < 1)) return call.error("ERR error rate must be in the range (0.000000, 1.000000)"), false;
  shape.fpr = *rate;
  return true;
}
bool take_capacity(const Call& call, std::string_view argument, const Texts& texts, BloomChain::Shape& shape) {
  const std::optional<long long> capacity = parse_integer(argument);
  if (!capacity) return call.error(texts.bad_capacity), false;
  if (*capacity < 1 || static_cast<std::uint64_t>(*capacity) > kMostCapacity)
    return call.error("ERR capacity must be in the range [1, 1073741824]"), false;
  shape.capacity = static_cast<std::uint64_t>(*capacity);
  shape.reserved = true;
  return true;
}
bool take_expansion(const Call& call, std::string_view argument, const Texts& texts, BloomChain::Shape& shape) {
  const std::optional<long long> expansion = parse_integer(argument);
  if (!expansion) return call.error(texts.bad_expansion), false;
  if (*expansion < 0 || *expansion > kMostExpansion)
    return call.error("ERR expansion must be in the range [0, 32768]"), false;
  shape.expansion = static_cast<std::uint32_t>(*expansion);
  return true;
}

BloomChain::Shape default_shape() {
  BloomChain::Shape shape;
  shape.fpr = config.bf_error_rate;
  shape.capacity = static_cast<std::uint64_t>(config.bf_initial_size);
  shape.expansion = static_cast<std::uint32_t>(config.bf_expansion_factor);
  shape.reserved = shape.expansion == 0;  // a single link, of the initial size
  return shape;
}

void replicate_creation(const Call& call, const BloomChain& chain) {
  const BloomChain::Shape& shape = chain.shape();
  if (!shape.reserved) return replicate_header(call, chain, kLoad);
  std::array<char, 40> rate;
  std::snprintf(rate.data(), rate.size(), "%.17g", shape.fpr);
  api.Replicate(call.context, "BF.RESERVE", "sclcl", call.arguments[1], rate.data(),
                static_cast<long long>(shape.capacity), "EXPANSION", static_cast<long long>(shape.expansion));
}

// The chain of that shape under the key, or nullptr when it has replied why not.
BloomChain* create_chain(const Call& call, const OpenedKey& key, const BloomChain::Shape& shape) {
  if (shape.reserved && call.refuses_memory(shape.capacity)) return nullptr;  // a byte a key at least
  Result<BloomChain::Pointer> chain = BloomChain::create(shape, call.most_bytes());
  if (chain.ok() && call.refuses_memory((*chain)->payload_bytes(), true)) return nullptr;
  if (!chain.ok()) {
    switch (chain.error().code) {
      case ErrorCode::out_of_memory: call.error("ERR Insufficient memory to create filter"); break;
      case ErrorCode::invalid_argument: call.error("ERR could not create filter"); break;
      default: call.error(chain.error());
    }
    return nullptr;
  }
  BloomChain* const created = chain->get();
  key.set(ValuePointer(chain->release()));
  replicate_creation(call, *created);
  return created;
}

void reserve(const Call& call) {
  if (call.count < 4 || call.count > 7) return call.wrong_arity();
  BloomChain::Shape shape = default_shape();
  if (!take_rate(call, call[2], kReserveTexts, shape) || !take_capacity(call, call[3], kReserveTexts, shape)) return;
  bool single = false, expands = false;
  for (int i = 4; i < call.count; ++i) {
    if (is_word(call[i], "NONSCALING")) {
      single = true;
    } else if (is_word(call[i], "EXPANSION")) {
      if (i + 1 == call.count) return call.error("ERR no expansion");
      if (!take_expansion(call, call[++i], kReserveTexts, shape)) return;
      expands = shape.expansion > 0;
    } else {
      return call.wrong_arity();
    }
  }
  if (single && expands) return call.error("Nonscaling filters cannot expand");
  if (single) shape.expansion = 0;
  const OpenedKey key(call, 1, kRead | kWrite);
  if (!key.is_empty())
    return key.value<BloomChain>(kKind) == nullptr ? call.wrong_type() : call.error("ERR item exists");
  if (create_chain(call, key, shape) == nullptr) return;
  call.changed(1, "bf.reserve");
  call.ok();
}

// What became of items that were to be added: an answer each, and the error that stopped it.
struct Added {
  std::vector<std::uint8_t> fresh;
  std::vector<String*> replicated;  // those that changed the filter
  Status stopped;
};

Added add_items(const Call& call, BloomChain& chain, int first) {
  Added added;
  const std::size_t count = static_cast<std::size_t>(call.count - first);
  added.fresh.reserve(count);
  added.replicated.reserve(count);
  const std::uint64_t most = call.most_bytes();
  for (int i = first; i < call.count; ++i) {
    const Result<bool> fresh = chain.add(BloomChain::hash(call[i]), most);
    if (!fresh.ok()) {
      added.stopped = fresh.status();
      break;
    }
    added.fresh.push_back(*fresh ? 1 : 0);
    if (*fresh) added.replicated.push_back(call.arguments[i]);
  }
  return added;
}

void reply_stop(const Call& call, const Error& error) {
  if (error.code == ErrorCode::full) return call.error(error);
  call.error("ERR problem inserting into filter");
}

// Tells replicas and the keyspace.
void publish(const Call& call, const Added& added) {
  if (added.replicated.empty()) return;
  api.Replicate(call.context, "BF.MADD", "sv", call.arguments[1], added.replicated.data(), added.replicated.size());
  call.changed(1, "bf.add");
}

void reply_items(const Call& call, const Added& added) {
  const bool whole = added.stopped.ok();
  api.ReplyWithArray(call.context, static_cast<long>(added.fresh.size() + (whole ? 0 : 1)));
  for (const std::uint8_t fresh : added.fresh) api.ReplyWithBool(call.context, fresh);
  if (!whole) reply_stop(call, added.stopped.error());
}

// The chain under the key, created by default when there is none; nullptr when it has replied why not.
BloomChain* chain_to_change(const Call& call, const OpenedKey& key, const BloomChain::Shape& shape) {
  if (key.is_empty()) return create_chain(call, key, shape);
  auto* const chain = key.value<BloomChain>(kKind);
  if (chain == nullptr) return call.wrong_type(), nullptr;
  if (chain->loaded) return call.error("ERR the filter is being loaded"), nullptr;
  return chain;
}

void add(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  BloomChain* const chain = chain_to_change(call, key, default_shape());
  if (chain == nullptr) return;
  const Added added = add_items(call, *chain, 2);
  publish(call, added);
  if (!added.stopped.ok()) return reply_stop(call, added.stopped.error());
  api.ReplyWithBool(call.context, added.fresh[0]);
}

void add_many(const Call& call) {
  if (call.count < 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  BloomChain* const chain = chain_to_change(call, key, default_shape());
  if (chain == nullptr) return;
  const Added added = add_items(call, *chain, 2);
  publish(call, added);
  reply_items(call, added);
}

void insert(const Call& call) {
  if (call.count < 4) return call.wrong_arity();
  BloomChain::Shape shape = default_shape();
  bool create = true, single = false, expands = false;
  int items = 0;
  for (int i = 2; i < call.count && items == 0; ++i) {
    const std::string_view word = call[i];
    const bool has_value = i + 1 < call.count;
    if (is_word(word, "ITEMS")) items = i + 1;
    else if (is_word(word, "NOCREATE")) create = false;
    else if (is_word(word, "NONSCALING")) single = true;
    else if (is_word(word, "CAPACITY")) {
      if (!has_value) return call.error(kInsertTexts.bad_capacity);
      if (!take_capacity(call, call[++i], kInsertTexts, shape)) return;
    } else if (is_word(word, "ERROR")) {
      if (!has_value) return call.error(kInsertTexts.bad_rate);
      if (!take_rate(call, call[++i], kInsertTexts, shape)) return;
    } else if (is_word(word, "EXPANSION")) {
      if (!has_value) return call.error(kInsertTexts.bad_expansion);
      if (!take_expansion(call, call[++i], kInsertTexts, shape)) return;
      expands = shape.expansion > 0;
    } else {
      return call.error("Unknown argument received");
    }
  }
  if (items == 0 || items == call.count) return call.wrong_arity();
  if (single && expands) return call.error("Nonscaling filters cannot expand");
  if (single) shape.expansion = 0;
  if (shape.expansion == 0) shape.reserved = true;
  const OpenedKey key(call, 1, kRead | kWrite);
  if (!create && key.is_empty()) return call.error("ERR not found");
  BloomChain* const chain = chain_to_change(call, key, shape);
  if (chain == nullptr) return;
  const Added added = add_items(call, *chain, items);
  publish(call, added);
  reply_items(call, added);
}

// A missing key and one of another type have no items; a filter that is being loaded may have any.
void exists(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const auto* const chain = key.value<BloomChain>(kKind);
  const bool found = chain != nullptr && (chain->loaded || chain->contains(BloomChain::hash(call[2])));
  api.ReplyWithBool(call.context, found);
}

void exists_many(const Call& call) {
  if (call.count < 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  const auto* const chain = key.value<BloomChain>(kKind);
  constexpr int kGroup = 256;
  std::array<std::string_view, kGroup> items;
  std::array<Hash, kGroup> hashes;
  std::array<std::uint8_t, kGroup> answers;
  api.ReplyWithArray(call.context, call.count - 2);
  for (int first = 2; first < call.count; first += kGroup) {
    const std::size_t count = static_cast<std::size_t>(std::min(kGroup, call.count - first));
    answers.fill(chain != nullptr && chain->loaded ? 1 : 0);
    if (chain != nullptr && !chain->loaded) {
      for (std::size_t i = 0; i < count; ++i) items[i] = call[first + static_cast<int>(i)];
      Hasher::xxh3().hash_many(std::span<const std::string_view>(items.data(), count), hashes);
      chain->contains_many(std::span<const Hash>(hashes.data(), count), answers);
    }
    for (std::size_t i = 0; i < count; ++i) api.ReplyWithBool(call.context, answers[i]);
  }
}

void card(const Call& call) {
  if (call.count != 2) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  if (key.is_empty()) return call.number(0);
  const auto* const chain = key.value<BloomChain>(kKind);
  if (chain == nullptr) return call.wrong_type();
  call.number(chain->items());
}

struct InfoField {
  const char *word, *name;
};
constexpr std::array kInfoFields = {
    InfoField{"CAPACITY", "Capacity"}, InfoField{"SIZE", "Size"}, InfoField{"FILTERS", "Number of filters"},
    InfoField{"ITEMS", "Number of items inserted"}, InfoField{"EXPANSION", "Expansion rate"}};

void reply_field(const Call& call, const BloomChain& chain, std::size_t field) {
  switch (field) {
    case 0: return call.number(chain.capacity());
    case 1: return call.number(chain.memory());
    case 2: return call.number(std::max<std::size_t>(1, chain.links()));
    case 3: return call.number(chain.items());
    default:
      if (chain.shape().expansion == 0) api.ReplyWithNull(call.context);
      else call.number(chain.shape().expansion);
  }
}

void info(const Call& call) {
  if (call.count < 2 || call.count > 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  if (key.is_empty()) return call.error("ERR not found");
  const auto* const chain = key.value<BloomChain>(kKind);
  if (chain == nullptr) return call.wrong_type();
  if (call.count == 2) {
    api.ReplyWithMap(call.context, kInfoFields.size());
    for (std::size_t i = 0; i < kInfoFields.size(); ++i) {
      call.name(kInfoFields[i].name);
      reply_field(call, *chain, i);
    }
    return;
  }
  for (std::size_t i = 0; i < kInfoFields.size(); ++i) {
    if (!is_word(call[2], kInfoFields[i].word)) continue;
    if (is_resp3(call.context)) {
      api.ReplyWithMap(call.context, 1);
      call.name(kInfoFields[i].name);
    } else {
      api.ReplyWithArray(call.context, 1);
    }
    return reply_field(call, *chain, i);
  }
  call.error("Invalid information value");
}

void debug(const Call& call) {
  if (call.count != 2) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead);
  if (key.is_empty()) return call.error("ERR not found");
  const auto* const chain = key.value<BloomChain>(kKind);
  if (chain == nullptr) return call.wrong_type();
  api.ReplyWithArray(call.context, static_cast<long>(1 + chain->links()));
  std::array<char, 160> line;
  const auto reply = [&](int size) {
    api.ReplyWithStringBuffer(call.context, line.data(), static_cast<std::size_t>(size));
  };
  reply(std::snprintf(line.data(), line.size(), "size:%llu", static_cast<unsigned long long>(chain->items())));
  for (std::size_t i = 0; i < chain->links(); ++i) {
    const BloomChain::LinkInfo link = chain->link_info(i);
    reply(std::snprintf(line.data(), line.size(), "bytes:%llu bits:%llu hashes:%u capacity:%llu size:%llu ratio:%g",
                        static_cast<unsigned long long>(link.bytes), static_cast<unsigned long long>(8 * link.bytes),
                        link.k, static_cast<unsigned long long>(link.capacity),
                        static_cast<unsigned long long>(link.items), link.rate));
  }
}

void scan(const Call& call) { scan_dump(call, kKind); }
void load(const Call& call) { load_chunk(call, kKind, "bf.loadchunk"); }

constexpr CommandRow kCommands[] = {
    {"BF.RESERVE", command<reserve>, "write deny-oom", -4, "Creates a filter of a rate and a capacity", "O(bytes)"},
    {"BF.ADD", command<add>, "write deny-oom fast", 3, "Adds an item; creates the filter if there is none", "O(links)"},
    {"BF.MADD", command<add_many>, "write deny-oom", -3, "Adds items", "O(items * links)"},
    {"BF.INSERT", command<insert>, "write deny-oom", -4, "Adds items to a filter that it may create",
     "O(items * links)"},
    {"BF.EXISTS", command<exists>, "readonly fast", 3, "Whether an item may have been added", "O(links)"},
    {"BF.MEXISTS", command<exists_many>, "readonly", -3, "Whether items may have been added", "O(items * links)"},
    {"BF.CARD", command<card>, "readonly fast", 2, "How many items were added that were new", "O(1)"},
    {"BF.INFO", command<info>, "readonly fast", -2, "Capacity, size, links, items, expansion", "O(links)"},
    {"BF.SCANDUMP", command<scan>, "readonly", 3, "The filter in parts", "O(bytes of the part)"},
    {"BF.LOADCHUNK", command<load>, "write deny-oom", 4, "Takes a part of BF.SCANDUMP", "O(bytes of the part)"},
    {"BF.DEBUG", command<debug>, "readonly fast", 2, "A line about each link", "O(links)"},
};

}  // namespace

std::span<const CommandRow> bf_commands() { return kCommands; }

}  // namespace bloomery::server
