// BF.*: the Bloom commands that read, and the list of all, answered as the existing modules do (docs/server.md has the
// differences).
#include <algorithm>
#include <array>
#include <cstdio>

#include "server/bf_change.h"
#include "server/bloom_chain.h"
#include "server/call.h"
#include "server/dump_commands.h"

namespace bloomery::server {

namespace {

constexpr ValueKind kKind = ValueKind::bloom;

// A missing key and one of another type have no items; a filter that is being loaded may have any.
void exists(const Call& call) {
  if (call.count != 3) return call.wrong_arity();
  const Hash hash = BloomChain::hash(call[2]);
  BloomChain::fetch_ahead(hash);
  const OpenedKey key(call, 1, kRead);
  const auto* const chain = key.value<BloomChain>(kKind);
  if (chain != nullptr) chain->expect_question();
  api.ReplyWithBool(call.context, chain != nullptr && (chain->loaded || chain->contains(hash)));
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
                        static_cast<unsigned long long>(link.bytes), 8 * static_cast<unsigned long long>(link.bytes),
                        link.k, static_cast<unsigned long long>(link.capacity),
                        static_cast<unsigned long long>(link.items), link.rate));
  }
}

void scan(const Call& call) { scan_dump(call, kKind); }
void load(const Call& call) { load_chunk(call, kKind, "bf.loadchunk"); }

constexpr CommandRow kCommands[] = {
    {"BF.RESERVE", command<bf_reserve>, "write deny-oom", -4, "Creates a filter of a rate and a capacity", "O(bytes)"},
    {"BF.ADD", command<bf_add>, "write deny-oom fast", 3, "Adds an item; creates the filter if there is none",
     "O(links)"},
    {"BF.MADD", command<bf_madd>, "write deny-oom", -3, "Adds items", "O(items * links)"},
    {"BF.INSERT", command<bf_insert>, "write deny-oom", -4, "Adds items to a filter that it may create",
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
