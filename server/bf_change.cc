// BF.RESERVE, BF.ADD, BF.MADD, BF.INSERT: what creates and changes a Bloom filter.
#include "server/bf_change.h"

#include <array>
#include <cstdio>
#include <vector>

#include "server/bloom_chain.h"
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

}  // namespace

void bf_reserve(const Call& call) {
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

void bf_add(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  BloomChain* const chain = chain_to_change(call, key, default_shape());
  if (chain == nullptr) return;
  const Added added = add_items(call, *chain, 2);
  publish(call, added);
  if (!added.stopped.ok()) return reply_stop(call, added.stopped.error());
  api.ReplyWithBool(call.context, added.fresh[0]);
}

void bf_madd(const Call& call) {
  if (call.count < 3) return call.wrong_arity();
  const OpenedKey key(call, 1, kRead | kWrite);
  BloomChain* const chain = chain_to_change(call, key, default_shape());
  if (chain == nullptr) return;
  const Added added = add_items(call, *chain, 2);
  publish(call, added);
  reply_items(call, added);
}

void bf_insert(const Call& call) {
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

}  // namespace bloomery::server
