// The shape in which every sorted store of the table benchmarks is asked, ours included: same entries, no compression,
// a filter of 10 bits a key (ours: 10.5), checksums as each verifies them by default, and a cache that holds
// everything. A virtual call covers a whole window of keys.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/entries.h"

namespace bloomery::bench {

class Store {
 public:
  virtual ~Store() = default;
  // How many are found.
  virtual std::uint64_t get_all(std::span<const std::string_view> keys) = 0;
  // Walks over all entries; how many there are.
  virtual std::uint64_t scan() = 0;
};

// A program that keeps its data in a folder. Both calls end the benchmark with a message when it refuses.
struct StoreKind {
  std::string name;
  void (*build)(const Entries& entries, const std::string& folder);
  std::unique_ptr<Store> (*open)(const std::string& folder, std::uint64_t cache_bytes);
};

// Returns the stores that were found when this was configured: LevelDB and RocksDB.
std::vector<StoreKind> store_peers();

StoreKind leveldb_store();
StoreKind rocksdb_store();

// Ends the program: a benchmark of a store that does not work says nothing.
[[noreturn]] void store_failed(const std::string& who, const std::string& why);

}  // namespace bloomery::bench
