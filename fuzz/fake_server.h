// A server that is none: enough of the module's API for fuzzing commands and RDB loads in one process, under
// sanitizers. It has one database, takes no more than 128 KiB for a piece of a value, counts replies and keeps nothing
// else of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "server/api.h"

namespace bloomery::server {

struct String {
  std::string text;
};

// What an RDB holds: strings and numbers in order. The last number is the sum of the rest when `repair_sum` is set.
struct Io {
  std::vector<std::string> strings;
  std::vector<std::uint64_t> numbers;
  bool repair_sum = false;
  std::size_t next_string = 0, next_number = 0;
  std::uint64_t sum = 0;
  bool failed = false;
};

namespace fake {

struct Reply {
  int complete = 0;        // replies that are whole
  std::vector<long> open;  // elements that arrays and maps still lack
  std::string error;       // the last error
  long long number = 0;    // the last number, or truth
  std::string bytes;       // the last string
};
extern Reply reply;
// The most bytes of a piece; 128 KiB unless a test wants more. Enough for a link of 8,192 keys and for files of some
// KB.
extern std::size_t most_memory;
// Whether all memory is aligned as jemalloc does it; otherwise each fourth piece is not.
extern bool always_aligned;
// Bytes that the module holds, and the most of them since a test put the first there.
extern std::atomic<std::size_t> held, most_held;
// Pieces that were moved when a value was defragmented.
extern std::uint64_t moved;

// What GetContextFlags answers. kFlagMulti unless a test wants otherwise: nothing is answered later then.
extern int context_flags;
// Called with the name of a key before it is opened, unless it is empty. It may remove the key, as expiry does.
extern std::function<void(const std::string& key)> before_open;

// Loads the module once.
void start();
// Calls a command, and runs timers until its client is blocked no more; the program ends unless it gave exactly one
// whole reply.
void call(const std::vector<std::string>& words);
// Loads a value of the type from the RDB, or nullptr; `use` a loaded one under the key, then free it.
TypeMethods& methods(const std::string& type);
void put(const std::string& key, const std::string& type, void* value);
bool has(const std::string& key);
void remove(const std::string& key);
void defragment(const std::string& key);
void clear();

}  // namespace fake
}  // namespace bloomery::server
