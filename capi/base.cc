// Versions, kinds, options, secrets, the log hook.
#include <algorithm>
#include <array>
#include <cstring>

#include "bloomery/environment.h"
#include "bloomery/log.h"
#include "bloomery/version.h"
#include "capi/handles.h"

namespace bloomery::capi {
namespace {

Error invalid(const char* field, std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), {}, field};
}

// The hash function that options ask for.
Result<std::optional<Hasher>> hasher_of(const bloomery_options& options) {
  const bool keyed = options.secret != nullptr;
  if (options.hash == nullptr && !keyed && options.seed == 0) return std::optional<Hasher>();
  HashId id = keyed ? HashId::siphash13 : HashId::xxh3;
  if (options.hash != nullptr) {
    const Result<HashId> named = hash_id_from_name(options.hash);
    BLOOMERY_TRY(named);
    id = *named;
  }
  if (takes_secret(id) != keyed)
    return invalid("secret", std::string("the hash ") + to_string(id) +
                                 (keyed ? " takes no secret: leave it NULL, or ask for siphash13"
                                        : " needs a secret of 16 bytes"));
  if (options.seed != 0 && !takes_seed(id))
    return invalid("seed", std::string("the hash ") + to_string(id) + " takes no seed: leave it 0");
  switch (id) {
    case HashId::xxh3: return std::optional(Hasher::xxh3(options.seed));
    case HashId::xxh64: return std::optional(Hasher::xxh64(options.seed));
    case HashId::siphash13: return std::optional(Hasher::siphash13(secret_of(options.secret)));
    case HashId::siphash24: return std::optional(Hasher::siphash24(secret_of(options.secret)));
    case HashId::fnv_splitmix: break;
  }
  return std::optional(Hasher::fnv_splitmix());
}

}  // namespace

Secret secret_of(const std::uint8_t* bytes) {
  std::array<std::uint8_t, 16> copy;
  std::memcpy(copy.data(), bytes, copy.size());
  return Secret(copy);
}

Result<Kind> kind_of(const char* name) { return name == nullptr ? Result<Kind>(Kind::block) : kind_from_name(name); }

Result<std::shared_ptr<CallerMemory>> checked_memory(const bloomery_memory* memory) {
  if (memory == nullptr) return std::shared_ptr<CallerMemory>();
  if (memory->allocate == nullptr || memory->release == nullptr)
    return invalid("memory", "memory needs both functions, allocate and release");
  return std::make_shared<CallerMemory>(*memory);
}

Result<CheckedOptions> checked(const bloomery_options* options) {
  bloomery_options all = BLOOMERY_OPTIONS_INIT;
  BLOOMERY_TRY(take(options, all, "options"));
  Result<std::optional<Hasher>> hasher = hasher_of(all);
  BLOOMERY_TRY(hasher);
  Result<std::shared_ptr<CallerMemory>> memory = checked_memory(all.memory);
  BLOOMERY_TRY(memory);
  return CheckedOptions{*hasher, *std::move(memory)};
}

Result<GeometryFields> checked_fields(const bloomery_geometry& geometry) {
  constexpr std::size_t kMost = std::extent_v<decltype(geometry.numbers)>;
  if (geometry.count == 0 || geometry.count > kMost)
    return invalid("geometry", "a geometry has from 1 to " + std::to_string(kMost) + " numbers");
  GeometryFields fields;
  for (std::size_t i = 0; i < geometry.count; ++i) {
    if (geometry.numbers[i].name == nullptr) return invalid("geometry", "a number of the geometry has no name");
    fields.emplace_back(geometry.numbers[i].name, geometry.numbers[i].value);
  }
  return fields;
}

void give_geometry(const GeometryFields& fields, bloomery_geometry& out) {
  out = {};
  for (const auto& [name, value] : fields) out.numbers[out.count++] = {name, value};
}

