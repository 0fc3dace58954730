// The functions of the server that this module calls. No Debian package carries the module's header and none is needed:
// the server hands a context to RedisModule_OnLoad whose first word is GetApi(name, pointer), and every function is
// fetched by its name. Valkey answers to the same names. Layouts and numbers follow the servers' public documentation
// of modules (API version 1).
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery::server {

struct Context;  // RedisModuleCtx; the other types are opaque, too
struct String;
struct Key;
struct Type;
struct Io;
struct Digest;
struct Command;
struct InfoContext;
struct ServerInfo;
struct DefragContext;
struct BlockedClient;

inline constexpr int kOk = 0, kError = 1;
inline constexpr int kRead = 1, kWrite = 2, kNoTouch = 1 << 16;  // modes of OpenKey
inline constexpr int kKeyEmpty = 0;                              // answers of KeyType
inline constexpr int kApiVersion = 1;
inline constexpr int kOptionHandleIoErrors = 1 << 0, kOptionNoImplicitSignal = 1 << 1;
inline constexpr int kNotifyModule = 1 << 13;
inline constexpr int kFlagReplicated = 1 << 12, kFlagLoading = 1 << 13, kFlagReplica = 1 << 3, kFlagLua = 1 << 0,
                     kFlagMulti = 1 << 1, kFlagDenyBlocking = 1 << 21,
                     kFlagResp3 = 1 << 22;  // of GetContextFlags
inline constexpr unsigned kConfigMemory = 1 << 7;

using CommandFunction = int (*)(Context*, String**, int);

// RedisModuleTypeMethods, version 3: what both servers know.
struct TypeMethods {
  std::uint64_t version = 3;
  void* (*rdb_load)(Io*, int encoding_version) = nullptr;
  void (*rdb_save)(Io*, void* value) = nullptr;
  void (*aof_rewrite)(Io*, String* key, void* value) = nullptr;
  std::size_t (*mem_usage)(const void* value) = nullptr;
  void (*digest)(Digest*, void* value) = nullptr;
  void (*free)(void* value) = nullptr;
  int (*aux_load)(Io*, int, int) = nullptr;
  void (*aux_save)(Io*, int) = nullptr;
  int aux_save_triggers = 0;
  std::size_t (*free_effort)(String* key, const void* value) = nullptr;
  void (*unlink)(String* key, const void* value) = nullptr;
  void* (*copy)(String* from, String* to, const void* value) = nullptr;
  int (*defrag)(DefragContext*, String* key, void** value) = nullptr;
};

// RedisModuleCommandKeySpec: begins at an index, ends at an index relative to it.
struct KeySpec {
  const char* notes = nullptr;
  std::uint64_t flags = 0;
  int begin_search_type = 2;  // an index
  union {
    struct {
      int position;
    } index;
    struct {
      const char* keyword;
      int start;
    } keyword;
  } begin = {{1}};
  int find_keys_type = 2;  // a range
  union {
    struct {
      int last_key, key_step, limit;
    } range;
    struct {
      int count_index, first_key, key_step;
    } counted;
  } find = {{0, 1, 0}};
};
inline constexpr std::uint64_t kSpecReadOnly = 1 << 0, kSpecReadWrite = 1 << 1, kSpecOverwrite = 1 << 2,
                               kSpecAccess = 1 << 4, kSpecUpdate = 1 << 5, kSpecInsert = 1 << 6, kSpecDelete = 1 << 7;

struct CommandArgument {  // RedisModuleCommandArg; none is used, its size is part of the version
  const char* name;
  int type, key_spec_index;
  const char *token, *summary, *since;
  int flags;
  const char* deprecated_since;
  CommandArgument* arguments;
};
struct HistoryEntry {
  const char *since, *changes;
};
struct CommandInfoVersion {
  int version = 1;
  std::size_t history_entry = sizeof(HistoryEntry), key_spec = sizeof(KeySpec), argument = sizeof(CommandArgument);
};
struct CommandInfo {
  const CommandInfoVersion* version = nullptr;
  const char *summary = nullptr, *complexity = nullptr, *since = nullptr;
  HistoryEntry* history = nullptr;
  const char* tips = nullptr;
  int arity = 0;
  KeySpec* key_specs = nullptr;
  CommandArgument* arguments = nullptr;
};

// FUNCTION(return type, name, arguments)
#define BLOOMERY_SERVER_API(FUNCTION)                                                                                \
  FUNCTION(void, SetModuleAttribs, (Context*, const char* name, int version, int api_version))                       \
  FUNCTION(int, IsModuleNameBusy, (const char*))                                                                     \
  FUNCTION(void, SetModuleOptions, (Context*, int options))                                                          \
  FUNCTION(void*, TryAlloc, (std::size_t))                                                                           \
  FUNCTION(void, Free, (void*))                                                                                      \
  FUNCTION(std::size_t, MallocSize, (void*))                                                                         \
  FUNCTION(int, CreateCommand, (Context*, const char*, CommandFunction, const char* flags, int, int, int))           \
  FUNCTION(Command*, GetCommand, (Context*, const char*))                                                            \
  FUNCTION(int, SetCommandInfo, (Command*, const CommandInfo*))                                                      \
  FUNCTION(int, WrongArity, (Context*))                                                                              \
  FUNCTION(Type*, CreateDataType, (Context*, const char*, int encoding_version, void* methods))                      \
  FUNCTION(Type*, ModuleTypeGetType, (Key*))                                                                         \
  FUNCTION(void*, ModuleTypeGetValue, (Key*))                                                                        \
  FUNCTION(int, ModuleTypeSetValue, (Key*, Type*, void*))                                                            \
  FUNCTION(Key*, OpenKey, (Context*, String*, int mode))                                                             \
  FUNCTION(void, CloseKey, (Key*))                                                                                   \
  FUNCTION(int, DeleteKey, (Key*))                                                                                   \
  FUNCTION(int, KeyType, (Key*))                                                                                     \
  FUNCTION(const char*, StringPtrLen, (const String*, std::size_t*))                                                 \
  FUNCTION(String*, CreateString, (Context*, const char*, std::size_t))                                              \
  FUNCTION(void, FreeString, (Context*, String*))                                                                    \
  FUNCTION(int, ReplyWithError, (Context*, const char*))                                                             \
  FUNCTION(int, ReplyWithLongLong, (Context*, long long))                                                            \
  FUNCTION(int, ReplyWithBool, (Context*, int))                                                                      \
  FUNCTION(int, ReplyWithDouble, (Context*, double))                                                                 \
  FUNCTION(int, ReplyWithArray, (Context*, long))                                                                    \
  FUNCTION(int, ReplyWithMap, (Context*, long))                                                                      \
  FUNCTION(int, ReplyWithSimpleString, (Context*, const char*))                                                      \
  FUNCTION(int, ReplyWithStringBuffer, (Context*, const char*, std::size_t))                                         \
  FUNCTION(int, ReplyWithNull, (Context*))                                                                           \
  FUNCTION(int, Replicate, (Context*, const char* command, const char* format, ...))                                 \
  FUNCTION(int, ReplicateVerbatim, (Context*))                                                                       \
  FUNCTION(int, GetContextFlags, (Context*))                                                                         \
  FUNCTION(int, SignalModifiedKey, (Context*, String*))                                                              \
  FUNCTION(int, NotifyKeyspaceEvent, (Context*, int type, const char* event, String* key))                           \
  FUNCTION(void, SaveUnsigned, (Io*, std::uint64_t))                                                                 \
  FUNCTION(std::uint64_t, LoadUnsigned, (Io*))                                                                       \
  FUNCTION(void, SaveStringBuffer, (Io*, const char*, std::size_t))                                                  \
  FUNCTION(char*, LoadStringBuffer, (Io*, std::size_t*))                                                             \
  FUNCTION(int, IsIOError, (Io*))                                                                                    \
  FUNCTION(void, LogIOError, (Io*, const char* level, const char* format, ...))                                      \
  FUNCTION(void, EmitAOF, (Io*, const char* command, const char* format, ...))                                       \
  FUNCTION(void, DigestAddStringBuffer, (Digest*, const char*, std::size_t))                                         \
  FUNCTION(void, DigestEndSequence, (Digest*))                                                                       \
  FUNCTION(int, RegisterNumericConfig,                                                                               \
           (Context*, const char*, long long standard, unsigned flags, long long least, long long most,              \
            long long (*get)(const char*, void*), int (*set)(const char*, long long, void*, String**),               \
            int (*apply)(Context*, void*, String**), void* data))                                                    \
  FUNCTION(int, RegisterStringConfig,                                                                                \
           (Context*, const char*, const char* standard, unsigned flags, String* (*get)(const char*, void*),         \
            int (*set)(const char*, String*, void*, String**), int (*apply)(Context*, void*, String**), void* data)) \
  FUNCTION(int, LoadConfigs, (Context*))                                                                             \
  FUNCTION(int, RegisterInfoFunc, (Context*, void (*)(InfoContext*, int)))                                           \
  FUNCTION(int, InfoAddSection, (InfoContext*, const char*))                                                         \
  FUNCTION(int, InfoAddFieldULongLong, (InfoContext*, const char*, unsigned long long))                              \
  FUNCTION(ServerInfo*, GetServerInfo, (Context*, const char* section))                                              \
  FUNCTION(void, FreeServerInfo, (Context*, ServerInfo*))                                                            \
  FUNCTION(unsigned long long, ServerInfoGetFieldUnsigned, (ServerInfo*, const char* field, int* error))             \
  FUNCTION(const char*, ServerInfoGetFieldC, (ServerInfo*, const char* field))                                       \
  FUNCTION(int, GetSelectedDb, (Context*))                                                                           \
  FUNCTION(std::uint64_t, CreateTimer, (Context*, long long period, void (*)(Context*, void*), void* data))          \
  FUNCTION(BlockedClient*, BlockClient,                                                                              \
           (Context*, CommandFunction reply, CommandFunction timeout, void (*free)(Context*, void*), long long))     \
  FUNCTION(int, UnblockClient, (BlockedClient*, void*))                                                              \
  FUNCTION(void*, GetBlockedClientPrivateData, (Context*))                                                           \
  FUNCTION(int, SelectDb, (Context*, int))                                                                           \
  FUNCTION(long long, Milliseconds, ())                                                                              \
  FUNCTION(void, Log, (Context*, const char* level, const char* format, ...))

// Functions that a server may lack; then the pointer is null.
#define BLOOMERY_SERVER_OPTIONAL_API(FUNCTION)                      \
  FUNCTION(void*, TryCalloc, (std::size_t count, std::size_t size)) \
  FUNCTION(int, AddACLCategory, (Context*, const char*))            \
  FUNCTION(int, SetCommandACLCategories, (Command*, const char*))   \
  FUNCTION(int, AvoidReplicaTraffic, ())                            \
  FUNCTION(void*, DefragAlloc, (DefragContext*, void*))

struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a type and a list of types
#define BLOOMERY_SERVER_POINTER(type, name, arguments) type(*name) arguments = nullptr;
  BLOOMERY_SERVER_API(BLOOMERY_SERVER_POINTER)
  BLOOMERY_SERVER_OPTIONAL_API(BLOOMERY_SERVER_POINTER)
#undef BLOOMERY_SERVER_POINTER
};
extern Api api;

// Fills `api` from the context of RedisModule_OnLoad. Returns the name of the first function that the server lacks,
// nullptr when all are there.
const char* fetch_api(Context* context) noexcept;

}  // namespace bloomery::server
