// The entry of the module: types, commands, settings, INFO.
#include "bloomery/version.h"
#include "server/api.h"
#include "server/call.h"
#include "server/config.h"
#include "server/transfer.h"
#include "server/value.h"

namespace bloomery::server {

namespace {

struct TypeRow {
  ValueKind kind;
  const char* name;  // nine characters
  const char* load_command;
  Type* Types::*type;
};
constexpr TypeRow kTypes[] = {{ValueKind::bloom, "blm-bloom", "BF.LOADCHUNK", &Types::bloom},
                              {ValueKind::cuckoo, "blm-cucko", "CF.LOADCHUNK", &Types::cuckoo},
                              {ValueKind::filter, "blm-filtr", "BLM.LOADCHUNK", &Types::filter}};

const TypeRow& row_of(ValueKind kind) {
  for (const TypeRow& row : kTypes)
    if (row.kind == kind) return row;
  return kTypes[0];
}

const Value& value_at(const void* value) { return *static_cast<const Value*>(value); }

template <ValueKind kKind>
void* load(Io* io, int version) {
  try {
    if (version > kEncodingVersion) {
      api.LogIOError(io, "warning", "bloomery: the filter was stored by a newer version of this module: upgrade it");
      return nullptr;
    }
    Result<ValuePointer> value = load_value(io, kKind);
    if (value.ok()) return value->release();
    api.LogIOError(io, "warning", "bloomery: %s", value.error().message.c_str());
  } catch (...) {
    api.LogIOError(io, "warning", "bloomery: out of memory");
  }
  return nullptr;
}

void save(Io* io, void* value) {
  try {
    save_value(io, value_at(value));
  } catch (...) {
    api.LogIOError(io, "warning", "bloomery: out of memory");
  }
}

void rewrite(Io* io, String* key, void* value) {
  try {
    rewrite_value(io, key, value_at(value), row_of(value_at(value).kind()).load_command);
  } catch (...) {
    api.LogIOError(io, "warning", "bloomery: out of memory");
  }
}

void add_digest(Digest* digest, void* value) {
  try {
    digest_value(digest, value_at(value));
  } catch (...) {
    api.Log(nullptr, "warning", "bloomery: out of memory, the digest leaves a filter out");
  }
}

void* copy(String*, String*, const void* value) {
  try {
    Result<ValuePointer> copied = copy_value(value_at(value));
    if (copied.ok()) return copied->release();
    api.Log(nullptr, "warning", "bloomery: %s", copied.error().message.c_str());
  } catch (...) {
    api.Log(nullptr, "warning", "bloomery: out of memory");
  }
  return nullptr;
}

std::size_t memory_usage(const void* value) { return value_at(value).memory(); }
// In pages: the server frees on another thread what takes more than 64.
std::size_t free_effort(String*, const void* value) {
  return 1 + static_cast<std::size_t>(value_at(value).payload_bytes() / 4096);
}
// Moves all in one go: what an allocator moves is small, and it leaves large pieces where they are.
int defragment(DefragContext* context, String*, void** value) {
  static_cast<Value*>(*value)->defragment(context);
  return 0;
}
void free_value(void* value) { destroy(static_cast<Value*>(value)); }

template <ValueKind kKind>
bool create_type(Context* context) {
  TypeMethods methods;
  methods.rdb_load = load<kKind>;
  methods.rdb_save = save;
  methods.aof_rewrite = rewrite;
  methods.mem_usage = memory_usage;
  methods.digest = add_digest;
  methods.free = free_value;
  methods.free_effort = free_effort;
  methods.copy = copy;
  methods.defrag = defragment;
  const TypeRow& row = row_of(kKind);
  types.*row.type = api.CreateDataType(context, row.name, kEncodingVersion, &methods);
  return types.*row.type != nullptr;
}

bool is_write(const CommandRow& row) { return std::string_view(row.flags).starts_with("write"); }

bool create_command(Context* context, const CommandRow& row) {
  const int last = row.last_key < 0 ? row.last_key : 1 + row.last_key;
  if (api.CreateCommand(context, row.name, row.function, row.flags, 1, last, 1) != kOk) return false;
  Command* const command = api.GetCommand(context, row.name);
  static const CommandInfoVersion version;
  KeySpec specs[2] = {};
  specs[0].flags = is_write(row) ? kSpecReadWrite | kSpecUpdate : kSpecReadOnly | kSpecAccess;
  specs[0].find.range.last_key = row.last_key;
  specs[1].begin_search_type = 0;  // ends the list
  CommandInfo info;
  info.version = &version;
  info.summary = row.summary;
  info.complexity = row.complexity;
  info.since = BLOOMERY_VERSION;
  info.arity = row.arity;
  info.key_specs = specs;
  if (api.SetCommandInfo(command, &info) != kOk) return false;
  if (api.SetCommandACLCategories == nullptr) return true;
  return api.SetCommandACLCategories(command, is_write(row) ? "bloom write" : "bloom read") == kOk;
}

void add_info(InfoContext* info, int) {
  api.InfoAddSection(info, "");
  api.InfoAddFieldULongLong(info, "filters", Value::live.load(std::memory_order_relaxed));
  api.InfoAddFieldULongLong(info, "max_filter_bytes", static_cast<unsigned long long>(config.max_filter_bytes));
  api.InfoAddFieldULongLong(info, "encoding_version", kEncodingVersion);
}

bool load_module(Context* context, String** arguments, int count) {
  api.SetModuleOptions(context, kOptionHandleIoErrors | kOptionNoImplicitSignal);
  if (!create_type<ValueKind::bloom>(context) || !create_type<ValueKind::cuckoo>(context) ||
      !create_type<ValueKind::filter>(context))
    return false;
  if (api.AddACLCategory != nullptr && api.AddACLCategory(context, "bloom") != kOk) return false;
  for (const auto rows : {bf_commands(), cf_commands(), blm_commands()})
    for (const CommandRow& row : rows)
      if (!create_command(context, row)) {
        api.Log(context, "warning", "bloomery: cannot create %s: is another module loaded that has it?", row.name);
        return false;
      }
  return api.RegisterInfoFunc(context, add_info) == kOk && load_config(context, arguments, count);
}

}  // namespace

Types types;

}  // namespace bloomery::server

extern "C" [[gnu::visibility("default")]] int RedisModule_OnLoad(bloomery::server::Context* context,
                                                                 bloomery::server::String** arguments, int count) {
  using namespace bloomery::server;
  if (const char* missing = fetch_api(context); missing != nullptr) {
    if (api.Log != nullptr) api.Log(context, "warning", "bloomery: the server lacks RedisModule_%s", missing);
    return kError;
  }
  if (api.IsModuleNameBusy("bloomery") != 0) return kError;
  api.SetModuleAttribs(context, "bloomery", 1, kApiVersion);
  try {
    return load_module(context, arguments, count) ? kOk : kError;
  } catch (...) {
    return kError;
  }
}