Result<SizeSpec> size_of(const bloomery_size_spec* spec) {
  bloomery_size_spec all = BLOOMERY_SIZE_SPEC_INIT;
  BLOOMERY_TRY(take(spec, all, "spec"));
  SizeSpec size;
  if (all.fpr != 0 && all.bits_per_key != 0)
    return invalid("fpr", "fpr and bits_per_key exclude each other: give one, and leave the other 0");
  if (all.fpr != 0) size.fpr = all.fpr;
  if (all.bits_per_key != 0) size.bits_per_key = all.bits_per_key;
  if (all.geometry != nullptr) {
    Result<GeometryFields> fields = checked_fields(*all.geometry);
    BLOOMERY_TRY(fields);
    size.numbers.assign(fields->begin(), fields->end());
  }
  return size;
}

}  // namespace bloomery::capi

using namespace bloomery;
using namespace bloomery::capi;

bloomery_error* bloomery_check_abi(uint32_t major, uint32_t minor) {
  return returning([&]() -> Status {
    if (major == BLOOMERY_ABI_MAJOR && minor <= BLOOMERY_ABI_MINOR) return {};
    const auto text = [](uint32_t a, uint32_t b) { return std::to_string(a) + "." + std::to_string(b); };
    return Error{ErrorCode::unsupported,
                 "this library has the C interface " + text(BLOOMERY_ABI_MAJOR, BLOOMERY_ABI_MINOR) +
                     ", and the program was compiled for " + text(major, minor) + ": install that, or compile it again",
                 {},
                 "abi"};
  });
}
uint32_t bloomery_abi_major(void) { return BLOOMERY_ABI_MAJOR; }
uint32_t bloomery_abi_minor(void) { return BLOOMERY_ABI_MINOR; }
const char* bloomery_version(void) { return version(); }

const char* bloomery_kind_name(size_t index) {
  return index < kAllKinds.size() ? to_string(kAllKinds[index]) : nullptr;
}

const char* bloomery_kind_when_to_pick(const char* kind) {
  return answering<const char*>(nullptr, [&]() -> const char* {
    const Result<Kind> known = kind_of(kind);
    return known.ok() ? when_to_pick(*known) : nullptr;
  });
}

bool bloomery_kind_can(const char* kind, bloomery_ability ability) {
  return answering(false, [&] {
    const Result<Kind> known = kind_of(kind);
    if (!known.ok()) return false;
    switch (ability) {
      case BLOOMERY_CAN_ADD: return can(*known, Ability::add);
      case BLOOMERY_CAN_REMOVE: return can(*known, Ability::remove);
      case BLOOMERY_CAN_MERGE: return can(*known, Ability::merge);
      case BLOOMERY_CAN_INTERSECT: return can(*known, Ability::intersect);
      case BLOOMERY_CAN_RESIZE: return can(*known, Ability::resize);
      case BLOOMERY_FORGETS: return forgets(*known);
    }
    return false;
  });
}

bloomery_error* bloomery_secret_from_hex(const char* text, uint8_t secret[16]) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(text);
    BLOOMERY_C_NEEDS(secret);
    const Result<Secret> parsed = Secret::from_hex(text);
    BLOOMERY_TRY(parsed);
    std::copy(parsed->bytes().begin(), parsed->bytes().end(), secret);
    return {};
  });
}

namespace {

struct {
  bloomery_log_hook hook = nullptr;
  void* context = nullptr;
} log_to;

// The caller's hook takes text that ends with a NUL. What a copy of it throws, the library drops with the message.
void pass_on(LogLevel level, std::string_view message, void*) {
  log_to.hook(level == LogLevel::warning ? BLOOMERY_LOG_WARNING : BLOOMERY_LOG_INFO, std::string(message).c_str(),
              log_to.context);
}

}  // namespace

void bloomery_set_log_hook(bloomery_log_hook hook, void* context) {
  set_log_hook(nullptr);
  log_to = {hook, context};
  if (hook != nullptr) set_log_hook(pass_on);
}

void bloomery_ignore_environment(void) { ignore_environment(); }
