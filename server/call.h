// One call of a command: its arguments, the key it names, its reply. Nothing here throws but std::bad_alloc, which
// `command<>` turns into an error reply.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/result.h"
#include "server/api.h"
#include "server/value.h"

namespace bloomery::server {

inline std::string_view text(const String* string) {
  std::size_t size = 0;
  const char* data = api.StringPtrLen(string, &size);
  return {data, size};
}
// Whether the argument is that word, in upper or lower case. The word is upper case.
bool is_word(std::string_view argument, std::string_view word) noexcept;
// All of the text as a number; nothing otherwise. A real number may be infinite or no number.
std::optional<long long> parse_integer(std::string_view text) noexcept;
std::optional<std::uint64_t> parse_unsigned(std::string_view text) noexcept;
std::optional<double> parse_real(std::string_view text) noexcept;

// Whether the client of this call speaks RESP3.
inline bool is_resp3(Context* context) { return (api.GetContextFlags(context) & kFlagResp3) != 0; }

struct Call {
  Context* context;
  String** arguments;  // the name of the command first
  int count;

  std::string_view operator[](int i) const { return text(arguments[i]); }
  // Replies.
  void error(const char* message) const { api.ReplyWithError(context, message); }
  void error(const Error& error) const;
  void ok() const { api.ReplyWithSimpleString(context, "OK"); }
  void wrong_arity() const { api.WrongArity(context); }
  void wrong_type() const { error("WRONGTYPE Operation against a key holding the wrong kind of value"); }
  void name(std::string_view text) const { api.ReplyWithSimpleString(context, text.data()); }
  void number(std::uint64_t value) const { api.ReplyWithLongLong(context, static_cast<long long>(value)); }
  void bytes(std::span<const std::uint8_t> value) const {
    api.ReplyWithStringBuffer(context, reinterpret_cast<const char*>(value.data()), value.size());
  }
  // Tells the keyspace and whoever watches the key that it changed.
  void changed(int key, const char* event) const;
  // Whether the command comes from a primary or from an AOF: it was allowed already and must do the same here.
  bool is_replay() const { return (api.GetContextFlags(context) & (kFlagReplicated | kFlagLoading)) != 0; }
  // Whether the reply may come later: not inside MULTI, a script, or another module's call, and not of a replay.
  bool may_wait() const {
    return (api.GetContextFlags(context) &
            (kFlagLua | kFlagMulti | kFlagDenyBlocking | kFlagReplicated | kFlagLoading)) == 0;
  }
  bool is_replica() const { return (api.GetContextFlags(context) & kFlagReplica) != 0; }
  // The limit of payload bytes of a filter for this call.
  std::uint64_t most_bytes() const;
  // Whether so much memory more would go over maxmemory, or does if it is taken already; then it has replied OOM.
  bool refuses_memory(std::uint64_t bytes, bool taken = false) const;
};

// The types of values, by their kind.
struct Types {
  Type *bloom = nullptr, *cuckoo = nullptr, *filter = nullptr;
};
extern Types types;
inline Type* type_of(ValueKind kind) {
  return kind == ValueKind::bloom ? types.bloom : kind == ValueKind::cuckoo ? types.cuckoo : types.filter;
}

// A key of a call, closed when it goes.
class OpenedKey {
 public:
  OpenedKey(const Call& call, int argument, int mode) : OpenedKey(call.context, call.arguments[argument], mode) {}
  OpenedKey(Context* context, String* name, int mode) : key_(api.OpenKey(context, name, mode)) {}
  ~OpenedKey() {
    if (key_ != nullptr) api.CloseKey(key_);
  }
  OpenedKey(const OpenedKey&) = delete;
  OpenedKey& operator=(const OpenedKey&) = delete;

  bool is_empty() const { return key_ == nullptr || api.KeyType(key_) == kKeyEmpty; }
  // The value, or nullptr when there is none or it is of another type.
  template <class V>
  V* value(ValueKind kind) const {
    if (key_ == nullptr || api.ModuleTypeGetType(key_) != type_of(kind)) return nullptr;  // an empty key has no type
    return static_cast<V*>(static_cast<Value*>(api.ModuleTypeGetValue(key_)));
  }
  // Gives the value to the key.
  Value& set(ValuePointer value) const {
    Value* const given = value.release();
    api.ModuleTypeSetValue(key_, type_of(given->kind()), given);
    return *given;
  }
  void remove() const { api.DeleteKey(key_); }

 private:
  Key* key_;
};

// The function that the server calls for a command. What it throws is lack of memory, before anything was replied.
template <void (*kFunction)(const Call&)>
int command(Context* context, String** arguments, int count) noexcept {
  try {
    kFunction(Call{context, arguments, count});
  } catch (...) {
    api.ReplyWithError(context, "ERR out of memory");
  }
  return kOk;
}

// What the server is told of a command.
struct CommandRow {
  const char* name;
  CommandFunction function;
  const char* flags;  // write or readonly, deny-oom, fast
  int arity;          // negative: at least
  const char* summary;
  const char* complexity;
  int last_key = 0;  // beyond the first, relative to it; -1: to the end
};

std::span<const CommandRow> bf_commands();
std::span<const CommandRow> cf_commands();
std::span<const CommandRow> blm_commands();

}  // namespace bloomery::server
