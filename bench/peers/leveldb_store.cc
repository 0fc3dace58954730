// LevelDB as a store: all entries in its last level, its own filter at 10 bits a key.
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "bench/peers/store.h"

namespace bloomery::bench {
namespace {

void check(const leveldb::Status& status) {
  if (!status.ok()) store_failed("LevelDB", status.ToString());
}

leveldb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

class LevelDbStore : public Store {
 public:
  LevelDbStore(const std::string& folder, std::uint64_t cache_bytes)
      : cache_(leveldb::NewLRUCache(cache_bytes)), policy_(leveldb::NewBloomFilterPolicy(10)) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    options.block_cache = cache_.get();
    options.filter_policy = policy_.get();
    options.write_buffer_size = 64 << 20;
    leveldb::DB* db = nullptr;
    check(leveldb::DB::Open(options, folder, &db));
    db_.reset(db);
  }

  void fill(const Entries& entries) {
    leveldb::WriteBatch batch;
    for (std::uint64_t i = 0; i < entries.size(); ++i) {
      const Entries::Key key = entries.key(i);
      batch.Put(slice(view_of(key)), slice(entries.value(i)));
      if (i % 1000 != 999 && i + 1 != entries.size()) continue;
      check(db_->Write(leveldb::WriteOptions(), &batch));
      batch.Clear();
    }
    db_->CompactRange(nullptr, nullptr);
  }

  std::uint64_t get_all(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) {
      const leveldb::Status status = db_->Get(leveldb::ReadOptions(), slice(key), &value_);
      found += status.ok() ? 1 : 0;
      if (!status.ok() && !status.IsNotFound()) check(status);
    }
    return found;
  }

  std::uint64_t scan() override {
    std::uint64_t entries = 0;
    const std::unique_ptr<leveldb::Iterator> at(db_->NewIterator(leveldb::ReadOptions()));
    for (at->SeekToFirst(); at->Valid(); at->Next()) entries += at->value().empty() ? 0 : 1;
    check(at->status());
    return entries;
  }

 private:
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::unique_ptr<leveldb::DB> db_;
  std::string value_;
};

}  // namespace

StoreKind leveldb_store() {
  return {"LevelDB",
          [](const Entries& entries, const std::string& folder) { LevelDbStore(folder, 8 << 20).fill(entries); },
          [](const std::string& folder, std::uint64_t cache_bytes) -> std::unique_ptr<Store> {
            return std::make_unique<LevelDbStore>(folder, cache_bytes);
          }};
}

}  // namespace bloomery::bench
