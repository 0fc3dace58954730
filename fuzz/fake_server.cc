#include "fuzz/fake_server.h"

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "bloomery/hash.h"

extern "C" int RedisModule_OnLoad(bloomery::server::Context*, bloomery::server::String**, int);

namespace bloomery::server {

struct Type {
  std::string name;
  TypeMethods methods;
};
struct Key {
  std::string name;
};
struct Command {};
// The client of the command that runs, when its reply comes later.
struct BlockedClient {
  CommandFunction reply = nullptr;
  void (*free)(Context*, void*) = nullptr;
  void* data = nullptr;
  bool waits = false;
};
struct Context {
  int (*get_api)(const char*, void*);
};

namespace fake {

Reply reply;
std::size_t most_memory = std::size_t{128} << 10;
bool always_aligned = false;
std::atomic<std::size_t> held = 0, most_held = 0;
std::uint64_t moved = 0;
int context_flags = kFlagMulti;
std::function<void(const std::string&)> before_open;

namespace {

struct Slot {
  Type* type = nullptr;
  void* value = nullptr;
};
std::map<std::string, Slot>& keys() {
  static std::map<std::string, Slot> all;
  return all;
}
std::map<std::string, CommandFunction>& commands() {
  static std::map<std::string, CommandFunction> all;
  return all;
}
std::map<std::string, std::unique_ptr<Type>>& types() {
  static std::map<std::string, std::unique_ptr<Type>> all;
  return all;
}
Context context;
BlockedClient blocked;
struct Timer {
  void (*run)(Context*, void*);
  void* data;
};
std::vector<Timer>& timers() {
  static std::vector<Timer> all;
  return all;
}

void end_unless(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

int one_reply() {
  while (!reply.open.empty() && --reply.open.back() == 0) reply.open.pop_back();
  if (reply.open.empty()) ++reply.complete;
  return kOk;
}
int open_reply(long count) {
  if (count == 0) return one_reply();
  reply.open.push_back(count);
  return kOk;
}

void free_slot(Slot& slot) {
  if (slot.value != nullptr) slot.type->methods.free(slot.value);
  slot = {};
}

char* load_string(Io* io, std::size_t* size) {
  if (io->next_string >= io->strings.size()) {
    io->failed = true;
    return nullptr;
  }
  const std::string& text = io->strings[io->next_string++];
  const std::uint64_t seed = io->next_string == 1 && !io->numbers.empty() ? io->numbers[0] : io->sum;
  io->sum = Hasher::xxh3(seed)(text).bits;
  *size = text.size();
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  held += malloc_usable_size(copy);
  std::memcpy(copy, text.data(), text.size());
  return copy;
}
std::uint64_t load_number(Io* io) {
  if (io->repair_sum && io->next_number == 1) return ++io->next_number, io->sum;
  if (io->next_number < io->numbers.size()) return io->numbers[io->next_number++];
  io->failed = true;
  return 0;
}

// Whole cache lines are aligned to one, as jemalloc does; each fourth is not, as with other allocators.
void* try_alloc(std::size_t size) {
  static std::atomic<unsigned> calls = 0;
  if (size > most_memory) return nullptr;
  const bool aligned = size % 64 == 0 && (++calls % 4 != 0 || always_aligned);
  void* const memory = aligned ? std::aligned_alloc(64, size) : std::malloc(size);
  const std::size_t now = held += malloc_usable_size(memory);
  for (std::size_t most = most_held; now > most && !most_held.compare_exchange_weak(most, now);) {
  }
  return memory;
}
void free_memory(void* memory) {
  held -= malloc_usable_size(memory);
  std::free(memory);
}

// Variable arguments are not looked at.
int replicate(Context*, const char*, const char*, ...) { return kOk; }
template <class T>
void ignore(T*, const char*, const char*, ...) {}

Api make_api() {
  Api made;
  made.SetModuleAttribs = [](Context*, const char*, int, int) {};
  made.IsModuleNameBusy = [](const char*) { return 0; };
  made.SetModuleOptions = [](Context*, int) {};
  made.TryAlloc = try_alloc;
  made.Free = free_memory;
  made.MallocSize = [](void* memory) { return malloc_usable_size(memory); };
  made.CreateCommand = [](Context*, const char* name, CommandFunction function, const char*, int, int, int) {
    return commands()[name] = function, kOk;
  };
  made.GetCommand = [](Context*, const char*) -> Command* {
    static Command command;
    return &command;
  };
  made.SetCommandInfo = [](Command*, const CommandInfo*) { return kOk; };
  made.WrongArity = [](Context*) { return reply.error = "wrong arity", one_reply(); };
  made.CreateDataType = [](Context*, const char* name, int, void* methods) -> Type* {
    auto& type = types()[name];
    type = std::make_unique<Type>(Type{name, *static_cast<TypeMethods*>(methods)});
    return type.get();
  };
  made.OpenKey = [](Context*, String* name, int) {
    if (before_open) before_open(name->text);
    return new Key{name->text};
  };
  made.CloseKey = [](Key* key) { delete key; };
  made.KeyType = [](Key* key) { return keys()[key->name].value == nullptr ? kKeyEmpty : 6; };
  made.ModuleTypeGetType = [](Key* key) { return keys()[key->name].type; };
  made.ModuleTypeGetValue = [](Key* key) { return keys()[key->name].value; };
  made.ModuleTypeSetValue = [](Key* key, Type* type, void* value) {
    Slot& slot = keys()[key->name];
    free_slot(slot);
    slot = {type, value};
    return kOk;
  };
  made.DeleteKey = [](Key* key) { return free_slot(keys()[key->name]), kOk; };
  made.StringPtrLen = [](const String* string, std::size_t* size) {
    return *size = string->text.size(), string->text.data();
  };
  made.CreateString = [](Context*, const char* data, std::size_t size) { return new String{{data, size}}; };
  made.FreeString = [](Context*, String* string) { delete string; };
  made.ReplyWithError = [](Context*, const char* text) { return reply.error = text, one_reply(); };
  made.ReplyWithLongLong = [](Context*, long long number) { return reply.number = number, one_reply(); };
  made.ReplyWithBool = [](Context*, int truth) { return reply.number = truth, one_reply(); };
  made.ReplyWithDouble = [](Context*, double) { return one_reply(); };
  made.ReplyWithArray = [](Context*, long count) { return open_reply(count); };
  made.ReplyWithMap = [](Context*, long count) { return open_reply(2 * count); };
  made.ReplyWithSimpleString = [](Context*, const char*) { return one_reply(); };
  made.ReplyWithStringBuffer = [](Context*, const char* data, std::size_t size) {
    return reply.bytes.assign(data, size), one_reply();
  };
  made.ReplyWithNull = [](Context*) { return one_reply(); };
  made.Replicate = replicate;
  made.ReplicateVerbatim = [](Context*) { return kOk; };
  made.GetContextFlags = [](Context*) { return context_flags; };
  made.SignalModifiedKey = [](Context*, String*) { return kOk; };
  made.NotifyKeyspaceEvent = [](Context*, int, const char*, String*) { return kOk; };
  made.SaveUnsigned = [](Io* io, std::uint64_t number) { io->numbers.push_back(number); };
  made.LoadUnsigned = load_number;
  made.SaveStringBuffer = [](Io* io, const char* data, std::size_t size) { io->strings.emplace_back(data, size); };
  made.LoadStringBuffer = load_string;
  made.IsIOError = [](Io* io) { return io->failed ? 1 : 0; };
  made.LogIOError = ignore<Io>;
  made.EmitAOF = ignore<Io>;
  made.DigestAddStringBuffer = [](Digest*, const char*, std::size_t) {};
  made.DigestEndSequence = [](Digest*) {};
  made.RegisterNumericConfig = [](Context*, const char*, long long, unsigned, long long, long long,
                                  long long (*)(const char*, void*), int (*)(const char*, long long, void*, String**),
                                  int (*)(Context*, void*, String**), void*) { return kOk; };
  made.RegisterStringConfig = [](Context*, const char*, const char*, unsigned, String* (*)(const char*, void*),
                                 int (*)(const char*, String*, void*, String**), int (*)(Context*, void*, String**),
                                 void*) { return kOk; };
  made.LoadConfigs = [](Context*) { return kOk; };
  made.RegisterInfoFunc = [](Context*, void (*)(InfoContext*, int)) { return kOk; };
  made.InfoAddSection = [](InfoContext*, const char*) { return kOk; };
  made.InfoAddFieldULongLong = [](InfoContext*, const char*, unsigned long long) { return kOk; };
  made.GetServerInfo = [](Context*, const char*) -> ServerInfo* { return nullptr; };
  made.FreeServerInfo = [](Context*, ServerInfo*) {};
  made.ServerInfoGetFieldUnsigned = [](ServerInfo*, const char*, int*) { return 0ULL; };
  made.ServerInfoGetFieldC = [](ServerInfo*, const char*) -> const char* { return nullptr; };
  made.GetSelectedDb = [](Context*) { return 0; };
  made.CreateTimer = [](Context*, long long, void (*run)(Context*, void*), void* data) {
    timers().push_back({run, data});
    return std::uint64_t{1};
  };
  made.BlockClient = [](Context*, CommandFunction reply, CommandFunction, void (*free)(Context*, void*), long long) {
    blocked = {reply, free, nullptr, true};
    return &blocked;
  };
  made.UnblockClient = [](BlockedClient* client, void* data) {
    client->data = data;
    client->waits = false;
    return kOk;
  };
  made.GetBlockedClientPrivateData = [](Context*) { return blocked.data; };
  made.SelectDb = [](Context*, int) { return kOk; };
  made.DefragAlloc = [](DefragContext*, void* memory) -> void* {  // everything moves
    ++fake::moved;
    const std::size_t size = malloc_usable_size(memory);
    void* const there = std::aligned_alloc(64, (size + 63) / 64 * 64);
    std::memcpy(there, memory, size);
    std::memset(memory, 0xa5, size);  // whoever still looks there finds nothing
    held += malloc_usable_size(there);
    free_memory(memory);
    return there;
  };
  made.Milliseconds = []() { return 1'700'000'000'000LL; };
  made.Log = ignore<Context>;
  return made;
}

int get_api(const char* name, void* out) {
  static const Api made = make_api();
  const std::string_view wanted = std::string_view(name).substr(std::strlen("RedisModule_"));
#define FAKE_GIVE(type, function, arguments)                \
  if (wanted == #function) {                                \
    std::memcpy(out, &made.function, sizeof made.function); \
    return made.function == nullptr ? kError : kOk;         \
  }
  BLOOMERY_SERVER_API(FAKE_GIVE)
  BLOOMERY_SERVER_OPTIONAL_API(FAKE_GIVE)
#undef FAKE_GIVE
  return kError;
}

}  // namespace

void start() {
  static const bool started = [] {
    context.get_api = get_api;
    end_unless(RedisModule_OnLoad(&context, nullptr, 0) == kOk, "the module loads");
    return true;
  }();
  (void)started;
}

void call(const std::vector<std::string>& words) {
  std::vector<String> strings;
  std::vector<String*> arguments;
  for (const std::string& word : words) strings.push_back({word});
  for (String& string : strings) arguments.push_back(&string);
  reply = {};
  blocked = {};
  commands().at(words[0])(&context, arguments.data(), static_cast<int>(arguments.size()));
  if (blocked.waits) {
    while (blocked.waits) {
      for (const Timer& timer : std::exchange(timers(), {})) timer.run(&context, timer.data);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    blocked.reply(&context, arguments.data(), static_cast<int>(arguments.size()));
    blocked.free(&context, blocked.data);
  }
  end_unless(reply.complete == 1 && reply.open.empty(), "a command gives one whole reply");
}

TypeMethods& methods(const std::string& type) { return types().at(type)->methods; }

void put(const std::string& key, const std::string& type, void* value) {
  Slot& slot = keys()[key];
  free_slot(slot);
  slot = {types().at(type).get(), value};
}

void defragment(const std::string& key) {
  Slot& slot = keys()[key];
  slot.type->methods.defrag(nullptr, nullptr, &slot.value);
}

void remove(const std::string& key) { free_slot(keys()[key]); }

bool has(const std::string& key) { return keys()[key].value != nullptr; }

void clear() {
  for (auto& [name, slot] : keys()) free_slot(slot);
  keys().clear();
}

}  // namespace fake
}  // namespace bloomery::server
