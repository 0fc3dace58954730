// BLM.RESERVE and BLM.WINDOW: filters of any kind that takes keys.
#include "server/blm_create.h"

#include <string>

#include "server/blm_open.h"
#include "server/config.h"

namespace bloomery::server {

namespace {

struct Request {
  Kind kind = Kind::block;
  bool kind_given = false;
  double fpr = 0.01;
  std::uint64_t capacity = 100'000;
  std::optional<HashId> hash;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> secret_id;  // of a keyed hash, told by a primary or an AOF, whoever sends it
  Records records;
  FilterValue::Windows windows;
};

bool has_secret(std::uint64_t id) { return config.secret && config.secret->id() == id; }

// Takes one option with its value; false when it has replied why not.
bool take_option(const Call& call, int i, bool window, Request& request) {
  const std::string_view word = call[i], value = call[i + 1];
  const auto number = parse_unsigned(value);
  if (is_word(word, "KIND")) {
    const Result<Kind> kind = kind_from_name(value);
    if (!kind.ok()) return call.error(kind.error()), false;
    request.kind = *kind;
    request.kind_given = true;
  } else if (is_word(word, "FPR")) {
    const std::optional<double> fpr = parse_real(value);
    if (!fpr || !(*fpr > 0 && *fpr < 1)) return call.error("ERR FPR must be above 0 and below 1"), false;
    request.fpr = *fpr;
  } else if (is_word(word, "CAPACITY")) {
    if (!number || *number < 1) return call.error("ERR CAPACITY must be a number of keys, at least 1"), false;
    request.capacity = *number;
  } else if (is_word(word, "HASH")) {
    const Result<HashId> hash = hash_id_from_name(value);
    if (!hash.ok()) return call.error(hash.error()), false;
    request.hash = *hash;
  } else if (is_word(word, "SEED")) {
    if (!number) return call.error("ERR SEED must be a number of 64 bits"), false;
    request.seed = *number;
  } else if (is_word(word, "KEYS")) {
    request.records.keys = std::string(value);
  } else if (is_word(word, "LABEL")) {
    request.records.label = std::string(value);
  } else if (window && is_word(word, "WINDOWS")) {
    if (!number || *number < 1 || *number > 64) return call.error("ERR WINDOWS must be from 1 to 64"), false;
    request.windows.count = static_cast<std::uint32_t>(*number);
  } else if (window && is_word(word, "EVERY")) {
    if (!number || *number < 1 || *number > (std::uint64_t{1} << 40))
      return call.error("ERR EVERY must be seconds, at least 1"), false;
    request.windows.every_ms = 1000 * *number;
  } else if (window && is_word(word, "AT")) {
    if (!number) return call.error("ERR AT must be milliseconds"), false;
    request.windows.turned_ms = turned_at(call, *number);
  } else if (is_word(word, "SECRETID")) {
    if (!number) return call.error("ERR SECRETID must be a number of 64 bits"), false;
    if (!call.is_replay() && !has_secret(*number))
      return call.error("ERR SECRETID is not of the secret in bloomery.secret-file"), false;
    request.secret_id = *number;
  } else {
    return call.error("ERR unknown argument"), false;
  }
  return true;
}

// Where the secret that a primary names is not there, Hasher::without_secret stands in, as in a filter that was loaded:
// the primary sends hashes.
Result<Hasher> hasher_of(const Request& request) {
  if (!request.hash) {
    const Hasher standard = default_hasher(request.kind);
    if (request.seed == 0) return standard;
    return standard.id() == HashId::xxh64 ? Hasher::xxh64(request.seed) : Hasher::xxh3(request.seed);
  }
  if (request.seed != 0 && !takes_seed(*request.hash))
    return Error{ErrorCode::invalid_argument, "this hash takes no SEED", {}, {}};
  switch (*request.hash) {
    case HashId::fnv_splitmix: return Hasher::fnv_splitmix();
    case HashId::xxh3: return Hasher::xxh3(request.seed);
    case HashId::xxh64: return Hasher::xxh64(request.seed);
    default: break;
  }
  if (request.secret_id && !has_secret(*request.secret_id))
    return Hasher::without_secret(*request.hash, *request.secret_id);
  if (!config.secret) return Error{ErrorCode::wrong_secret, "a keyed hash needs bloomery.secret-file", {}, {}};
  return *request.hash == HashId::siphash13 ? Hasher::siphash13(*config.secret) : Hasher::siphash24(*config.secret);
}

Result<FilterValue::Pointer> create_value(const Call& call, const Request& request) {
  const Result<Hasher> hasher = hasher_of(request);
  BLOOMERY_TRY(hasher);
  const Result<SizePlan> plan = plan_size(request.kind, request.capacity, {.fpr = request.fpr});
  BLOOMERY_TRY(plan);
  const std::uint64_t most = call.most_bytes();
  if (plan->bytes > most / request.windows.count)
    return Error{ErrorCode::full, "the filter would be larger than bloomery.max-filter-bytes allows", {}, {}};
  if (call.refuses_memory(plan->bytes * request.windows.count)) return FilterValue::Pointer();
  Result<AnyFilter> filter =
      AnyFilter::with_capacity(request.kind, request.capacity, request.fpr, FilterOptions(*hasher, &server_memory));
  BLOOMERY_TRY(filter);
  // What the records may say is checked where an envelope is written; so one is, before a key exists.
  BLOOMERY_TRY(envelope_head(filter->view(), filter->key_count(), request.records));
  std::optional<FilterValue::Keyed> keyed;
  if (request.hash && takes_secret(*request.hash) && request.secret_id && !has_secret(*request.secret_id))
    keyed = {*request.hash, *request.secret_id};
  return FilterValue::create(*std::move(filter), request.records, keyed, request.windows);
}

// Sends the command to replicas with what they would not know: the clock, and which secret it is.
void replicate_creation(const Call& call, const FilterValue& value, bool window) {
  const auto [hash, seed] = value.hash_name();
  const std::string at = std::to_string(value.windows().turned_ms), secret_id = std::to_string(seed);
  const bool keyed = takes_secret(hash);
  String** const options = call.arguments + 2;
  const std::size_t count = static_cast<std::size_t>(call.count - 2);
  if (window)
    api.Replicate(call.context, "BLM.WINDOW", keyed ? "svcccc" : "svcc", call.arguments[1], options, count, "AT",
                  at.c_str(), "SECRETID", secret_id.c_str());
  else if (keyed)
    api.Replicate(call.context, "BLM.RESERVE", "svcc", call.arguments[1], options, count, "SECRETID",
                  secret_id.c_str());
  else api.ReplicateVerbatim(call.context);
}

void create_filter(const Call& call, bool window) {
  if (call.count < 4 || call.count % 2 != 0) return call.wrong_arity();
  Request request;
  for (int i = 2; i < call.count; i += 2)
    if (!take_option(call, i, window, request)) return;
  if (!window && !request.kind_given) return call.error("ERR KIND is missing: try KIND block");
  if (window && request.windows.turned_ms == 0)
    request.windows.turned_ms = static_cast<std::uint64_t>(api.Milliseconds());
  const OpenedKey key(call, 1, kRead | kWrite);
  if (!key.is_empty()) return call.error("ERR item exists");
  Result<FilterValue::Pointer> value = create_value(call, request);
  if (!value.ok()) return call.error(value.error());
  if (*value == nullptr) return;  // it has replied
  replicate_creation(call, **value, window);
  key.set(ValuePointer(value->release()));
  call.changed(1, window ? "blm.window" : "blm.reserve");
  call.ok();
}

}  // namespace

void blm_reserve(const Call& call) { create_filter(call, false); }
void blm_window(const Call& call) { create_filter(call, true); }

}  // namespace bloomery::server
