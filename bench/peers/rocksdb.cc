// RocksDB as a store: one sorted file in its last level, its own filter at 10 bits a key, values pinned instead of
// copied.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <filesystem>

#include "bench/peers/store.h"

namespace bloomery::bench {
namespace {

void check(const rocksdb::Status& status) {
  if (!status.ok()) store_failed("RocksDB", status.ToString());
}

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

rocksdb::Options options_with(std::uint64_t cache_bytes) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(cache_bytes);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

class RocksDbStore : public Store {
 public:
  RocksDbStore(const std::string& folder, std::uint64_t cache_bytes) {
    rocksdb::DB* db = nullptr;
    check(rocksdb::DB::Open(options_with(cache_bytes), folder, &db));
    db_.reset(db);
  }

  void fill(const Entries& entries, const std::string& folder) {
    const std::string path = folder + "/all.sst";
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options_with(8 << 20));
    check(writer.Open(path));
    for (std::uint64_t i = 0; i < entries.size(); ++i) {
      const Entries::Key key = entries.key(i);
      check(writer.Put(slice(view_of(key)), slice(entries.value(i))));
    }
    check(writer.Finish());
    rocksdb::IngestExternalFileOptions ingest;
    ingest.move_files = true;
    check(db_->IngestExternalFile({path}, ingest));
  }

  std::uint64_t get_all(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    rocksdb::PinnableSlice value;
    for (const std::string_view key : keys) {
      value.Reset();
      const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), db_->DefaultColumnFamily(), slice(key), &value);
      found += status.ok() ? 1 : 0;
      if (!status.ok() && !status.IsNotFound()) check(status);
    }
    return found;
  }

  std::uint64_t scan() override {
    std::uint64_t entries = 0;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(rocksdb::ReadOptions()));
    for (at->SeekToFirst(); at->Valid(); at->Next()) entries += at->value().size() > 0 ? 1 : 0;
    check(at->status());
    return entries;
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

StoreKind rocksdb_store() {
  return {"RocksDB",
          [](const Entries& entries, const std::string& folder) {
            std::filesystem::create_directories(folder);
            RocksDbStore(folder, 8 << 20).fill(entries, folder);
          },
          [](const std::string& folder, std::uint64_t cache_bytes) -> std::unique_ptr<Store> {
            return std::make_unique<RocksDbStore>(folder, cache_bytes);
          }};
}

}  // namespace bloomery::bench
