// Which peers this build has: bench.cmake defines a macro for each library that it found.
#include <cstdio>
#include <cstdlib>

#include "bench/peers/peer.h"
#include "bench/peers/store.h"

namespace bloomery::bench {

std::vector<std::unique_ptr<Peer>> all_peers() {
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(make_bloomery());
#ifdef BLOOMERY_BENCH_LIBBLOOM
  peers.push_back(make_libbloom());
#endif
#ifdef BLOOMERY_BENCH_LEVELDB
  peers.push_back(make_leveldb());
#endif
  return peers;
}

std::vector<std::string> missing_peers() {
  std::vector<std::string> names;
#ifndef BLOOMERY_BENCH_LIBBLOOM
  names.emplace_back("libbloom (Debian: libbloom-dev)");
#endif
#ifndef BLOOMERY_BENCH_LEVELDB
  names.emplace_back("LevelDB (Debian: libleveldb-dev)");
#endif
#ifndef BLOOMERY_BENCH_ROCKSDB
  names.emplace_back("RocksDB (Debian: librocksdb-dev)");
#endif
#ifndef BLOOMERY_BENCH_LIBURCU
  names.emplace_back("liburcu (Debian: liburcu-dev)");
#endif
  return names;
}

std::vector<StoreKind> store_peers() {
  std::vector<StoreKind> stores;
#ifdef BLOOMERY_BENCH_LEVELDB
  stores.push_back(leveldb_store());
#endif
#ifdef BLOOMERY_BENCH_ROCKSDB
  stores.push_back(rocksdb_store());
#endif
  return stores;
}

void store_failed(const std::string& who, const std::string& why) {
  std::fprintf(stderr, "bloomery_bench: %s: %s\n", who.c_str(), why.c_str());
  std::exit(1);
}

}  // namespace bloomery::bench
